"""GitHub Copilot CLI: one line an event; the system prompt and what was really sent of each prompt are recorded.

Source: format notes 2.3; GitHub Copilot SDK, session events.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

from ctxcore.model import Event, Json, Level, Message, Part, Reasoning, SourceRef, Text, ToolCall, ToolResult, Usage
from ctxcore.readers.build import ThreadDraft, agent_draft
from ctxcore.readers.conversation import Conversation
from ctxcore.readers.document import Document, Record
from ctxcore.readers.part_forms import arguments_text
from ctxcore.readers.protocol import SessionDraft
from ctxcore.readers.values import items, mapping, seconds, text, whole

NOT_RECORDED = ("tool definitions", "input tokens of each call")

FIRST_LINES = 5
"""In which the start of the session must stand."""

REQUEST_KEYS = ("toolCallId", "name", "arguments")
"""Keys of a tool request that the model wrote; the others are for the screen."""


class CopilotCLI:
    """See the module."""

    name: ClassVar[str] = "copilot-cli"
    family: ClassVar[str] = "agent logs"
    level: ClassVar[Level] = "message list only"
    detects: ClassVar[str] = "a session.start event of the producer copilot-agent (or events of its types), each with type, data, id and parentId"

    def matches(self, document: Document, head: Sequence[Json]) -> bool:
        """See ``Reader.matches``."""
        del document
        events = [mapping(value) for value in head if _is_event(value)]
        if 2 * len(events) < len(head) or not events:
            return False
        if any(e["type"] == "session.start" and "copilotVersion" in e["data"] for e in events[:FIRST_LINES]):
            return True
        return any(e["type"] == "assistant.message" and {"toolRequests", "messageId"} <= e["data"].keys() for e in events)

    def read(self, documents: Sequence[Document]) -> list[SessionDraft]:
        """See ``Reader.read``."""
        return [_Log(document).read() for document in documents]


def _is_event(value: Json) -> bool:
    record = mapping(value)
    return isinstance(record.get("type"), str) and isinstance(record.get("data"), dict) and "parentId" in record and "timestamp" in record


@dataclass(frozen=True, slots=True)
class _Event:
    """One event."""

    data: Mapping[str, Json]
    value: Mapping[str, Json]
    """The whole record."""
    source: SourceRef
    at: float | None


@dataclass(slots=True)
class _Lane:
    """One agent."""

    told: Conversation
    system: int | None = None
    """Its system message."""
    before: dict[str, int] = field(default_factory=dict)
    """Event id -> messages in the context in front of it."""


class _Log:
    """One file while it is read."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.draft = SessionDraft(id="", level=CopilotCLI.level, not_recorded=NOT_RECORDED, documents=(document,))
        self.lanes: dict[str, _Lane] = {"": _Lane(Conversation(ThreadDraft(id="main")))}
        self.asked: dict[str, tuple[str, int, str]] = {}
        """Tool call -> thread, call, and what it is for."""
        self.segment: dict[str, list[tuple[ThreadDraft, int]]] = {}
        """Model -> calls since the start or the resumption."""

    def read(self) -> SessionDraft:
        """The session."""
        for record in self.document.records():
            self._record(record)
        self.draft.threads = [lane.told.thread for lane in self.lanes.values()]
        return self.draft

    def _record(self, record: Record) -> None:
        value = mapping(record.value)
        data = mapping(value.get("data"))
        kind = text(value.get("type"))
        take = TAKEN.get(kind)
        if take is None:
            self.draft.skipped[f"event {kind}, not part of a request" if kind else "not an event"] += 1
            return
        lane = self._lane(text(data.get("parentToolCallId")))
        take(self, lane, _Event(data, value, self.document.source(record), seconds(value.get("timestamp"))))
        self.draft.used += 1

    def start(self, lane: _Lane, event: _Event) -> None:
        """A session begins, or goes on."""
        del lane
        self.draft.id = self.draft.id or text(event.data.get("sessionId"))
        self.segment = {}

    def user(self, lane: _Lane, event: _Event) -> None:
        """A prompt."""
        lane.before[text(event.value.get("id"))] = lane.told.length
        lane.told.add(_user(event))

    def result(self, lane: _Lane, event: _Event) -> None:
        """What a tool gave back."""
        lane.told.add(_result(event))

    def _lane(self, started_by: str) -> _Lane:
        if started_by not in self.lanes:
            self.lanes[started_by] = _Lane(Conversation(agent_draft(started_by, self.asked)))
        return self.lanes[started_by]

    def agent(self, lane: _Lane, event: _Event) -> None:
        lane = self._lane(text(event.data.get("toolCallId")))
        lane.told.thread.title = text(event.data.get("agentDisplayName")) or text(event.data.get("agentName")) or lane.told.thread.title

    def system(self, lane: _Lane, event: _Event) -> None:
        """The system prompt, written again at each prompt: one message as long as it says the same."""
        words = text(event.data.get("content"))
        thread = lane.told.thread
        if lane.system is not None and thread.messages[lane.system].text == words:
            return
        wire = {"role": text(event.data.get("role")) or "system", "content": words}
        rest = [index for index in lane.told.indexes() if index != lane.system]
        index = thread.add(Message(role=wire["role"], parts=(Text(text=words),), wire=(wire,), raw=event.value, source=event.source, at=event.at))
        if lane.system is not None:
            note = "The system prompt is another one from here on."
            thread.events.append(Event(kind="history_changed", call=len(thread.calls), at=event.at, source=event.source, note=note))
        lane.system = index
        lane.told.restart([index, *rest])

    def answer(self, lane: _Lane, event: _Event) -> None:
        output = whole(event.data.get("outputTokens"))
        usage = None if output is None else Usage(output_tokens=output)
        model = text(event.data.get("model"))
        own_id = text(event.data.get("apiCallId")) or text(event.data.get("messageId"))
        call = lane.told.reply(_assistant(event), model=model, usage=usage, id=own_id)
        self.segment.setdefault(model, []).append((lane.told.thread, call))
        for value in items(event.data.get("toolRequests")):
            request = mapping(value)
            title = text(mapping(request.get("arguments")).get("description")) or text(request.get("intentionSummary"))
            self.asked[text(request.get("toolCallId"))] = (lane.told.thread.id, call, title)

    def count(self, lane: _Lane, event: _Event) -> None:
        """Usage of one call, named by its id (or the newest one)."""
        del lane
        calls = [(lane.told.thread, number) for lane in self.lanes.values() for number, _ in enumerate(lane.told.thread.calls)]
        wanted = text(event.data.get("apiCallId"))
        found = next((place for place in reversed(calls) if not wanted or place[0].calls[place[1]].id == wanted), None)
        if found is not None:
            _set_usage(*found, _usage(event.data))

    def totals(self, lane: _Lane, event: _Event) -> None:
        """The end of a segment: totals of a model with one call are that call's."""
        del lane
        for model, value in mapping(event.data.get("modelMetrics")).items():
            metrics = mapping(value)
            calls = self.segment.get(model, [])
            if len(calls) == 1 and whole(mapping(metrics.get("requests")).get("count")) in (None, 1):
                _set_usage(*calls[0], _usage(mapping(metrics.get("usage"))))
            elif calls:
                total = whole(mapping(metrics.get("usage")).get("inputTokens"))
                self.draft.notes.append(f"{model}: {total or 0:,} input tokens (cached included) over {len(calls)} calls; no call has its own count.")
        tools = whole(event.data.get("toolDefinitionsTokens"))
        if tools:
            self.draft.notes.append(f"Tool definitions take {tools:,} tokens by the program's own count.")

    def compaction(self, lane: _Lane, event: _Event) -> None:
        """The history became a summary; the system prompt stays."""
        if event.data.get("success") is False:
            return
        words = text(event.data.get("summaryContent"))
        summary = None
        if words:
            wire = {"role": "user", "content": words}
            summary = Message(
                role="user", parts=(Text(text=words),), wire=(wire,), raw=event.value, source=event.source, at=event.at, injected="summary"
            )
        before, after = whole(event.data.get("preCompactionTokens")), whole(event.data.get("postCompactionTokens"))
        system = () if lane.system is None else (lane.system,)
        lane.told.compact(summary, (), before_tokens=before, after_tokens=after, at=event.at, source=event.source)
        lane.told.restart([*system, *lane.told.indexes()])

    def truncation(self, lane: _Lane, event: _Event) -> None:
        """The oldest messages went; the system prompt stays."""
        gone = whole(event.data.get("messagesRemovedDuringTruncation")) or 0
        held = lane.told.indexes()
        head = 0 if lane.system is None else 1
        before, after = whole(event.data.get("preTruncationTokensInMessages")), whole(event.data.get("postTruncationTokensInMessages"))
        lane.told.compact(
            None, [*held[:head], *held[head + gone :]], trigger="auto", before_tokens=before, after_tokens=after, at=event.at, source=event.source
        )

    def rewind(self, lane: _Lane, event: _Event) -> None:
        kept = lane.before.get(text(event.data.get("upToEventId")))
        if kept is None:
            return
        thread = lane.told.thread
        lane.told.restart(lane.told.indexes()[:kept])
        thread.events.append(
            Event(kind="rollback", call=len(thread.calls), at=event.at, source=event.source, note="Taken back to an earlier prompt.")
        )


def _set_usage(thread: ThreadDraft, call: int, usage: Usage) -> None:
    old = thread.calls[call].usage or Usage()
    output = usage.output_tokens if usage.output_tokens is not None else old.output_tokens
    thread.calls[call] = replace(thread.calls[call], usage=replace(usage, output_tokens=output))


def _usage(value: Mapping[str, Json]) -> Usage:
    """Counts of the program: input holds the cached tokens."""
    return Usage(
        input_tokens=whole(value.get("inputTokens")),
        output_tokens=whole(value.get("outputTokens")),
        cache_read_tokens=whole(value.get("cacheReadTokens")),
        cache_write_tokens=whole(value.get("cacheWriteTokens")),
        reasoning_tokens=whole(value.get("reasoningTokens")),
    )


def _user(event: _Event) -> Message:
    """A prompt as it was really sent: with what the program put around it."""
    words = text(event.data.get("transformedContent")) or text(event.data.get("content"))
    by_program = text(event.data.get("source")) not in ("", "user")
    wire = {"role": "user", "content": words}
    return Message(
        role="user",
        parts=(Text(text=words),) if words else (),
        wire=(wire,),
        raw=event.value,
        source=event.source,
        id=text(event.value.get("id")),
        at=event.at,
        injected="meta" if by_program else "",
    )


def _assistant(event: _Event) -> Message:
    parts: list[Part] = []
    thought = text(event.data.get("reasoningText"))
    if thought or event.data.get("reasoningOpaque") or event.data.get("encryptedContent"):
        parts.append(Reasoning(text=thought, opaque=not thought))
    if text(event.data.get("content")):
        parts.append(Text(text=event.data["content"]))
    requests = [mapping(value) for value in items(event.data.get("toolRequests"))]
    parts += [ToolCall(id=text(r.get("toolCallId")), name=text(r.get("name")), arguments=arguments_text(r.get("arguments"))) for r in requests]
    wire: dict[str, Json] = {"role": "assistant", "content": text(event.data.get("content"))}
    if thought:
        wire["reasoning"] = thought
    if requests:
        wire["tool_calls"] = [{key: request[key] for key in REQUEST_KEYS if key in request} for request in requests]
    flags = () if parts else ("empty",)
    return Message(
        role="assistant",
        parts=tuple(parts),
        wire=(wire,),
        raw=event.value,
        source=event.source,
        id=text(event.data.get("messageId")),
        at=event.at,
        flags=flags,
    )


def _result(event: _Event) -> Message:
    """What a tool gave back, as the model read it."""
    failed = event.data.get("success") is False
    words = text(mapping(event.data.get("result")).get("content")) or text(mapping(event.data.get("error")).get("message"))
    part = ToolResult(call_id=text(event.data.get("toolCallId")), text=words, is_error=failed)
    wire = {"role": "tool", "tool_call_id": part.call_id, "content": words}
    return Message(role="tool", parts=(part,), wire=(wire,), raw=event.value, source=event.source, id=text(event.value.get("id")), at=event.at)


TAKEN: Mapping[str, Callable[[_Log, _Lane, _Event], None]] = {
    "session.start": _Log.start,
    "session.resume": _Log.start,
    "system.message": _Log.system,
    "user.message": _Log.user,
    "assistant.message": _Log.answer,
    "assistant.usage": _Log.count,
    "tool.execution_complete": _Log.result,
    "session.compaction_complete": _Log.compaction,
    "session.truncation": _Log.truncation,
    "session.snapshot_rewind": _Log.rewind,
    "subagent.started": _Log.agent,
    "session.shutdown": _Log.totals,
}
"""Event types that say something about requests."""
