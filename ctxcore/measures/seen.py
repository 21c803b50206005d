"""Which calls see a message, and which calls see a text, after a policy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ctxcore.columns import BoolArray, read_only
from ctxcore.model import Message, Reasoning, Text, Thread, ToolCall, ToolResult
from ctxcore.policies import Fits, Timeline
from ctxcore.replay import ABSENT, DROPPED, EDITED, KEPT, PINNED, Replay


def message_fate(replay: Replay, message: int) -> NDArray[np.int8]:
    """What became of one thread message: ``ABSENT``, ``KEPT``, ``PINNED`` or ``DROPPED``, one entry per call.

    As in ``Replay.status``, a refused call drops nothing; ``Replay.refused`` says which calls send nothing at all.

    Args:
        replay: A policy over all calls of a thread.
        message: Index in the thread.
    """
    state = np.full(len(replay.thread.calls), ABSENT, np.int8)
    for fits, line in zip(replay.fits, replay.timelines, strict=True):
        places = np.flatnonzero(line.epoch.message == message)
        if len(places):
            state[line.epoch.calls] = _fate(fits, line, int(places[0]))
    return read_only(state)


def _fate(fits: Fits, line: Timeline, place: int) -> NDArray[np.int8]:
    """The same for one position of an epoch's sequence, one entry per call of the epoch."""
    unit = int(line.epoch.units.unit_of[place])
    state = np.where(line.epoch.lengths > place, KEPT, ABSENT).astype(np.int8)
    if fits.cut is None:
        return _planned_fate(fits, line, place, state)
    pinned = bool(line.epoch.units.pinned[unit]) | (line.task == unit) | (line.newest == unit)
    dropped = (np.asarray(fits.cut)[0] > unit) & ~pinned
    state[(state == KEPT) & pinned] = PINNED
    state[(state == KEPT) & dropped] = DROPPED
    return state


def _planned_fate(fits: Fits, line: Timeline, place: int, state: NDArray[np.int8]) -> NDArray[np.int8]:
    """From the edits of a plan, where the call is sent and holds the message."""
    held = (state == KEPT) & ~fits.refused[0]
    columns = np.arange(len(state))
    pieces = line.history.pieces
    for layer in sorted(fits.plan(0).layers, key=lambda layer: layer.action == "drop"):
        if layer.action == "drop":
            state[held & layer.covers(np.full(len(state), place), columns)] = DROPPED
            continue
        for piece in np.flatnonzero(pieces.message == place).tolist():
            state[held & layer.covers(np.full(len(state), piece), columns)] = EDITED
    return state


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """What the calls see of a message, counted."""

    message: int
    """Index in the thread."""
    received: int
    """Calls whose recorded context holds it."""
    seen: int
    """Calls that would still receive it."""
    dropped: int
    """Calls that would not, because the policy drops it."""
    refused: int
    """Calls that would send nothing at all."""
    first: int | None
    """First call that would receive it, or None."""
    last: int | None
    """Last call that would receive it, or None."""
    gone_from: int | None
    """First call after the last one that would receive it; None where the last call does, or none ever did."""


def sight(replay: Replay, message: int) -> Sight:
    """What the calls see of a message after the policy.

    Args:
        replay: A policy over all calls of a thread.
        message: Index in the thread.
    """
    fate = message_fate(replay, message)
    received = fate != ABSENT
    sees = received & (fate != DROPPED) & ~replay.refused
    calls = np.flatnonzero(sees)
    last = int(calls[-1]) if len(calls) else None
    return Sight(
        message=message,
        received=int(received.sum()),
        seen=len(calls),
        dropped=int((fate == DROPPED).sum()),
        refused=int((received & replay.refused).sum()),
        first=int(calls[0]) if len(calls) else None,
        last=last,
        gone_from=None if last is None or last == len(fate) - 1 else last + 1,
    )


def seen_by(replay: Replay, messages: Sequence[int]) -> BoolArray:
    """Per call: it would receive at least one of these messages."""
    sees = np.zeros(len(replay.thread.calls), np.bool_)
    for message in messages:
        fate = message_fate(replay, message)
        sees |= (fate == KEPT) | (fate == PINNED)
    return read_only(sees & ~replay.refused)


def find_text(thread: Thread, wanted: str) -> tuple[int, ...]:
    """Messages that hold a text, in thread order; capitals make no difference.

    Args:
        thread: Of a session.
        wanted: Searched in texts, reasoning, names and arguments of tool calls, and results; a result also matches by the name and arguments
            of the call that it answers. Empty finds nothing.
    """
    needle = wanted.casefold()
    if not needle.strip():
        return ()
    hit = {i for i, message in enumerate(thread.messages) if holds(message, needle)}
    return tuple(sorted(hit | set(answers_to(thread, wanted))))


def answers_to(thread: Thread, wanted: str) -> dict[int, ToolCall]:
    """Messages with the result of a call whose name or arguments hold a text, and that call; thread order, capitals make no difference.

    Args:
        thread: Of a session; it keeps the newest answer, so that a slider does not search again.
        wanted: A blank one finds nothing.
    """
    needle = wanted.casefold()
    if not needle.strip():
        return {}
    kept: tuple[str, dict[int, ToolCall]] = thread.memo.get("answers_to", ("", {}))
    if kept[0] != needle:
        kept = thread.memo["answers_to"] = (needle, _answers_to(thread, needle))
    return kept[1]


def _answers_to(thread: Thread, needle: str) -> dict[int, ToolCall]:
    asked: dict[str, ToolCall] = {}
    found: dict[int, ToolCall] = {}
    for index, message in enumerate(thread.messages):
        for part in message.parts:
            if isinstance(part, ToolCall) and part.id:
                asked[part.id] = part
            elif isinstance(part, ToolResult) and part.call_id in asked and _names(asked[part.call_id], needle):
                found.setdefault(index, asked[part.call_id])
    return found


def _names(call: ToolCall, needle: str) -> bool:
    return needle in call.name.casefold() or needle in call.arguments.casefold()


def holds(message: Message, needle: str) -> bool:
    """True if a message itself holds a casefolded text."""
    for part in message.parts:
        match part:
            case Text(text=text) | Reasoning(text=text) | ToolResult(text=text):
                if needle in text.casefold():
                    return True
            case ToolCall() as call:
                if _names(call, needle):
                    return True
            case _:
                pass
    return False
