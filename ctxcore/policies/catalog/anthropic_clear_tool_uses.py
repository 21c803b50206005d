"""Anthropic's ``clear_tool_uses_20250919``: old tool results become a placeholder on the server."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ctxcore.columns import IntArray, first_sums
from ctxcore.policies.edits import Plan, replaced, window
from ctxcore.policies.history import History
from ctxcore.policies.pieces import RESULT, Pieces
from ctxcore.policies.planned import PlannedPolicy
from ctxcore.policies.protocol import Parameter

RULE = "Tool result older than those kept"
INPUT = "Arguments of a call whose result is cleared"
PLACEHOLDER = "[Old tool result removed by the server to make room. Call the tool again if it is needed.]"
ASSUMED = (
    "The text in place of a result is not documented: a sentence of about 20 tokens is counted.",
    "Tools that are excluded count among the newest tool uses that stay.",
)
ANEW = "That a later request with the same history is cleared anew is not documented; here it is."
KEPT = "That a later request finds cleared what an earlier one cleared is not documented; here it does."


@dataclass(frozen=True, slots=True)
class AnthropicClearToolUses(PlannedPolicy):
    """The client sends the full history each time; ``stateful`` says whether the server remembers what it cleared."""

    trigger: int | None = None
    trigger_tool_uses: int | None = None
    keep_tool_uses: int = 3
    clear_at_least: int = 0
    exclude_tools: tuple[str, ...] = ()
    clear_tool_inputs: bool = False
    clear_inputs_of: tuple[str, ...] = ()
    stateful: bool = False
    placeholder: str = PLACEHOLDER

    name: ClassVar[str] = "anthropic-clear-tool-uses"
    title: ClassVar[str] = "Anthropic: clear tool uses"
    about: ClassVar[str] = (
        "Once a request is over the trigger (the budget, if left out), a placeholder takes the place of all tool results but the newest few. "
        "With clear_at_least it does nothing where less than that would be freed. Anthropic counts the input tokens of the whole request."
    )
    source: ClassVar[str] = "Anthropic API, context management, clear_tool_uses_20250919 (beta of 2025-06-27)."
    rejects: ClassVar[str] = "Nothing: every call keeps a result. What a cleared result said is gone."
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(name="trigger", type="size", default=None, help="Request size over which it acts; left out, the budget (upstream 100,000 tokens)."),
        Parameter(name="trigger_tool_uses", type="int", default=None, help="In place of a size: it acts from more than this many tool uses on."),
        Parameter(name="keep_tool_uses", type="int", default=3, help="Newest tool uses whose results stay (upstream: keep)."),
        Parameter(name="clear_at_least", type="size", default=0, help="Nothing is cleared where less than this would be freed."),
        Parameter(name="exclude_tools", type="names", default=(), help="Tools whose results are never cleared."),
        Parameter(name="clear_tool_inputs", type="bool", default=False, help="Empty the arguments of their calls as well."),
        Parameter(name="clear_inputs_of", type="names", default=(), help="Only of these tools are arguments emptied."),
        Parameter(name="stateful", type="bool", default=False, help="What was cleared once stays cleared, without the trigger and the minimum."),
        Parameter(name="placeholder", type="str", default=PLACEHOLDER, help="Stands in place of a result."),
    )

    def plan(self, history: History, budget: int) -> Plan:
        """See ``PlannedPolicy.plan``."""
        pieces = history.pieces
        every = pieces.of_kind(RESULT)
        items = pieces.of_kind(RESULT, without=self.exclude_tools)
        uses = history.begun_pieces(every)
        oldest = np.searchsorted(items, np.append(every, len(pieces))[np.maximum(uses - self.keep_tool_uses, 0)]).astype(np.int64)
        asked = self._inputs(pieces, items)
        calls = asked[asked >= 0]
        freed, inputs = replaced(history, items, self.placeholder), replaced(history, calls, "{}")
        both = freed.copy()
        both[asked >= 0] += inputs
        stop = np.fromiter(self._cleared(history, budget, uses, oldest, first_sums(both)), np.int64, len(oldest))
        layers = (
            window(history, "mask", RULE, items, stop=stop, freed=freed, text=lambda _piece: self.placeholder),
            window(history, "clear", INPUT, calls, stop=first_sums(asked >= 0)[stop], freed=inputs, text=lambda _piece: "{}"),
        )
        return Plan(layers=layers, assumed=(*ASSUMED, KEPT if self.stateful else ANEW))

    def _inputs(self, pieces: Pieces, items: IntArray) -> IntArray:
        """Per result: the call whose arguments go with it, -1 where they stay."""
        if not self.clear_tool_inputs and not self.clear_inputs_of:
            return np.full(len(items), -1, np.int64)
        named = [number for number, name in enumerate(pieces.tools) if name in self.clear_inputs_of or not self.clear_inputs_of]
        return np.where(np.isin(pieces.tool[items], named), pieces.partner[items], -1).astype(np.int64)

    def _cleared(self, history: History, budget: int, uses: IntArray, oldest: IntArray, freed: IntArray) -> Iterator[int]:
        """Per call: how many results are cleared, oldest first."""
        limit = budget if self.trigger is None else self.trigger
        done, before = 0, 0
        for size, length, count, candidates in zip(history.before.tolist(), history.length.tolist(), uses.tolist(), oldest.tolist(), strict=True):
            done = min(done, candidates) if self.stateful and length >= before else 0
            over = count > self.trigger_tool_uses if self.trigger_tool_uses is not None else size - int(freed[done]) > limit
            if over and (not self.clear_at_least or freed[candidates] - freed[done] >= self.clear_at_least):
                done = max(done, candidates)
            before = length
            yield done
