"""What the page Dropped units draws: every unit's facts, what becomes of it over all calls, and which calls see a text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ctxcore.columns import IntArray, read_only
from ctxcore.counted import count
from ctxcore.model import Message, Thread
from ctxcore.replay import Replay
from ctxcore.units import Catalog, catalog
from ctxcore.views.visible import shortened
from ctxcore.views.words import number

KINDS = ("system", "user message", "exchange", "assistant message", "summary", "reminder", "tool result", "other")
"""Kinds of units, for people."""

Order = Literal["first dropped", "size", "dropped longest", "age"]

ORDERS: tuple[Order, ...] = ("first dropped", "size", "dropped longest", "age")
"""How the table may be sorted before it is cut."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class GridEpoch:
    """Where the units of an epoch stand in the catalog."""

    runs: tuple[tuple[int, int, int], ...]
    """Stretches of units that follow one another in both: first place in the epoch, unit in the catalog, length."""
    pinned: tuple[int, ...]
    """Places in the epoch of units that no policy may drop."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """Units × calls without the budget: what every call received. Arrays hold one entry per call."""

    epochs: tuple[GridEpoch, ...]
    """Runs of calls that extend one context."""
    epoch: NDArray[np.int32]
    """Which of them a call belongs to."""
    seen: NDArray[np.int32]
    """Units of the epoch that have begun in the call's context."""
    task: NDArray[np.int32]
    """Place of the current task; -1 without one."""
    newest: NDArray[np.int32]
    """Place of the newest unit, which is kept as well; -1 without one."""


def grid(replay: Replay) -> Grid:
    """The grid of a thread; the same for every budget."""
    columns = {name: np.zeros(len(replay.thread.calls), np.int32) for name in ("epoch", "seen", "task", "newest")}
    epochs: list[GridEpoch] = []
    for index, (line, numbers) in enumerate(zip(replay.timelines, replay.units.of_epoch, strict=True)):
        calls = line.epoch.calls
        columns["epoch"][calls] = index
        for name in ("seen", "task", "newest"):
            columns[name][calls] = getattr(line, name)
        epochs.append(GridEpoch(runs=_runs(numbers), pinned=tuple(np.flatnonzero(line.epoch.units.pinned).tolist())))
    return Grid(epochs=tuple(epochs), **{name: read_only(column) for name, column in columns.items()})


def _runs(numbers: NDArray[np.int32]) -> tuple[tuple[int, int, int], ...]:
    starts = np.flatnonzero(np.diff(numbers, prepend=-2) != 1)
    lengths = np.diff(starts, append=len(numbers))
    return tuple((int(start), int(numbers[start]), int(length)) for start, length in zip(starts, lengths, strict=True))


def dropped_columns(replay: Replay) -> dict[str, NDArray[np.int32]]:
    """What each call drops, as columns for the grid; pinned units inside what is dropped stay.

    For a policy that drops a prefix: ``cut``, the place in the call's epoch before which it drops, -1 for a refused call. For any other:
    ``ranges``, half-open ranges of places, two numbers each, one call after the other; ``ends``, per call the ranges up to and with its own;
    ``refused``, 1 for a refused call.
    """
    if any(fits.cut is None for fits in replay.fits):
        ends, ranges = _listed_ranges(replay)
        return {"ends": ends, "ranges": ranges, "refused": replay.refused.astype(np.int32)}
    cut = np.zeros(len(replay.thread.calls), np.int32)
    for fits, line in zip(replay.fits, replay.timelines, strict=True):
        cut[line.epoch.calls] = np.asarray(fits.cut)[0]
    return {"cut": np.where(replay.refused, -1, cut).astype(np.int32)}


def _listed_ranges(replay: Replay) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """From what a policy lists call by call."""
    found: list[NDArray[np.int32]] = [np.empty(0, np.int32)] * len(replay.thread.calls)
    for fits, line in zip(replay.fits, replay.timelines, strict=True):
        for column, call in enumerate(line.epoch.calls.tolist()):
            gone = fits.drops(0, column)[0]
            starts = gone[np.flatnonzero(np.diff(gone, prepend=-2) != 1)]
            stops = gone[np.flatnonzero(np.diff(gone, append=np.iinfo(np.int32).max) != 1)] + 1
            found[call] = np.stack((starts, stops), axis=1).astype(np.int32).ravel()
    ends = np.cumsum([len(one) // 2 for one in found]).astype(np.int32)
    return ends, np.concatenate(found) if found else np.empty(0, np.int32)


@dataclass(frozen=True, slots=True, kw_only=True)
class DroppedUnits:
    """The units that at least one call would not receive, filtered and sorted; arrays hold one entry per unit."""

    unit: NDArray[np.int64]
    """Number in the catalog."""
    first: NDArray[np.int32]
    """First call that would not receive it."""
    times: NDArray[np.int32]
    """How many calls would not."""


def dropped_units(replay: Replay, *, order: Order, kinds: Sequence[str] = ()) -> DroppedUnits:
    """Dropped units, sorted.

    Args:
        replay: A policy at a budget.
        order: What comes first.
        kinds: Of ``KINDS``; empty is all.
    """
    facts = unit_facts(replay)
    first, times = replay.first_dropped()
    match = times > 0
    if kinds:
        match &= np.isin(facts.kind, [KINDS.index(kind) for kind in kinds])
    found = np.flatnonzero(match)
    by: dict[Order, NDArray[np.integer]] = {"first dropped": first, "size": -facts.size, "dropped longest": -times, "age": np.arange(len(match))}
    chosen = found[np.argsort(by[order][found], kind="stable")]
    return DroppedUnits(unit=chosen, first=first[chosen], times=times[chosen])


def dropped_frame(replay: Replay, found: DroppedUnits, start: int, stop: int) -> pd.DataFrame:
    """Some of the dropped units as a table.

    Args:
        replay: That they are of.
        found: Sorted.
        start: First row.
        stop: Row after the last.
    """
    facts, units, chosen = unit_facts(replay), replay.units, found.unit[start:stop]
    first = found.first[start:stop]
    return pd.DataFrame(
        {
            "unit": chosen,
            "kind": [KINDS[k] for k in facts.kind[chosen]],
            "turn": units.turn[chosen],
            "tool": [shortened(facts.tools[t], 60) if t >= 0 else "" for t in facts.tool[chosen]],
            "size": facts.size[chosen],
            "born": units.born[chosen],
            "first dropped": first,
            "dropped in": found.times[start:stop],
            "rule": [drop_rule(replay, int(unit), int(call)) for unit, call in zip(chosen, first, strict=True)],
            "text": [unit_excerpt(replay.thread, int(unit)) for unit in chosen],
        }
    )


def drop_rule(replay: Replay, unit: int, call: int) -> str:
    """Why a call drops a unit; empty where it does not."""
    epoch, column = replay.place(call)
    places, rules = replay.fits[epoch].drops(0, column)
    at = np.flatnonzero(replay.units.of_epoch[epoch][places] == unit)
    return replay.fits[epoch].rules[int(rules[at[0]])] if len(at) else ""


def unit_excerpt(thread: Thread, unit: int) -> str:
    """The beginning of a unit's text in one line, marks instead of controls."""
    for member in catalog(thread).members[unit]:
        message = thread.messages[member]
        text = message.text or " ".join(f"{call.name} {call.arguments}" for call in message.calls)
        if text.strip():
            return shortened(text.strip(), EXCERPT_CHARS)
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


def dropped_sentence(replay: Replay) -> str:
    """What the budget does, in plain words."""
    first, times = replay.first_dropped()
    dropped, refused, calls = int((times > 0).sum()), int(replay.refused.sum()), len(replay.thread.calls)
    words = [f"{count(len(times), 'unit')} in {count(calls, 'call')}."]
    if refused == calls:
        return f"{words[0]} Every call would be refused at this budget: nothing is sent at all, so there is no call that goes without some of them."
    if dropped:
        begun = first[times > 0].min()
        words.append(f"{number(dropped)} would be dropped from at least one call, the first at call #{number(int(begun))}.")
    else:
        words.append("No call that is sent would go without one.")
    if dropped and not replay.refused[-1]:
        words.append(f"The last call would go without {count(int(replay.dropped_messages[-1]), 'message')}.")
    if refused:
        words.append(f"{count(refused, 'call')} would be refused: nothing is sent there, which is not counted as dropping.")
    return " ".join(words)


def nothing_dropped_words(replay: Replay, *, filtered: bool) -> str:
    """Why the table of dropped units is empty."""
    if replay.refused.all():
        return "Every call is refused at this budget, so there is no unit to list. Raise the budget."
    return "No unit of these kinds is dropped at this budget." if filtered else "No unit is dropped at this budget."
