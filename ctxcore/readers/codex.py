"""Codex CLI rollouts: one line a record, the model's input rebuilt by replaying them.

Source: format notes 2.2; openai/codex ``rollout_reconstruction.rs``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from ctxcore.model import Json, Level, Problem
from ctxcore.readers.build import ThreadDraft
from ctxcore.readers.codex_family import COUNTED_TWICE, families
from ctxcore.readers.codex_history import History
from ctxcore.readers.copies import without_earlier_copies
from ctxcore.readers.document import Document, Record
from ctxcore.readers.protocol import SessionDraft
from ctxcore.readers.responses_item import is_item, kind_of
from ctxcore.readers.values import mapping, text, whole
from ctxcore.redaction.masking import masked_part

LINE_TYPES = frozenset({"session_meta", "turn_context", "response_item", "event_msg", "compacted"})

MAJORITY = 0.6
"""Part of the first lines that must be rollout lines."""

META_KEYS = frozenset({"cwd", "originator", "cli_version", "base_instructions", "model_provider"})

NEVER_SENT = frozenset({"ghost_snapshot", "other"})
"""Response items that Codex keeps for itself. Source: openai/codex, history for the prompt."""

REDACTED = "[REDACTED"
"""How an owner's redaction begins."""


class Codex:
    """See the module."""

    name: ClassVar[str] = "codex-cli"
    family: ClassVar[str] = "agent logs"
    level: ClassVar[Level] = "message list only"
    detects: ClassVar[str] = "lines with timestamp, type (session_meta, response_item, event_msg, …) and payload, and Codex's own payloads in them"

    def matches(self, document: Document, head: Sequence[Json]) -> bool:
        """See ``Reader.matches``."""
        if not head or document.shape == "text":
            return False
        if _is_legacy_meta(head[0]):
            return len(head) > 1 and all(map(_is_legacy_line, head[1:]))
        lines = [mapping(value) for value in head]
        envelopes = [line for line in lines if text(line.get("type")) in LINE_TYPES and isinstance(line.get("payload"), dict)]
        return len(envelopes) >= MAJORITY * len(head) and any(map(_is_codex_payload, envelopes))

    def read(self, documents: Sequence[Document]) -> list[SessionDraft]:
        """See ``Reader.read``: a session and the agents that it started are one."""
        return families(without_earlier_copies([_Rollout(document).read() for document in documents]))


def _is_codex_payload(line: Mapping[str, Json]) -> bool:
    """The second mark: a payload that only Codex writes."""
    payload = mapping(line["payload"])
    match line["type"]:
        case "session_meta":
            return "id" in payload and not META_KEYS.isdisjoint(payload)
        case "response_item":
            return is_item(payload)
        case "event_msg":
            return payload.get("type") == "token_count" and "info" in payload
        case "compacted":
            return "message" in payload
    return "model" in payload and "cwd" in payload


def _is_legacy_meta(value: Json) -> bool:
    line = mapping(value)
    return {"id", "timestamp", "instructions"} <= line.keys() and "payload" not in line and "type" not in line


def _is_legacy_line(value: Json) -> bool:
    return "record_type" in mapping(value) or is_item(value)


class _Rollout:
    """One file while it is read."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.thread = ThreadDraft(id="main")
        self.history = History(self.thread, document)
        self.draft = SessionDraft(id="", level=Codex.level, threads=[self.thread], documents=(document,))
        self.meta: Mapping[str, Json] | None = None
        self.announced_compactions = 0
        first = document.first()
        self.opening = document.head() if first is not None and _is_legacy_meta(first.value) else []

    def read(self) -> SessionDraft:
        """The session; what a line does not give is counted."""
        for record in self.document.records():
            self._line(record)
        self.history.settle()
        self._finish()
        return self.draft

    def _line(self, record: Record) -> None:
        line = record.value
        if not isinstance(line, dict):
            self._problem("is not an object", record, line)
        elif isinstance(line.get("payload"), dict) and isinstance(line.get("type"), str):
            self._envelope(line["type"], line["payload"], record)
        elif is_item(line):
            self._item(line, record)
        elif _is_legacy_meta(line):
            self._session(line, record)
        elif "record_type" in line:
            self.draft.skipped["state of the terminal"] += 1
        else:
            self._problem("has no type and payload of a rollout line", record, line)

    def _envelope(self, kind: str, payload: Mapping[str, Json], record: Record) -> None:
        match kind:
            case "response_item":
                self._item(payload, record)
            case "event_msg":
                self._event(payload, record)
            case "turn_context":
                self.draft.used += 1
                self.history.begin_turn(text(payload.get("model")))
            case "compacted":
                self.draft.used += 1
                self.history.compact(payload, record)
            case "session_meta":
                self._session(payload, record)
            case "token_usage_record" if self.history.record_usage(payload):
                self.draft.used += 1
            case _:
                self.draft.skipped[f"line type {kind}, not part of a request"] += 1

    def _item(self, item: Mapping[str, Json], record: Record) -> None:
        if kind_of(item) in NEVER_SENT:
            self.draft.skipped[f"item {item['type']}, never sent"] += 1
            return
        self.draft.used += 1
        self.history.add_item(item, record)

    def _event(self, payload: Mapping[str, Json], record: Record) -> None:
        kind = text(payload.get("type"))
        match kind:
            case "token_count":
                self.history.count_tokens(mapping(payload.get("info")), record)
            case "thread_rolled_back":
                self.history.roll_back(whole(payload.get("num_turns")) or 0, record)
            case "turn_aborted":
                self.history.abort()
            case "context_compacted":
                self.announced_compactions += 1
            case _:
                self.thread.window = self.thread.window or whole(payload.get("model_context_window"))
                self.draft.skipped[f"event {kind or 'without a type'}, for the screen"] += 1
                return
        self.draft.used += 1

    def _session(self, meta: Mapping[str, Json], record: Record) -> None:
        """The head of the file; a later one is the copied head of the session this one was forked from."""
        if self.meta is not None:
            self.draft.skipped["head of the session it was forked from"] += 1
            return
        self.draft.used += 1
        self.meta = meta
        self.draft.id = text(meta.get("id"))
        prompt = text(mapping(meta.get("base_instructions")).get("text")) or text(meta.get("base_instructions")) or self._legacy_prompt(meta)
        if prompt and not prompt.startswith(REDACTED):
            self.history.add_system(prompt, record)
        source = mapping(mapping(meta.get("source")).get("subagent"))
        parent = text(meta.get("parent_thread_id")) or text(mapping(source.get("thread_spawn")).get("parent_thread_id"))
        if source or parent or meta.get("thread_source") == "subagent":
            self.thread.kind, self.thread.parent = "agent", parent

    def _legacy_prompt(self, meta: Mapping[str, Json]) -> str:
        """Old heads hold the user's instructions; later versions of them send the same text as a message."""
        instructions = text(meta.get("instructions"))
        if not instructions:
            return ""
        sent = (part for value in self.opening for part in _texts(value))
        return "" if any(instructions in part for part in sent) else instructions

    def _problem(self, what: str, record: Record, value: Json) -> None:
        sentence = f"Line {record.line} {what} and was left out."
        self.draft.problems.append(
            Problem(what=sentence, kind="not_a_record", source=self.document.source(record), excerpt=masked_part(repr(value), 0, 80))
        )
        self.draft.skipped["not a rollout line"] += 1

    def _finish(self) -> None:
        thread, notes = self.thread, self.draft.notes
        has_system = bool(thread.messages) and thread.messages[0].role == "system"
        self.draft.not_recorded = ("tool definitions",) if has_system else ("system prompt", "tool definitions")
        if any(call.usage for call in thread.calls):
            notes.append("Recorded input tokens include the cached ones.")
        if self.history.unreadable_counts:
            notes.append("Token counts are recorded without numbers, so usage is unknown.")
        compactions = sum(event.kind == "compaction" for event in thread.events)
        if compactions:
            notes.append("The calls that wrote the summaries of compactions are not recorded.")
        if self.announced_compactions > compactions:
            missing = self.announced_compactions - compactions
            notes.append(f"{missing} announced without the new history: contexts after that are longer than what was sent (compactions).")
        if self.draft.skipped["head of the session it was forked from"]:
            notes.append(COUNTED_TWICE)


def _texts(item: Json) -> list[str]:
    content = mapping(item).get("content")
    return [text(mapping(part).get("text")) for part in content] if isinstance(content, list) else [text(content)]
