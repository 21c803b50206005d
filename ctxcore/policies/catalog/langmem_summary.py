"""LangMem's ``summarize_messages``: a running summary of the oldest messages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ctxcore.columns import IntArray
from ctxcore.policies.edits import Plan
from ctxcore.policies.history import SYSTEM, History
from ctxcore.policies.pieces import CALL
from ctxcore.policies.planned import PlannedPolicy
from ctxcore.policies.protocol import Parameter
from ctxcore.policies.summaries import RATIO, SUMMARY_PARAMETERS
from ctxcore.policies.summarised import Stand, Summarised

RULE = "Taken into the running summary"

LEAD = "Summary of the conversation so far: "
"""Source: ``DEFAULT_FINAL_SUMMARY_PROMPT``."""

SUMMARY_TOKENS = 256
"""Source: the default of ``max_summary_tokens``."""


@dataclass(frozen=True, slots=True)
class LangmemSummary(PlannedPolicy):
    """What is in the summary is never looked at again."""

    max_tokens_before_summary: int | None = None
    max_summary_tokens: int | None = None
    summary: str = "recorded"
    ratio: float = RATIO

    name: ClassVar[str] = "langmem-summary"
    title: ClassVar[str] = "LangMem: running summary"
    about: ClassVar[str] = (
        "Counts the messages that are not summarised yet from the oldest on. At the first message by which a threshold (the budget, if left out) is "
        "reached and behind which the rest fits the budget less the room for a summary, all up to it become part of the summary, a system message "
        "behind the system text; the results of a call there go too. If nothing else fits, even the newest message goes; if the system text alone "
        "leaves no room, nothing does."
    )
    source: ClassVar[str] = "langmem 0.0.30, summarize_messages."
    rejects: ClassVar[str] = "Results whose call is in the summary, where a cut falls between several results. The task lives on in the summary only."
    needs_summary: ClassVar[bool] = True
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(name="max_tokens_before_summary", type="size", default=None, help="Size that is reached before a summary; the budget if left out."),
        Parameter(
            name="max_summary_tokens", type="size", default=None, help="Room left for the summary, which may outgrow it; 256 tokens if left out."
        ),
        *SUMMARY_PARAMETERS,
    )

    def plan(self, history: History, budget: int) -> Plan:
        """See ``PlannedPolicy.plan``."""
        held = int(len(history.role) > 0 and history.role[0] == SYSTEM)
        room = history.tokens(SUMMARY_TOKENS) if self.max_summary_tokens is None else self.max_summary_tokens
        made = Summarised(history, Stand(self.summary, self.ratio, LEAD, role="system"), rule=RULE, kept=range(held))
        results, stop = _results(history), held
        for column, (limit, length) in enumerate(zip((budget - history.fixed).tolist(), history.length.tolist(), strict=True)):
            before = limit if self.max_tokens_before_summary is None else self.max_tokens_before_summary
            last = _last(history.upto, stop, length, before, limit - room - int(history.upto[held]))
            if last >= length or room >= limit:
                continue
            stop = last + 1 + sum(last < answer < length for answer in results.get(last, ()))
            made.write(column, held, stop)
        return made.plan()


def _last(upto: IntArray, stop: int, length: int, before: int, rest: int) -> int:
    """Position of the first message at which enough is counted and what stands behind it fits; the length without one."""
    counted = int(np.searchsorted(upto, upto[stop] + before)) - 1
    fitting = int(np.searchsorted(upto, upto[length] - rest)) - 1
    found = max(counted, fitting, stop)
    return found if rest >= 0 else length


def _results(history: History) -> dict[int, set[int]]:
    """Position of a reply → positions of the results of its calls."""
    pieces = history.pieces
    calls = np.flatnonzero((pieces.kind == CALL) & (pieces.partner >= 0))
    found: dict[int, set[int]] = {}
    for call in calls.tolist():
        found.setdefault(int(pieces.message[call]), set()).add(int(pieces.message[pieces.partner[call]]))
    return found
