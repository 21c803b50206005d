"""Groups of messages as the Microsoft Agent Framework makes them: a call, what it thought and its results go together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ctxcore.columns import IntArray
from ctxcore.model import Message, ToolCall, ToolResult
from ctxcore.policies.history import ASSISTANT, SYSTEM, TOOL, USER, History
from ctxcore.policies.pieces import REASONING

APART, PERSON, REPLY, TOOLS = range(4)
"""Kinds of groups: system text, a user message, an assistant's text, a call with its results."""


@dataclass(frozen=True, kw_only=True)
class Groups:
    """Groups of a sequence of messages, ordered by their first message."""

    items: IntArray
    """Positions, group by group."""
    first: IntArray
    """Per group: index into ``items`` of its first message; ends with the number of items."""
    kind: IntArray
    """Per group: ``APART`` to ``TOOLS``."""
    last: IntArray
    """Per group: position of its last message."""
    size: IntArray
    """Per group: of all its messages, with separators."""

    def __len__(self) -> int:
        """Number of groups."""
        return len(self.kind)

    @property
    def head(self) -> IntArray:
        """Per group: position of its first message."""
        return self.items[self.first[:-1]]

    def members(self, group: int) -> list[int]:
        """Positions of a group's messages."""
        found: list[int] = self.items[int(self.first[group]) : int(self.first[group + 1])].tolist()
        return found

    def only(self, groups: IntArray) -> tuple[IntArray, IntArray]:
        """Positions of some groups (ascending), group by group, and how many stand in the first n of them, for n from 0."""
        counts = np.diff(self.first)
        chosen = np.zeros(len(self), np.bool_)
        chosen[groups] = True
        return self.items[np.repeat(chosen, counts)], np.concatenate(([0], np.cumsum(counts[groups])))

    def begun(self, groups: IntArray, length: IntArray) -> tuple[IntArray, IntArray]:
        """Per call: how many of these ascending groups have begun in its context, and how many from the first on are complete.

        Args:
            groups: By number.
            length: Per call: messages in its context.
        """
        whole = np.maximum.accumulate(self.last[groups]) if len(groups) else groups
        return np.searchsorted(self.head[groups], length).astype(np.int64), np.searchsorted(whole, length).astype(np.int64)


def grouped(history: History) -> Groups:
    """Groups of an epoch's sequence; made once per epoch and unit of measure."""
    return history.thread.once(f"groups:{history.epoch.calls[:1].tolist()}", lambda: _grouped(history), of=history)


def _grouped(history: History) -> Groups:
    runs = _Runs(history)
    heads, group = np.unique(np.asarray(_linked(history, list(runs.home())), np.int64), return_inverse=True)
    items = np.argsort(group, kind="stable").astype(np.int64)
    last = np.zeros(len(heads), np.int64)
    np.maximum.at(last, group, np.arange(len(group)))
    return Groups(
        items=items,
        first=np.searchsorted(group[items], np.arange(len(heads) + 1)).astype(np.int64),
        kind=np.asarray([runs.kind(head) for head in heads.tolist()], np.int64),
        last=last,
        size=np.bincount(group, weights=history.size, minlength=len(heads)).astype(np.int64),
    )


class _Runs:
    """Messages that stand one after another and belong together by their roles."""

    def __init__(self, history: History) -> None:
        pieces, size = history.pieces, len(history.role)
        thoughts = np.bincount(pieces.message[pieces.kind == REASONING], minlength=size)
        own = history.role == ASSISTANT
        self.roles: list[int] = history.role.tolist()
        self.results: list[bool] = (history.role == TOOL).tolist()
        self.calls: list[bool] = (own & history.asks).tolist()
        self.thinks: list[bool] = (own & (thoughts > 0) & (thoughts == np.bincount(pieces.message, minlength=size))).tolist()

    def home(self) -> Iterator[int]:
        """Per position: the first position of its run."""
        begin = 0
        while begin < len(self.roles):
            end = self._end(begin)
            yield from [begin] * (end - begin)
            begin = end

    def kind(self, begin: int) -> int:
        """Of the group that begins here."""
        role = self.roles[begin]
        if role in (SYSTEM, USER):
            return APART if role == SYSTEM else PERSON
        return TOOLS if role == TOOL or self._call(begin) >= 0 else REPLY

    def _end(self, begin: int) -> int:
        """Position after a run: thinking alone, the call it leads to, thinking behind it, results."""
        call = self._call(begin)
        if call < 0 and self.roles[begin] != TOOL:
            return begin + 1
        return _past(begin if call < 0 else _past(call + 1, self.thinks), self.results)

    def _call(self, begin: int) -> int:
        """The call at this position or behind thinking alone that begins here; -1 without one."""
        found = _past(begin, self.thinks)
        return found if found < len(self.calls) and self.calls[found] else -1


def _past(position: int, marks: list[bool]) -> int:
    """The first position from here on that is not marked."""
    while position < len(marks) and marks[position]:
        position += 1
    return position


def _linked(history: History, home: list[int]) -> list[int]:
    """Runs joined where a result stands in another run than the only call with its id that waits."""
    root = {begin: begin for begin in home}
    waiting: dict[str, list[int]] = defaultdict(list)
    for position, message in enumerate(history.messages):
        for asked, key in _keys(message):
            if asked:
                waiting[key].append(position)
            elif len(waiting[key]) == 1:
                _join(root, home[waiting[key].pop()], home[position])
    return [_root(root, begin) for begin in home]


def _keys(message: Message) -> Iterator[tuple[bool, str]]:
    for part in message.parts:
        if isinstance(part, ToolCall) and part.id:
            yield True, part.id
        elif isinstance(part, ToolResult) and part.call_id:
            yield False, part.call_id


def _join(root: dict[int, int], left: int, right: int) -> None:
    first, second = sorted((_root(root, left), _root(root, right)))
    root[second] = first


def _root(root: dict[int, int], begin: int) -> int:
    while root[begin] != begin:
        root[begin] = root[root[begin]]
        begin = root[begin]
    return begin
