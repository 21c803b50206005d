"""LangGraph's SQLite checkpoints: every state of every thread, packed.

A packed value may name a class and how to make it; the library that wrote it imports and calls what is named. Nothing is called here: the
data that the class would get is all that is taken. Source: format notes, 2.9; ``JsonPlusSerializer`` of langgraph-checkpoint.
"""

from __future__ import annotations

import importlib
import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import ClassVar

from ctxcore.errors import UnreadableFile
from ctxcore.model import Json, Level, SourceRef
from ctxcore.readers.document import Document
from ctxcore.readers.langgraph import State, listed, plan_channels, state_session
from ctxcore.readers.protocol import SessionDraft
from ctxcore.readers.sqlite_file import has_lost_log, is_sqlite, rows, tables
from ctxcore.readers.values import mapping, natural, seconds, text
from ctxcore.redaction.masking import masked_part

QUERY = "SELECT thread_id, checkpoint_ns, checkpoint_id, type, checkpoint, metadata FROM checkpoints ORDER BY checkpoint_id"
"""Ids of checkpoints grow with time."""

COLUMNS = frozenset({"thread_id", "checkpoint_ns", "checkpoint_id", "type", "checkpoint", "metadata"})

CLASS_AND_DATA = frozenset({0, 1, 2, 3, 4, 5})
"""Codes of packed values that hold a module, a class and its data, in this order."""

MAX_NESTED = 32
"""How deeply packed values may stand in packed values; messages stand in the first."""

MAX_PLAIN = 200
"""How deeply plain values may be nested."""

Unpack = Callable[..., Json]


class LangGraphCheckpoints:
    """See the module."""

    name: ClassVar[str] = "langgraph-sqlite"
    family: ClassVar[str] = "traces"
    level: ClassVar[Level] = "message list only"
    detects: ClassVar[str] = "an SQLite database with the tables checkpoints and writes of LangGraph"

    def matches(self, document: Document, head: Sequence[Json]) -> bool:
        """See ``Reader.matches``."""
        if head or not is_sqlite(document.data):
            return False
        found = tables(document.data)
        return "writes" in found and set(found.get("checkpoints", ())) >= COLUMNS

    def read(self, documents: Sequence[Document]) -> list[SessionDraft]:
        """See ``Reader.read``.

        Raises:
            UnreadableFile: The package that unpacks checkpoints is missing.
        """
        states: dict[str, list[State]] = defaultdict(list)
        files: dict[str, list[Document]] = defaultdict(list)
        for document in documents:
            for state in _states(document, _unpacker(document)):
                states[state.thread].append(state)
                if not any(document is other for other in files[state.thread]):
                    files[state.thread].append(document)
        drafts = [state_session(name, listed, files[name]) for name, listed in states.items()]
        for draft in drafts:
            if any(has_lost_log(document.data) for document in draft.documents):
                draft.notes.append("The newest states may be missing: they can stand in the -wal file beside the database until its program ends.")
        return drafts


def _unpacker(document: Document) -> Unpack:
    try:
        return importlib.import_module("ormsgpack").unpackb  # type: ignore[no-any-return]
    except ImportError as error:
        what = "LangGraph's checkpoints are packed, and the package that unpacks them is not installed"
        raise UnreadableFile(document.name, what, advice="install it with: pip install 'ctxscope[langgraph]'") from error


def _states(document: Document, unpack: Unpack) -> Iterator[State]:
    found, damage = rows(document.data, QUERY)
    document.record_count = len(found)
    if damage:
        document.report(f"The database is damaged ({damage}); {len(found):,} checkpoints before that were read.", 0, "damaged_database")
    for number, (thread, namespace, key, kind, packed, about) in enumerate(found):
        value = _unpacked(packed, kind, unpack)
        if not isinstance(value, dict):
            document.lost(f"Checkpoint {masked_part(str(key), 0, 80)} cannot be unpacked and was left out.", 0, "unreadable_checkpoint")
            continue
        metadata = _json(about)
        step = natural(metadata.get("step"))
        source = SourceRef(file=document.name, path=f"checkpoints[{text(key)}]")
        place = replace(source, path=f"{source.path}.channel_values.messages")
        yield State(
            thread=text(thread),
            namespace=text(namespace),
            step=float(step) if step is not None else float(number),
            at=seconds(value.get("ts")),
            messages=listed(mapping(value.get("channel_values")).get("messages"), place),
            model=text(metadata.get("model_name")),
            source=source,
            plan=plan_channels(mapping(value.get("channel_values"))),
        )


def _json(value: Json) -> dict[str, Json]:
    try:
        found = json.loads(value) if isinstance(value, (str, bytes)) else None
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _unpacked(packed: Json, kind: Json, unpack: Unpack) -> Json:
    """The value of a blob, or None where it cannot be read."""
    if kind == "json":
        return _json(packed)
    if kind != "msgpack" or not isinstance(packed, bytes):
        return None
    nested = 0

    def data_of(code: int, inner: bytes) -> Json:
        """The data that a class would be made of."""
        nonlocal nested
        if code not in CLASS_AND_DATA or nested == MAX_NESTED:
            return None
        nested += 1
        value = unpack(inner, ext_hook=data_of)
        nested -= 1
        return value[2] if isinstance(value, list) and len(value) > 2 else None

    try:
        return _plain(unpack(packed, ext_hook=data_of), MAX_PLAIN)
    except (ValueError, RecursionError):
        return None


def _plain(value: Json, depth: int) -> Json:
    """The value in the terms of JSON; bytes become their count, and what is nested too deeply nothing."""
    if isinstance(value, dict) and depth:
        return {str(key): _plain(item, depth - 1) for key, item in value.items()}
    if isinstance(value, (list, tuple)) and depth:
        return [_plain(item, depth - 1) for item in value]
    if isinstance(value, bytes):
        return f"{len(value):,} bytes"
    return value if value is None or isinstance(value, (str, int, float)) else str(value)
