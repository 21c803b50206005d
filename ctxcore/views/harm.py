"""What a policy would have cost one call, for people: faults, evidence by type, results to be fetched again, and where a value went."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ctxcore.atoms import TYPES
from ctxcore.counted import count
from ctxcore.measures.evidence_kept import EvidenceKept
from ctxcore.measures.references import LostReference
from ctxcore.measures.refetch import Debt
from ctxcore.measures.seen import message_fate
from ctxcore.measures.validity import REFUSED_BY, WORDS, Fault
from ctxcore.replay import DROPPED, EDITED, Replay
from ctxcore.sizes.provider import PROVIDERS, Provider, thread_provider
from ctxcore.views.sight import unit_of_message
from ctxcore.views.tables import Fact
from ctxcore.views.visible import shortened
from ctxcore.views.words import number, percent

NAMES = {"openai": "OpenAI", "anthropic": "Anthropic", "gemini": "Gemini"}
"""Providers as people write them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """The three places of a lost value."""

    message: int
    """Thread message that held it last."""
    unit: int
    """Of that message; -1 for none."""
    dropped: int | None
    """First call, at or before the one that needs it, that is sent without that message or with it edited; None where no call is."""
    needed: int
    """Call whose reply uses it."""


def way_of(replay: Replay, one: LostReference) -> Way:
    """Where a lost value was, where it went and where it was needed.

    Args:
        replay: A policy at a budget.
        one: Of this replay.
    """
    fate = message_fate(replay, one.message)
    gone = np.flatnonzero(((fate == DROPPED) | (fate == EDITED)) & ~replay.refused)
    return Way(message=one.message, unit=one.unit, dropped=int(gone[0]) if len(gone) and gone[0] <= one.call else None, needed=one.call)


def way_sentence(way: Way, value: str) -> str:
    """The three places in one sentence.

    Args:
        way: Of the value.
        value: As evidence writes it.
    """
    where = f"“{shortened(value, 60)}” stood in message {number(way.message)} (unit {number(way.unit)})"
    went = "" if way.dropped is None else f", which first goes at call #{number(way.dropped)}"
    return f"{where}{went}; the reply of call #{number(way.needed)} uses it."


def faults_frame(replay: Replay, faults: Sequence[Fault]) -> pd.DataFrame:
    """Faults of one call with the message and unit they stand at, and who refuses such a request."""
    owner = unit_of_message(replay.thread)
    rows = [
        {
            "fault": WORDS[fault.kind],
            "message": fault.message,
            "unit": None if fault.message is None or owner[fault.message] < 0 else int(owner[fault.message]),
            "refused by": refusers(replay, fault),
        }
        for fault in faults
    ]
    return pd.DataFrame(rows, columns=["fault", "message", "unit", "refused by"])


def refusers(replay: Replay, fault: Fault) -> str:
    """Providers that refuse a request for this fault; the thread's own is named as such."""
    own: Provider | None = thread_provider(replay.thread)
    refusing = REFUSED_BY.get(fault.kind, ())
    if own is None:
        return ", ".join(NAMES[provider] for provider in PROVIDERS if provider in refusing) or "nobody"
    return f"{NAMES[own]}, this thread's provider" if own in refusing else f"not by {NAMES[own]}, this thread's provider"


def faults_sentence(faults: Sequence[Fault], refused: bool, rejected: bool) -> str:
    """Whether a provider would take the request of one call.

    Args:
        faults: Of the call.
        refused: It does not fit, so nothing is sent.
        rejected: The thread's provider would refuse its form.
    """
    if refused:
        return "This call does not fit the budget and sends nothing, so there is nothing to refuse."
    if not faults:
        return "The policy breaks no rule of a provider in this request."
    lead = "The provider would refuse this request" if rejected else "The provider would take this request"
    return f"{lead}: {count(len(faults), 'fault')}. A row opens the message that it stands at."


def kept_frame(found: EvidenceKept, call: int) -> pd.DataFrame:
    """Evidence of one call by type: what its recorded context held, and what of that is still there; types without any are left out."""
    held, kept = found.held[:, call], found.kept[:, call]
    rows = [
        {"type": name, "held": int(h), "kept": int(k), "gone": int(h - k), "share": percent(int(k), int(h))}
        for name, h, k in zip(TYPES, held.tolist(), kept.tolist(), strict=True)
        if h > 0
    ]
    return pd.DataFrame(rows, columns=["type", "held", "kept", "gone", "share"])


def kept_sentence(found: EvidenceKept, call: int) -> str:
    """How much of the evidence of one call is left, and how much of what goes anywhere is ever used again."""
    held, kept = int(found.held[:, call].sum()), int(found.kept[:, call].sum())
    if held < 0:
        return "This call is refused: nothing of its evidence is sent."
    words = ["The recorded context holds no evidence."]
    if held:
        words = [f"{number(kept)} of {count(held, 'value')} of the recorded context would still be there ({percent(kept, held)})."]
    if found.dropped:
        late = int(found.late.sum())
        words.append(f"Over all calls {count(found.dropped, 'value')} would go; {percent(late, found.dropped)} of them are used again.")
    return " ".join(words)


def debt_facts(debt: Debt, call: int, unit: str) -> tuple[Fact, ...]:
    """What would have to be fetched again, over all calls and at one.

    Args:
        debt: Of a replay.
        call: Index of the call.
        unit: Of the sizes.
    """
    here = [one for one in debt.refetches if one.call == call]
    return (
        Fact(name="Saved by the policy", value=f"{number(debt.saved)} {unit}"),
        Fact(name="To be fetched again", value=f"{count(debt.calls, 'result')}, {number(debt.size)} {unit}"),
        Fact(name="Saved after that", value=f"{number(debt.net_saving)} {unit}"),
        Fact(name="Missing first at this call", value=f"{count(len(here), 'result')}, {number(sum(one.size for one in here))} {unit}"),
        Fact(name="Out of date anyway", value=f"{count(debt.excused, 'result')}: read again or changed since"),
    )


def debt_frame(debt: Debt, call: int | None = None) -> pd.DataFrame:
    """Results that would have to be fetched again.

    Args:
        debt: Of a replay.
        call: Only those that this call is the first to miss; None for all.
    """
    rows = [
        {"call": one.call, "message": one.message, "tool": shortened(one.tool, 40), "file": one.file, "size": one.size}
        for one in debt.refetches
        if call in (None, one.call)
    ]
    return pd.DataFrame(rows, columns=["call", "message", "tool", "file", "size"])
