"""Prints what became of every file of the corpus, and the shares; exit code 1 where something is not as it must be."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from tests.conftest import shared_folder
from tests.corpus.outcomes import Outcome, outcomes, summary


def _table(found: Sequence[Outcome]) -> Table:
    table = Table(box=None, header_style="dim")
    for name in ("file", "read as"):
        table.add_column(name, overflow="fold")
    for name in ("sessions", "threads", "calls", "known", "ms"):
        table.add_column(name, justify="right", no_wrap=True)
    for one in found:
        threads = sum(len(session.threads) for session in one.sessions)
        said = ", ".join(Counter(session.format for session in one.sessions)) or f"refused: {one.reason.partition(': ')[2]:.90}"
        counts = (f"{len(one.sessions):,}", f"{threads:,}", f"{one.calls:,}") if one.sessions else ("", "", "")
        table.add_row(one.file, said, *counts, "" if one.known is None else f"{one.known:,}", f"{one.seconds * 1000:,.0f}")
    return table


def main() -> int:
    """Print the table and the shares."""
    shared = shared_folder()
    if shared is None:
        print("No reference data at ../shared; name its folder with CTXSCOPE_SHARED.", file=sys.stderr)  # noqa: T201 - a command
        return 2
    found = list(outcomes(shared / "corpus"))
    console = Console(width=None if sys.stdout.isatty() else 190, highlight=False)
    console.print(_table(found))
    for what, (good, every) in summary(found).items():
        console.print(f"{good:4} of {every:3} ({good / every:.1%})  {what}")
    wrong = [one.file for one in found if not (one.right and one.holds_calls and one.sums_up)]
    console.print(*(f"wrong: {file}" for file in wrong), sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
