"""Kimi Code sessions (``wire.jsonl``): what went to the model, step by step, one line a record.

Source: the reference recording (protocol 1.4) and format notes 2.16; kimi-code's wire records. A call is a loop step: its request, the parts of its
answer, its tool calls with their results, and its end with the usage. A step that brings nothing is a failed call. ``messageCount`` of a request is
what was sent, prompts that follow each other directly counted as one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar

from ctxcore.model import Json, Level
from ctxcore.readers.build import ThreadDraft
from ctxcore.readers.document import Document
from ctxcore.readers.kimi_wire import Wire
from ctxcore.readers.marks import majority
from ctxcore.readers.protocol import SessionDraft
from ctxcore.readers.values import mapping, text

RECORDS = ("context.", "turn.", "config.", "llm.", "usage.", "tools.", "permission.", "full_compaction.", "plan_mode.")
"""Beginnings of record types."""

AGENT_FILE = re.compile(r"(?:^|/)agents/([^/]+)/[^/]+\Z")
"""Where a session's folder keeps the file of each agent."""

MAIN = "main"


class Kimi:
    """See the module."""

    name: ClassVar[str] = "kimi"
    family: ClassVar[str] = "agent logs"
    level: ClassVar[Level] = "message list only"
    detects: ClassVar[str] = "a first line with the type metadata and a protocol_version, then records of the types context.…, turn.…, llm.…"

    def matches(self, document: Document, head: Sequence[Json]) -> bool:
        """See ``Reader.matches``."""
        return document.shape == "lines" and is_wire_start(head[0]) and majority(head[1:], _is_record)

    def read(self, documents: Sequence[Document]) -> list[SessionDraft]:
        """See ``Reader.read``: the files of one folder of agents are one session."""
        folders: dict[str, list[tuple[str, Document]]] = {}
        for document in documents:
            found = AGENT_FILE.search(document.name)
            folder, agent = (document.name[: found.start()], found[1]) if found else (document.name, MAIN)
            folders.setdefault(folder, []).append((agent, document))
        return [_session(agents) for agents in folders.values()]


def is_wire_start(value: Json) -> bool:
    """True for the first line of a Kimi wire file."""
    record = mapping(value)
    return record.get("type") == "metadata" and "protocol_version" in record


def _is_record(value: Json) -> bool:
    record = mapping(value)
    return text(record.get("type")).startswith(RECORDS) and "time" in record


def _session(agents: Sequence[tuple[str, Document]]) -> SessionDraft:
    """One session: its main agent first, each other agent linked to the call whose tool result names it."""
    ordered = sorted(agents, key=lambda entry: entry[0] != MAIN)
    main = ordered[0][0]
    draft = SessionDraft(id="", level=Kimi.level, documents=tuple(document for _, document in ordered))
    sets: list[tuple[Json, ...]] = []
    started: dict[str, tuple[str, int, str]] = {}
    wires: list[Wire] = []
    for agent, document in ordered:
        wire = Wire(document, ThreadDraft(id=agent, kind="main" if agent == main else "agent"), sets)
        wire.read()
        wires.append(wire)
        started.update(wire.started)
        draft.used += wire.used
        draft.skipped.update(wire.skipped)
    for wire in wires[1:]:
        thread = wire.told.thread
        thread.parent, thread.parent_call, thread.title = started.get(thread.id, (main, None, ""))
    draft.threads = [wire.told.thread for wire in wires]
    draft.tool_sets = sets
    draft.not_recorded = _not_recorded(wires, sets)
    return draft


def _not_recorded(wires: Sequence[Wire], sets: Sequence[Sequence[Json]]) -> tuple[str, ...]:
    known: Mapping[str, bool] = {"system prompt": any(wire.system is not None for wire in wires), "tool definitions": bool(sets)}
    compacted = any(event.kind == "compaction" for wire in wires for event in wire.told.thread.events)
    return (*(part for part, told in known.items() if not told), *(("prompt of the compaction",) if compacted else ()))
