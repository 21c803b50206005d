"""Which messages of a call a page lists: found by a search or by what became of them, page by page."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ctxcore.columns import BoolArray, IntArray
from ctxcore.measures.seen import answers_to
from ctxcore.model import Call
from ctxcore.replay import DROPPED, PINNED, Replay
from ctxcore.views.message_text import message_text
from ctxcore.views.sent import real_users

PAGE_SIZE = 25
"""Messages drawn at a time."""


Show = Literal["all", "kept", "dropped", "pinned"]


SHOWS: tuple[Show, ...] = ("all", "kept", "dropped", "pinned")
"""What a list can be limited to; ``kept`` holds the pinned ones."""


def matching(replay: Replay, call: int, *, search: str = "", show: Show = "all") -> IntArray:
    """Positions in the request of the messages to list.

    Args:
        replay: Of the thread.
        call: Index in the thread.
        search: Text to find in a message, upper or lower case, or in the call that it answers; empty finds all.
        show: What became of them.
    """
    context = context_array(replay.thread.calls[call]).tolist()
    wanted = _shown(replay, call, show)
    if needle := search.casefold():
        answers = answers_to(replay.thread, search)
        found = (index in answers or needle in message_text(replay.thread.messages[index]).casefold() for index in context)
        wanted = wanted & np.fromiter(found, np.bool_, len(context))
    return np.flatnonzero(wanted).astype(np.int64)


def _shown(replay: Replay, call: int, show: Show) -> BoolArray:
    state = replay.message_status(call)
    wanted: BoolArray = np.ones(len(state), np.bool_)
    match show:
        case "all":
            pass
        case "kept":
            wanted = state != DROPPED
        case "dropped":
            wanted = state == DROPPED
        case "pinned":
            wanted = state == PINNED
    return wanted


def turn_numbers(replay: Replay, call: int) -> IntArray:
    """Turn of each message of the request, from 1; 0 before the first real user message."""
    return np.cumsum(real_users(replay.thread)[context_array(replay.thread.calls[call])], dtype=np.int64)


def turn_count(replay: Replay, call: int) -> int:
    """Turns in a call's context."""
    return int(turn_numbers(replay, call).max(initial=0))


def turn_start(replay: Replay, call: int, turn: int) -> int:
    """Position in the request of a turn's first message."""
    return int((turn_numbers(replay, call) < turn).sum())


def pages_of(positions: IntArray) -> int:
    """Pages that a list fills, at least one."""
    return max(1, -(-len(positions) // PAGE_SIZE))


def page_of(positions: IntArray, position: int) -> int:
    """Page, from 1, on which a position of the request is listed (or the next one that is)."""
    return min(int(np.searchsorted(positions, position)), max(0, len(positions) - 1)) // PAGE_SIZE + 1


def context_array(call: Call) -> IntArray:
    """Thread messages of a call's context, request order."""
    return np.concatenate([np.arange(start, stop) for start, stop in call.context] or [np.empty(0, np.int64)])
