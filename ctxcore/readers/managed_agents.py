"""Claude Managed Agents: the events of a session, as the SDK streamed or listed them, with the calls of the SDK around them or alone.

Source: the reference recording; platform.claude.com, managed agents, events. A model request stands between its two span events, which hold its usage
(input without the cache); what the agent says and asks for between them is its answer. The program that runs the agent is on the server: its own
prompt and the definitions of its tool sets are in no event.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

from ctxcore.model import Event, Json, Level, Message, SourceRef
from ctxcore.readers.anthropic_message import anthropic_message
from ctxcore.readers.build import ThreadDraft
from ctxcore.readers.conversation import Conversation
from ctxcore.readers.document import Document
from ctxcore.readers.marks import entries, majority
from ctxcore.readers.protocol import SessionDraft
from ctxcore.readers.values import items, mapping, rows_of, seconds, text, tool_list, usage

DOMAINS = ("user.", "agent.", "session.", "span.", "system.")
"""Beginnings of event types."""

SAID = {"agent.message", "agent.thinking", "agent.tool_use", "agent.mcp_tool_use", "agent.custom_tool_use"}
"""What a model answers."""

RESULTS = {"agent.tool_result": "tool_use_id", "agent.mcp_tool_result": "mcp_tool_use_id", "user.custom_tool_result": "custom_tool_use_id"}
"""Results of tools and where each names its call."""

ASKED = {"user.message", "agent.thread_message_received"}
"""What goes to the model in the place of a person's message."""

Value = Mapping[str, Json]


class ManagedAgents:
    """See the module."""

    name: ClassVar[str] = "managed-agents"
    family: ClassVar[str] = "agent logs"
    level: ClassVar[Level] = "message list only"
    detects: ClassVar[str] = (
        "lines of an SDK method client.beta.sessions.… and its payload; or events with an id sevt_… and a type user.…, agent.…, span.…"
    )

    def matches(self, document: Document, head: Sequence[Json]) -> bool:
        """See ``Reader.matches``."""
        if document.shape == "json":
            return majority(entries(rows_of(head[0])), _is_event)
        return majority(head, lambda value: _is_line(value) or _is_event(value))

    def read(self, documents: Sequence[Document]) -> list[SessionDraft]:
        """See ``Reader.read``."""
        return [_read(document) for document in documents]


def _is_line(value: Json) -> bool:
    return isinstance(value, list) and len(value) == 2 and text(value[0]).startswith("client.beta.sessions.")


def _is_event(value: Json) -> bool:
    event = mapping(value)
    return text(event.get("id")).startswith("sevt_") and text(event.get("type")).startswith(DOMAINS)


def _read(document: Document) -> SessionDraft:
    draft = SessionDraft(id="", level=ManagedAgents.level, documents=(document,))
    log = _Log(draft)
    streamed = any(_is_event(event) for event, _ in _events(document))
    for event, source in _events(document):
        reason = log.take(event, source, streamed=streamed)
        draft.used += not reason
        draft.skipped.update([reason] if reason else ())
    log.finish()
    return draft


def _events(document: Document) -> Iterator[tuple[Json, SourceRef]]:
    """Events one by one; of an SDK call that is none its method and payload."""
    for record in document.records():
        value, source = record.value, document.source(record)
        if _is_line(value):
            yield (value[1] if _is_event(value[1]) else value), source
        elif isinstance(rows_of(value), list):
            document.record_count += len(rows_of(value)) - 1
            for number, event in enumerate(rows_of(value)):
                yield event, replace(source, path=f"[{number}]")
        else:
            yield value, source


@dataclass(slots=True)
class _Lane:
    """A thread of the session."""

    told: Conversation
    start: tuple[str, float | None, SourceRef] | None = None
    """Of the request under way: id, time and place of its first event."""
    said: list[Value] = field(default_factory=list)
    later: list[tuple[Value, SourceRef]] = field(default_factory=list)
    """Came while a request was under way."""


class _Log:
    """The events so far."""

    def __init__(self, draft: SessionDraft) -> None:
        self.draft = draft
        self.lanes: dict[str, _Lane] = {}
        self.agent: Value = {}
        self.agent_source = SourceRef()

    def take(self, value: Json, source: SourceRef, *, streamed: bool) -> str:
        """One event; why it was not used, or an empty string."""
        if _is_line(value):
            return self._sdk_call(value[0], value[1], source, streamed=streamed)
        if not _is_event(value):
            return "no event"
        return self._event(mapping(value), source)

    def _sdk_call(self, method: str, payload: Json, source: SourceRef, *, streamed: bool) -> str:
        session = mapping(payload)
        if isinstance(session.get("agent"), dict):
            self.agent, self.agent_source = session["agent"], source
            self.draft.id = text(session.get("id"))
            return ""
        sent = [mapping(event) for event in items(mapping(payload[-1] if isinstance(payload, list) and payload else None).get("events"))]
        if not sent or streamed:
            return f"{method}, said again by its event" if sent else f"{method}, not part of a request"
        for event in sent:
            self._event(event, source)
        return ""

    def _event(self, event: Value, source: SourceRef) -> str:
        kind = text(event.get("type"))
        lane = self._lane(event, kind)
        at = seconds(event.get("processed_at"))
        if kind == "span.model_request_start":
            self._end(lane, {})
            lane.start = text(event.get("id")), at, source
        elif kind == "span.model_request_end":
            self._end(lane, event)
        elif kind in SAID:
            lane.start = lane.start or ("", at, source)
            lane.said.append(event)
        elif kind in ASKED or kind in RESULTS:
            self._arrived(lane, event, source)
        elif kind.endswith("context_compacted"):
            self._end(lane, {})
            note = "The history was compacted on the server; what went is not recorded, sizes from here on are upper bounds."
            lane.told.thread.events.append(Event(kind="compaction", call=len(lane.told.thread.calls), at=at, source=source, note=note))
        else:
            return f"{kind[:60]}, not part of a request"
        return ""

    def _lane(self, event: Value, kind: str) -> _Lane:
        """The thread of an event; what tells the state of the session opens none."""
        name = text(event.get("session_thread_id")) if not kind.startswith("session.") else ""
        if name not in self.lanes:
            first = not self.lanes
            told = Conversation(ThreadDraft(id="main" if first else name, kind="main" if first else "agent", parent="" if first else "main"))
            if first and text(self.agent.get("system")):
                wire = {"role": "system", "content": self.agent["system"]}
                told.add(anthropic_message(wire, self.agent_source, raw=self.agent))
            self.lanes[name] = _Lane(told)
        return self.lanes[name]

    def _arrived(self, lane: _Lane, event: Value, source: SourceRef) -> None:
        """A message or a result: part of the next request. Without span events it ends the answer before it."""
        if lane.start is not None and lane.start[0]:
            lane.later.append((event, source))
            return
        self._end(lane, {})
        lane.told.add(_message(event, source))

    def _end(self, lane: _Lane, end: Value) -> None:
        """The request under way is a call."""
        start, said, later = lane.start, lane.said, lane.later
        lane.start, lane.said, lane.later = None, [], []
        if start is not None:
            name, at, source = start
            wire = {"role": "assistant", "content": [_block(event) for event in said]}
            reply = anthropic_message(wire, source, raw=said, id=name, at=at) if said else None
            lane.told.reply(
                reply,
                model=self._model(),
                usage=usage(end.get("model_usage"), cache_in_input=False),
                id=name,
                at=at,
                source=source,
                flags=("failed",) if end.get("is_error") is True or reply is None else (),
            )
        for event, place in later:
            lane.told.add(_message(event, place))

    def _model(self) -> str:
        model = self.agent.get("model")
        return text(mapping(model).get("id")) or text(model)

    def finish(self) -> None:
        """Threads and what is missing, put into the draft."""
        for lane in self.lanes.values():
            self._end(lane, {})
        self.draft.threads = [lane.told.thread for lane in self.lanes.values() if lane.told.thread.messages or lane.told.thread.calls]
        self.draft.threads = self.draft.threads or [ThreadDraft(id="main")]
        self.draft.threads[0].title = text(self.agent.get("name"))
        own = tuple(tool for tool in tool_list(self.agent.get("tools")) or () if "input_schema" in mapping(tool))
        if own:
            self.draft.tool_sets = (own,)
            for thread in self.draft.threads[:1]:
                thread.calls = [replace(call, tools=0) for call in thread.calls]
        known = bool(text(self.agent.get("system")))
        self.draft.not_recorded = (
            "prompt of the server's program" if known else "system prompt",
            "definitions of tool sets" if own else "tool definitions",
        )


def _message(event: Value, source: SourceRef) -> Message:
    kind = text(event.get("type"))
    content: Json = event.get("content")
    if kind in RESULTS:
        content = [{"type": "tool_result", "tool_use_id": event.get(RESULTS[kind]), "content": content, "is_error": event.get("is_error") is True}]
    wire = {"role": "user", "content": content}
    return anthropic_message(wire, source, raw=event, id=text(event.get("id")), at=seconds(event.get("processed_at")))


def _block(event: Value) -> Json:
    """What the agent said as a block of a Messages answer."""
    kind = text(event.get("type"))
    if kind == "agent.message":
        content = event.get("content")
        return (
            items(content)[0]
            if len(items(content)) == 1
            else {"type": "text", "text": "\n".join(text(mapping(b).get("text")) for b in items(content))}
        )
    if kind == "agent.thinking":
        return {"type": "thinking", "thinking": text(event.get("thinking"))} if event.get("thinking") else {"type": "redacted_thinking"}
    return {"type": "tool_use", "id": text(event.get("id")), "name": text(event.get("name")), "input": event.get("input")}
