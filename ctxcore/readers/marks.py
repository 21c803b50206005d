"""Formats that are known by two marks each but have no reader: a file of one is refused by its name, never read as something else.

A format leaves this list for ``READERS`` when its reader comes. Source: the format notes, "Detection".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ctxcore.model import Json
from ctxcore.readers.cassette_yaml import CASSETTE_KEYS
from ctxcore.readers.document import Document
from ctxcore.readers.sqlite_file import is_sqlite, tables
from ctxcore.readers.values import items, mapping, text

MAJORITY = 0.6
"""Part of the first lines that decides what a file of lines is. Source: the format notes, "Rules of conduct"."""

LOOK_BYTES = 2**16
"""Of a text file, for its marks."""

LISTED_TABLES = 8
"""That a refusal names."""

Test = Callable[[Json], bool]


def majority(values: Sequence[Json], test: Test) -> bool:
    """True if at least ``MAJORITY`` of the values pass."""
    return bool(values) and sum(map(test, values)) >= MAJORITY * len(values)


def entries(value: Json) -> Sequence[Json]:
    """The first entries of a list, or the value itself."""
    return value[:20] if isinstance(value, list) else (value,)


def keys(*names: str) -> Test:
    """Passes an object (or a list of mostly such) with all these keys."""
    return lambda value: majority(entries(value), lambda entry: isinstance(entry, dict) and all(name in entry for name in names))


def either(*tests: Test) -> Test:
    """Passes what one of the tests passes."""
    return lambda value: any(test(value) for test in tests)


def each(test: Callable[[Mapping[str, Json]], bool]) -> Test:
    """Passes an object, or a list of mostly such."""
    return lambda value: majority(entries(value), lambda entry: isinstance(entry, dict) and test(entry))


@dataclass(frozen=True, slots=True)
class Known:
    """A format without a reader."""

    name: str
    """With its article, as it stands in a sentence."""
    test: Test
    """Both marks, on one value: of a JSON file, or of a line."""
    advice: str = ""
    """What to record or open instead, a clause."""
    first_line: bool = False
    """True where only the first line shows the marks."""


def _parts_of(value: Json, key: str) -> list[Mapping[str, Json]]:
    return [mapping(part) for part in items(mapping(value).get(key))]


def _holds(key: str, *names: str) -> Callable[[Mapping[str, Json]], bool]:
    return lambda value: all(name in mapping(value.get(key)) for name in names)


KNOWN: tuple[Known, ...] = (
    Known(
        "a CrewAI task log (tasks and their outputs, no model calls)",
        each(lambda v: "task_name" in v and "agent" in v and "status" in v and "timestamp" in v),
        advice="record the calls as a trace (OpenInference or OpenTelemetry), by LiteLLM's callback or in an HTTP cassette",
    ),
    Known(
        "a Who&When annotation (what agents and programs said to each other, no model calls)",
        keys("history", "mistake_agent"),
        advice="open the saved state or the messages of the AutoGen run itself",
    ),
    Known(
        "a BFCL question set (prompts and right answers, no recording)",
        either(each(lambda v: "question" in v and "id" in v and "function" in v), keys("id", "ground_truth"), keys("question", "involved_classes")),
    ),
)
"""JSON formats, the more specific first."""

BYTES: tuple[tuple[str, bytes, str], ...] = (
    ("a Parquet file", rb"\APAR1", "export its rows as JSON lines"),
    ("a mitmproxy capture", rb"\A\d{1,12}:\d{1,12}:[^\n]*client_conn", "make a HAR of it with: mitmdump -nr FILE --set hardump=out.har"),
    ("a tar archive", rb"\A.{257}ustar", "zip its files instead"),
)
"""Text and binary formats: name, what stands near the start, and what to do."""


AFTER_READERS: tuple[Known, ...] = (
    Known(
        "a Kimi CLI session of a protocol other than that of Kimi Code (records with a type and a time)",
        each(lambda v: v.get("type") == "metadata" and "protocol_version" in v),
        advice="record the session with Kimi Code",
        first_line=True,
    ),
    Known(
        "a list of pydantic-ai messages printed as Python text",
        lambda value: isinstance(value, list) and majority(value[:20], lambda entry: text(entry).startswith(("ModelRequest(", "ModelResponse("))),
        advice="save them with all_messages_json instead",
    ),
    Known(
        "a log of HTTP requests of which most are no model calls that can be read",
        each(lambda v: "url" in mapping(v.get("request")) and "response" in v),
    ),
    Known("a HAR capture without a model call that can be read", each(_holds("log", "entries", "version"))),
    Known(
        "a recorded HTTP cassette (vcrpy) without a model call that can be read",
        each(lambda v: any("request" in item and "response" in item for key in CASSETTE_KEYS for item in _parts_of(v, key)[:20])),
    ),
)
"""Formats that readers take where they know what is inside; asked after them."""


AFTER_BYTES: tuple[tuple[str, bytes, str], ...] = (("a captured event stream (SSE)", rb"\A\s*(?:event|data): ?[^\n]*\n", ""),)
"""The same for text and binary formats."""


def _database(known: Mapping[str, Sequence[str]]) -> tuple[str, str]:
    """What an SQLite database is that no reader takes, by its tables, and what to open instead."""
    if {"blobs", "meta"} <= known.keys():
        name = "a store of Cursor's agent (an SQLite database with the tables blobs and meta), whose entries have no public form"
        return name, "open the session's transcript (agent-transcripts/….jsonl) or an export of the chat instead"
    if "ItemTable" in known:
        name = "an SQLite database with the state of Cursor or VS Code, but without the keys composerData of Cursor's chats"
        return name, "these stand in User/globalStorage/state.vscdb"
    listed = ", ".join(sorted(known)[:LISTED_TABLES]) + (" …" if len(known) > LISTED_TABLES else "")
    what = f"the tables {listed}" if known else "no table that can be read"
    return f"an SQLite database with {what}", "those of goose, opencode, Cursor, LangGraph and OpenAI Agents are known by their tables"


def known_without_reader(
    document: Document, head: Sequence[Json], formats: Sequence[Known] = KNOWN, patterns: Sequence[tuple[str, bytes, str]] = BYTES
) -> tuple[str, str]:
    """The name of the format, if it is one that is known but not read, and what to do; else empty."""
    if not head or not isinstance(head[0], (dict, list)):  # bytes of another kind can begin with a number
        start = document.data[:LOOK_BYTES]
        if patterns is AFTER_BYTES and is_sqlite(start):
            return _database(tables(document.data))
        return next(((name, advice) for name, pattern, advice in patterns if re.search(pattern, start, re.DOTALL)), ("", ""))
    for known in formats:
        if known.test(head[0]) if document.shape == "json" or known.first_line else majority(head, known.test):
            return known.name, known.advice
    return "", ""
