"""What calls would see of each field of a state after a policy: the newest value, an older one without its correction, or nothing.

What counts is the last thing that a request says of a field. A lower bound: other words may say the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ctxcore.columns import BoolArray, IntArray, read_only
from ctxcore.measures.seen import message_fate
from ctxcore.measures.state_inserts import InsertedTexts
from ctxcore.measures.state_words import FieldWords, Statement, Stretch, says_the_same
from ctxcore.model import Call, Thread
from ctxcore.replay import ABSENT, DROPPED, EDITED, Replay

NOT_YET, NEWEST, REPEATED, PARTLY, STALE, GONE, NOT_SENT, REFUSED, EXPIRED, UNKNOWN = range(10)
"""What a call has of a field: no value before it, the words of the newest value, that value only where it is repeated, some items of a list, an
older value without its correction, nothing because the policy took it, nothing as recorded, nothing because the call is refused, a value that
has expired, and what only a summary can tell whose words are not known."""

LOST = (STALE, GONE, NOT_SENT)
"""Codes of calls that do not know the newest value."""


@dataclass(frozen=True, kw_only=True)
class StateSight:
    """Fields over all calls; tables are read-only with one row per field and one column per call."""

    fields: tuple[FieldWords, ...]
    """Rows."""
    code: NDArray[np.int8]
    """``NOT_YET`` to ``UNKNOWN``."""
    recorded: NDArray[np.int8]
    """The same of the request as it was recorded."""
    newest: IntArray
    """Stretch that holds the newest value before the call (of a list, items added by then); -1 for none."""
    last: IntArray
    """Stretch whose words are the last that the call would see (of a list, items seen); -1 for none."""

    @property
    def stale_calls(self) -> IntArray:
        """Per call: fields of which it would see an older value but not the correction."""
        found: IntArray = (self.code == STALE).sum(axis=0)
        return found


def call_moment(call: Call) -> int:
    """Message before which the state of a call is taken: its reply, else the one after its request."""
    if call.reply is not None:
        return call.reply
    return max((stop for _, stop in call.context), default=0)


def call_moments(thread: Thread) -> IntArray:
    """The same for all calls; made once per thread."""
    return thread.once("call_moments", lambda: read_only(np.asarray([call_moment(call) for call in thread.calls], np.int64)))


def state_sight(replay: Replay, fields: Sequence[FieldWords]) -> StateSight:
    """What all calls would see of each field.

    Args:
        replay: A policy over all calls of a thread.
        fields: Of the same thread, from ``state_words``.
    """
    looking = _Looking(replay)
    shape = (len(fields), len(replay.thread.calls))
    code, recorded = np.zeros(shape, np.int8), np.zeros(shape, np.int8)
    newest, last = np.full(shape, -1, np.int64), np.full(shape, -1, np.int64)
    for row, field in enumerate(fields):
        read = looking.items if field.items else looking.stretches
        code[row], recorded[row], newest[row], last[row] = read(field)
    return StateSight(fields=tuple(fields), code=read_only(code), recorded=read_only(recorded), newest=read_only(newest), last=read_only(last))


Row = tuple[NDArray[np.int8], NDArray[np.int8], IntArray, IntArray]


class _Looking:
    """Looks for words in what all calls would be sent."""

    def __init__(self, replay: Replay) -> None:
        self.replay, self.moments = replay, call_moments(replay.thread)
        self.inserted = InsertedTexts(replay)
        self.fates: dict[int, _Fate] = {}

    def stretches(self, field: FieldWords) -> Row:
        """A field whose values replace one another."""
        newest = self._begun(field.stretches)
        now, was = _Seen.of(field, newest), _Seen.of(field, newest)
        for number, stretch in enumerate(field.stretches):
            for statement in stretch.statements:
                held, seen = self.statement(statement)
                now.note(number, seen, own=statement.own)
                was.note(number, held, own=statement.own)
        code, recorded = now.codes(), was.codes()
        lost = (recorded != NOT_SENT) & (code == NOT_SENT)
        code[lost] = GONE
        self._put_in(field, newest, code)
        return _refused(code, self.replay.refused), recorded, newest, now.last

    def _put_in(self, field: FieldWords, newest: IntArray, code: NDArray[np.int8]) -> None:
        """Summaries that the policy puts in may say the newest value, or only an older one."""
        for number, stretch in enumerate(field.stretches):
            open_calls = np.flatnonzero(((code == STALE) | (code == GONE) | (code == NOT_SENT)) & (newest == number))
            if not len(open_calls):
                continue
            code[self.inserted.saying(stretch.needles, open_calls)] = REPEATED
            rest = open_calls[code[open_calls] != REPEATED]
            older = tuple(dict.fromkeys(n for one in field.stretches[:number] if not says_the_same(one, stretch) for n in one.needles))
            code[self.inserted.saying(older, rest[code[rest] != STALE])] = STALE
        lost = np.flatnonzero((code == STALE) | (code == GONE))
        code[self.inserted.unknown(lost)] = UNKNOWN

    def items(self, field: FieldWords) -> Row:
        """A list that only grows: each item is looked for."""
        shape = (len(field.items), len(self.moments))
        held, seen = np.zeros(shape, np.bool_), np.zeros(shape, np.bool_)
        for number, item in enumerate(field.items):
            for statement in item.statements:
                has, sees = self.statement(statement)
                held[number] |= has
                seen[number] |= sees
        starts = np.asarray([item.start for item in field.items], np.int64)
        known = starts[:, None] < self.moments[None, :]
        total, now, was = known.sum(axis=0), (seen & known).sum(axis=0), (held & known).sum(axis=0)
        code, recorded = _counted(total, now), _counted(total, was)
        code[(code == NOT_SENT) & (recorded != NOT_SENT)] = GONE
        return _refused(code, self.replay.refused), recorded, total - 1, now - 1

    def _begun(self, stretches: Sequence[Stretch]) -> IntArray:
        starts = np.asarray([one.start for one in stretches], np.int64)
        found: IntArray = np.searchsorted(starts, self.moments, side="left") - 1
        return found

    def statement(self, one: Statement) -> tuple[BoolArray, BoolArray]:
        """Per call: its recorded request has the words, and what would be sent has them."""
        fate = self.fates.get(one.message)
        if fate is None:
            fate = self.fates[one.message] = _Fate.of(message_fate(self.replay, one.message), self.replay.refused)
        if not len(fate.edited):
            return fate.held, fate.seen
        seen = fate.seen.copy()
        seen[fate.edited] &= self._in_edited(one, fate.edited)
        return fate.held, seen

    def _in_edited(self, one: Statement, calls: IntArray) -> BoolArray:
        """Whether words still stand in a message of which the policy changes a part."""
        kept = np.ones(len(calls), np.bool_)
        for fits, line in zip(self.replay.fits, self.replay.timelines, strict=True):
            column_of = np.full(len(self.moments), -1, np.int64)
            column_of[line.epoch.calls] = np.arange(len(line.epoch.calls))
            here = np.flatnonzero(column_of[calls] >= 0)
            places = np.flatnonzero(line.epoch.message == one.message)
            if not len(here) or not len(places):
                continue
            pieces = line.history.pieces
            mine = np.flatnonzero((pieces.message == places[0]) & ((pieces.part == one.part) | (one.part < 0)))
            for layer in fits.plan(0).layers:
                for piece in mine.tolist() if layer.action != "drop" else ():
                    changed = layer.covers(np.full(len(here), piece), column_of[calls[here]])
                    if changed.any() and not (layer.text is not None and one.quote and one.quote in layer.text(piece)):
                        kept[here[changed]] = False
        return kept


@dataclass(frozen=True, slots=True)
class _Fate:
    """What became of a message in all calls."""

    held: BoolArray
    seen: BoolArray
    edited: IntArray

    @classmethod
    def of(cls, fate: NDArray[np.int8], refused: BoolArray) -> _Fate:
        held = fate != ABSENT
        return cls(held, held & (fate != DROPPED) & ~refused, np.flatnonzero(fate == EDITED))


@dataclass(slots=True)
class _Seen:
    """The last stretch whose words calls see, as they are found."""

    field: FieldWords
    newest: IntArray
    last: IntArray
    own: IntArray

    @classmethod
    def of(cls, field: FieldWords, newest: IntArray) -> _Seen:
        return cls(field, newest, np.full(len(newest), -1, np.int64), np.full(len(newest), -1, np.int64))

    def note(self, number: int, seen: BoolArray, *, own: bool) -> None:
        """Words of a stretch, in order of stretches."""
        here = seen & (self.newest >= number)
        self.last[here] = number
        if own:
            self.own[here] = number

    def codes(self) -> NDArray[np.int8]:
        """Per call, as if nothing were refused."""
        code = np.full(len(self.newest), NOT_SENT, np.int8)
        for number, stretch in enumerate(self.field.stretches):
            mine = self.newest == number
            if stretch.expired:
                code[mine] = EXPIRED
                continue
            for earlier in np.unique(self.last[mine]).tolist():
                if earlier >= 0:
                    same = earlier == number or says_the_same(self.field.stretches[earlier], stretch)
                    code[mine & (self.last == earlier)] = REPEATED if same else STALE
            code[mine & (code == REPEATED) & (self.own == self.last)] = NEWEST
        code[self.newest < 0] = NOT_YET
        return code


def _counted(total: IntArray, found: IntArray) -> NDArray[np.int8]:
    code = np.where(found == total, NEWEST, np.where(found > 0, PARTLY, NOT_SENT))
    return np.where(total == 0, NOT_YET, code).astype(np.int8)


def _refused(code: NDArray[np.int8], refused: BoolArray) -> NDArray[np.int8]:
    return np.where(refused & (code != NOT_YET) & (code != EXPIRED), REFUSED, code).astype(np.int8)
