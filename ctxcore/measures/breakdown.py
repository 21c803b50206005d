"""What each request is made of: one row per call, one column per category, by prefix sums over the context's ranges."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

import numpy as np

from ctxcore.columns import CATEGORIES, IntArray, Sizes, read_only
from ctxcore.model import Basis, Call, Thread
from ctxcore.replay import Replay

SURENESS: tuple[Basis, ...] = ("recorded", "exact", "reconstructed", "estimate")
"""Bases of a number, surest first."""

TOOLS, FRAME = CATEGORIES.index("tools"), CATEGORIES.index("frame")


def breakdown(thread: Thread, sizes: Sizes) -> IntArray:
    """Size of every request by category.

    Args:
        thread: Of a session.
        sizes: Of the thread, in any unit of measure.

    Returns:
        Shape (calls, categories), in the unit of ``sizes``; categories as in ``CATEGORIES``, tool definitions and frame included. A row sums to the
        size of the whole request (``Replay.before``). Read-only.
    """
    table = _message_parts(thread, sizes)
    table[:, TOOLS] += sizes.tools[[_tool_set(call) for call in thread.calls]]
    counts = np.asarray([call.message_count for call in thread.calls], np.int64)
    table[:, FRAME] += sizes.frame + sizes.separator * np.maximum(counts - 1, 0)
    table[:, FRAME] += sizes.beyond(np.arange(len(thread.calls)))
    return read_only(table)


def _message_parts(thread: Thread, sizes: Sizes) -> IntArray:
    """The messages' share, before tools and frame."""
    upto = np.zeros((len(thread.messages) + 1, len(CATEGORIES)), np.int64)
    np.cumsum(sizes.parts, axis=0, dtype=np.int64, out=upto[1:])
    spans = list(chain.from_iterable(call.context for call in thread.calls))
    ranges = np.asarray(spans, np.int64).reshape(len(spans), 2)
    owner = np.repeat(np.arange(len(thread.calls)), [len(call.context) for call in thread.calls])
    table = np.zeros((len(thread.calls), len(CATEGORIES)), np.int64)
    np.add.at(table, owner, upto[ranges[:, 1]] - upto[ranges[:, 0]])
    return table


def _tool_set(call: Call) -> int:
    """Index into ``Sizes.tools``; its last entry is for calls without tools."""
    return -1 if call.tools is None else call.tools


def call_basis(call: Call, sizes: Sizes) -> Basis:
    """What a call's size rests on: an estimate if the counter is one for the call's model, else how its context is known.

    Args:
        call: Of the thread.
        sizes: That its size was taken from.
    """
    if sizes.basis == "estimate" or call.model in sizes.rough_models:
        return "estimate"
    return "reconstructed" if call.known == "reconstructed" else sizes.basis


def weakest(bases: Iterable[Basis]) -> Basis:
    """What a sum of numbers rests on: the least sure of their bases; ``exact`` for none."""
    return max(bases, key=SURENESS.index, default="exact")


def replay_basis(replay: Replay) -> Basis:
    """What the sizes of a replay rest on.

    Args:
        replay: Of one thread.
    """
    return weakest(call_basis(call, replay.sizes) for call in replay.thread.calls)
