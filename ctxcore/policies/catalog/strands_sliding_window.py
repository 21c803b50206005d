"""Strands' sliding window: the last messages by number after each turn, and what an overflow makes it give up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ctxcore.columns import BoolArray, IntArray
from ctxcore.policies.edits import Plan, rewritten, window
from ctxcore.policies.history import ASSISTANT, TOOL, USER, History
from ctxcore.policies.joined import Joined, joined
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
        states = np.asarray([state.outcome() for state in _states(self, marks, history, budget)], np.int64).reshape(-1, 4)
        pinned, cut, first, last = states.T
        entries = marks.entries
        return Plan(
            layers=(
                window(history, "drop", OLDER, entries.items, start=entries.upto(pinned), stop=entries.upto(cut)),
                window(history, "clip", CLIPPED, marks.clips, start=first, stop=last, freed=marks.freed, text=lambda piece: clipped(history, piece)),
            )
        )


def clipped(history: History, piece: int) -> str:
    """A result's two ends, and a line for each image in it."""
    part = history.messages[int(history.pieces.message[piece])].parts[int(history.pieces.part[piece])]
    text = history.text(piece)
    if len(text) > 2 * ENDS and MARK not in text:
        text = f"{text[:ENDS]}...\n\n{MARK} {len(text) - 2 * ENDS} chars removed] ...\n\n...{text[-ENDS:]}"
    media = getattr(part, "media", ())
    return "\n".join([text, *(f"[image: {one.media_type.rpartition('/')[2] or 'unknown'}, {one.payload_chars * 3 // 4} bytes]" for one in media)])


class _Marks:
    """Look-up tables over the list of messages as Strands holds it."""

    def __init__(self, history: History) -> None:
        self.entries: Joined = joined(history)
        heads = self.entries.head
        asks, results = (history.role[heads] == ASSISTANT) & history.asks[heads], history.role[heads] == TOOL
        users = history.role[heads] == USER
        answered = asks & np.append(results, [False])[1 : len(heads) + 1]
        self.user, self.pair, self.result = (_next(marks) for marks in (users, answered, results))
        self.sums: list[int] = np.concatenate(([0], np.cumsum(history.size[self.entries.items])))[self.entries.first].tolist()
        turns = history.person[heads]
        self.turns: list[int] = np.flatnonzero(turns & ~np.append([False], turns)[: len(turns)]).tolist()
        self.clips = _clips(history)
        self.freed = rewritten(history, self.clips, lambda piece: clipped(history, piece))
        place = np.searchsorted(self.entries.items, history.pieces.message[self.clips])
        home = np.searchsorted(self.entries.first, place, side="right") - 1
        self.clip_at: list[int] = np.searchsorted(home, np.arange(len(heads) + 2)).tolist()
        self.clip_sums: list[int] = np.concatenate(([0], np.cumsum(self.freed))).tolist()


def _clips(history: History) -> IntArray:
    """Results that an overflow would change."""
    pieces = history.pieces
    results = pieces.of_kind(RESULT)
    return np.asarray([piece for piece in results.tolist() if clipped(history, piece) != history.text(piece)], np.int64)


def _next(marks: BoolArray) -> list[int]:
    """Per entry: the first marked one from it on, the number of entries without one; ends with one more."""
    size = len(marks)
    found: list[int] = np.minimum.accumulate(np.append(np.where(marks, np.arange(size), size), [size])[::-1])[::-1].tolist()
    return found


def _states(rule: StrandsSlidingWindow, marks: _Marks, history: History, budget: int) -> list[_State]:
    """What is left before each call."""
    found: list[_State] = []
    state = _State(rule, marks)
    counts = marks.entries.count.tolist()
    for column, (count, before) in enumerate(zip(counts, history.before.tolist(), strict=True)):
        state = state.after(count) if not column or count >= counts[column - 1] else _State(rule, marks).after(count)
        state.call(count, before, budget)
        found.append(state)
    return found


class _State:
    """The agent's list: entries that are pinned, then all from a cut on; one of them may be clipped."""

    def __init__(self, rule: StrandsSlidingWindow, marks: _Marks) -> None:
        self.rule, self.marks = rule, marks
        self.pinned = self.cut = self.turn = self.calls = 0
        self.clipped = self.held = -1

    def outcome(self) -> tuple[int, int, int, int]:
        """Pinned entries, the cut, and which results are clipped."""
        if self.clipped < self.cut:
            return self.pinned, self.cut, 0, 0
        return self.pinned, self.cut, self.marks.clip_at[self.clipped], self.marks.clip_at[self.clipped + 1]

    def after(self, count: int) -> _State:
        """The same list once all turns before an entry are over."""
        found = _State(self.rule, self.marks)
        found.pinned, found.cut, found.turn = self.pinned, self.cut, self.turn
        found.calls, found.clipped, found.held = self.calls, self.clipped, self.held
        while found.turn < len(self.marks.turns) and self.marks.turns[found.turn] < count:
            found.manage(self.marks.turns[found.turn])
            found.turn += 1
        return found

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
            changed, self.cut = self.cut < count, max(self.cut, count)
            return changed
        start = 2 if length <= self.rule.window_size else length - self.rule.window_size
        for table, reach in ((self.marks.user, 0), (self.marks.pair, 1)):
            if (found := self._place(table, start, count - reach)) >= 0:
                changed, self.cut = found > self.cut, max(self.cut, found)
                return changed
        return False

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
        sums, (_, _, first, last) = self.marks.sums, self.outcome()
        return before - (sums[self.cut] - sums[self.pinned]) - (self.marks.clip_sums[last] - self.marks.clip_sums[first])

    def _clip(self, count: int) -> bool:
        """Clip the oldest results that are not pinned; False where they are clipped or cannot get shorter."""
        self._pin(count)
        oldest = self.marks.result[self.cut]
        if not self.rule.should_truncate_results or not self.rule.window_size or oldest >= count or oldest == self.clipped:
            return False
        self.clipped = oldest
        return self.marks.clip_at[oldest] < self.marks.clip_at[oldest + 1]
