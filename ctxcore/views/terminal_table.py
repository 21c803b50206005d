"""Tables that fit the terminal: which columns there is room for is decided when they are drawn.

Numbers are never cut or folded. Where the width is too small, the least important columns go first and are named under the table; what is left of a
long text then ends in ``…``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

from ctxcore.views.visible import fitted, visible

GAP = 2
"""Cells between columns."""

LEAST_TEXT = 10
"""Cells that a column of text keeps, if it has so much to say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column."""

    name: str
    """Its head."""
    text: bool = False
    """Words, aligned left and cut where they are too long; else a number, aligned right and always whole."""
    least: int = LEAST_TEXT
    """Cells that a column of text keeps at least."""
    rank: int = 0
    """0 is always shown; of the others those with the highest rank go first."""
    wraps: bool = False
    """Goes on in the next line instead of being cut."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedTable:
    """Rows under heads, drawn as wide as the terminal allows."""

    title: str
    """Above it; from the program or made visible."""
    columns: tuple[Column, ...]
    """In order."""
    rows: Sequence[Sequence[object]]
    """One cell per column; ``Text`` keeps its style, all else is made visible."""
    notes: tuple[str, ...] = field(default=())
    """Under it."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Draw it; called by rich."""
        cells = [[_cell(value) for value in row] for row in self.rows]
        shown = self._shown(cells, options.max_width)
        table = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0), header_style="dim", show_edge=False)
        widths = self._widths(cells, shown, options.max_width)
        for place, width in zip(shown, widths, strict=True):
            column = self.columns[place]
            table.add_column(Text(column.name, no_wrap=True, overflow="ellipsis"), justify="left" if column.text else "right", width=width)
        for row in cells:
            table.add_row(*(_set(row[place], self.columns[place], width) for place, width in zip(shown, widths, strict=True)))
        yield Text(visible(self.title), style="bold", no_wrap=True, overflow="ellipsis")
        if cells:  # heads over nothing say nothing
            yield table
        yield from (Text(visible(note), style="dim") for note in (*self._left_out(shown), *self.notes))

    def _shown(self, cells: Sequence[Sequence[Text]], width: int) -> list[int]:
        """Columns there is room for; those that matter least go first."""
        needs = [self._needed(place, cells) for place in range(len(self.columns))]
        shown = list(range(len(self.columns)))
        while sum(needs[place] + GAP for place in shown) - GAP > width:
            last = max(shown, key=lambda place: (self.columns[place].rank, place))
            if not self.columns[last].rank:
                break
            shown.remove(last)
        return shown

    def _needed(self, place: int, cells: Sequence[Sequence[Text]]) -> int:
        column = self.columns[place]
        longest = max((row[place].cell_len for row in cells), default=0)
        return max(cell_len(column.name), min(longest, column.least) if column.text else longest)

    def _widths(self, cells: Sequence[Sequence[Text]], shown: Sequence[int], width: int) -> list[int]:
        """Cells of each column shown: what its longest cell takes; texts give way, first those that are furthest above their least."""
        columns = [self.columns[place] for place in shown]
        found = [max(cell_len(self.columns[place].name), *(row[place].cell_len for row in cells), 1) for place in shown]
        texts = [number for number, column in enumerate(columns) if column.text]
        while sum(found) + GAP * (len(found) - 1) > width and any(found[number] > 1 for number in texts):
            above = [number for number in texts if found[number] > columns[number].least] or texts
            found[max(above, key=lambda number: found[number] - columns[number].least)] -= 1
        return found

    def _left_out(self, shown: Sequence[int]) -> tuple[str, ...]:
        gone = [column.name for place, column in enumerate(self.columns) if place not in shown]
        return (f"No room for: {', '.join(gone)}. A wider terminal or --json has all.",) if gone else ()


def _cell(value: object) -> Text:
    return value.copy() if isinstance(value, Text) else Text(visible(f"{value:,}" if isinstance(value, int) else str(value)))


def _set(text: Text, column: Column, width: int) -> Text:
    """The text in its column: cut where it may not go on in the next line."""
    cut = text.plain if column.wraps else fitted(text.plain, width)
    return Text(cut, style=text.style, no_wrap=not column.wraps, overflow="fold" if column.wraps else "ellipsis")
