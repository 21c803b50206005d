"""Recorded requests that repeat the history: each message kept once, contexts as ranges, calls sorted into threads."""

from __future__ import annotations

import hashlib
import json
from collections import Counter as Tally
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

import orjson

from ctxcore.model import Call, Event, Json, Message
from ctxcore.readers.build import ThreadDraft
from ctxcore.units import Ranges, merge_ranges

SHARED_FOR_SAME_THREAD = 0.5
"""A request belongs to a thread that holds more than this part of its messages."""

RECENT_LANES = 64
"""Threads that are looked at for one that the request simply goes on."""

TELLING_LANES = 64
"""A message that more threads hold (the system prompt of a data set) does not tell them apart."""


@dataclass(slots=True)
class _Lane:
    """One thread under construction."""

    draft: ThreadDraft
    number: int
    raws: list[Json] = field(default_factory=list)
    """Per thread message: as recorded last."""
    by_digest: dict[bytes, int] = field(default_factory=dict)
    context: list[int] = field(default_factory=list)
    """Thread messages of the newest call."""
    ranges: Ranges = ()
    """The same as ranges."""
    reply: int | None = None
    """Reply of the newest call."""
    expected: list[Json] = field(default_factory=list)
    """As recorded: what the next request is expected to begin with."""

    @property
    def known(self) -> list[int]:
        """Thread messages that the next request is expected to begin with."""
        return self.context if self.reply is None else [*self.context, self.reply]


def digest(value: Json) -> bytes:
    """Short content hash of a JSON value, whatever the order of its keys."""
    try:
        text = orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except (TypeError, ValueError):
        text = json.dumps(value, sort_keys=True).encode()
    return hashlib.blake2b(text, digest_size=12).digest()


def _extended(ranges: Ranges, indexes: Sequence[int]) -> Ranges:
    """The ranges with more messages behind them."""
    more = merge_ranges(indexes)
    if ranges and more and ranges[-1][1] == more[0][0]:
        return (*ranges[:-1], (ranges[-1][0], more[0][1]), *more[1:])
    return ranges + more


class _Request:
    """One request's messages with their digests, made when asked for."""

    def __init__(self, messages: Sequence[Json], normal: Callable[[Json], Json], before: _Request | None) -> None:
        self.messages, self._normal = messages, normal
        self.made: dict[int, bytes] = {}
        self._before = before

    def digest(self, position: int) -> bytes:
        """Of the message's normal form."""
        if position not in self.made:
            value = self.messages[position]
            self.made[position] = self._known(position, value) or digest(self._normal(value))
        return self.made[position]

    def _known(self, position: int, value: Json) -> bytes | None:
        """The digest that the request before has for the same message in the same place."""
        made = self._before.made.get(position) if self._before else None
        return made if made and self._before and self._before.messages[position] == value else None

    def forget(self) -> None:
        """Let go of the request before."""
        self._before = None

    def prefix(self, lane: _Lane) -> int:
        """How many leading messages are those that the lane expects; recordings are compared as they are before their normal forms.

        The lane keeps the newest recording of each, so that a mark that moved on is looked at once.
        """
        expected = lane.expected[: len(self.messages)]
        if expected == self.messages[: len(expected)]:  # one comparison in C for the usual case
            return len(expected)
        for count, (index, raw, value) in enumerate(zip(lane.known, expected, self.messages, strict=False)):
            if raw == value:
                continue
            if self._normal(raw) != self._normal(value):
                return count
            if index != lane.reply:
                lane.raws[index] = lane.expected[count] = value
        return len(expected)


class RequestLog:
    """Collects recorded requests, in time order, into threads."""

    def __init__(self, make: Callable[[Json, Call], Message], normal: Callable[[Json], Json] = lambda value: value, *, apart: bool = False) -> None:
        """Start an empty log.

        Args:
            make: A message from its recorded form and the call that first sent (or answered with) it.
            normal: The form in which two recordings of one message are equal.
            apart: True where no request goes on from another: each is a thread of its own.
        """
        self._make, self._normal, self._apart = make, normal, apart
        self._lanes: list[_Lane] = []
        self._recent: list[_Lane] = []
        self._holders: dict[bytes, list[int]] = {}
        self.tool_sets: list[tuple[Json, ...]] = []
        self._tools_by_digest: dict[bytes, int] = {}
        self._last_tools: tuple[Sequence[Json], int] | None = None
        self._lane_of: dict[str, _Lane] = {}
        self._newest: _Request | None = None

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
        request = self._newest = _Request(messages, self._normal, self._newest)
        lane, prefix = self._lane(request, after)
        if call.id:
            self._lane_of[call.id] = lane
        changed = bool(lane.context) and prefix < len(lane.context)
        if prefix > len(lane.context):
            self._as_sent(lane, messages[prefix - 1], call)
        context = self._context(lane, request, prefix, call)
        answer = None if reply is None else self._append(lane, reply, digest(self._normal(reply)), call)
        flags = (*call.flags, *(("history_changed",) if changed else ()), *(() if reply is not None else ("no_reply",)))
        number = len(lane.draft.calls)
        ranges = merge_ranges(context) if changed else _extended(lane.ranges, context[len(lane.context) :])
        lane.draft.calls.append(replace(call, index=number, context=ranges, reply=answer, flags=flags))
        if changed:
            note = f"The first {prefix} messages are as before, then the history differs."
            lane.draft.events.append(Event(kind="history_changed", call=number, at=call.at, source=call.source, note=note))
        held = 0 if changed else len(lane.context)
        lane.expected[held:] = [lane.raws[index] for index in (*context[held:], *(() if answer is None else (answer,)))]
        lane.context, lane.ranges, lane.reply = context, ranges, answer
        request.forget()

    def _as_sent(self, lane: _Lane, value: Json, call: Call) -> None:
        """The newest reply comes back in a request: that form is the one whose size counts."""
        if lane.reply is None or lane.raws[lane.reply] == value:
            return
        answered = lane.draft.messages[lane.reply]
        lane.raws[lane.reply] = value
        lane.draft.messages[lane.reply] = replace(self._make(value, call), raw=answered.raw, source=answered.source, at=answered.at, id=answered.id)

    def _context(self, lane: _Lane, request: _Request, prefix: int, call: Call) -> list[int]:
        """The request's messages in the thread; those it does not hold are added."""
        context = lane.known[:prefix]
        taken: set[int] | None = None
        for position in range(prefix, len(request.messages)):
            key = request.digest(position)
            index = lane.by_digest.get(key)
            if index is not None:
                taken = set(context) if taken is None else taken
            if index is None or (taken and index in taken):
                index = self._append(lane, request.messages[position], key, call)
            context.append(index)
            if taken is not None:
                taken.add(index)
        return context

    def _append(self, lane: _Lane, value: Json, key: bytes, call: Call) -> int:
        lane.raws.append(value)
        index = lane.draft.add(self._make(value, call))
        if lane.by_digest.setdefault(key, index) == index:
            holders = self._holders.setdefault(key, [])
            if len(holders) <= TELLING_LANES:
                holders.append(lane.number)
        return index

    def _lane(self, request: _Request, after: str) -> tuple[_Lane, int]:
        """The thread that a request goes on, with the length of the common prefix; a new one if it fits none."""
        if self._apart:
            return self._new_lane(), 0
        if after in self._lane_of:
            return self._used(self._lane_of[after]), request.prefix(self._lane_of[after])
        for lane in reversed(self._recent[-RECENT_LANES:]):
            prefix = request.prefix(lane)
            if prefix >= len(lane.context) > 0:
                return self._used(lane), prefix
        best: tuple[int, int, _Lane] | None = None
        for number, held in self._holding(request).items():
            lane = self._lanes[number]
            prefix = request.prefix(lane)
            if held > SHARED_FOR_SAME_THREAD * len(request.messages) and (best is None or (prefix, held) > best[:2]):
                best = (prefix, held, lane)
        if best is not None:
            return self._used(best[2]), best[0]
        return self._used(self._new_lane()), 0

    def _new_lane(self) -> _Lane:
        lane = _Lane(ThreadDraft(id=f"thread-{len(self._lanes) + 1}"), len(self._lanes))
        self._lanes.append(lane)
        return lane

    def _holding(self, request: _Request) -> Tally[int]:
        """How many of the request's messages each thread holds, newest thread first."""
        held = Tally(chain.from_iterable(self._holders.get(request.digest(position), ()) for position in range(len(request.messages))))
        return Tally(dict(sorted(held.items(), reverse=True)))

    def _used(self, lane: _Lane) -> _Lane:
        if not self._recent or self._recent[-1] is not lane:
            self._recent = [*(other for other in self._recent[-RECENT_LANES:] if other is not lane), lane]
        return lane

    def threads(self) -> list[ThreadDraft]:
        """The threads: the one with the most text first and main, the others side calls in order of their first call."""
        if not self._lanes:
            return []
        drafts = [lane.draft for lane in self._lanes]
        if self._apart:
            return drafts
        main = max(drafts, key=lambda d: (len(d.calls), len(d.messages)))
        for draft in drafts:
            draft.kind = "main" if draft is main else "side"
        return [main, *(d for d in drafts if d is not main)]
