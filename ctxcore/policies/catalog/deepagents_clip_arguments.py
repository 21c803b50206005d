"""deepagents: long arguments of old writes and edits are cut short."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ctxcore.columns import IntArray
from ctxcore.policies.edits import Plan, rewritten, window
from ctxcore.policies.history import History
from ctxcore.policies.pieces import CALL
from ctxcore.policies.planned import PlannedPolicy
from ctxcore.policies.protocol import Parameter
from ctxcore.policies.talk import talk

RULE = "Long arguments of a write older than the messages kept"

WRITES = ("write_file", "edit_file")
"""Source: ``_truncate_args``."""

KEPT_CHARS = 20
"""Characters that stay of a long argument. Source: ``_truncate_tool_call``."""


@dataclass(frozen=True, slots=True)
class DeepagentsClipArguments(PlannedPolicy):
    """Chosen anew for every request."""

    keep_messages: int = 20
    trigger_messages: int | None = None
    max_length: int = 2_000
    truncation_text: str = "...(argument truncated)"
    tools: tuple[str, ...] = WRITES

    name: ClassVar[str] = "deepagents-clip-arguments"
    title: ClassVar[str] = "deepagents: clip arguments of old writes"
    about: ClassVar[str] = (
        "Once a request has reached the budget, every too long text argument of a write or edit older than the newest messages keeps its first 20 "
        "characters and a note. This is what deepagents tries before it summarises; messages stay, so a request may still be over the budget. "
        "Upstream acts at 0.85 of the model's window, or from 20 messages on where the window is not known."
    )
    source: ClassVar[str] = "deepagents 0.7.32, SummarizationMiddleware, truncate_args_settings."
    rejects: ClassVar[str] = "Nothing. What a file was written with can be read again only from the file."
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(name="keep_messages", type="int", default=20, help="Newest messages whose arguments stay."),
        Parameter(name="trigger_messages", type="int", default=None, help="Messages from which on it acts as well; none if left out (upstream 20)."),
        Parameter(name="max_length", type="int", default=2_000, help="Characters of an argument that stay as they are."),
        Parameter(name="truncation_text", type="str", default="...(argument truncated)", help="Stands behind what is left of an argument."),
        Parameter(name="tools", type="names", default=WRITES, help="Tools whose arguments are clipped."),
    )

    def plan(self, history: History, budget: int) -> Plan:
        """See ``PlannedPolicy.plan``."""
        said, items = talk(history), self._long(history)
        fires = history.before >= budget
        if self.trigger_messages is not None:
            fires = fires | (said.begun >= self.trigger_messages)
        kept = np.maximum(said.begun - self.keep_messages, 0)
        before = np.append(said.items, len(history.role))[kept]
        stop = np.where(fires, np.searchsorted(history.pieces.message[items], before), 0).astype(np.int64)

        def text(piece: int) -> str:
            return self._clipped(history.text(piece)) or ""

        return Plan(layers=(window(history, "clip", RULE, items, stop=stop, freed=rewritten(history, items, text), text=text),))

    def _long(self, history: History) -> IntArray:
        """Calls with an argument that is too long."""
        pieces = history.pieces
        numbers = [number for number, name in enumerate(pieces.tools) if name in self.tools]
        calls = np.flatnonzero((pieces.kind == CALL) & np.isin(pieces.tool, numbers) & (pieces.chars > self.max_length))
        return np.asarray([piece for piece in calls.tolist() if self._clipped(history.text(piece)) is not None], np.int64)

    def _clipped(self, arguments: str) -> str | None:
        """The arguments with short texts, None where none was too long."""
        try:
            values = json.loads(arguments)
        except ValueError:
            return None
        if not isinstance(values, dict):
            return None
        short = {key: self._short(value) for key, value in values.items()}
        return None if short == values else json.dumps(short, ensure_ascii=False, separators=(",", ":"))

    def _short(self, value: object) -> object:
        return value[:KEPT_CHARS] + self.truncation_text if isinstance(value, str) and len(value) > self.max_length else value
