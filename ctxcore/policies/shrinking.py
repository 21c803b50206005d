"""A list of groups that gets shorter from call to call: what rules that mark groups for good leave of it.

Groups go from the oldest on, so each is looked at a few times in all, however many calls there are.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import takewhile

import numpy as np

from ctxcore.columns import IntArray
from ctxcore.policies.edits import Layer, Plan, window
from ctxcore.policies.groups import APART, PERSON, TOOLS, Groups, grouped
from ctxcore.policies.history import History
from ctxcore.policies.lines import RULE as COLLAPSED
from ctxcore.policies.lines import lines_of


def shrunk(history: History, step: Callable[[Shrinking], None], *, protect_first_user: bool = False) -> Shrinking:
    """The groups of an epoch after a step before each of its calls.

    Args:
        history: Of the epoch.
        step: What a rule does before a call.
        protect_first_user: The first user message never goes.
    """
    groups = Shrinking(history, protect_first_user=protect_first_user)
    for column in range(len(history.length)):
        groups.column = column
        step(groups)
    return groups


class _Queue:
    """Groups of a kind, oldest first."""

    def __init__(self, groups: Groups, chosen: IntArray, length: IntArray) -> None:
        self.groups: list[int] = chosen.tolist()
        self.begun: list[int] = groups.begun(chosen, length)[0].tolist()
        self.next = 0
        self.out = 0

    def alive(self, column: int) -> int:
        """How many of those that have begun are left."""
        return self.begun[column] - self.out


class Shrinking:
    """The groups of one epoch while its calls pass by."""

    def __init__(self, history: History, *, protect_first_user: bool) -> None:
        self.history = history
        self.groups = groups = grouped(history)
        self.lines = lines_of(history)
        self.size: list[int] = groups.size.tolist()
        self.messages: list[int] = np.diff(groups.first).tolist()
        self.last: list[int] = groups.last.tolist()
        self.kind: list[int] = groups.kind.tolist()
        self.first_user = self.kind.index(PERSON) if protect_first_user and PERSON in self.kind else -1
        self.length: list[int] = history.length.tolist()
        self.whole: list[int] = history.upto[history.length].tolist()
        marks = {"every": groups.kind >= 0, "loose": groups.kind != APART, "system": groups.kind == APART, "tools": groups.kind == TOOLS}
        self.queues = {name: _Queue(groups, np.flatnonzero(mark).astype(np.int64), history.length) for name, mark in marks.items()}
        self.gone: dict[int, int] = {}
        self.collapsed: dict[int, int] = {}
        self.reasons: dict[tuple[str, bool], list[int]] = defaultdict(list)
        self.freed = self.missing = self.column = 0

    @property
    def total(self) -> int:
        """Size of the messages that are left."""
        return self.whole[self.column] - self.freed

    @property
    def count(self) -> int:
        """Messages that are left."""
        return self.length[self.column] - self.missing

    def drop_calls(self, keep: int, rule: str) -> None:
        """All calls with their results but the newest few go."""
        while self._alive("tools") > keep and (group := self._oldest("tools")) >= 0:
            self._drop(group, rule)

    def collapse_calls(self, keep: int) -> None:
        """All calls with their results but the newest few become one line each."""
        while self._alive("tools") > keep and (group := self._oldest("tools")) >= 0:
            self.collapsed[group] = self.column
            self.queues["tools"].out += 1
            size = int(self.lines.size[group])
            self.freed += self.size[group] - size
            self.missing += self.messages[group] - 1
            self.size[group], self.messages[group] = size, 1

    def drop_oldest(self, keep: int, rule: str) -> None:
        """All groups but the newest few go, system text left alone."""
        while self._alive("loose") > keep and (group := self._oldest("loose")) >= 0:
            self._drop(group, rule)

    def drop_until(self, fits: Callable[[], bool], rule: str, name: str = "loose") -> None:
        """The oldest groups go until something holds, all but the newest one that is no system text at most."""
        newest = self._newest()
        while not fits() and self._alive(name) > 1 and (group := self._oldest(name)) not in (-1, newest):
            self._drop(group, rule)
        if name == "every":
            self.drop_system(fits, rule)

    def drop_system(self, fits: Callable[[], bool], rule: str) -> None:
        """System texts go, oldest first, until something holds; the last one stays where nothing else is left."""
        while not fits() and self._alive("every") > 1 and (group := self._oldest("system")) >= 0:
            self._drop(group, rule)

    def _alive(self, name: str) -> int:
        return self.queues[name].alive(self.column)

    def _newest(self) -> int:
        queue = self.queues["loose"]
        begun = (queue.groups[index] for index in range(queue.begun[self.column] - 1, -1, -1))
        return next((group for group in begun if group not in self.gone), -1)

    def _oldest(self, name: str) -> int:
        """The oldest group of a queue that is left and complete; -1 without one."""
        queue = self.queues[name]
        while queue.next < queue.begun[self.column] and self._passed(name, queue.groups[queue.next]):
            queue.next += 1
        group = queue.groups[queue.next] if queue.next < queue.begun[self.column] else -1
        return group if group >= 0 and self.last[group] < self.length[self.column] else -1

    def _passed(self, name: str, group: int) -> bool:
        return group in self.gone or group == self.first_user or (name == "tools" and group in self.collapsed)

    def _drop(self, group: int, rule: str) -> None:
        self.gone[group] = self.column
        self.reasons[rule, self.kind[group] == APART].append(group)
        self.freed += self.size[group]
        self.missing += self.messages[group]
        self.queues["every"].out += 1
        self.queues["system" if self.kind[group] == APART else "loose"].out += 1
        if self.kind[group] == TOOLS and group not in self.collapsed:
            self.queues["tools"].out += 1

    def plan(self) -> Plan:
        """Everything that was done, as edits."""
        layers = [self._dropped(rule, groups) for (rule, _), groups in self.reasons.items()]
        collapsed, since = list(self.collapsed), list(self.collapsed.values())
        dropped = list(takewhile(lambda group: group in self.gone, collapsed))
        start = self._reached(dropped, [self.gone[group] for group in dropped])
        layers.append(self._layer(COLLAPSED, collapsed, since))
        return Plan(layers=tuple(layers), insert_layers=(self.lines.layer(collapsed, start=start, stop=self._reached(collapsed, since)),))

    def _dropped(self, rule: str, groups: Sequence[int]) -> Layer:
        whole = [group for group in groups if group not in self.collapsed]
        return self._layer(rule, whole, [self.gone[group] for group in whole])

    def _layer(self, rule: str, groups: Sequence[int], since: Sequence[int]) -> Layer:
        """Groups go one after another, so at each call the first few are gone."""
        items, upto = self.groups.only(np.asarray(groups, np.int64))
        return window(self.history, "drop", rule, items, stop=upto[self._reached(groups, since)])

    def _reached(self, groups: Sequence[int], since: Sequence[int]) -> IntArray:
        """Per call: how many of these groups are edited; fewer where its context is shorter than that of a call before."""
        whole = self.groups.begun(np.asarray(groups, np.int64), self.history.length)[1]
        done = np.searchsorted(np.asarray(since, np.int64), np.arange(len(self.history.length)), side="right")
        return np.minimum(done, whole).astype(np.int64)
