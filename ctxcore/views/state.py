"""What the page State draws: the chains, one chain in detail, and whether the newest value is in a call's context."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Literal

import pandas as pd

from ctxcore.counted import count
from ctxcore.measures.presence import Presence, PresenceWord
from ctxcore.model import Thread
from ctxcore.state.extract import EXTRACTORS
from ctxcore.state.values import CHANGES, Chain, Step
from ctxcore.views.visible import shortened, visible
from ctxcore.views.words import number

PRESENCE_WORDS = {
    "yes": "✓ yes",
    "stale only": "◐ stale value only",
    "dropped": "✕ dropped",
    "not in the request": "– not in the recorded request",
    "not yet": "· not yet touched",
    "only failed": "· only failed attempts",
    "no result": "· no result recorded",
    "refused": "⊘ call refused",
}
"""Whether the newest value is in the context, for people: a sign and a word."""

INTEREST: tuple[tuple[PresenceWord, ...], ...] = (
    ("stale only",),
    ("dropped",),
    ("not in the request", "refused", "yes"),
    ("only failed", "no result"),
    ("not yet",),
)
"""What a call holds of a chain, most interesting first; inside a group, what changed most comes first."""

NOT_TOUCHED = ("not yet", "only failed", "no result")
"""Words of chains of which no value is known before the call."""

Show = Literal["all", "stale value only", "newest value missing", "superseded reads"]

SHOWS: tuple[Show, ...] = ("all", "stale value only", "newest value missing", "superseded reads")
"""Which chains may be shown."""

CHAIN_COLUMNS = (
    *("name", "in context", "carried by", "value by then", "changes"),
    *("stale reads", "reads", "last call", "newest value", "kind"),
)
"""Columns of the table of chains."""

VALUE_CHARS = 80
"""Characters of a value that a table shows."""


def state_looks_for() -> tuple[str, ...]:
    """What is recognised, one line per extractor."""
    return tuple(extractor.looks_for for extractor in EXTRACTORS)


def chain_name(chain: Chain) -> str:
    """A chain's name with what it belongs to."""
    return visible(f"{chain.name} ({chain.scope})" if chain.scope else chain.name)


def shown_chains(chains: Sequence[Chain], presences: Sequence[Presence], show: Show, wanted: str = "") -> list[int]:
    """Numbers of the chains that the filters let through: what the call has lost first, then what changed most.

    Args:
        chains: Of a thread.
        presences: What the picked call holds of each.
        show: Which.
        wanted: Part of a name, in any case.
    """
    part = wanted.casefold()
    found = [n for n, chain in enumerate(chains) if part in chain_name(chain).casefold() and _is_shown(chain, presences[n], show)]
    rank = {word: place for place, words in enumerate(INTEREST) for word in words}
    return sorted(found, key=lambda n: (rank[presences[n].word], -chains[n].changes, -chains[n].stale_reads))


def show_counts(chains: Sequence[Chain], presences: Sequence[Presence]) -> dict[Show, int]:
    """How many chains each choice of ``SHOWS`` has."""
    return {show: sum(_is_shown(chain, one, show) for chain, one in zip(chains, presences, strict=True)) for show in SHOWS}


def _is_shown(chain: Chain, one: Presence, show: Show) -> bool:
    match show:
        case "all":
            return True
        case "stale value only":
            return one.word == "stale only"
        case "newest value missing":
            return one.word in ("stale only", "dropped", "not in the request", "refused")
        case "superseded reads":
            return chain.stale_reads > 0


def chains_table(chains: Sequence[Chain], presences: Sequence[Presence]) -> pd.DataFrame:
    """One row per chain; ``in context`` is about the picked call after trimming."""
    rows = [
        {
            "kind": chain.kind,
            "name": chain_name(chain),
            "reads": chain.reads,
            "changes": chain.changes,
            "stale reads": chain.stale_reads,
            "last call": chain.steps[-1].call,
            "newest value": shortened(value_at(chain, len(chain.steps) - 1), VALUE_CHARS),
            "value by then": "" if one.newest is None else shortened(value_at(chain, one.newest), VALUE_CHARS),
            "in context": PRESENCE_WORDS[one.word],
            "carried by": "" if one.step is None else f"call #{chain.steps[one.step].call} ({chain.steps[one.step].action})",
        }
        for chain, one in zip(chains, presences, strict=True)
    ]
    return pd.DataFrame(rows, columns=CHAIN_COLUMNS)


def value_at(chain: Chain, step: int) -> str:
    """The value after a step as far as it is recorded: the value itself, or a file's version."""
    past = [s for s in chain.steps[: step + 1] if not s.failed]
    value = next((s.new for s in reversed(past) if s.action in CHANGES), "")
    if chain.kind == "value":
        return value
    version = past[-1].version if past else 0
    return f"v{version}{f' #{value}' if value else ''}" if version else "as found"


def chain_table(chain: Chain, thread: Thread) -> pd.DataFrame:
    """One row per step of a chain: round, what was done, old → new, source."""
    rows = [
        {
            "call": step.call,
            "turn": step.turn,
            "action": _action(step),
            "old → new": _transition(chain, step),
            "detail": visible(step.detail),
            "read is": _currency(step),
            "who": f"{'model' if thread.kind == 'main' else visible(thread.title or thread.id)} via {shortened(step.tool, 40)}",
            "source": visible(str(step.source)),
        }
        for step in chain.steps
    ]
    return pd.DataFrame(rows)


def _action(step: Step) -> str:
    words = "read again" if step.again else step.action
    return f"{words} (failed)" if step.failed else words


def _transition(chain: Chain, step: Step) -> str:
    if step.failed:
        return "no change"
    if chain.kind == "value":
        return f"{shortened(step.old, VALUE_CHARS) or 'not recorded'} → {shortened(step.new, VALUE_CHARS)}"
    if step.action not in CHANGES:
        return f"sees v{step.version}" if step.version else "sees it as found"
    hashed = f" #{step.new}" if step.new else ""
    return f"v{step.version - 1} → v{step.version}{hashed}"


def _currency(step: Step) -> str:
    if step.action != "read" or step.failed:
        return ""
    return "current" if step.stale_from is None else f"superseded by call #{number(step.stale_from)} (stale)"


def state_sentence(chains: Sequence[Chain], presences: Sequence[Presence], call: int) -> str:
    """What the picked call holds of the state, then what is known of it at all, in plain words."""
    return f"{_held_words(presences, call)} {_known_words(chains)}"


def _held_words(presences: Sequence[Presence], call: int) -> str:
    counts = Counter(one.word for one in presences)
    known = sum(word not in NOT_TOUCHED for word in counts.elements())
    if not known:
        return f"Before call #{number(call)} nothing had been touched."
    if counts["refused"]:
        return f"Call #{number(call)} is refused at this budget: it receives nothing."
    parts = [f"the newest value of {number(counts['yes'])}", f"only a stale value of {number(counts['stale only'])}"]
    parts.append(f"nothing of {number(counts['dropped'] + counts['not in the request'])}")
    return f"Of {number(known)} touched by then, call #{number(call)} would receive {', '.join(parts[:-1])} and {parts[-1]}."


def _known_words(chains: Sequence[Chain]) -> str:
    files, values = sum(chain.kind == "file" for chain in chains), sum(chain.kind == "value" for chain in chains)
    kinds = [count(files, "file")] * bool(files) + [count(values, "named value")] * bool(values)
    words = f"In the whole thread: {' and '.join(kinds)}, {count(sum(c.changes for c in chains), 'change')}."
    stale = sum(chain.stale_reads for chain in chains)
    if not stale:
        return f"{words} No read is older than a later change."
    return f"{words} {count(stale, 'read is', 'reads are')} stale: superseded by a later change in this thread."
