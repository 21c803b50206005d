"""Recorded and simulated compactions as JSON and tables: sizes, checks, survival by kind, and the items with their sources."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from ctxcore.compaction.survival import FactKind, Kept
from ctxcore.compaction.values import Place
from ctxcore.measures.compactions import RecordedCompaction, recorded_compactions
from ctxcore.measures.simulated import SimulatedCompaction
from ctxcore.measures.summary_sources import traced
from ctxcore.model import Thread
from ctxcore.views.terminal_table import Column, FittedTable
from ctxcore.views.visible import shortened, visible

SCHEMA = "ctxscope.compact/1"

LOST_SHOWN = 5
"""Lost values that a table names."""


def compact_json(threads: Iterable[tuple[Thread, SimulatedCompaction | None]]) -> dict[str, Any]:
    """Every compaction, recorded ones first within a thread.

    Sizes are tokens of the target model or as recorded; ``survival`` is null where the summary cannot be read; ``message`` of a source is an index
    into the thread's messages, ``start`` and ``end`` are code points of its source text.
    """
    rows = [row for thread, simulated in threads for row in _rows(thread, simulated)]
    return {"schema": SCHEMA, "compactions": rows}


def _rows(thread: Thread, simulated: SimulatedCompaction | None) -> list[dict[str, Any]]:
    found = [_recorded_json(thread, one) for one in recorded_compactions(thread)]
    return [*found, *([] if simulated is None else [_simulated_json(thread, simulated)])]


def _recorded_json(thread: Thread, one: RecordedCompaction) -> dict[str, Any]:
    needed = one.needed
    return {
        "thread": thread.id,
        "call": one.event.call,
        "source": "recorded",
        "before": one.before,
        "after": one.after,
        "ratio": _rounded(one.ratio),
        "codes": list(one.codes),
        "checks": [{"code": fault.code, "level": fault.level, "text": fault.text} for fault in one.faults],
        "survival": None if one.table is None else _survival_json(one.table),
        "user_messages": {"kept": one.user_messages[0], "total": one.user_messages[1]},
        "next_calls": None
        if needed is None
        else {
            "calls": needed.calls,
            "needed": needed.used,
            "standing": needed.standing,
            "fetched_again": list(needed.fetched_again),
            "missing": list(needed.missing),
            "rereads": needed.rereads,
        },
        "items": [{"kind": item.span.kind, "text": item.span.text, "sources": _places(item.sources)} for item in traced(thread, one)],
    }


def _simulated_json(thread: Thread, one: SimulatedCompaction) -> dict[str, Any]:
    made = one.compaction
    return {
        "thread": thread.id,
        "call": one.call,
        "source": "simulated",
        "before": made.before,
        "after": made.before if made.rolled_back else made.after,
        "ratio": _rounded(made.ratio),
        "codes": list(made.codes),
        "checks": [{"code": fault.code, "level": fault.level, "text": fault.text} for fault in made.faults],
        "rolled_back": made.rolled_back,
        "survival": _survival_json(one.table),
        "text": made.text,
        "items": [
            {
                "kind": item.kind,
                "text": item.text,
                "sources": _places(item.sources),
                "how": item.how,
                "key": item.key,
                "value": item.value,
                "why": item.why,
            }
            for item in made.items
        ],
    }


def _rounded(ratio: float | None) -> float | None:
    return None if ratio is None else round(ratio, 4)


def _places(places: Sequence[Place]) -> list[dict[str, int]]:
    return [place._asdict() for place in places]


def _survival_json(table: Mapping[FactKind, Kept]) -> dict[str, Any]:
    return {kind: {"kept": row.kept, "total": row.total, "lost": list(row.lost)} for kind, row in table.items()}


def compact_tables(threads: Iterable[tuple[Thread, SimulatedCompaction | None]]) -> RenderableType:
    """The same for a terminal, without the items."""
    parts: list[RenderableType] = []
    for thread, simulated in threads:
        for row in _rows(thread, simulated):
            parts += [_head(row), *_checks(row), *([_survival_table(row["survival"])] if row["survival"] else [])]
    return Group(*parts) if parts else Text("No compaction is recorded, and there is nothing to compact.")


def _head(row: Mapping[str, Any]) -> Text:
    ratio = "" if row["ratio"] is None else f" ({100 * row['ratio']:.1f} %)"
    where = f"{row['source'].capitalize()} at call #{row['call']:,} of {visible(row['thread'])}"
    return Text(f"\n{where}: {row['before']:,} → {row['after']:,} tokens{ratio}")


def _checks(row: Mapping[str, Any]) -> list[Text]:
    return [Text(f"  {check['code']}: {shortened(check['text'], 300)}") for check in row["checks"]]


def _survival_table(rows: Mapping[str, Any]) -> FittedTable:
    lines: list[tuple[str, ...]] = []
    for kind, row in rows.items():
        more = len(row["lost"]) - LOST_SHOWN
        told = ", ".join(shortened(value, 60) for value in row["lost"][:LOST_SHOWN])
        lines.append((kind.replace("_", " "), f"{row['kept']:,}", f"{row['total']:,}", told + (f" and {more:,} more" if more > 0 else "")))
    columns = (Column(name="kind", text=True), Column(name="kept"), Column(name="of"), Column(name="lost", text=True, wraps=True))
    return FittedTable(title="What survived", columns=columns, rows=lines)
