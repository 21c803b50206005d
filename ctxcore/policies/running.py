"""A history that strategies edit for good while an agent runs: what is gone or cleared at one call is so at all later ones.

Source: pydantic-ai-harness, whose strategies write the edited list back into the run.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Mapping

import numpy as np

from ctxcore.columns import IntArray
from ctxcore.policies.edits import Action, Layer, lasting
from ctxcore.policies.history import ASSISTANT, USER, History
from ctxcore.policies.pieces import CALL
from ctxcore.policies.talk import talk

SEARCHED = 5
"""Messages before a cut in which upstream looks for calls that it would part from their results. Source: ``_TOOL_PAIR_SEARCH_RANGE``."""


class RunningHistory:
    """The list of messages of one run: replies, and all that stands between two replies as one request. System texts stand outside."""

    def __init__(self, history: History, *, keep_first: bool = True) -> None:
        self.history = history
        self.said = talk(history)
        self.never = len(history.length)
        self._entries()
        self.user = self._first_user() if keep_first else -1
        self.cut = 0
        """The first entry that is left; the first request of a user may stay before it."""
        self.freed = self.seen = 0
        self.inside: dict[int, int] = defaultdict(int)
        self.gone = [self.never] * len(self.said)
        self.sizes: list[int] = history.size[self.said.items].tolist()
        self.counts: list[int] = self.said.begun.tolist()
        self.before: list[int] = history.before.tolist()
        self.edited: set[int] = set()

    def _entries(self) -> None:
        reply = self.said.role == ASSISTANT
        begins = np.ones(len(reply), np.bool_)
        begins[1:] = reply[1:] | reply[:-1]
        self.first: list[int] = [*np.flatnonzero(begins).tolist(), len(reply)]
        self.entry: IntArray = np.cumsum(begins).astype(np.int64) - 1
        pieces = self.history.pieces
        item = np.full(len(self.history.role) + 1, -1, np.int64)
        item[self.said.items] = np.arange(len(self.said))
        self.item_of_piece: IntArray = item[pieces.message]
        self.answers: dict[int, list[int]] = defaultdict(list)
        for call in np.flatnonzero((self.item_of_piece >= 0) & (pieces.partner >= 0) & (pieces.kind == CALL)).tolist():
            answer = int(self.item_of_piece[pieces.partner[call]])
            if answer >= 0:
                self.answers[int(self.entry[self.item_of_piece[call]])].append(int(self.entry[answer]))
        self.far = [asked for asked, answers in self.answers.items() if max(answers) > asked + 1]

    def _first_user(self) -> int:
        users = np.flatnonzero(self.said.role == USER)
        return int(self.entry[users[0]]) if len(users) else -1

    def begun(self, column: int) -> int:
        """Messages in a call's context."""
        return self.counts[column]

    def entries(self, column: int) -> int:
        """Entries that have begun in a call's context, dropped ones included."""
        return bisect_left(self.first, self.begun(column), hi=len(self.first) - 1)

    def positions(self, entry: int) -> list[int]:
        """Of an entry's messages in the epoch's sequence."""
        found: list[int] = self.said.items[self.first[entry] : self.first[entry + 1]].tolist()
        return found

    def left(self, column: int) -> int:
        """Entries of a call's list."""
        return max(self.entries(column) - self.cut, 0) + (0 <= self.user < self.cut)

    def size(self, column: int) -> int:
        """Of the request that a call would send."""
        count = self.begun(column)
        self.seen = max(self.seen, count)
        return self.before[column] - (self.freed if count == self.seen else self._freed_before(count))

    def _freed_before(self, count: int) -> int:
        """What is freed in the first messages, for a call whose context is shorter than an earlier one's."""
        return sum(self.sizes[i] if self.gone[i] < self.never else self.inside.get(i, 0) for i in range(count))

    def edit(self, column: int, freed: Mapping[int, int], record: dict[int, int]) -> None:
        """Put other texts in place of pieces, from this call on; a piece is edited once.

        Args:
            column: Call.
            freed: Piece → what is freed.
            record: Piece → call, of those that are edited now or were before by the same strategy; grows.
        """
        for piece, size in freed.items():
            item = int(self.item_of_piece[piece])
            if piece not in self.edited and item >= 0 and self.gone[item] == self.never:
                self.edited.add(piece)
                record[piece] = column
                self.inside[item] += size
                self.freed += size

    def drop(self, column: int, cut: int) -> None:
        """Leave out all entries before one, the first request of a user excepted, from this call on."""
        for entry in range(self.cut, cut):
            if entry == self.user:
                continue
            for item in range(self.first[entry], self.first[entry + 1]):
                self.gone[item] = column
                self.freed += self.sizes[item] - self.inside[item]
        self.cut = max(self.cut, cut)

    def safe_cut(self, column: int, keep: int) -> int:
        """The last entry at which the list may begin so that it holds this many entries, and no call is parted from its results."""
        count = self.entries(column)
        cut = self.cut + self.left(column) - max(keep, 1) - (0 <= self.user < self.cut)
        while cut > self.cut and self._parts(cut, count):
            cut -= 1
        return cut

    def _parts(self, cut: int, count: int) -> bool:
        return any(cut <= answer < count for asked in range(max(self.cut, cut - SEARCHED), cut) for answer in self.answers.get(asked, ()))

    def token_cut(self, column: int, keep: int) -> int:
        """The last entry from which on there is at least this size, moved back to the calls of its results."""
        upto, count = self.said.upto, self.entries(column)
        item = int(np.searchsorted(upto, upto[self.begun(column)] - keep, side="right")) - 1
        cut = bisect_right(self.first, item, hi=count) - 1 if item >= 0 else self.cut
        while (earlier := self._earliest_call(cut, count)) < cut:
            cut = earlier
        return cut

    def _earliest_call(self, cut: int, count: int) -> int:
        """The first entry left whose call is answered at or behind a cut, if it stands before it."""
        near = [cut - 1] if self._parts_from(cut - 1, cut, count) else []
        return min([*near, *(asked for asked in self.far if self._parts_from(asked, cut, count))], default=cut)

    def _parts_from(self, asked: int, cut: int, count: int) -> bool:
        return self.cut <= asked < cut and any(cut <= answer < count for answer in self.answers.get(asked, ()))

    def drop_layer(self, rule: str) -> Layer:
        """Messages that are gone."""
        return lasting(self.history, "drop", rule, self.said.items, since=np.asarray(self.gone, np.int64))

    def edit_layer(self, action: Action, rule: str, freed: Mapping[int, int], record: Mapping[int, int], text: Callable[[int], str]) -> Layer:
        """Pieces that have another text.

        Args:
            action: What was done.
            rule: Why.
            freed: Piece → what is freed.
            record: Piece → the call from which on it is edited.
            text: Piece → its text.
        """
        items = np.asarray(sorted(record), np.int64)
        since, sizes = (np.asarray([values[piece] for piece in items.tolist()], np.int64) for values in (record, freed))
        return lasting(self.history, action, rule, items, since=since, freed=sizes, text=text)
