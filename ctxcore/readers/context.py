"""What the next request of a thread carries, while a log is replayed: messages that were added, and those that left again."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass, replace

from ctxcore.model import Call, Message
from ctxcore.readers.build import ThreadDraft
from ctxcore.units import Ranges, merge_ranges


class Context:
    """A growing context; kept as ranges, so a request costs nothing as long as nothing leaves."""

    def __init__(self, thread: ThreadDraft) -> None:
        """An empty context of a thread."""
        self.thread = thread
        self.ranges: Ranges = ()

    def add(self, message: Message) -> int:
        """Append a message to the thread and the context; its index."""
        index = self.thread.add(message)
        self.include(index)
        return index

    def include(self, index: int) -> None:
        """Append a message that the thread has."""
        if self.ranges and self.ranges[-1][1] == index:
            self.ranges = (*self.ranges[:-1], (self.ranges[-1][0], index + 1))
        else:
            self.ranges = (*self.ranges, (index, index + 1))

    def become(self, indexes: Sequence[int]) -> None:
        """Carry these messages, in this order."""
        self.ranges = merge_ranges(indexes)

    def indexes(self) -> list[int]:
        """Its messages, request order."""
        return [index for start, stop in self.ranges for index in range(start, stop)]

    def call(self, call: Call) -> Call:
        """Append a call that received the context as it is; its index is filled in."""
        placed = replace(call, index=len(self.thread.calls), context=self.ranges)
        self.thread.calls.append(placed)
        return placed


@dataclass(slots=True)
class _Slot:
    """A message in the context and the records it was made of."""

    index: int
    records: set[Hashable]
    calls: set[str]
    """Ids of the tool calls that it makes or answers; empty where it has none."""


class EventView:
    """A context that is made of events, of which a condensation makes some forgotten and puts a summary in their place.

    Source: OpenHands ``memory/view.py`` and ``sdk/context/view``: all forgotten events of all condensations are left out, the newest summary stands
    at its offset among the events that stay, and a tool call without its result (or the other way round) is left out.
    """

    def __init__(self, context: Context) -> None:
        """A view over an empty context."""
        self.context = context
        self._events: list[Hashable] = []
        self._slots: list[_Slot] = []
        self._forgotten: set[Hashable] = set()

    def event(self, event: Hashable) -> None:
        """An event is part of the history, whether or not it gives a message."""
        self._events.append(event)

    def place(self, index: int, *events: Hashable) -> None:
        """A message that the thread has joins the context; the events stand for it."""
        message = self.context.thread.messages[index]
        calls = {call.id for call in message.calls} | {result.call_id for result in message.results}
        self._slots.append(_Slot(index, set(events), calls - {""}))
        self.context.include(index)

    def condense(self, forgotten: Collection[Hashable], summary: int | None, offset: int | None) -> tuple[int, int]:
        """Leave out the forgotten events and place the summary; how many messages left, and how many stay."""
        before = len(self._slots)
        self._forgotten |= set(forgotten)
        if summary is not None:
            self._slots = [slot for slot in self._slots if slot.records]
        stay = _paired([slot for slot in self._slots if not slot.records or not slot.records <= self._forgotten])
        gone = before - len(stay)
        if summary is not None:
            stay.insert(self._position(stay, offset), _Slot(summary, set(), set()))
        self._slots = stay
        self.context.become([slot.index for slot in stay])
        return gone, len(stay)

    def replace_first(self, index: int) -> None:
        """Another message takes the place of the first one."""
        self._slots[0] = replace(self._slots[0], index=index)
        self.context.become([slot.index for slot in self._slots])

    def _position(self, slots: Sequence[_Slot], offset: int | None) -> int:
        """Where among the messages a summary stands whose place is counted in events."""
        kept = [event for event in self._events if event not in self._forgotten]
        if offset is None or offset >= len(kept):
            return len(slots)
        before = set(kept[:offset])
        return sum(bool(slot.records & before) for slot in slots)


def _paired(slots: Sequence[_Slot]) -> list[_Slot]:
    """The messages whose tool calls and results are both there."""
    seen: dict[str, int] = {}
    for slot in slots:
        for call in slot.calls:
            seen[call] = seen.get(call, 0) + 1
    return [slot for slot in slots if not slot.calls or any(seen[call] > 1 for call in slot.calls)]
