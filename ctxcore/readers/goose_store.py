"""goose's database (``sessions.db``, from version 1.10 on): every session with its messages, and what each call took.

Source: format notes 2.8 (``content_json``, ``metadata_json``, ``usage_ledger`` with ``is_compaction``); the other columns from agentsview
``internal/parser/goose.go``, which the notes name. Messages go to the model in the order of their time, then of their number.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ctxcore.model import Json, SourceRef, Usage
from ctxcore.readers.build import ThreadDraft
from ctxcore.readers.conversation import Conversation
from ctxcore.readers.document import Document
from ctxcore.readers.goose_history import tell
from ctxcore.readers.protocol import SessionDraft
from ctxcore.readers.sqlite_file import LATE_ROWS, has_lost_log, is_sqlite, json_of, rows_of, tables
from ctxcore.readers.values import mapping, text, whole

MARKS = {"sessions": {"id", "working_dir"}, "messages": {"session_id", "role", "content_json", "created_timestamp"}}
"""Tables and columns that every version has."""

SESSION = ("id", "name", "description", "model_config_json", "parent_session_id", "accumulated_input_tokens", "accumulated_output_tokens")
MESSAGE = ("id", "message_id", "session_id", "role", "content_json", "metadata_json", "created_timestamp")
LEDGER = ("session_id", "model", "input_tokens", "output_tokens", "total_tokens", "cache_read_tokens", "cache_write_tokens", "is_compaction")

Row = Mapping[str, Any]


def is_store(document: Document) -> bool:
    """True for a database with goose's tables."""
    if not is_sqlite(document.data):
        return False
    known = tables(document.data)
    return all(columns <= set(known.get(table, ())) for table, columns in MARKS.items())


def read_store(document: Document) -> list[SessionDraft]:
    """One session for each that nobody started; those it started are its agents."""
    list(document.records())
    sessions = {text(row["id"]): row for row in rows_of(document, "sessions", SESSION)}
    messages = _grouped(rows_of(document, "messages", MESSAGE, order=("created_timestamp", "id")))
    ledger = _grouped(rows_of(document, "usage_ledger", LEDGER, order=("created_timestamp", "id")))
    document.record_count = len(sessions) + sum(map(len, messages.values())) + sum(map(len, ledger.values()))
    families = [names for names in _families(sessions).values() if any(name in messages for name in names)]
    drafts = [_session(document, names, sessions, messages, ledger) for names in families]
    rest = document.record_count - sum(draft.used + draft.skipped.total() for draft in drafts)
    if drafts and rest:
        drafts[0].skipped["of a session without messages"] += rest
    return drafts


def _grouped(rows: Sequence[Row]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        found[text(row["session_id"])].append(row)
    return found


def _parent(row: Row, sessions: Mapping[str, Row]) -> str:
    parent = text(row["parent_session_id"])
    return parent if parent in sessions and parent != row["id"] else ""


def _families(sessions: Mapping[str, Row]) -> dict[str, list[str]]:
    """Sessions by the one that nobody started: itself, and all that it started, directly or through others."""
    roots: dict[str, list[str]] = defaultdict(list)
    for name in sessions:
        root, met = name, {name}
        while (above := _parent(sessions[root], sessions)) and above not in met:
            root = above
            met.add(above)
        roots[root].append(name)
    heads = {root if root in names else names[0]: names for root, names in roots.items()}  # a circle has no root
    return {head: [head, *(name for name in names if name != head)] for head, names in heads.items()}


def _session(
    document: Document, names: Sequence[str], sessions: Mapping[str, Row], messages: Mapping[str, Sequence[Row]], ledger: Mapping[str, Sequence[Row]]
) -> SessionDraft:
    root = names[0]
    draft = SessionDraft(id=root, level="message list only", documents=(document,))
    counted = False
    for name in names:
        row = sessions[name]
        main = name == root
        parent = _parent(row, sessions)
        thread = ThreadDraft(
            id="main" if main else name, kind="main" if main else "agent", parent="" if main else "main" if parent == root else parent
        )
        thread.title = text(row["name"]) or text(row["description"])
        told = Conversation(thread)
        tell(told, _records(document, draft, messages.get(name, ())), model=_model(row))
        counted |= _count(draft, thread, ledger.get(name, ()))
        draft.threads.append(thread)
        draft.used += 1
    _say_totals(draft, [sessions[name] for name in names])
    missing = ("system prompt", "tool definitions", *(() if counted else ("usage of each call",)))
    draft.not_recorded = missing if _model(sessions[root]) or counted else (*missing, "model")
    if has_lost_log(document.data):
        draft.notes.append(LATE_ROWS)
    return draft


def _records(document: Document, draft: SessionDraft, found: Sequence[Row]) -> list[tuple[Mapping[str, Json], SourceRef]]:
    """Rows in the form of the older lines."""
    records: list[tuple[Mapping[str, Json], SourceRef]] = []
    for row in found:
        content = json_of(row["content_json"])
        if not isinstance(content, list) or row["role"] not in ("user", "assistant"):
            draft.skipped["not a message"] += 1
            continue
        draft.used += 1
        about = mapping(json_of(row["metadata_json"]))
        record = {"id": row["message_id"], "role": row["role"], "created": row["created_timestamp"], "content": content, "metadata": about}
        records.append((record, SourceRef(file=document.name, path=f"messages id {row['id']}")))
    return records


def _model(row: Row) -> str:
    about = mapping(json_of(row["model_config_json"]))
    return text(about.get("model_name")) or text(about.get("model"))


def _count(draft: SessionDraft, thread: ThreadDraft, ledger: Sequence[Row]) -> bool:
    """Give each call its row of the ledger, which names none: by their order, where there are as many of them; True then."""
    rows = [row for row in ledger if not row["is_compaction"]]
    summing = [row for row in ledger if row["is_compaction"]]
    draft.used += len(summing)
    if summing:
        told = [_usage(row) for row in summing]
        read, wrote = (sum(getattr(usage, name) or 0 for usage in told if usage) for name in ("input_tokens", "output_tokens"))
        draft.notes.append(f"{len(summing)} compactions took {read:,} input and {wrote:,} output tokens; their requests are not recorded.")
    if len(rows) != len(thread.calls):
        if rows:
            draft.notes.append(f"The ledger of {thread.id} has {len(rows)} counts for {len(thread.calls)} calls, so none is given to a call.")
            draft.skipped["count of usage, its call is not told"] += len(rows)
        return False
    draft.used += len(rows)
    thread.calls = [replace(call, usage=_usage(row), model=text(row["model"]) or call.model) for call, row in zip(thread.calls, rows, strict=True)]
    return bool(rows)


def _usage(row: Row) -> Usage | None:
    """Normalised. Whether the input holds the cached tokens differs by provider; the total and the sizes themselves tell."""
    fresh, output, total = (whole(row[f"{kind}_tokens"]) for kind in ("input", "output", "total"))
    read, write = whole(row["cache_read_tokens"]), whole(row["cache_write_tokens"])
    if not any((fresh, output, read, write)):
        return None
    cached = (read or 0) + (write or 0)
    beside = cached > (fresh or 0) or (total is not None and cached > 0 and total == (fresh or 0) + (output or 0) + cached)
    return Usage(input_tokens=(fresh or 0) + (cached if beside else 0), output_tokens=output, cache_read_tokens=read, cache_write_tokens=write)


def _say_totals(draft: SessionDraft, found: Sequence[Row]) -> None:
    read, wrote = (sum(whole(row[f"accumulated_{kind}_tokens"]) or 0 for row in found) for kind in ("input", "output"))
    if read or wrote:
        draft.notes.append(f"The program counted {read:,} input and {wrote:,} output tokens for the whole session.")
