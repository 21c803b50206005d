"""Strands' sliding window: the last messages by number after each turn, and what an overflow makes it give up."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ctxcore.columns import BoolArray
from ctxcore.model import ToolResult
from ctxcore.policies.edits import Plan, rewritten, window
from ctxcore.policies.history import ASSISTANT, TOOL, USER, History
from ctxcore.policies.joined import joined
from ctxcore.policies.pieces import RESULT
from ctxcore.policies.planned import PlannedPolicy
from ctxcore.policies.protocol import Parameter

OLDER = "Older than the window, or given up as the request was too large"
CLIPPED = "Oldest tool results, as the request was too large"
ENDS = 200
"""Characters kept at both ends of a clipped result. Source: strands-agents 1.62.0, SlidingWindowConversationManager."""
MARK = "... [truncated:"


@dataclass(frozen=True, slots=True)
class StrandsSlidingWindow(PlannedPolicy):
    """The agent's own list is cut, so what goes is gone; a context shorter than the one before starts anew."""

    window_size: int = 40
    should_truncate_results: bool = True
    per_turn: int = 0
    pin_first: int = 0
    proactive_compression: float = 0.0

    name: ClassVar[str] = "strands-sliding-window"
    title: ClassVar[str] = "Strands: sliding window"
    about: ClassVar[str] = (
        "After each turn of the user only the last messages by number stay, from the next user message on, or the next call with results where there "
        "is none. Where a request is over the budget (the model's window), the oldest results are cut to their ends, then two or more of the oldest "
        "messages go, until it fits or no such cut is left. All results of one exchange are one message; system text stays. Upstream learns of an "
        "overflow from the provider's error."
    )
    source: ClassVar[str] = "strands-agents 1.62.0, SlidingWindowConversationManager."
    rejects: ClassVar[str] = "Nothing where results follow their call; the task is lost once it is older. Some overflows cannot be cured."
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(name="window_size", type="int", default=40, help="Messages kept; 0 clears all that are not pinned."),
        Parameter(name="should_truncate_results", type="bool", default=True, help="On an overflow, cut the oldest results first."),
        Parameter(name="per_turn", type="int", default=0, help="Also before every this many model calls; 0: only after a turn."),
        Parameter(name="pin_first", type="int", default=0, help="First messages that never go, fixed at the first cut."),
        Parameter(
            name="proactive_compression", type="float", default=0.0, help="Share of the window from which on messages go before a call; 0: off (0.7)."
        ),
    )

    def plan(self, history: History, budget: int) -> Plan:
        """See ``PlannedPolicy.plan``."""
        marks = _Marks(history)
        states = np.asarray(list(_states(self, marks, history, budget)), np.int64).reshape(-1, 3)
        pinned, cut, clipped = states.T
        entries, rows = marks.entries, np.unique(clipped[clipped >= 0])
        items = [marks.clip(row) for row in rows.tolist()]
        edges = np.cumsum([0, *map(len, items)])
        row = np.searchsorted(rows, clipped)
        pieces = np.asarray([piece for some in items for piece in some], np.int64)
        start, stop = edges[np.minimum(row, len(rows))], edges[np.minimum(row + 1, len(rows))]
        return Plan(
            layers=(
                window(history, "drop", OLDER, entries.items, start=entries.upto(pinned), stop=entries.upto(cut)),
                window(
                    history,
                    "clip",
                    CLIPPED,
                    pieces,
                    start=start,
                    stop=np.where(clipped >= 0, stop, start),
                    freed=rewritten(history, pieces, marks.text),
                    text=marks.text,
                ),
            )
        )


class _Marks:
    """Look-up tables over the list of messages as Strands holds it."""

    def __init__(self, history: History) -> None:
        self.history, self.entries = history, joined(history)
        heads = self.entries.head
        users = history.role[heads] == USER
        asks, results = (history.role[heads] == ASSISTANT) & history.asks[heads], history.role[heads] == TOOL
        answered = asks & np.append(results, [False])[1 : len(heads) + 1]
        self.user, self.pair, self.result = (_next(marks) for marks in (users, answered, results))
        self.sums: list[int] = np.concatenate(([0], np.cumsum(history.size[self.entries.items])))[self.entries.first].tolist()
        begins = history.person[heads] & ~np.append([False], users)[: len(users)]
        self.turns: list[int] = np.flatnonzero(begins).tolist()
        self.first: list[int] = np.searchsorted(history.pieces.message, np.append(heads, len(history.role))).tolist()
        self.clips: dict[int, tuple[list[int], int]] = {-1: ([], 0)}

    def clip(self, entry: int) -> list[int]:
        """Pieces of an entry of results that clipping changes."""
        return self._clip(entry)[0]

    def freed(self, entry: int) -> int:
        """What clipping an entry frees; 0 for none."""
        return self._clip(entry)[1]

    def _clip(self, entry: int) -> tuple[list[int], int]:
        if entry not in self.clips:
            pieces = self.history.pieces
            inside = [piece for piece in range(self.first[entry], self.first[entry + 1]) if pieces.kind[piece] == RESULT]
            changed = [piece for piece in inside if self.text(piece) != self.history.text(piece)]
            self.clips[entry] = changed, int(rewritten(self.history, np.asarray(changed, np.int64), self.text).sum())
        return self.clips[entry]

    def text(self, piece: int) -> str:
        """A result's two ends, and a line for each image in it."""
        pieces = self.history.pieces
        part = self.history.messages[int(pieces.message[piece])].parts[int(pieces.part[piece])]
        text = self.history.text(piece)
        if len(text) > 2 * ENDS and MARK not in text:
            text = f"{text[:ENDS]}...\n\n{MARK} {len(text) - 2 * ENDS} chars removed] ...\n\n...{text[-ENDS:]}"
        media = part.media if isinstance(part, ToolResult) else ()
        return "\n".join([text, *(f"[image: {one.media_type.rpartition('/')[2] or 'unknown'}, {one.payload_chars * 3 // 4} bytes]" for one in media)])


def _next(marks: BoolArray) -> list[int]:
    """Per entry: the first marked one from it on, the number of entries without one; ends with one more."""
    size = len(marks)
    found: list[int] = np.minimum.accumulate(np.append(np.where(marks, np.arange(size), size), [size])[::-1])[::-1].tolist()
    return found


def _states(rule: StrandsSlidingWindow, marks: _Marks, history: History, budget: int) -> Iterator[tuple[int, int, int]]:
    """What is left at each call: entries that are pinned, the first of the others, and the one that is clipped (-1: none)."""
    state, done = _State(rule, marks), 0
    for count, before in zip(marks.entries.count.tolist(), history.before.tolist(), strict=True):
        if count < done:
            state = _State(rule, marks)
        done = count
        state.turns(count)
        state.call(count, before, budget)
        yield state.pinned, state.cut, state.clipped


class _State:
    """The agent's list: entries that are pinned, then all from a cut on; one of them may be clipped."""

    def __init__(self, rule: StrandsSlidingWindow, marks: _Marks) -> None:
        self.rule, self.marks = rule, marks
        self.pinned = self.cut = self.turn = self.calls = 0
        self.clipped = self.held = -1

    def turns(self, count: int) -> None:
        """End the turns before each user message that has come."""
        while self.turn < len(self.marks.turns) and self.marks.turns[self.turn] < count:
            self.manage(self.marks.turns[self.turn])
            self.turn += 1

    def call(self, count: int, before: int, budget: int) -> None:
        """Do what happens at a model call.

        Args:
            count: Entries in its context.
            before: Size of the whole request.
            budget: The model's window.
        """
        self.calls += 1
        if self.rule.proactive_compression and self._size(before) >= self.rule.proactive_compression * budget:
            self.reduce(count)
        if self.rule.per_turn and self.calls % self.rule.per_turn == 0:
            self.manage(count)
        while self._size(before) > budget and (self._clip(count) or self.reduce(count)):
            pass

    def manage(self, count: int) -> None:
        """Cut a list that is longer than the window."""
        if self._length(count) > self.rule.window_size:
            self.reduce(count)

    def reduce(self, count: int) -> bool:
        """Cut at the next good place; False where there is none."""
        self._pin(count)
        length = self._length(count)
        if not self.rule.window_size:
            return self._cut(count)
        start = 2 if length <= self.rule.window_size else length - self.rule.window_size
        found = self._place(self.marks.user, start, count)
        if found < 0:
            found = self._place(self.marks.pair, start, count - 1)
        return self._cut(found)

    def _cut(self, entry: int) -> bool:
        if entry <= self.cut:
            return False
        self.cut = entry
        self.clipped = self.clipped if self.clipped >= entry else -1
        return True

    def _pin(self, count: int) -> None:
        """At the first cut the first messages are fixed; the results of a call among them stay with it."""
        if self.held < 0:
            self.held = min(self.rule.pin_first, count)
        answered = 0 < self.held < count and self.marks.pair[self.held - 1] == self.held - 1
        self.pinned = self.held + answered
        self.cut = max(self.cut, self.pinned)

    def _place(self, table: list[int], start: int, count: int) -> int:
        """The first entry that a table marks from an index of the list on, 0 for a pinned one; -1 without one."""
        if any(table[index] == index for index in range(start, self.pinned)):
            return 0
        found = table[min(self.cut + max(start - self.pinned, 0), len(table) - 1)]
        return found if found < count else -1

    def _length(self, count: int) -> int:
        return self.pinned + count - self.cut

    def _size(self, before: int) -> int:
        return before - (self.marks.sums[self.cut] - self.marks.sums[self.pinned]) - self.marks.freed(self.clipped)

    def _clip(self, count: int) -> bool:
        """Clip the oldest results that are not pinned; False where they are clipped or cannot get shorter."""
        if not self.rule.should_truncate_results or not self.rule.window_size:
            return False
        self._pin(count)
        oldest = self.marks.result[self.cut]
        if oldest >= count or oldest == self.clipped or not self.marks.clip(oldest):
            return False
        self.clipped = oldest
        return True
