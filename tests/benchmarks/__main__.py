"""Prints the ratios and whether each keeps to its target; exit code 1 if one does not."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tests.benchmarks import compacting, comparing, extracting, growth, inspecting, memory, originals, speed
from tests.benchmarks.measure import Row


def main() -> int:
    """Measure what was asked for."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks", description="Ratios of speed and memory. Run it on an otherwise idle machine."
    )
    parser.add_argument("--page", action="store_true", help="measure the pages in Chromium too (minutes)")
    parser.add_argument(
        "--only", choices=("speed", "compare", "memory", "inspect", "extract", "compact", "growth", "page", "stay"), help="only this part"
    )
    parser.add_argument("--repetitions", type=int, default=7, help="of each measure; the median counts (default 7)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = list(_rows(options, Path(folder)))
    console = Console(width=None if sys.stdout.isatty() else 180)
    console.print(_table(found))
    return 0 if all(row.kept for row in found) else 1


def _rows(options: argparse.Namespace, folder: Path) -> Iterator[Row]:
    if options.only in (None, "speed"):
        yield from speed.rows(folder, options.repetitions)
        yield from originals.rows(folder, options.repetitions)
    if options.only in (None, "speed", "compare"):
        yield from comparing.rows(folder, options.repetitions)
    if options.only in (None, "memory"):
        yield from memory.rows(folder)
    if options.only in (None, "inspect"):
        yield from inspecting.rows(folder, options.repetitions)
    if options.only in (None, "extract"):
        yield from extracting.rows()
    if options.only in (None, "compact"):
        yield from compacting.rows(options.repetitions)
    if options.only in (None, "growth"):
        yield from growth.rows(options.repetitions)
    if options.page or options.only == "page":
        from tests.benchmarks import page, page_change

        yield from page.rows(folder, options.repetitions)
        yield from page_change.rows(folder, options.repetitions)
    if options.page or options.only == "stay":
        from tests.benchmarks import stay

        yield from stay.rows(folder)


def _table(rows: list[Row]) -> Table:
    table = Table(box=None, header_style="dim")
    for name in ("measure", "value", "compared with"):
        table.add_column(name, overflow="fold")
    for name in ("ratio", "target", ""):
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        sign = "≤" if row.side == "at most" else "≥"
        table.add_row(row.what, row.value, row.reference, f"{row.ratio:,.3g} ×", f"{sign} {row.target:,g} ×", "kept" if row.kept else "MISSED")
    return table


if __name__ == "__main__":
    sys.exit(main())
