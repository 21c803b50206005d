"""A plain table for what moves with a slider: quick to draw, read by screen readers, rows to pick, pages to turn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import pandas as pd
import streamlit as st

from _components.assets import loader, style

ROWS = st.components.v2.component("ctxscope_rows", html="<div class='rows'></div>", css=style("rows.css", "written.css"), js=loader("rows"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """How one column is shown."""

    label: str
    """Its heading."""
    number: bool = False
    """Right-aligned, with thousands separators."""
    wide: bool = False
    """May take more room."""
    main: bool = False
    """Beside ``wide``: takes all the room that the others leave."""
    tail: bool = False
    """Where it is too long, its end is shown, as paths want it."""
    optional: bool = False
    """Left out where every cell is empty."""
    marked: bool = False
    """The searched text is marked in it."""
    whole: bool = False
    """Never cut: the text takes as many lines as it needs."""
    right: bool = False
    """Words that are aligned like numbers."""
    help: str = ""
    """Shown when the pointer rests on the heading."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Which rows of a longer table are shown."""

    start: int
    """First row."""
    size: int
    """Rows on a page."""
    total: int
    """Rows in all."""


def rows_of(frame: pd.DataFrame, columns: Mapping[str, Column]) -> list[list[int | str | None]]:
    """The cells of these columns as JSON values; a missing one is None."""
    return [[_cell(value) for value in row] for row in frame[list(columns)].astype(object).itertuples(index=False, name=None)]


def _cell(value: Any) -> int | str | None:
    if isinstance(value, str):
        return value
    return None if pd.isna(value) else int(value)


def rows_table(
    frame: pd.DataFrame,
    columns: Mapping[str, Column],
    *,
    key: str,
    pick: str = "",
    on_row: Callable[[], None] | None = None,
    on_page: Callable[[], None] | None = None,
    page: Page | None = None,
    note: str = "",
    chosen: int = -1,
    height: int = 0,
    search: str | Sequence[str] = "",
) -> None:
    """Draw the table; every text is shown literally.

    Args:
        frame: One row per line.
        columns: What to show, in order, by column of the frame.
        key: Of the component; a picked row is ``st.session_state[key].row``, a turned page ``.start``.
        pick: What picking a row does, in words; empty where rows are not picked.
        on_row: Runs when a row is picked.
        on_page: Runs when a page is turned.
        page: Which part of a longer table this is.
        note: Under the table.
        chosen: Row that is marked.
        height: Pixels after which the table scrolls; 0 is never.
        search: Text to mark in the columns that are for it; or one for each row.
    """
    columns = {name: column for name, column in columns.items() if not column.optional or _is_filled(frame[name])}
    shown = {"start": 0, "size": len(frame), "total": len(frame)} if page is None else asdict(page)
    data = {"columns": [asdict(c) for c in columns.values()], "rows": rows_of(frame, columns), "pick": pick, "note": note, "chosen": chosen}
    ROWS(data={**data, **shown, "height": height, "search": search}, key=key, on_row_change=on_row or _nothing, on_start_change=on_page or _nothing)


def _is_filled(cells: pd.Series[Any]) -> bool:
    return bool((cells.notna() & (cells != "")).any())


def _nothing() -> None:
    """The table is only looked at."""
