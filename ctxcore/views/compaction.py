"""Recorded and simulated compactions as JSON: sizes, checks, survival by kind, and the items with their sources."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ctxcore.compaction.facts import FactKind
from ctxcore.compaction.survival import Kept
from ctxcore.compaction.values import Place
from ctxcore.measures.compaction_sizes import Change
from ctxcore.measures.compactions import UNTOLD, RecordedCompaction, recorded_compactions
from ctxcore.measures.simulated import SimulatedCompaction
from ctxcore.measures.summary_sources import traced
from ctxcore.model import Thread

SCHEMA = "ctxscope.compact/1"


def compact_json(threads: Iterable[tuple[Thread, SimulatedCompaction | None]]) -> dict[str, Any]:
    """Every compaction, recorded ones first within a thread.

    Sizes are tokens of the whole context, as recorded or counted by the target model's tokenizer: the bases say which, ``before`` is null where it is
    not known. ``compared`` has the two sizes on one basis whose ratio the codes judge: of a simulated one the part that was compacted, null where
    nothing can be compared. ``judged`` is false where a value that is not found cannot be called lost; ``survival`` is null where the summary
    cannot be read or the original is not there. ``message`` of a source is an index into the thread's messages, ``start`` and ``end`` are code points
    of its source text.
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
        "before_basis": None if one.before is None else one.sizes.before_basis,
        "after_basis": one.sizes.after_basis,
        "compared": None if one.sizes.compared is None else _change_json(one.sizes.compared),
        "codes": list(one.codes),
        "checks": [{"code": fault.code, "level": fault.level, "text": fault.text} for fault in one.faults],
        "judged": not UNTOLD & set(one.codes),
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
        "before": one.whole.before,
        "after": one.whole.after,
        "ratio": _rounded(one.whole.ratio),
        "before_basis": one.whole.basis,
        "after_basis": one.whole.basis,
        "compared": _change_json(one.part),
        "codes": list(made.codes),
        "checks": [{"code": fault.code, "level": fault.level, "text": fault.text} for fault in made.faults],
        "rolled_back": made.rolled_back,
        "judged": True,
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


def _change_json(change: Change) -> dict[str, Any]:
    """The two sizes whose ratio the codes judge."""
    return {"before": change.before, "after": change.after, "ratio": _rounded(change.ratio), "basis": change.basis}


def _rounded(ratio: float | None) -> float | None:
    return None if ratio is None else round(ratio, 4)


def _places(places: Sequence[Place]) -> list[dict[str, int]]:
    return [place._asdict() for place in places]


def _survival_json(table: Mapping[FactKind, Kept]) -> dict[str, Any]:
    return {kind: {"kept": row.kept, "total": row.total, "lost": list(row.lost)} for kind, row in table.items()}
