"""The units that a budget drops: as a sorted table with the rule of each, and in plain words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ctxcore.counted import count
from ctxcore.replay import Replay
from ctxcore.views.unit_facts import KINDS, unit_excerpt, unit_facts
from ctxcore.views.visible import shortened
from ctxcore.views.words import number

Order = Literal["first dropped", "size", "dropped longest", "age"]

ORDERS: tuple[Order, ...] = ("first dropped", "size", "dropped longest", "age")
"""How the table may be sorted before it is cut."""


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
