"""Facts and tables of parts, ready to draw: text cells, sizes for the bars."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ctxcore.views.visible import shortened
from ctxcore.views.words import number, percent

TOP = 8
"""Rows of a table before the rest is summed in one."""


TAIL_CHARS = 26
"""Last characters of a long path that are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One thing that is known, or said not to be recorded."""

    name: str
    """What."""
    value: str
    """As text, unit included."""
    basis: str = ""
    """Where the number comes from: recorded, exact, reconstructed or estimate; or empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """One part of something."""

    name: str
    """What it is."""
    before: int
    """Size as recorded."""
    after: int
    """Size of what would be sent."""
    colour: str = ""
    """Category whose colour it has, or empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of a table."""

    name: str
    """Its head."""
    before: int
    """Length of the whole bar."""
    after: int
    """Length of the coloured bar."""
    colour: str
    """Category whose colour it has."""
    cells: tuple[str, ...]
    """The other columns."""
    full: str = ""
    """The whole name, where the head is cut."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PartsTable:
    """A table of parts with bars."""

    title: str
    """Above it."""
    columns: tuple[str, ...]
    """Heads; the first is of the names."""
    rows: tuple[Row, ...]
    """Largest first."""
    note: str = ""
    """One sentence under the title, or empty."""
    total: Row | None = None
    """Last line, or None."""


def shares_table(
    title: str,
    shares: Sequence[Share],
    *,
    unit: str,
    note: str = "",
    total: bool = False,
    trimmed: bool = True,
    tail: bool = False,
    sent: bool = True,
) -> PartsTable:
    """Parts with their sizes; what is beyond the first few is summed in one row.

    Args:
        title: Above the table.
        shares: Largest first.
        unit: Of the sizes.
        note: One sentence.
        total: Add a line with the sums.
        trimmed: Show the size after trimming too.
        tail: Cut long names at their start, as paths want it.
        sent: False where nothing goes out at all: the column after trimming then has dashes, and no bar says "dropped".
    """
    shown = list(shares[:TOP] if len(shares) > TOP + 1 else shares)
    if rest := shares[len(shown) :]:
        shown.append(Share(name=f"{len(rest):,} more", before=sum(s.before for s in rest), after=sum(s.after for s in rest), colour="other"))
    whole = sum(share.before for share in shares)
    summed = Share(name="Total", before=whole, after=sum(share.after for share in shares))
    return PartsTable(
        title=title,
        columns=(unit, "before", "after", "share") if trimmed else (unit, "size", "share"),
        rows=tuple(_row(share, whole, trimmed, tail, sent) for share in shown),
        note=note,
        total=_row(summed, whole, trimmed, False, sent) if total else None,
    )


def _row(share: Share, whole: int, trimmed: bool, tail: bool, sent: bool) -> Row:
    cells = (number(share.before), *((number(share.after) if sent else "–",) if trimmed else ()), percent(share.before, whole))
    full = shortened(share.name, 300)
    name = f"…{full[-TAIL_CHARS:]}" if tail and len(full) > TAIL_CHARS + 1 else full
    return Row(name=name, full=full, before=share.before, after=share.after if sent else share.before, colour=share.colour, cells=cells)


def count_table(title: str, columns: tuple[str, str], pairs: Sequence[tuple[str, int]]) -> PartsTable:
    """Names with how often each was met."""
    rows = tuple(Row(name=shortened(name, 200), before=n, after=n, colour="other", cells=(number(n),)) for name, n in pairs)
    return PartsTable(title=title, columns=columns, rows=rows)
