"""SWE-agent's ``ClosedWindow``: a view of a file that a newer view of it outdates loses its lines."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ctxcore.columns import IntArray
from ctxcore.policies.edits import Layer, Plan, rewritten, window
from ctxcore.policies.history import TOOL, USER, History
from ctxcore.policies.pieces import RESULT, TEXT
from ctxcore.policies.planned import PlannedPolicy
from ctxcore.policies.protocol import Parameter

OUTDATED = "Window of a file that was seen again later"
NAMELESS = "Numbered lines without the name of a file"

NUMBERED = re.compile(r"^\d+:.*\n?", re.MULTILINE)
"""A line of a file window. Source: SWE-agent, as below."""

NAMED = re.compile(r"\[File:\s+(.*)\s+\(\d+\s+lines\ total\)\]")
"""The head of a file window. Source: SWE-agent, as below."""


@dataclass(frozen=True, slots=True)
class SweAgentClosedWindow(PlannedPolicy):
    """Chosen anew for every call."""

    tool_results: bool = False

    name: ClassVar[str] = "swe-agent-closed-window"
    title: ClassVar[str] = "SWE-agent: closed windows"
    about: ClassVar[str] = (
        "Looks for windows of files: messages in the user's role with lines that begin with a number and a colon under a [File: …] head. Once"
        " the same file is shown again, the older window's lines give way to one line. A message with numbered lines but without such a head "
        "is left out altogether, as in the original. It acts on every request whatever its size: the budget only tells which are refused."
    )
    source: ClassVar[str] = "SWE-agent, sweagent/agent/history_processors.py at 3ea751c0, ClosedWindowHistoryProcessor."
    rejects: ClassVar[str] = (
        "A task or answer with numbered lines and no [File: …] head vanishes; with tool results on, its call stays without an answer."
    )
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(name="tool_results", type="bool", default=False, help="Look at tool results as well; the original knows only the user's role."),
    )

    def plan(self, history: History, budget: int) -> Plan:
        """See ``PlannedPolicy.plan``."""
        shown = [piece for piece in self._pieces(history).tolist() if NUMBERED.search(history.text(piece))]
        files = [NAMED.search(history.text(piece)) for piece in shown]
        windows = [(piece, found.group(1)) for piece, found in zip(shown, files, strict=True) if found]
        nameless = [piece for piece, found in zip(shown, files, strict=True) if not found]
        lost = np.asarray(history.pieces.message[nameless], np.int64)
        drop = window(history, "drop", NAMELESS, lost, stop=history.begun(lost))
        return Plan(layers=(self._outdated(history, windows), drop))

    def _pieces(self, history: History) -> IntArray:
        """The text of each message that is a single text in a role that is looked at; no demonstrations."""
        pieces = history.pieces
        alone = np.bincount(pieces.message, minlength=len(history.messages)) == 1
        real = np.asarray(["demonstration" not in message.flags for message in history.messages], np.bool_)
        found = (pieces.kind == TEXT) & (history.role == USER)[pieces.message]
        if self.tool_results:
            found |= (pieces.kind == RESULT) & (history.role == TOOL)[pieces.message]
        return np.flatnonzero(found & (alone & real)[pieces.message]).astype(np.int64)

    def _outdated(self, history: History, windows: list[tuple[int, str]]) -> Layer:
        """Windows in the order in which a newer one closes them; in a call, those whose newer one stands in its context."""
        newer: dict[str, int] = {}
        closed: list[tuple[int, int]] = []
        for piece, name in reversed(windows):
            if name in newer:
                closed.append((newer[name], piece))
            newer[name] = int(history.pieces.message[piece])
        closed.sort()
        items = np.asarray([piece for _, piece in closed], np.int64)
        stop = np.searchsorted(np.asarray([at for at, _ in closed], np.int64), history.length).astype(np.int64)

        def text(piece: int) -> str:
            return shut(history.text(piece))

        return window(history, "clip", OUTDATED, items, stop=stop, freed=rewritten(history, items, text), text=text)


def shut(text: str) -> str:
    """A window without its lines: from the first numbered line to the last."""
    lines = list(NUMBERED.finditer(text))
    return f"{text[: lines[0].start()]}Outdated window with {len(lines)} lines omitted...\n{text[lines[-1].end() :]}"
