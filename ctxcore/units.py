"""Units: what a policy keeps or drops whole, and the runs of calls that share one growing sequence of them.

A unit is an exchange (an assistant message with tool calls and every result of them, wherever they stand) or any other message alone.
Source: the whole-unit rule, "Units" and "Strict and lenient".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise, takewhile
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ctxcore.columns import BoolArray, Epoch, IntArray, UnitTable, read_only
from ctxcore.model import Call, Message, Thread, ToolCall, ToolResult

PINNED_ROLES = frozenset({"system", "developer"})
"""Roles that no policy may drop. Source: the whole-unit rule, "What stays"."""

RECENT_EPOCHS = 4
"""How many earlier runs a call may go on from (a log that interleaves branches switches between a few)."""

Ranges = tuple[tuple[int, int], ...]


class Key(NamedTuple):
    """What a call and its result are matched by."""

    id: str
    """Recorded id, or empty."""
    name: str
    """Tool name, or empty."""


class Shape(NamedTuple):
    """All that grouping needs to know of a message."""

    pinned: bool
    """System or developer."""
    user: bool
    """A real user message."""
    calls: tuple[Key, ...]
    """Tool calls in it."""
    results: tuple[Key, ...]
    """Tool results in it."""


def shape(message: Message) -> Shape:
    """What grouping needs to know of a recorded message."""
    role = message.role
    results: list[Key] = []
    calls: list[Key] = []
    for part in message.parts:
        if isinstance(part, ToolResult):
            results.append(Key(part.call_id, part.name))
        elif isinstance(part, ToolCall) and role == "assistant":
            calls.append(Key(part.id, part.name))
    if calls and results:
        _settle(calls, results)
    user = role == "user" and not results and message.is_real_user
    return Shape(role in PINNED_ROLES, user, tuple(calls), tuple(results))


def _settle(calls: list[Key], results: list[Key]) -> None:
    """Take out the calls that their own message answers (a tool that the provider runs), with the answers."""
    for result in tuple(results):
        call = next((c for c in calls if c.id == result.id and (c.id or not result.name or c.name == result.name)), None)
        if call is not None:
            calls.remove(call)
            results.remove(result)


@dataclass(slots=True)
class Ask:
    """One tool call that waits for its result."""

    message: int
    """Position of the message that asks."""
    position: int
    """Position of the first message of its unit."""
    key: Key
    """What its result is matched by."""
    order: int = 0
    """Among the calls of its message, from 0."""
    answered: bool = False
    """A result was matched to it."""


@dataclass(slots=True)
class Pairing:
    """Matches results to calls in one pass; knows only what came before."""

    asks: list[Ask] = field(default_factory=list)
    """Every call so far."""
    open_by_id: dict[str, list[Ask]] = field(default_factory=lambda: defaultdict(list))
    """Calls in order; those answered are taken off its end."""
    newest_by_id: dict[str, Ask] = field(default_factory=dict)
    """Whether it has an answer or not."""
    open_by_name: dict[str, list[Ask]] = field(default_factory=lambda: defaultdict(list))
    """As ``open_by_id``; the empty name holds all. Filled when a result without an id asks for it, which is rare."""
    named: int = 0
    """How many calls are in ``open_by_name``."""

    def ask(self, message: int, position: int, keys: Sequence[Key]) -> None:
        """Note the calls of a message; ``position`` is that of the first message of its unit."""
        for order, key in enumerate(keys):
            ask = Ask(message, position, key, order)
            self.asks.append(ask)
            if key.id:
                self.open_by_id[key.id].append(ask)
                self.newest_by_id[key.id] = ask

    def answer(self, key: Key) -> tuple[Ask | None, bool]:
        """The call that a result belongs to (None: an orphan), and whether that call had an answer already."""
        ask = self._newest_open(self.open_by_id[key.id]) if key.id else self._next(key.name)
        if ask is not None:
            ask.answered = True
            return ask, False
        newest = self.newest_by_id.get(key.id)
        return newest, newest is not None

    @staticmethod
    def _newest_open(asked: list[Ask]) -> Ask | None:
        while asked and asked[-1].answered:
            asked.pop()
        return asked[-1] if asked else None

    def _next(self, name: str) -> Ask | None:
        """The first open call, of this name if it is not empty, of the newest message that has one."""
        for ask in self.asks[self.named :]:
            self.open_by_name[""].append(ask)
            if ask.key.name:
                self.open_by_name[ask.key.name].append(ask)
        self.named = len(self.asks)
        asked = self.open_by_name[name]
        found = self._newest_open(asked)
        if found is None:
            return None
        run = takewhile(lambda ask: ask.message == found.message, reversed(asked))
        return [ask for ask in run if not ask.answered][-1]


def _home(homes: list[int], position: int) -> int:
    """The first message of a position's unit; looks shorter ways up on its way."""
    while homes[position] != position:
        homes[position] = homes[homes[position]]
        position = homes[position]
    return position


def group(shapes: Sequence[Shape]) -> tuple[UnitTable, tuple[tuple[int, int], ...]]:
    """Units of a sequence of messages, and the spans of it that are not what a shorter prefix would give.

    Returns:
        The units, ordered by first message; and half-open position spans within which a prefix must be grouped by itself
        (one message that answers two exchanges joins them only from there on).
    """
    homes = list(range(len(shapes)))  # position -> a position nearer to its unit's first message
    pairing = Pairing()
    notes: list[tuple[int, str]] = []
    joined: list[tuple[int, int]] = []
    for position, item in enumerate(shapes):
        if item.results and (found := _answered(item.results, position, homes, pairing, notes)):
            first = min(found)
            homes[position] = first
            for other in found - {first}:
                joined.append((first, position + 1))
                homes[other] = first
        if item.calls:
            pairing.ask(position, homes[position], item.calls)
    return _table(shapes, [_home(homes, position) for position in range(len(homes))], pairing, notes), tuple(joined)


def _answered(results: Sequence[Key], position: int, homes: list[int], pairing: Pairing, notes: list[tuple[int, str]]) -> set[int]:
    """First messages of the units whose calls these results of one message answer; what is odd about them is noted."""
    found: set[int] = set()
    for key in results:
        ask, again = pairing.answer(key)
        if ask is None:
            notes.append((position, "orphan_result"))
            continue
        found.add(_home(homes, ask.position))
        if again:
            notes.append((ask.position, "duplicate_result"))
    return found


def _table(shapes: Sequence[Shape], home: list[int], pairing: Pairing, notes: list[tuple[int, str]]) -> UnitTable:
    """Columns from each position's home."""
    homes = np.asarray(home, dtype=np.int32)
    first, unit_of = np.unique(homes, return_inverse=True)
    last = np.zeros(len(first), dtype=np.int32)
    np.maximum.at(last, unit_of, np.arange(len(homes), dtype=np.int32))
    asking = np.zeros(len(first), dtype=np.bool_)
    asking[unit_of[np.asarray([ask.position for ask in pairing.asks], dtype=np.intp)]] = True
    for ask in pairing.asks:
        if not ask.answered:
            unit = int(unit_of[ask.position])
            at_end = unit == len(first) - 1 and last[unit] == len(homes) - 1
            notes.append((ask.position, "pending" if at_end else "open"))
    flags = sorted({(int(unit_of[position]), word) for position, word in notes})
    begin = [shapes[position] for position in first.tolist()]
    return UnitTable(
        unit_of=read_only(unit_of.astype(np.int32)),
        first=read_only(first.astype(np.int32)),
        last=read_only(last),
        exchange=read_only(asking),
        pinned=read_only(np.asarray([item.pinned for item in begin], np.bool_)),
        user=read_only(np.asarray([item.user for item in begin], np.bool_)),
        flags=tuple(flags),
    )


def merge_ranges(positions: Sequence[int]) -> Ranges:
    """Half-open ranges that list these indexes in the same order."""
    ranges: list[tuple[int, int]] = []
    for index in positions:
        if ranges and ranges[-1][1] == index:
            ranges[-1] = (ranges[-1][0], index + 1)
        else:
            ranges.append((index, index + 1))
    return tuple(ranges)


def is_prefix(short: Ranges, long: Ranges) -> bool:
    """True if the messages of ``short`` are the first messages of ``long``."""
    if not short:
        return True
    last = len(short) - 1
    if len(long) <= last or short[:last] != long[:last]:
        return False
    (start, stop), (long_start, long_stop) = short[last], long[last]
    return start == long_start and stop <= long_stop


def split_epochs(messages: Sequence[Message], calls: Sequence[Call]) -> tuple[Epoch, ...]:
    """Runs of calls whose contexts are prefixes of one another, each with its units; every call is in exactly one.

    Args:
        messages: Of the thread.
        calls: Of the thread, in order.
    """
    runs: list[tuple[Ranges, list[Call]]] = []
    for call in calls:
        for number in range(len(runs) - 1, max(-1, len(runs) - 1 - RECENT_EPOCHS), -1):
            longest, members = runs[number]
            if is_prefix(longest, call.context):
                members.append(call)
                runs[number] = (call.context, members)
                break
            if is_prefix(call.context, longest):
                members.append(call)
                break
        else:
            runs.append((call.context, [call]))
    shapes = _Shapes.of(messages)
    return tuple(epoch for ranges, members in runs for epoch in _epochs_of_run(shapes, ranges, members))


@dataclass(frozen=True, slots=True)
class _Shapes:
    """Shapes of a thread's messages, and what of them is asked for whole sequences."""

    each: Sequence[Shape]
    linked: BoolArray
    """Has tool calls or results."""
    pinned: BoolArray
    user: BoolArray

    @classmethod
    def of(cls, messages: Sequence[Message]) -> _Shapes:
        each = [shape(message) for message in messages]
        linked = np.asarray([bool(item.calls or item.results) for item in each], np.bool_)
        pinned = np.asarray([item.pinned for item in each], np.bool_)
        return cls(each, linked, pinned, np.asarray([item.user for item in each], np.bool_))

    def group(self, sequence: NDArray[np.int32]) -> tuple[UnitTable, tuple[tuple[int, int], ...]]:
        """As ``group``, of the messages with these indexes; at once where each is a unit alone."""
        if self.linked[sequence].any():
            return group([self.each[index] for index in sequence.tolist()])
        own = read_only(np.arange(len(sequence), dtype=np.int32))
        table = UnitTable(
            unit_of=own,
            first=own,
            last=own,
            exchange=read_only(np.zeros(len(sequence), np.bool_)),
            pinned=read_only(self.pinned[sequence]),
            user=read_only(self.user[sequence]),
            flags=(),
        )
        return table, ()


def _indexes(ranges: Ranges) -> NDArray[np.int32]:
    """The indexes in some ranges, in order."""
    bounds = np.fromiter(chain.from_iterable(ranges), np.int32, 2 * len(ranges)).reshape(-1, 2)
    lengths = bounds[:, 1] - bounds[:, 0]
    before = np.cumsum(lengths) - lengths
    return np.repeat(bounds[:, 0] - before, lengths).astype(np.int32) + np.arange(lengths.sum(), dtype=np.int32)


def _epochs_of_run(shapes: _Shapes, ranges: Ranges, members: Sequence[Call]) -> list[Epoch]:
    """One epoch for the run, and one more for the calls that came before a late result changed the units, and so on.

    Args:
        shapes: Of the thread.
        ranges: The longest context of the run.
        members: Its calls; the context of each is a prefix of the longest.
    """
    epochs: list[Epoch] = []
    while members:
        sequence = _indexes(ranges)
        table, joined = shapes.group(sequence)
        lengths = np.fromiter((call.message_count for call in members), np.int64, len(members))
        early = _needs_own_units(table, joined, lengths) & (lengths < len(sequence))
        regular = np.flatnonzero(~early)
        epochs.append(
            Epoch(
                message=read_only(sequence),
                calls=read_only(np.asarray([members[i].index for i in regular.tolist()], dtype=np.int32)),
                lengths=read_only(lengths[regular].astype(np.int32)),
                units=table,
            )
        )
        members = [members[i] for i in np.flatnonzero(early).tolist()]
        ranges = max(members, key=lambda call: call.message_count).context if members else ()
    return epochs


def _needs_own_units(table: UnitTable, joined: Sequence[tuple[int, int]], lengths: IntArray) -> BoolArray:
    """Per length: True if a unit other than the last reaches beyond it, or a later message joined units inside it."""
    own = np.zeros(len(lengths), np.bool_)
    if len(table.last) > 1:
        highest = np.maximum.accumulate(table.last)
        begun = np.searchsorted(table.first, lengths)
        own = (begun > 1) & (highest[np.maximum(begun - 2, 0)] >= lengths)
    for start, stop in joined:
        own |= (start < lengths) & (lengths < stop)
    return own


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalog:
    """All units of a thread over all its epochs; a unit is known by its first message.

    Arrays hold one entry per unit, in thread order.
    """

    first: NDArray[np.int32]
    """Thread message that begins it."""
    members: tuple[tuple[int, ...], ...]
    """Its thread messages, in the fullest form any call received."""
    exchange: BoolArray
    """An assistant message with tool calls and its results."""
    pinned: BoolArray
    """A system or developer message."""
    user: BoolArray
    """A real user message."""
    turn: NDArray[np.int32]
    """Ordinal of the turn it belongs to, from 1; 0 before the first user message."""
    born: NDArray[np.int32]
    """First call that received it."""
    last: NDArray[np.int32]
    """Last call that received it."""
    of_epoch: tuple[NDArray[np.int32], ...]
    """Per epoch: its units' numbers here."""
    flags: tuple[tuple[int, str], ...]
    """Unit and stable word, as in ``UnitTable``."""


def catalog(thread: Thread) -> Catalog:
    """The thread's units; made once per thread."""
    return thread.once("catalog", lambda: _catalog(thread))


def _catalog(thread: Thread) -> Catalog:
    epochs = thread.epochs
    keys = [epoch.message[epoch.units.first] if len(epoch.message) else epoch.message for epoch in epochs]
    first, inverse = np.unique(np.concatenate(keys) if keys else np.empty(0, np.int32), return_inverse=True)
    count = len(first)
    bounds = np.cumsum([0, *map(len, keys)])
    of_epoch = tuple(read_only(inverse[a:b].astype(np.int32)) for a, b in pairwise(bounds))
    marks = {name: np.zeros(count, np.bool_) for name in ("exchange", "pinned", "user")}
    born = np.full(count, len(thread.calls), np.int32)
    last = np.full(count, -1, np.int32)
    members: list[tuple[int, ...]] = [()] * count
    most = np.zeros(count, np.int64)
    flags: set[tuple[int, str]] = set()
    for epoch, numbers in zip(epochs, of_epoch, strict=True):
        units = epoch.units
        for name, column in marks.items():
            column[numbers] |= getattr(units, name)
        begun = np.searchsorted(units.first, epoch.lengths)
        index = np.arange(len(numbers))
        rising = np.maximum.accumulate(begun)
        falling = np.maximum.accumulate(begun[::-1])
        first_call = epoch.calls[np.minimum(np.searchsorted(rising, index, side="right"), len(begun) - 1)]
        last_call = epoch.calls[::-1][np.minimum(np.searchsorted(falling, index, side="right"), len(begun) - 1)]
        np.minimum.at(born, numbers, first_call.astype(np.int32))
        np.maximum.at(last, numbers, last_call.astype(np.int32))
        ordered = epoch.message[np.argsort(units.unit_of, kind="stable")]
        held = np.bincount(units.unit_of, minlength=len(numbers))
        stops = np.cumsum(held)
        for unit in np.flatnonzero(held > most[numbers]).tolist():  # most units are in an earlier epoch already
            members[numbers[unit]] = tuple(ordered[stops[unit] - held[unit] : stops[unit]].tolist())
        most[numbers] = np.maximum(most[numbers], held)
        flags |= {(int(numbers[unit]), word) for unit, word in units.flags}
    return Catalog(
        first=read_only(first.astype(np.int32)),
        members=tuple(members),
        turn=read_only(np.cumsum(marks["user"]).astype(np.int32)),
        born=read_only(born),
        last=read_only(last),
        of_epoch=of_epoch,
        flags=tuple(sorted(flags)),
        exchange=read_only(marks["exchange"]),
        pinned=read_only(marks["pinned"]),
        user=read_only(marks["user"]),
    )
