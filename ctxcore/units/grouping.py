"""From a sequence of messages to its units.

A unit is an exchange (an assistant message with tool calls and every result of them, wherever they stand) or any other message alone.
Source: the whole-unit rule, "Units" and "Strict and lenient".
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ctxcore.columns import UnitTable, read_only
from ctxcore.units.pairing import Pairing
from ctxcore.units.shapes import Key, Shape


def _home(homes: list[int], position: int) -> int:
    """The first message of a position's unit; looks shorter ways up on its way."""
    while homes[position] != position:
        homes[position] = homes[homes[position]]
        position = homes[position]
    return position


def group(shapes: Sequence[Shape]) -> tuple[UnitTable, tuple[tuple[int, int], ...]]:
    """Units of a sequence of messages, and the spans of it that are not what a shorter prefix would give.

    Returns:
        The units, ordered by first message; and half-open position spans within which a prefix must be grouped by itself
        (one message that answers two exchanges joins them only from there on).
    """
    homes = list(range(len(shapes)))  # position -> a position nearer to its unit's first message
    pairing = Pairing()
    notes: list[tuple[int, str]] = []
    joined: list[tuple[int, int]] = []
    for position, item in enumerate(shapes):
        if item.results and (found := _answered(item.results, position, homes, pairing, notes)):
            first = min(found)
            homes[position] = first
            for other in found - {first}:
                joined.append((first, position + 1))
                homes[other] = first
        if item.calls:
            pairing.ask(position, homes[position], item.calls)
    return _table(shapes, [_home(homes, position) for position in range(len(homes))], pairing, notes), tuple(joined)


def _answered(results: Sequence[Key], position: int, homes: list[int], pairing: Pairing, notes: list[tuple[int, str]]) -> set[int]:
    """First messages of the units whose calls these results of one message answer; what is odd about them is noted."""
    found: set[int] = set()
    for key in results:
        ask, again = pairing.answer(key)
        if ask is None:
            notes.append((position, "orphan_result"))
            continue
        found.add(_home(homes, ask.position))
        if again:
            notes.append((ask.position, "duplicate_result"))
    return found


def _table(shapes: Sequence[Shape], home: list[int], pairing: Pairing, notes: list[tuple[int, str]]) -> UnitTable:
    """Columns from each position's home."""
    homes = np.asarray(home, dtype=np.int32)
    first, unit_of = np.unique(homes, return_inverse=True)
    last = np.zeros(len(first), dtype=np.int32)
    np.maximum.at(last, unit_of, np.arange(len(homes), dtype=np.int32))
    asking = np.zeros(len(first), dtype=np.bool_)
    asking[unit_of[np.asarray([ask.position for ask in pairing.asks], dtype=np.intp)]] = True
    for ask in pairing.asks:
        if not ask.answered:
            unit = int(unit_of[ask.position])
            at_end = unit == len(first) - 1 and last[unit] == len(homes) - 1
            notes.append((ask.position, "pending" if at_end else "open"))
    flags = sorted({(int(unit_of[position]), word) for position, word in notes})
    begin = [shapes[position] for position in first.tolist()]
    return UnitTable(
        unit_of=read_only(unit_of.astype(np.int32)),
        first=read_only(first.astype(np.int32)),
        last=read_only(last),
        exchange=read_only(asking),
        pinned=read_only(np.asarray([item.pinned for item in begin], np.bool_)),
        user=read_only(np.asarray([item.user for item in begin], np.bool_)),
        flags=tuple(flags),
    )
