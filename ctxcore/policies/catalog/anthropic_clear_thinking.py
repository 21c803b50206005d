"""Anthropic's ``clear_thinking_20251015``: the thinking of older turns is left out on the server."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ctxcore.policies.edits import Plan, window
from ctxcore.policies.history import History
from ctxcore.policies.pieces import REASONING
from ctxcore.policies.planned import PlannedPolicy
from ctxcore.policies.protocol import Parameter
from ctxcore.policies.settings import at_least

RULE = "Thinking of a turn older than those kept"
ASSUMED = (
    "A turn runs from one real user message to the next, so all thinking of a tool loop goes or stays at once; only turns with thinking count.",
)


@dataclass(frozen=True, slots=True)
class AnthropicClearThinking(PlannedPolicy):
    """What is older stays older, so a server that remembers what it cleared would send the same."""

    keep_turns: int = 1

    name: ClassVar[str] = "anthropic-clear-thinking"
    title: ClassVar[str] = "Anthropic: clear thinking"
    about: ClassVar[str] = (
        "Leaves out the thinking of all turns but the newest few. It always acts, whatever the size, and what is cleared stays cleared whether the "
        "server remembers it or not. The cache holds up to the first block that goes. The budget only tells which requests are refused."
    )
    source: ClassVar[str] = "Anthropic API, context management, clear_thinking_20251015."
    rejects: ClassVar[str] = "Nothing: the thinking of the running tool loop stays, and what goes goes whole."
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(
            name="keep_turns",
            type="int",
            default=1,
            help="Newest turns with thinking that keep it, at least 1 (left out, upstream keeps 1 or all, depending on the model).",
        ),
    )

    def __post_init__(self) -> None:
        at_least("keep_turns", self.keep_turns, 1)

    def plan(self, history: History, budget: int) -> Plan:
        """See ``PlannedPolicy.plan``."""
        pieces = history.pieces
        items = pieces.of_kind(REASONING)
        turn = history.turn[pieces.message[items]]
        begins = np.flatnonzero(np.diff(turn, prepend=-1)).astype(np.int64)
        turns = np.searchsorted(begins, history.begun_pieces(items))
        stop = np.append(begins, 0)[np.maximum(turns - self.keep_turns, -1 if not len(begins) else 0)]
        return Plan(layers=(window(history, "strip", RULE, items, stop=stop),), assumed=ASSUMED)
