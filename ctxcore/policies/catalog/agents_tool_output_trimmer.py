"""The Agents SDK's ``ToolOutputTrimmer``: long tool outputs of older turns become a preview."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ctxcore.columns import IntArray
from ctxcore.policies.edits import Plan, rewritten, window
from ctxcore.policies.history import USER, History
from ctxcore.policies.pieces import RESULT
from ctxcore.policies.planned import PlannedPolicy
from ctxcore.policies.protocol import Parameter
from ctxcore.policies.settings import at_least

RULE = "Long tool output of an older turn"


@dataclass(frozen=True, slots=True)
class AgentsToolOutputTrimmer(PlannedPolicy):
    """Works on every request anew: the older turns begin anew with each user message."""

    recent_turns: int = 2
    max_output_chars: int = 500
    preview_chars: int = 200
    trimmable_tools: tuple[str, ...] = ()

    name: ClassVar[str] = "agents-tool-output-trimmer"
    title: ClassVar[str] = "Agents SDK: tool output trimmer"
    about: ClassVar[str] = (
        "In all turns but the newest few, every tool output longer than a limit becomes one line that says so and the first characters of it. "
        "Within a turn nothing changes, so a long turn is not made smaller. The budget only tells which requests are refused."
    )
    source: ClassVar[str] = "openai-agents 0.24.0, extensions.ToolOutputTrimmer."
    rejects: ClassVar[str] = "Nothing: every call keeps a result. What stood behind the preview is gone."
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(name="recent_turns", type="int", default=2, help="Newest user messages from which on nothing is trimmed, at least 1."),
        Parameter(name="max_output_chars", type="int", default=500, help="Outputs of up to this many characters stay, at least 1."),
        Parameter(name="preview_chars", type="int", default=200, help="Characters of an output that stay."),
        Parameter(name="trimmable_tools", type="names", default=(), help="Tools whose outputs may be trimmed; empty: all."),
    )

    def __post_init__(self) -> None:
        at_least("recent_turns", self.recent_turns, 1)
        at_least("max_output_chars", self.max_output_chars, 1)

    def plan(self, history: History, budget: int) -> Plan:
        """See ``PlannedPolicy.plan``."""
        users = np.flatnonzero(history.role == USER).astype(np.int64)
        older = np.searchsorted(users, history.length) - self.recent_turns
        boundary = np.where(older >= 0, np.append(users, 0)[np.maximum(older, -1)], 0)
        items = self._items(history, int(boundary.max(initial=0)))
        texts = {piece: self._head(history, piece) + f"{history.text(piece)[: self.preview_chars]}..." for piece in items.tolist()}
        return Plan(
            layers=(
                window(
                    history,
                    "clip",
                    RULE,
                    items,
                    stop=np.searchsorted(history.pieces.message[items], boundary).astype(np.int64),
                    freed=rewritten(history, items, texts.__getitem__),
                    text=texts.__getitem__,
                ),
            )
        )

    def _items(self, history: History, before: int) -> IntArray:
        """Results in front of a message that are long enough and get shorter."""
        pieces = history.pieces
        results = pieces.of_kind(RESULT)
        long = results[(pieces.chars[results] > self.max_output_chars) & (pieces.message[results] < before)]
        if self.trimmable_tools:
            allowed = [number for number, name in enumerate(pieces.tools) if name in self.trimmable_tools]
            long = long[np.isin(pieces.tool[long], allowed)]
        head = np.asarray([len(self._head(history, piece)) for piece in long.tolist()], np.int64)
        return long[head + np.minimum(pieces.chars[long], self.preview_chars) + len("...") < pieces.chars[long]]

    def _head(self, history: History, piece: int) -> str:
        pieces = history.pieces
        tool = pieces.tools[pieces.tool[piece]] if pieces.tool[piece] >= 0 else "unknown_tool"
        return f"[Trimmed: {tool} output — {pieces.chars[piece]} chars → {self.preview_chars} char preview]\n"
