"""Precision and recall of the text rules on the labelled sentences: ``python -m tests.state_extraction``; exit code 1 below the goals."""

from __future__ import annotations

import argparse
import sys

from rich.console import Console
from rich.table import Table

from tests.state import labelled_fields
from tests.state.labelled import PARTS, Score, score, sentences

PRECISION, RECALL = 0.98, 0.85


def main() -> int:
    """Print one table per part, and with --faults each sentence that is read differently."""
    parser = argparse.ArgumentParser(prog="python -m tests.state_extraction", description=__doc__)
    parser.add_argument("--part", choices=PARTS, action="append", help="only this part")
    parser.add_argument("--faults", action="store_true", help="list what is read differently")
    options = parser.parse_args()
    console = Console(width=200)
    kept = True
    for part in options.part or PARTS:
        result = score(part)
        console.print(_table(part, result), soft_wrap=True)
        if options.faults:
            console.print("\n".join(result.faults), markup=False, highlight=False)
        kept = (
            kept
            and _ratio(result.right.total(), result.found.total()) >= PRECISION
            and _ratio(result.right.total(), result.labelled.total()) >= RECALL
        )
    for part in labelled_fields.PARTS if not options.part else ():
        fields = labelled_fields.score(part)
        precision, recall = _ratio(fields.right, fields.found), _ratio(fields.right, fields.labelled)
        console.print(f"fields, {part}: {fields.labelled} labelled, {fields.found} found, {fields.right} right: {precision:.3f} and {recall:.3f}")
        if options.faults and part == "seen":
            console.print("\n".join(fields.faults), markup=False, highlight=False)
        kept = kept and (part != "seen" or (precision >= PRECISION and recall >= RECALL))
    return 0 if kept else 1


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else 1.0


def _table(part: str, result: Score) -> Table:
    all_sentences = list(sentences(part))
    chinese, silent = sum(one.chinese for one in all_sentences), sum(one.asserts_nothing for one in all_sentences)
    title = f"{part}: {len(all_sentences)} sentences, {chinese} Chinese, {silent} that assert nothing"
    table = Table(title=title, box=None, title_justify="left")
    for name in ("extractor", "labelled", "found", "right", "precision", "recall"):
        table.add_column(name, justify="left" if name == "extractor" else "right")
    for kind in sorted(result.labelled | result.found):
        _row(table, kind, result.labelled[kind], result.found[kind], result.right[kind])
    _row(table, "all", result.labelled.total(), result.found.total(), result.right.total())
    right = result.right.total()
    table.caption = f"bounds heard in {result.bounds_right} of {right} values, keys for {result.keys_right} of {result.keys_labelled}"
    return table


def _row(table: Table, name: str, labelled: int, found: int, right: int) -> None:
    table.add_row(name, str(labelled), str(found), str(right), f"{_ratio(right, found):.3f}", f"{_ratio(right, labelled):.3f}")


if __name__ == "__main__":
    sys.exit(main())
