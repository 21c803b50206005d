"""The edit log: one entry per round, append-only, with what was read, changed, checked, ended, injected and refused."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from ctxcore.model import Json
from ctxcore.state.entries import LogEntry, LogItem, State

RETENTION_DAYS = 180
"""How long entries are kept, unless set otherwise."""


def item_json(item: LogItem) -> dict[str, Any]:
    """One item as a plain object; empty parts are left out."""
    source = item.source
    return {
        "kind": item.kind,
        "field": item.field,
        "value": item.value,
        **({"code": item.code} if item.code else {}),
        **({"extractor": item.extractor} if item.extractor else {}),
        **({"source": {"message": source.message, "start": source.start, "end": source.end, "quote": source.quote}} if source else {}),
    }


def log_lines(log: Iterable[LogEntry], session: str = "") -> str:
    """The log as JSONL, one round a line.

    Args:
        log: In order.
        session: Id of the session, repeated on each line.
    """
    return "".join(
        json.dumps(
            {"session": session, "round": entry.round, "message": entry.message, "items": [item_json(item) for item in entry.items]},
            ensure_ascii=False,
        )
        + "\n"
        for entry in log
    )


def with_injection(state: State, tag: str, fields: Sequence[str], code: str = "") -> State:
    """The state whose last log entry says what was injected, or why it was refused."""
    if not state.log:
        return state
    last = state.log[-1]
    return replace(state, log=(*state.log[:-1], replace(last, items=(*last.items, *injection_items(state, tag, fields, code)))))


def injection_items(state: State, tag: str, fields: Sequence[str], code: str = "") -> tuple[LogItem, ...]:
    """What the log says of an injection: one item for each field, or one where it holds none.

    Args:
        state: Has the values.
        tag: Of the fragment.
        fields: In it.
        code: Why it was refused; empty where it was not.
    """
    return tuple(
        LogItem(kind="refused" if code else "injected", field=field, value=_value(state, field), code=code or tag) for field in fields or ("",)
    )


def _value(state: State, field: str) -> Json:
    return state.value(field) if field else None


def kept(log: Sequence[LogEntry], said: Sequence[datetime | None], now: datetime, days: int = RETENTION_DAYS) -> tuple[LogEntry, ...]:
    """Entries that are not older than the retention; those of unknown age stay.

    Args:
        log: In order.
        said: When each message was said.
        now: Moment from which age is counted.
        days: Retention.
    """
    oldest = now - timedelta(days=days)
    return tuple(entry for entry in log if (at := said[entry.message]) is None or at >= oldest)
