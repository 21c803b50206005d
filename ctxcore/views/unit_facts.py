"""What the units of a thread are, whatever the budget: kind, tools, size, and the beginning of their text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ctxcore.columns import IntArray, read_only
from ctxcore.model import Message, Thread
from ctxcore.replay import Replay
from ctxcore.units import Catalog, catalog
from ctxcore.views.visible import line_at

KINDS = ("system", "user message", "exchange", "assistant message", "summary", "reminder", "tool result", "other")
"""Kinds of units, for people."""


EXCERPT_CHARS = 120
"""Characters of a unit's text that a table shows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitFacts:
    """What units are, whatever the budget; arrays hold one entry per unit of the catalog and are read-only."""

    kind: NDArray[np.int32]
    """Index into ``KINDS``."""
    tool: NDArray[np.int32]
    """Index into ``tools``; -1 without one."""
    tools: tuple[str, ...]
    """Names of tools, or of several joined, as recorded."""
    size: IntArray
    """In the sizes' unit of measure, separators included."""


def unit_facts(replay: Replay) -> UnitFacts:
    """Facts of the thread's units; made once per thread and unit of measure."""
    return replay.thread.once(f"unit_facts:{replay.unit}", lambda: _facts(replay), of=replay.sizes)


def _facts(replay: Replay) -> UnitFacts:
    units, messages = replay.units, replay.thread.messages
    names = [_tools([messages[m] for m in members]) for members in units.members]
    tools = tuple(dict.fromkeys(name for name in names if name))
    place = {name: index for index, name in enumerate(tools)}
    each = replay.sizes.message + replay.sizes.separator
    size = np.asarray([int(each[list(members)].sum()) for members in units.members], np.int64)
    kinds = [KINDS.index(_kind(units, unit, messages[int(first)])) for unit, first in enumerate(units.first)]
    return UnitFacts(
        kind=read_only(np.asarray(kinds, np.int32)),
        tool=read_only(np.asarray([place.get(name, -1) for name in names], np.int32)),
        tools=tools,
        size=read_only(size),
    )


def _kind(units: Catalog, unit: int, message: Message) -> str:
    if units.exchange[unit]:
        return "exchange"
    if units.pinned[unit]:
        return "system"
    if units.user[unit]:
        return "user message"
    if message.injected:
        return "summary" if message.injected == "summary" else "reminder"
    if message.results:
        return "tool result"
    return "assistant message" if message.role == "assistant" else "other"


def _tools(messages: Iterable[Message]) -> str:
    """Names of the tools called, each with its count where it is called more than once."""
    names = Counter(call.name for message in messages for call in message.calls)
    return ", ".join(f"{name} ×{times}" if times > 1 else name for name, times in names.items())


def unit_excerpt(thread: Thread, unit: int) -> str:
    """The beginning of a unit's text in one line, marks instead of controls."""
    for member in catalog(thread).members[unit]:
        message = thread.messages[member]
        text = message.text or " ".join(f"{call.name} {call.arguments}" for call in message.calls)
        if text.strip():
            return line_at(text.strip(), 0, EXCERPT_CHARS)
    return ""


def unit_message(replay: Replay, unit: int, call: int) -> tuple[int, int] | None:
    """The first message of a unit that a call's recorded context holds, and its position there; None where it holds none.

    Args:
        replay: Of the thread.
        unit: Number in the catalog.
        call: Index of the call.
    """
    if not (0 <= unit < len(replay.units.members) and 0 <= call < len(replay.thread.calls)):
        return None
    members = set(replay.units.members[unit])
    return next(((message, place) for place, message in enumerate(replay.thread.calls[call].messages()) if message in members), None)
