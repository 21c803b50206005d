"""One line in place of a call and its results, as the Microsoft Agent Framework writes it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from ctxcore.columns import IntArray
from ctxcore.policies.edits import InsertLayer
from ctxcore.policies.groups import TOOLS, Groups, grouped
from ctxcore.policies.history import History
from ctxcore.policies.pieces import RESULT

LONGEST = 4096
"""Characters. Source: agent-framework-core 1.23.0, ToolResultCompactionStrategy."""

FRAME = "[Tool results: ]"
CUT = "... [truncated]"
RULE = "Call and results older than those kept: one line with the results takes their place"


def lines_of(history: History) -> Lines:
    """Lines of the groups of an epoch; made once per epoch and unit of measure."""
    return history.thread.once(f"lines:{history.epoch.calls[:1].tolist()}", lambda: Lines(history, grouped(history)), of=history)


class Lines:
    """Lines of the groups of an epoch."""

    def __init__(self, history: History, groups: Groups) -> None:
        self.history, self.groups = history, groups
        self.made: dict[int, str] = {}
        pieces = history.pieces
        results = pieces.of_kind(RESULT)
        self.pieces: list[int] = results.tolist()
        edges = np.searchsorted(pieces.message[results], np.arange(len(history.role) + 1))
        self.edges: list[int] = edges.tolist()
        self.tool: list[int] = np.where(pieces.partner[results] >= 0, pieces.tool[results], -1).tolist()

    @cached_property
    def size(self) -> IntArray:
        """Per group: of its line, with separator; 0 for those that are no calls."""
        tools = np.flatnonzero(self.groups.kind == TOOLS)
        found = np.zeros(len(self.groups), np.int64)
        found[tools] = self.history.measure.messages("assistant", [self.text(group) for group in tools.tolist()])
        return found

    def text(self, group: int) -> str:
        """The line."""
        if group not in self.made:
            self.made[group] = self._line(group)
        return self.made[group]

    def _line(self, group: int) -> str:
        results = [self._labelled(row) for position in self.groups.members(group) for row in range(self.edges[position], self.edges[position + 1])]
        line = "; ".join(results) or "no results"
        if len(line) + len(FRAME) > LONGEST:
            line = line[: LONGEST - len(FRAME) - len(CUT)].rstrip() + CUT
        return f"{FRAME[:-1]}{line}{FRAME[-1]}"

    def _labelled(self, row: int) -> str:
        tool = self.tool[row]
        label = f"{self.history.pieces.tools[tool]}: " if tool >= 0 else ""
        return (label + self.history.text(self.pieces[row])).strip()

    def layer(self, groups: Sequence[int], *, start: IntArray, stop: IntArray) -> InsertLayer:
        """The lines of some groups.

        Args:
            groups: By number, ascending.
            start: Per call: index of the first that is put in.
            stop: Per call: index after the last one.
        """
        return InsertLayer(
            kind="marker",
            role="assistant",
            rule=RULE,
            size=self.size[list(groups)],
            place=self.groups.head[list(groups)],
            start=start,
            stop=stop,
            text=lambda item: self.text(groups[item]),
        )
