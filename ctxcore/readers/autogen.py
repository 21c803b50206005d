"""AutoGen 0.4 and later: saved team and agent states, whose model contexts are exact, and the messages of a run.

Source: autogen-agentchat states and messages; format notes, 2.12.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from ctxcore.model import Json, Level, Media, Message, Part, Reasoning, SourceRef, Text, ToolCall, ToolResult
from ctxcore.readers.build import ThreadDraft, conversation_calls
from ctxcore.readers.document import Document
from ctxcore.readers.marks import majority
from ctxcore.readers.places import step_to
from ctxcore.readers.protocol import SessionDraft
from ctxcore.readers.values import compact_json, items, mapping, seconds, text, usage

Entry = Mapping[str, Json]

NO_MESSAGES = (
    "ToolCallSummaryMessage",
    "ModelClientStreamingChunkEvent",
    "SelectSpeakerEvent",
    "MemoryQueryEvent",
    "SelectorEvent",
    "CodeGenerationEvent",
)
"""Entries that no model context holds: the results stand beside them, or they only show progress."""

PEOPLE = ("user", "user_proxy", "human")
"""Sources that are a person by the library's own names."""

GROUP = "Several agents speak in one list; what each of them received is not recorded, all before its turn stands in for it."


class AutoGen:
    """See the module."""

    name: ClassVar[str] = "autogen"
    family: ClassVar[str] = "agent logs"
    level: ClassVar[Level] = "message list only"
    detects: ClassVar[str] = "type TeamState with agent_states, a state with llm_context, or messages with source, models_usage and type"

    def matches(self, document: Document, head: Sequence[Json]) -> bool:
        """See ``Reader.matches``."""
        if document.shape == "json":
            return is_state(head[0]) or majority(_messages(head[0])[:200], is_message)
        return majority(head, is_message)

    def read(self, documents: Sequence[Document]) -> list[SessionDraft]:
        """See ``Reader.read``."""
        return [_read(document) for document in documents]


def is_state(value: Json) -> bool:
    """True for the saved state of a team, or of one agent."""
    record = mapping(value)
    if record.get("type") == "TeamState":
        return isinstance(record.get("agent_states"), dict)
    return text(record.get("type")).endswith("State") and isinstance(mapping(record.get("llm_context")).get("messages"), list)


def is_message(value: Json) -> bool:
    """True for a message or an event of a run."""
    record = mapping(value)
    return isinstance(record.get("source"), str) and "models_usage" in record and text(record.get("type")).endswith(("Message", "Event"))


def _messages(value: Json) -> Sequence[Json]:
    """Messages of a list, or of a task's result."""
    return value if isinstance(value, list) else items(mapping(value).get("messages"))


def _read(document: Document) -> SessionDraft:
    head = document.head()
    if document.shape == "json" and is_state(head[0]):
        return _state(document)
    return _run(document)


def _state(document: Document) -> SessionDraft:
    draft = SessionDraft(id="", level="message list only", documents=(document,), not_recorded=("system prompt", "tool definitions"))
    for record in document.records():
        draft.used += 1
        value = mapping(record.value)
        states = {name: (place, messages) for name, place, messages in _agents(value, "agent", "")}
        spoken = [entry for manager in mapping(value.get("agent_states")).values() for entry in _thread_of(manager)]
        for name, (place, messages) in states.items():
            thread = ThreadDraft(id=name, title=name)
            for number, message in enumerate(messages):
                if isinstance(message, dict):
                    thread.add(_context_message(message, document.source(record, f"{place}[{number}]")))
            thread.calls = conversation_calls(thread.messages, asks=False)
            _count(thread, [entry for entry in spoken if entry.get("source") == name])
            draft.threads.append(thread)
        draft.threads.sort(key=lambda thread: -len(thread.calls))
    draft.threads = draft.threads or [ThreadDraft(id="main")]
    if not any(call.usage for thread in draft.threads for call in thread.calls):
        draft.not_recorded = (*draft.not_recorded, "usage")
    return draft


def _agents(state: Entry, name: str, path: str) -> Iterator[tuple[str, str, Sequence[Json]]]:
    """Agents with a model context, teams in teams included: name, place of the messages, messages."""
    for key, inner in mapping(state.get("agent_states")).items():
        yield from _agents(mapping(inner), text(key), step_to(step_to(path, "agent_states"), text(key)))
    if isinstance(state.get("agent_state"), dict):
        yield from _agents(state["agent_state"], name, step_to(path, "agent_state"))
    messages = mapping(state.get("llm_context")).get("messages")
    if isinstance(messages, list):
        yield name, step_to(path, "llm_context.messages"), messages


def _thread_of(manager: Json) -> list[Entry]:
    """The group's own list of messages, which has times and counts."""
    record = mapping(manager)
    listed = items(record.get("message_thread")) or items(mapping(record.get("agent_state")).get("message_thread"))
    return [mapping(entry) for entry in listed]


def _count(thread: ThreadDraft, spoken: Sequence[Entry]) -> None:
    """Times and counts of an agent's calls: the group's entries with a usage are its replies, in order, if they are as many."""
    counted = [entry for entry in spoken if isinstance(entry.get("models_usage"), dict)]
    replied = [number for number, call in enumerate(thread.calls) if call.reply is not None]
    if len(counted) != len(replied):
        return
    for number, entry in zip(replied, counted, strict=True):
        known = usage(entry.get("models_usage"), cache_in_input=True)
        thread.calls[number] = replace(thread.calls[number], usage=known, at=seconds(entry.get("created_at")))


def _context_message(value: Entry, source: SourceRef) -> Message:
    """A message of a model context."""
    match value.get("type"):
        case "AssistantMessage":
            role, parts = "assistant", [*_thought(value), *_said(value.get("content"))]
        case "FunctionExecutionResultMessage":
            role, parts = "tool", _results(value.get("content"))
        case "SystemMessage":
            role, parts = "system", _said(value.get("content"))
        case _:
            role, parts = "user", _said(value.get("content"))
    return _made(value, role, parts, source)


def _made(value: Entry, role: str, parts: Sequence[Part], source: SourceRef) -> Message:
    at = seconds(value.get("created_at"))
    return Message(role=role, parts=tuple(parts), wire=(value,), raw=value, source=source, id=text(value.get("id")), at=at)


def _thought(value: Entry) -> list[Part]:
    return [Reasoning(text=value["thought"])] if text(value.get("thought")) else []


def _said(content: Json) -> list[Part]:
    """Text, calls, or a list of texts and images."""
    if isinstance(content, str):
        return [Text(text=content)] if content else []
    return [_piece(value) for value in items(content)]


def _piece(value: Json) -> Part:
    record = mapping(value)
    if isinstance(value, str):
        return Text(text=value)
    if "arguments" in record:
        return ToolCall(id=text(record.get("id")), name=text(record.get("name")), arguments=text(record.get("arguments")))
    if isinstance(record.get("data"), str):
        return Media(media_type="image", payload_chars=len(record["data"]))
    return Text(text=text(record.get("text")) or compact_json(value))


def _results(content: Json) -> list[Part]:
    found: list[Part] = []
    for value in map(mapping, items(content)):
        error = value.get("is_error")
        found.append(
            ToolResult(
                call_id=text(value.get("call_id")),
                name=text(value.get("name")),
                text=text(value.get("content")),
                is_error=error if isinstance(error, bool) else None,
            )
        )
    return found


def _run(document: Document) -> SessionDraft:
    """The messages of a run: one thread, in which every reply counts as one call."""
    draft = SessionDraft(id="", level="message list only", documents=(document,), not_recorded=("system prompt", "tool definitions"))
    thread = ThreadDraft(id="main")
    thought: list[Part] = []
    replies: list[Entry] = []
    for record in document.records():
        values = _messages(record.value) if not is_message(record.value) else [record.value]
        document.record_count += max(len(values), 1) - 1
        draft.skipped.update({} if values else {"no message of a run": 1})
        for value in values:
            if not is_message(value) or value["type"] in NO_MESSAGES:
                draft.skipped["no message of a model context"] += 1
                continue
            draft.used += 1
            if value["type"] == "ThoughtEvent":
                thought += [Reasoning(text=text(value.get("content")))]
                continue
            message = _run_message(value, document.source(record))
            if message.role == "assistant":
                message, thought = replace(message, parts=(*thought, *message.parts)), []
                replies.append(value)
            thread.add(message)
    thread.calls = conversation_calls(thread.messages, asks=False)
    _count(thread, replies)
    draft.threads = [thread]
    if len({text(entry.get("source")) for entry in replies}) > 1:
        draft.notes.append(GROUP)
    return draft


def _run_message(value: Entry, source: SourceRef) -> Message:
    kind = value["type"]
    if kind == "ToolCallExecutionEvent":
        return _made(value, "tool", _results(value.get("content")), source)
    person = value["source"] in PEOPLE or value["source"].lower().endswith("userproxyagent") or kind == "UserInputRequestedEvent"
    return _made(value, "user" if person else "assistant", _said(value.get("content")), source)
