"""Recorded requests that repeat the history: each message kept once, contexts as ranges, calls sorted into threads."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import chain

from ctxcore.counted import count
from ctxcore.model import Call, Event, Json, Message
from ctxcore.readers.build import ThreadDraft
from ctxcore.readers.request_lane import Lane, Request, digest
from ctxcore.units import Ranges, merge_ranges

SHARED_FOR_SAME_THREAD = 0.5
"""A request belongs to a thread that holds more than this part of its messages."""

RECENT_LANES = 64
"""Threads that are looked at for one that the request simply goes on."""

SAME_RETOLD = "The history is told again in the shape of another provider: ids, and how results are wrapped, differ."
"""Note of a change after which nothing else was said."""

SAME_RESHAPED = "The history says the same in the shape of another provider, in which its messages have other sizes."
"""Note of a change after which not even ids differ."""

TELLING_LANES = 64
"""A message that more threads hold (the system prompt of a data set) does not tell them apart."""


def _extended(ranges: Ranges, indexes: Sequence[int]) -> Ranges:
    """The ranges with more messages behind them."""
    more = merge_ranges(indexes)
    if ranges and more and ranges[-1][1] == more[0][0]:
        return (*ranges[:-1], (ranges[-1][0], more[0][1]), *more[1:])
    return ranges + more


class RequestLog:
    """Collects recorded requests, in time order, into threads."""

    def __init__(
        self,
        make: Callable[[Json, Call], Message],
        normal: Callable[[Json], Json] = lambda value: value,
        *,
        shape: Callable[[Json], str] = lambda _: "",
        apart: bool = False,
        retells: Callable[[Sequence[Json], Json | None, Sequence[Json]], bool] | None = None,
    ) -> None:
        """Start an empty log.

        Args:
            make: A message from its recorded form and the call that first sent (or answered with) it.
            normal: The form in which two recordings of one message are equal.
            shape: Whose shape a recording has. All messages of a request have one; one told again in other words of the wire is a message of its own.
            apart: True where no request goes on from another: each is a thread of its own.
            retells: Whether a request tells a context and its reply again in another shape, in which no message need be equal.
        """
        self._make, self._normal, self._apart, self._retells = make, normal, apart, retells
        self._shape = shape
        self._lanes: list[Lane] = []
        self._recent: list[Lane] = []
        self._holders: dict[bytes, list[int]] = {}
        self.tool_sets: list[tuple[Json, ...]] = []
        self._tools_by_digest: dict[bytes, int] = {}
        self._last_tools: tuple[Sequence[Json], int] | None = None
        self._lane_of: dict[str, Lane] = {}
        self._newest: Request | None = None

    def tools(self, tools: Sequence[Json] | None) -> int | None:
        """Index of a tool set, kept once; None for None."""
        if tools is None:
            return None
        if self._last_tools is None or self._last_tools[0] != tools:
            key = digest(list(tools))
            if key not in self._tools_by_digest:
                self._tools_by_digest[key] = len(self.tool_sets)
                self.tool_sets.append(tuple(tools))
            self._last_tools = (tools, self._tools_by_digest[key])
        return self._last_tools[1]

    def add(self, messages: Sequence[Json], reply: Json | None, call: Call, *, after: str = "") -> None:
        """One request and its reply.

        Args:
            messages: Objects, as recorded.
            reply: The answering message, or None.
            call: Everything else about the call; context, reply and index are filled in here.
            after: Id of the call that this one says it goes on from; they are in one thread.
        """
        shape = self._shape(messages[-1]) if messages else ""
        request = self._newest = Request(messages, self._normal, shape, self._newest)
        lane, prefix = self._lane(request, after)
        if call.id:
            self._lane_of[call.id] = lane
        same = self._same_size(lane, messages[:prefix], call) if request.is_reshaped(lane) else prefix
        changed = bool(lane.context) and same < len(lane.context)
        if same > len(lane.context):
            self._as_sent(lane, messages[same - 1], call)
        held_before = len(lane.raws)
        context = self._context(lane, request, same, call)
        self._note_forms(lane, context, messages, call)
        if request.is_reshaped(lane):
            lane.note_retold(context, held_before)
        answer = None if reply is None else self._append(lane, reply, digest(self._normal(reply)), call)
        flags = (*call.flags, *(("history_changed",) if changed else ()), *(() if reply is not None else ("no_reply",)))
        number = len(lane.draft.calls)
        ranges = merge_ranges(context) if changed else _extended(lane.ranges, context[len(lane.context) :])
        lane.draft.calls.append(replace(call, index=number, context=ranges, reply=answer, flags=flags))
        if changed:
            note = self._what_differs(lane, messages, prefix)
            lane.draft.events.append(Event(kind="history_changed", call=number, at=call.at, source=call.source, note=note))
        held = 0 if changed else len(lane.context)
        lane.expected[held:] = [lane.raws[index] for index in (*context[held:], *(() if answer is None else (answer,)))]
        lane.context, lane.ranges, lane.reply, lane.shape = context, ranges, answer, shape or lane.shape
        request.forget()

    def _note_forms(self, lane: Lane, context: Sequence[int], messages: Sequence[Json], call: Call) -> None:
        """Messages that are recorded in another form than before; the lane keeps the newest, so that a mark that moved on is looked at once."""
        sent = min(len(lane.context), len(context))
        usual = context[:sent] == lane.context[:sent] and lane.expected[:sent] == messages[:sent]  # two comparisons in C
        for position in range(sent if usual else 0, len(context)):
            index, value = context[position], messages[position]
            if lane.raws[index] != value:
                lane.forms.note(index, lane.draft.messages[index], self._make(value, call).wire, len(lane.draft.calls))
                lane.raws[index] = value
                if position < sent and context[position] == lane.context[position]:
                    lane.expected[position] = value

    def _same_size(self, lane: Lane, told: Sequence[Json], call: Call) -> int:
        """How many of the messages that are told again stand there as the lane has them; the reply was not sent before, and takes any shape."""
        for number, (index, value) in enumerate(zip(lane.known, told, strict=False)):
            if number < len(lane.context) and lane.draft.messages[index].wire != self._make(value, call).wire:
                return number
        return len(told)

    def _what_differs(self, lane: Lane, messages: Sequence[Json], prefix: int) -> str:
        """How a request changes the history of the lane's newest call."""
        if prefix >= len(lane.context):
            return SAME_RESHAPED
        if self._goes_on_retold(lane, messages):
            return SAME_RETOLD
        return f"The history is as before for {count(prefix, 'message')}, then it differs." if prefix else "No message is as before."

    def _as_sent(self, lane: Lane, value: Json, call: Call) -> None:
        """The newest reply comes back in a request: that form is the one whose size counts."""
        if lane.reply is None or lane.raws[lane.reply] == value:
            return
        answered = lane.draft.messages[lane.reply]
        lane.raws[lane.reply] = value
        lane.draft.messages[lane.reply] = replace(self._make(value, call), raw=answered.raw, source=answered.source, at=answered.at, id=answered.id)

    def _context(self, lane: Lane, request: Request, prefix: int, call: Call) -> list[int]:
        """The request's messages in the thread; those it does not hold are added."""
        context = lane.known[:prefix]
        taken: set[int] | None = None
        for position in range(prefix, len(request.messages)):
            key = request.digest(position)
            index = lane.by_digest.get((request.shape, key))
            if index is not None:
                taken = set(context) if taken is None else taken
            if index is None or (taken and index in taken):
                index = self._append(lane, request.messages[position], key, call)
            context.append(index)
            if taken is not None:
                taken.add(index)
        return context

    def _append(self, lane: Lane, value: Json, key: bytes, call: Call) -> int:
        lane.raws.append(value)
        index = lane.draft.add(self._make(value, call))
        if lane.by_digest.setdefault((self._shape(value), key), index) == index:
            holders = self._holders.setdefault(key, [])
            if len(holders) <= TELLING_LANES and lane.number not in holders:
                holders.append(lane.number)
        return index

    def _lane(self, request: Request, after: str) -> tuple[Lane, int]:
        """The thread that a request goes on, with the length of the common prefix; a new one if it fits none."""
        if self._apart:
            return self._new_lane(), 0
        if after in self._lane_of:
            return self._used(self._lane_of[after]), request.prefix(self._lane_of[after])
        for lane in reversed(self._recent[-RECENT_LANES:]):
            prefix = request.prefix(lane)
            if prefix >= len(lane.context) > 0:
                return self._used(lane), prefix
        best: tuple[int, int, Lane] | None = None
        for number, held in self._holding(request).items():
            lane = self._lanes[number]
            prefix = request.prefix(lane)
            if held > SHARED_FOR_SAME_THREAD * len(request.messages) and (best is None or (prefix, held) > best[:2]):
                best = (prefix, held, lane)
        if best is not None:
            return self._used(best[2]), best[0]
        for lane in reversed(self._recent[-RECENT_LANES:]):
            if self._goes_on_retold(lane, request.messages):
                return self._used(lane), request.prefix(lane)
        return self._used(self._new_lane()), 0

    def _goes_on_retold(self, lane: Lane, messages: Sequence[Json]) -> bool:
        """True if the request tells what the lane's newest call held again, in another shape."""
        if self._retells is None:
            return False
        held = len(lane.context)
        return self._retells(lane.expected[:held], None if lane.reply is None else lane.expected[held], messages)

    def _new_lane(self) -> Lane:
        lane = Lane(ThreadDraft(id=f"thread-{len(self._lanes) + 1}"), len(self._lanes))
        self._lanes.append(lane)
        return lane

    def _holding(self, request: Request) -> Tally[int]:
        """How many of the request's messages each thread holds, newest thread first."""
        held = Tally(chain.from_iterable(self._holders.get(request.digest(position), ()) for position in range(len(request.messages))))
        return Tally(dict(sorted(held.items(), reverse=True)))

    def _used(self, lane: Lane) -> Lane:
        if not self._recent or self._recent[-1] is not lane:
            self._recent = [*(other for other in self._recent[-RECENT_LANES:] if other is not lane), lane]
        return lane

    def threads(self) -> list[ThreadDraft]:
        """The threads: the one with the most text first and main, the others side calls in order of their first call."""
        if not self._lanes:
            return []
        for lane in self._lanes:
            lane.forms.settle(lane.draft)
        drafts = [lane.draft for lane in self._lanes]
        if self._apart:
            return drafts
        main = max(drafts, key=lambda d: (len(d.calls), len(d.messages)))
        for draft in drafts:
            draft.kind = "main" if draft is main else "side"
        return [main, *(d for d in drafts if d is not main)]
