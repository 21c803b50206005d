"""Recorded requests that repeat the history: each message kept once, contexts as ranges, calls sorted into threads."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import orjson

from ctxcore.model import Call, Event, Json, Message
from ctxcore.readers.build import ThreadDraft
from ctxcore.units import merge_ranges

SHARED_FOR_SAME_THREAD = 0.5
"""A request belongs to a thread that holds more than this part of its messages."""


@dataclass(slots=True)
class _Lane:
    """One thread under construction."""

    draft: ThreadDraft
    normals: list[Json] = field(default_factory=list)
    """Per thread message: its normal form."""
    by_digest: dict[bytes, int] = field(default_factory=dict)
    context: list[int] = field(default_factory=list)
    """Thread messages of the newest call."""
    reply: int | None = None
    """Reply of the newest call."""

    def shared(self, normals: Sequence[Json], digests: Callable[[int], bytes]) -> tuple[int, int]:
        """How many leading messages equal the newest context (its reply counted), and how many are held in all."""
        known = self.context if self.reply is None else [*self.context, self.reply]
        prefix = 0
        for index, normal in zip(known, normals, strict=False):
            if self.normals[index] != normal:
                break
            prefix += 1
        rest = sum(1 for position in range(prefix, len(normals)) if digests(position) in self.by_digest)
        return prefix, prefix + rest


def digest(value: Json) -> bytes:
    """Short content hash of a JSON value, whatever the order of its keys."""
    try:
        text = orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except (TypeError, ValueError):
        text = json.dumps(value, sort_keys=True).encode()
    return hashlib.blake2b(text, digest_size=12).digest()


class RequestLog:
    """Collects recorded requests, in time order, into threads."""

    def __init__(self, make: Callable[[Json, Call], Message], normal: Callable[[Json], Json] = lambda value: value) -> None:
        """Start an empty log.

        Args:
            make: A message from its recorded form and the call that first sent (or answered with) it.
            normal: The form in which two recordings of one message are equal.
        """
        self._make, self._normal = make, normal
        self._lanes: list[_Lane] = []
        self.tool_sets: list[tuple[Json, ...]] = []
        self._tools_by_digest: dict[bytes, int] = {}
        self._lane_of: dict[str, _Lane] = {}

    def tools(self, tools: Sequence[Json] | None) -> int | None:
        """Index of a tool set, kept once; None for None."""
        if tools is None:
            return None
        key = digest(list(tools))
        if key not in self._tools_by_digest:
            self._tools_by_digest[key] = len(self.tool_sets)
            self.tool_sets.append(tuple(tools))
        return self._tools_by_digest[key]

    def add(self, messages: Sequence[Json], reply: Json | None, call: Call, *, after: str = "") -> None:
        """One request and its reply.

        Args:
            messages: Objects, as recorded.
            reply: The answering message, or None.
            call: Everything else about the call; context, reply and index are filled in here.
            after: Id of the call that this one says it goes on from; they are in one thread.
        """
        normals = [self._normal(m) for m in messages]
        made: dict[int, bytes] = {}

        def digests(position: int) -> bytes:
            if position not in made:
                made[position] = digest(normals[position])
            return made[position]

        lane, prefix = self._lane(normals, digests, after)
        if call.id:
            self._lane_of[call.id] = lane
        known = lane.context if lane.reply is None else [*lane.context, lane.reply]
        changed = bool(lane.context) and prefix < len(lane.context)
        context = known[:prefix]
        taken = set(context)
        for position in range(prefix, len(messages)):
            index = lane.by_digest.get(digests(position))
            if index is None or index in taken:
                index = self._append(lane, messages[position], normals[position], digests(position), call)
            context.append(index)
            taken.add(index)
        answer = None
        if reply is not None:
            normal = self._normal(reply)
            answer = self._append(lane, reply, normal, digest(normal), call)
        flags = (*call.flags, *(("history_changed",) if changed else ()), *(() if reply is not None else ("no_reply",)))
        number = len(lane.draft.calls)
        lane.draft.calls.append(replace(call, index=number, context=merge_ranges(context), reply=answer, flags=flags))
        if changed:
            lane.draft.events.append(
                Event(
                    kind="history_changed",
                    call=number,
                    at=call.at,
                    source=call.source,
                    note=f"The first {prefix} messages are as before, then the history differs.",
                )
            )
        lane.context, lane.reply = context, answer

    def _append(self, lane: _Lane, value: Json, normal: Json, key: bytes, call: Call) -> int:
        lane.normals.append(normal)
        index = lane.draft.add(self._make(value, call))
        lane.by_digest.setdefault(key, index)
        return index

    def _lane(self, normals: Sequence[Json], digests: Callable[[int], bytes], after: str) -> tuple[_Lane, int]:
        """The thread that a request goes on, with the length of the common prefix; a new one if it fits none."""
        if after in self._lane_of:
            return self._lane_of[after], self._lane_of[after].shared(normals, digests)[0]
        best: tuple[int, int, _Lane] | None = None
        for lane in reversed(self._lanes):
            prefix, held = lane.shared(normals, digests)
            goes_on = prefix >= len(lane.context) > 0
            if (goes_on or held > SHARED_FOR_SAME_THREAD * len(normals)) and (best is None or (prefix, held) > best[:2]):
                best = (prefix, held, lane)
            if goes_on:
                break
        if best is not None:
            return best[2], best[0]
        lane = _Lane(ThreadDraft(id=f"thread-{len(self._lanes) + 1}"))
        self._lanes.append(lane)
        return lane, 0

    def threads(self) -> list[ThreadDraft]:
        """The threads: the one with the most text first and main, the others side calls in order of their first call."""
        if not self._lanes:
            return []
        drafts = [lane.draft for lane in self._lanes]
        main = max(drafts, key=lambda d: (len(d.calls), len(d.messages)))
        for draft in drafts:
            draft.kind = "main" if draft is main else "side"
        return [main, *(d for d in drafts if d is not main)]
