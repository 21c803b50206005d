"""Letta agent files (.af): an agent's messages, and which of them are in its window now. Blocks of memory stand in the system message.

Source: Letta agent file schema, v1 and v2; format notes, 2.12.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from ctxcore.model import Call, Event, Json, Level, Message, SourceRef, ToolResult
from ctxcore.readers.build import ThreadDraft, conversation_calls
from ctxcore.readers.chat_message import chat_message
from ctxcore.readers.document import Document
from ctxcore.readers.protocol import SessionDraft
from ctxcore.readers.values import items, mapping, natural, text, whole

Agent = Mapping[str, Json]

NO_REPLY = "The file holds no reply of a model, so there is no call to show; a first one would begin with {messages:,} messages and {tools:,} tools."


class Letta:
    """See the module."""

    name: ClassVar[str] = "letta"
    family: ClassVar[str] = "agent logs"
    level: ClassVar[Level] = "message list only"
    detects: ClassVar[str] = "agents, blocks and tools; or agent_type beside core_memory or llm_config, with messages"

    def matches(self, document: Document, head: Sequence[Json]) -> bool:
        """See ``Reader.matches``."""
        return document.shape == "json" and is_agent_file(head[0])

    def read(self, documents: Sequence[Document]) -> list[SessionDraft]:
        """See ``Reader.read``: one session a file, one thread an agent."""
        return [_read(document) for document in documents]


def is_agent_file(value: Json) -> bool:
    """True for either version."""
    record = mapping(value)
    if all(isinstance(record.get(key), list) for key in ("agents", "blocks", "tools")):
        return any("messages" in mapping(agent) for agent in record["agents"])
    return "agent_type" in record and ("core_memory" in record or "llm_config" in record) and isinstance(record.get("messages"), list)


def _read(document: Document) -> SessionDraft:
    draft = SessionDraft(id="", level="message list only", documents=(document,))
    draft.not_recorded = ("usage",)
    sets: list[Sequence[Json]] = []
    for record in document.records():
        draft.used += 1
        value = mapping(record.value)
        agents = items(value.get("agents")) or [value]
        definitions = {text(mapping(tool).get("id")): mapping(tool).get("json_schema") for tool in items(value.get("tools"))}
        for number, agent in enumerate(map(mapping, agents)):
            tools = _tools(agent, definitions, items(value.get("tools")))
            sets += [tools] if tools else []
            place = f"agents[{number}]" if "agents" in value else ""
            thread = _agent(agent, number, document.source(record, place), len(sets) - 1 if tools else None)
            draft.threads.append(thread)
    draft.tool_sets = sets
    if not any(thread.calls for thread in draft.threads):
        held = sum(len(thread.messages) for thread in draft.threads)
        draft.notes.append(NO_REPLY.format(messages=held, tools=sum(map(len, sets))))
    return draft


def _tools(agent: Agent, definitions: Mapping[str, Json], every: Sequence[Json]) -> list[Json]:
    """Definitions of the agent's own tools; those of the whole file where the agent names none."""
    names = [text(name) for name in items(agent.get("tool_ids"))]
    found = [definitions.get(name) for name in names] if names else [mapping(tool).get("json_schema") for tool in every]
    return [schema for schema in found if isinstance(schema, dict)]


def _agent(agent: Agent, number: int, source: SourceRef, tools: int | None) -> ThreadDraft:
    thread = ThreadDraft(id=text(agent.get("id")) or f"agent-{number}", title=text(agent.get("name")))
    model = mapping(agent.get("llm_config"))
    thread.window = whole(agent.get("context_window_limit")) or whole(model.get("context_window"))
    for place, value in enumerate(items(agent.get("messages"))):
        if isinstance(value, dict):
            thread.add(_message(value, replace(source, path=f"{source.path}.messages[{place}]".lstrip("."))))
    thread.calls = [
        replace(call, model=_model(call, thread) or text(model.get("model"))) for call in conversation_calls(thread.messages, tools=tools, asks=False)
    ]
    _in_window(agent, thread)
    return thread


def _model(call: Call, thread: ThreadDraft) -> str:
    return text(mapping(thread.messages[call.reply or 0].raw).get("model"))


def _message(value: Agent, source: SourceRef) -> Message:
    """A message as in OpenAI Chat; whether a tool failed stands beside it."""
    message = chat_message({**value, "content": value.get("content", value.get("text"))}, source, raw=value)
    returns = [mapping(entry) for entry in items(value.get("tool_returns"))]
    failed = {text(entry.get("tool_call_id")) for entry in returns if entry.get("status") == "error"}
    parts = tuple(replace(part, is_error=part.call_id in failed) if isinstance(part, ToolResult) and returns else part for part in message.parts)
    return replace(message, parts=parts)


def _in_window(agent: Agent, thread: ThreadDraft) -> None:
    """Where messages have left the window, an event behind the last call says how many; when they left is not recorded."""
    now = _now(agent, thread)
    if now is None or len(now) >= len(thread.messages):
        return
    gone = len(thread.messages) - len(now)
    note = f"{gone} of {len(thread.messages)} messages are no longer in the window; when they left is not recorded, calls may show too many."
    thread.events.append(Event(kind="compaction", call=len(thread.calls), source=thread.messages[0].source, note=note))


def _now(agent: Agent, thread: ThreadDraft) -> list[int] | None:
    """Messages in the window, in its order; None where the file does not say."""
    names = agent.get("in_context_message_ids")
    if isinstance(names, list):
        place = {message.id: number for number, message in enumerate(thread.messages) if message.id}
        return [place[name] for name in names if isinstance(name, str) and name in place]
    numbers = agent.get("in_context_message_indices")
    if isinstance(numbers, list):
        return [number for number in numbers if natural(number) is not None and number < len(thread.messages)]
    return None
