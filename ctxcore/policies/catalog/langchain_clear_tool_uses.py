"""LangChain's ``ClearToolUsesEdit``: old tool results become a placeholder once the request is over the trigger."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ctxcore.columns import BoolArray, IntArray
from ctxcore.policies.edits import Plan, replaced, window
from ctxcore.policies.history import ASSISTANT, History
from ctxcore.policies.pieces import RESULT
from ctxcore.policies.planned import PlannedPolicy
from ctxcore.policies.protocol import Parameter

RULE, CALL_RULE = "Tool result older than those kept", "Arguments of a call whose result is cleared"

NO_ARGUMENTS = "{}"
"""Stands in place of a call's arguments."""


@dataclass(frozen=True, slots=True)
class LangchainClearToolUses(PlannedPolicy):
    """Works on a copy of every request: what is cleared is chosen anew each time."""

    trigger: int | None = None
    clear_at_least: int = 0
    keep_results: int = 3
    clear_tool_inputs: bool = False
    exclude_tools: tuple[str, ...] = ()
    placeholder: str = "[cleared]"

    name: ClassVar[str] = "langchain-clear-tool-uses"
    title: ClassVar[str] = "LangChain: clear tool uses"
    about: ClassVar[str] = (
        "Once a request is over the trigger (the budget, if left out), every tool result but the newest few becomes a placeholder, oldest first. "
        "With clear_at_least it stops as soon as that much is freed, or when nothing is left to clear. Messages stay, so a request may still be over "
        "the budget. Upstream estimates 4 characters a token and leaves the system text and the tools out."
    )
    source: ClassVar[str] = "langchain 1.5.2, ContextEditingMiddleware and ClearToolUsesEdit."
    rejects: ClassVar[str] = "Nothing: every call keeps a result. What a cleared result said is gone."
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(
            name="trigger", type="size", default=None, help="Size of messages over which it acts; the budget if left out (upstream 100,000 tokens)."
        ),
        Parameter(name="clear_at_least", type="size", default=0, help="Stop once this much is freed; 0 clears all but those kept."),
        Parameter(name="keep_results", type="int", default=3, help="Newest tool results that stay (upstream: keep)."),
        Parameter(name="clear_tool_inputs", type="bool", default=False, help="Empty the arguments of their calls as well."),
        Parameter(name="exclude_tools", type="names", default=(), help="Tools whose results are never cleared."),
        Parameter(name="placeholder", type="str", default="[cleared]", help="Stands in place of a result."),
    )

    def plan(self, history: History, budget: int) -> Plan:
        """See ``PlannedPolicy.plan``."""
        pieces = history.pieces
        every = pieces.of_kind(RESULT)
        items = _answering_the_last_reply(history, pieces.of_kind(RESULT, without=self.exclude_tools))
        calls = pieces.partner[items].astype(np.int64)
        fires = history.before > (budget if self.trigger is None else self.trigger)
        candidates = np.maximum(history.begun_pieces(every) - self.keep_results, 0)
        oldest = np.searchsorted(items, np.append(every, len(pieces))[candidates]).astype(np.int64)
        freed, emptied = replaced(history, items, self.placeholder), replaced(history, calls, NO_ARGUMENTS)
        both = freed + emptied if self.clear_tool_inputs else freed
        stop = np.where(fires, np.minimum(oldest, self._enough(both, oldest)), 0).astype(np.int64)
        layers = [window(history, "mask", RULE, items, stop=stop, freed=freed, text=lambda _piece: self.placeholder)]
        if self.clear_tool_inputs:
            layers.append(window(history, "clear", CALL_RULE, calls, stop=stop, freed=emptied, text=lambda _piece: NO_ARGUMENTS))
        return Plan(layers=tuple(layers))

    def _enough(self, freed: IntArray, oldest: IntArray) -> IntArray:
        """How many must go until enough is freed; all of them where that is never reached."""
        if self.clear_at_least <= 0:
            return oldest
        upto = np.maximum.accumulate(np.cumsum(freed)) if len(freed) else freed
        enough: IntArray = np.full_like(oldest, min(int(np.searchsorted(upto, self.clear_at_least)) + 1, len(freed)))
        return enough


def _answering_the_last_reply(history: History, results: IntArray) -> IntArray:
    """Results whose call stands in the nearest reply before them; upstream looks no further back."""
    pieces = history.pieces
    reply = np.maximum.accumulate(np.where(history.role == ASSISTANT, np.arange(len(history.role)), -1)) if len(history.role) else history.role
    partner = pieces.partner[results]
    near: BoolArray = (partner >= 0) & (pieces.message[partner] == reply[pieces.message[results]])
    found: IntArray = results[near]
    return found
