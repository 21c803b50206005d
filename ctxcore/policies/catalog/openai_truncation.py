"""OpenAI's ``truncation: auto``: the oldest items go until the request fits the window."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ctxcore.columns import IntArray
from ctxcore.policies.edits import Plan, window
from ctxcore.policies.history import SYSTEM, History
from ctxcore.policies.paired import calls_of_results
from ctxcore.policies.planned import PlannedPolicy
from ctxcore.policies.protocol import Parameter

RULE = "Oldest items, until the request fits the window"
ORPHAN = "Result whose call was cut off"
ASSUMED = (
    "Which items go is not documented: here whole messages, oldest first, as few as needed; a reply of several items goes as one.",
    "System and developer messages at the front are taken for instructions and stay; later ones may go.",
    "Results whose call is gone go as well; the newest message stays even where it does not fit.",
)


@dataclass(frozen=True, slots=True)
class OpenaiTruncation(PlannedPolicy):
    """Done by the server for each request from the full list."""

    max_output: int = 0

    name: ClassVar[str] = "openai-truncation"
    title: ClassVar[str] = "OpenAI: truncation auto"
    about: ClassVar[str] = (
        "The Responses API drops items from the beginning of the conversation until the request and the reserve for its output fit the window. The "
        "budget is the window. The client knows nothing of it: the next request is cut from the full list again. The server counts its own tokens."
    )
    source: ClassVar[str] = 'OpenAI Responses API, truncation "auto" (openai 3.57.0, types of the request).'
    rejects: ClassVar[str] = "Nothing on OpenAI's own servers; others ignore the setting. The task is lost once it is among the oldest items."
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(name="max_output", type="size", default=0, help="Reserve for the output, taken off the window."),
    )

    def plan(self, history: History, budget: int) -> Plan:
        """See ``PlannedPolicy.plan``."""
        other = np.flatnonzero(history.role != SYSTEM)
        held = int(other[0]) if len(other) else len(history.role)
        items = np.arange(held, len(history.size), dtype=np.int64)
        need = np.maximum(history.before - np.maximum(budget - self.max_output, 0), 0)
        stop = np.searchsorted(history.upto[held:] - history.upto[held], need).astype(np.int64)
        stop = np.minimum(stop, np.maximum(history.begun(items) - 1, 0))
        results, start, last = _orphans(history, stop + held)
        return Plan(
            layers=(window(history, "drop", RULE, items, stop=stop), window(history, "drop", ORPHAN, results, start=start, stop=last)),
            assumed=ASSUMED,
        )


def _orphans(history: History, cut: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Messages of results, and per call which of them stand behind the cut while all their calls stand before it."""
    results, calls = calls_of_results(history)
    items, inverse = np.unique(results, return_inverse=True)
    newest = np.full(len(items), -1, np.int64)
    np.maximum.at(newest, inverse, calls)
    newest = np.maximum.accumulate(newest) if len(newest) else newest
    start = np.searchsorted(items, cut).astype(np.int64)
    last = np.searchsorted(newest, cut).astype(np.int64)
    return items, start, np.minimum(np.maximum(last, start), history.begun(items))
