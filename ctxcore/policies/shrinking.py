"""A list of groups that gets shorter from call to call: what rules that mark groups for good leave of it.

Groups go from the oldest on, so each is looked at a few times in all, however many calls there are.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from itertools import takewhile

import numpy as np

from ctxcore.columns import IntArray
from ctxcore.policies.edits import InsertLayer, Layer, Plan, window
from ctxcore.policies.groups import APART, PERSON, TOOLS, Groups, grouped
from ctxcore.policies.history import History
from ctxcore.policies.pieces import RESULT

SUMMARY_CHARS = 4096
"""Greatest length of the text in place of a group. Source: agent-framework-core 1.23.0, ToolResultCompactionStrategy."""

CUT = "... [truncated]"

COLLAPSED = "Call and results older than those kept: one line with the results takes their place"


def shrunk(history: History, step: Callable[[Shrinking], None], *, protect_first_user: bool = False) -> Shrinking:
    """The groups of an epoch after a step before each of its calls.

    Args:
        history: Of the epoch.
        step: What a rule does before a call.
        protect_first_user: The first user message never goes.
    """
    groups = Shrinking(history, protect_first_user=protect_first_user)
    for column, length in enumerate(history.length.tolist()):
        groups.reach(column, length)
        step(groups)
    return groups


class Shrinking:
    """The groups of one epoch while its calls pass by."""

    def __init__(self, history: History, *, protect_first_user: bool = False) -> None:
        self.history = history
        self.groups: Groups = grouped(history)
        self.size: list[int] = self.groups.size.tolist()
        self.messages: list[int] = np.diff(self.groups.first).tolist()
        self.heads: list[int] = self.groups.head.tolist()
        self.last: list[int] = self.groups.last.tolist()
        self.kind: list[int] = self.groups.kind.tolist()
        first_user = next((group for group, kind in enumerate(self.kind) if kind == PERSON), -1) if protect_first_user else -1
        self.first_user = first_user
        self.gone: dict[int, int] = {}
        self.collapsed: dict[int, int] = {}
        self.lines: dict[int, int] = {}
        self.reasons: dict[str, list[int]] = defaultdict(list)
        self.queues: dict[str, deque[int]] = {"loose": deque(), "tools": deque(), "system": deque(), "every": deque()}
        self.alive = dict.fromkeys(self.queues, 0)
        self.begun = 0
        self.freed = self.missing = 0
        self.column = self.length = 0

    def reach(self, column: int, length: int) -> None:
        """Go on to a call.

        Args:
            column: Of the call.
            length: Messages in its context.
        """
        self.column, self.length = column, length
        while self.begun < len(self.heads) and self.heads[self.begun] < length:
            self._enqueue("every")
            self._enqueue("system" if self.kind[self.begun] == APART else "loose")
            if self.kind[self.begun] == TOOLS:
                self._enqueue("tools")
            self.begun += 1

    def _enqueue(self, name: str) -> None:
        self.queues[name].append(self.begun)
        self.alive[name] += 1

    @property
    def total(self) -> int:
        """Size of the messages that are left."""
        return int(self.history.upto[self.length]) - self.freed

    @property
    def count(self) -> int:
        """Messages that are left."""
        return self.length - self.missing

    def drop_calls(self, keep: int, rule: str) -> None:
        """All calls with their results but the newest few go."""
        while self.alive["tools"] > keep and (group := self._oldest("tools")) >= 0:
            self._drop(group, rule)

    def collapse_calls(self, keep: int) -> None:
        """All calls with their results but the newest few become one line each."""
        while self.alive["tools"] > keep and (group := self._oldest("tools")) >= 0:
            self.queues["tools"].popleft()
            self.alive["tools"] -= 1
            self.collapsed[group] = self.column
            size = self.history.measure.message("assistant", self.text(group))
            self.freed += self.size[group] - size
            self.missing += self.messages[group] - 1
            self.size[group], self.messages[group], self.lines[group] = size, 1, size

    def drop_oldest(self, keep: int, rule: str) -> None:
        """All groups but the newest few go, system text left alone."""
        while self.alive["loose"] > keep and (group := self._oldest("loose")) >= 0:
            self._drop(group, rule)

    def drop_until(self, fits: Callable[[], bool], rule: str, name: str = "loose") -> None:
        """The oldest groups go until something holds, all but the newest one that is no system text at most."""
        newest = self._newest()
        while not fits() and self.alive[name] > 1 and (group := self._oldest(name, self.first_user)) not in (-1, newest):
            self._drop(group, rule)
        if name == "every":
            self.drop_system(fits, rule)

    def drop_system(self, fits: Callable[[], bool], rule: str) -> None:
        """System texts go, oldest first, until something holds; the last one stays where nothing else is left."""
        while not fits() and self.alive["every"] > 1 and (group := self._oldest("system")) >= 0:
            self._drop(group, rule)

    def drop_every_system(self, rule: str) -> None:
        """All system texts go."""
        while (group := self._oldest("system")) >= 0:
            self._drop(group, rule)

    def _newest(self) -> int:
        queue = self.queues["loose"]
        while queue and queue[-1] in self.gone:
            queue.pop()
        return queue[-1] if queue else -1

    def _oldest(self, name: str, spared: int = -1) -> int:
        """The oldest group of a queue that is complete; -1 without one."""
        queue = self.queues[name]
        while queue and (queue[0] in self.gone or queue[0] == spared):
            queue.popleft()
        return queue[0] if queue and self.last[queue[0]] < self.length else -1

    def _drop(self, group: int, rule: str) -> None:
        self.gone[group] = self.column
        self.reasons[rule].append(group)
        self.freed += self.size[group]
        self.missing += self.messages[group]
        self.alive["every"] -= 1
        self.alive["system" if self.kind[group] == APART else "loose"] -= 1
        if self.kind[group] == TOOLS and group not in self.collapsed:
            self.alive["tools"] -= 1

    def text(self, group: int) -> str:
        """The line in place of a call and its results."""
        results = [self._labelled(piece) for position in self.groups.members(group) for piece in self._results(position)]
        line = "; ".join(results) or "no results"
        if len(line) + len("[Tool results: ]") > SUMMARY_CHARS:
            line = line[: SUMMARY_CHARS - len("[Tool results: ]") - len(CUT)].rstrip() + CUT
        return f"[Tool results: {line}]"

    def _results(self, position: int) -> list[int]:
        pieces = self.history.pieces
        low, high = np.searchsorted(pieces.message, [position, position + 1]).tolist()
        return [piece for piece in range(low, high) if pieces.kind[piece] == RESULT]

    def _labelled(self, piece: int) -> str:
        pieces = self.history.pieces
        called = pieces.tool[piece] >= 0 and pieces.partner[piece] >= 0
        label = f"{pieces.tools[pieces.tool[piece]]}: " if called else ""
        return (label + self.history.text(piece)).strip()

    def plan(self, assumed: tuple[str, ...] = ()) -> Plan:
        """Everything that was done, as edits."""
        columns = np.arange(len(self.history.length))
        layers = [self._dropped(rule, groups, columns) for rule, groups in self.reasons.items()]
        collapsed = list(self.collapsed)
        layers.append(self._layer(COLLAPSED, collapsed, [self.collapsed[group] for group in collapsed], columns))
        return Plan(layers=tuple(layers), insert_layers=(self._lines(collapsed, columns),), assumed=assumed)

    def _dropped(self, rule: str, groups: Sequence[int], columns: IntArray) -> Layer:
        whole = [group for group in groups if group not in self.collapsed]
        return self._layer(rule, whole, [self.gone[group] for group in whole], columns)

    def _layer(self, rule: str, groups: Sequence[int], since: Sequence[int], columns: IntArray) -> Layer:
        """Groups go one after another, so at each call the first few are gone."""
        items, upto = self.groups.only(np.asarray(groups, np.int64))
        return window(self.history, "drop", rule, items, stop=upto[self._reached(groups, since, columns)])

    def _reached(self, groups: Sequence[int], since: Sequence[int], columns: IntArray) -> IntArray:
        """Per call: how many of these groups are edited; fewer where its context is shorter than that of a call before."""
        last = np.asarray([-1, *(self.last[group] for group in groups)], np.int64)
        inside = np.searchsorted(np.maximum.accumulate(last)[1:], self.history.length)
        return np.minimum(np.searchsorted(np.asarray(since, np.int64), columns, side="right"), inside).astype(np.int64)

    def _lines(self, collapsed: Sequence[int], columns: IntArray) -> InsertLayer:
        dropped = list(takewhile(lambda group: group in self.gone, collapsed))
        return InsertLayer(
            kind="marker",
            role="assistant",
            rule=COLLAPSED,
            size=np.asarray([self.lines[group] for group in collapsed], np.int64),
            place=np.asarray([self.heads[group] for group in collapsed], np.int64),
            start=self._reached(dropped, [self.gone[group] for group in dropped], columns),
            stop=self._reached(collapsed, [self.collapsed[group] for group in collapsed], columns),
            text=lambda item: self.text(collapsed[item]),
        )
