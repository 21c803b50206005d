"""Claude Code's stream-json output: what ``claude -p`` prints, no session file.

Source: format notes 2.1 (stream-json): lines have no parents; output counts on the lines are those of the stream's start, the result line (or the
stream's own events) has the true ones; lines of a sub-agent name the tool call that started it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

from ctxcore.model import Json, Level, Problem, SourceRef, Usage
from ctxcore.readers.anthropic_message import anthropic_message
from ctxcore.readers.build import ThreadDraft, agent_draft
from ctxcore.readers.claude_calls import reply_message
from ctxcore.readers.claude_lines import AGENT_TOOLS, SYNTHETIC, Line
from ctxcore.readers.conversation import Conversation
from ctxcore.readers.document import Document, Record
from ctxcore.readers.protocol import SessionDraft
from ctxcore.readers.values import items, mapping, seconds, text, usage, whole
from ctxcore.redaction.masking import masked_part

NOT_RECORDED = ("system prompt", "tool definitions", "first prompt", "CLAUDE.md and reminders")


OUTPUT_UNKNOWN = "output_not_recorded"


class ClaudeStream:
    """See the module."""

    name: ClassVar[str] = "claude-code-stream"
    family: ClassVar[str] = "agent logs"
    level: ClassVar[Level] = "message list only"
    detects: ClassVar[str] = "a system/init line with session_id and tools, and assistant, user or result lines with the same session_id"

    def matches(self, document: Document, head: Sequence[Json]) -> bool:
        """See ``Reader.matches``."""
        values = head[0][:200] if document.shape == "json" and head and isinstance(head[0], list) else head
        lines = [mapping(value) for value in values]
        starts = any(line.get("subtype") == "init" and "session_id" in line and "tools" in line for line in lines)
        return starts and any(line.get("type") in ("assistant", "user", "result") and "session_id" in line for line in lines)

    def read(self, documents: Sequence[Document]) -> list[SessionDraft]:
        """See ``Reader.read``."""
        return [_Stream(document).read() for document in documents]


@dataclass(slots=True)
class _Lane:
    """One agent of the run."""

    told: Conversation
    lines: list[Line] = field(default_factory=list)
    """Of the reply that is being read."""
    id: str = ""
    """Of that reply."""
    places: dict[str, int] = field(default_factory=dict)
    """Message id -> its call."""


class _Stream:
    """One file while it is read."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.draft = SessionDraft(id="", level=ClaudeStream.level, not_recorded=NOT_RECORDED, documents=(document,))
        self.lanes: dict[str, _Lane] = {"": _Lane(Conversation(ThreadDraft(id="main")))}
        self.asked: dict[str, tuple[str, int, str]] = {}
        """Tool call that may start a sub-agent -> thread, call, what it is for."""
        self.counted: dict[str, Mapping[str, Json]] = {}
        """Message id -> usage at the end of its stream."""
        self.streaming: dict[str, str] = defaultdict(str)
        self.results: list[Mapping[str, Json]] = []
        self.seq = 0

    def read(self) -> SessionDraft:
        """The session."""
        for record in self._records():
            self._line(record)
        for lane in self.lanes.values():
            self._close(lane)
        self._counts()
        self.draft.threads = [lane.told.thread for lane in self.lanes.values()]
        return self.draft

    def _records(self) -> Iterator[Record]:
        if self.document.shape != "json":
            yield from self.document.records()
            return
        for record in self.document.records():
            yield from (Record(value, 0) for value in items(record.value))
        self.document.record_count = len(items(self.document.value))

    def _line(self, record: Record) -> None:
        line = mapping(record.value)
        kind, source = text(line.get("type")), self.document.source(record)
        self.draft.id = self.draft.id or text(line.get("session_id"))
        lane = self._lane(text(line.get("parent_tool_use_id")))
        self.seq += 1
        if kind == "assistant" and isinstance(line.get("message"), dict):
            self._assistant(lane, line, source)
        elif kind == "user" and isinstance(line.get("message"), dict):
            self._user(lane, line, source)
        elif kind == "system" and line.get("subtype") == "compact_boundary":
            self._boundary(lane, line, source)
        elif kind == "stream_event":
            self._event(mapping(line.get("event")), text(line.get("parent_tool_use_id")))
        elif kind == "result":
            self.results.append(line)
            self.draft.used += 1
        else:
            detail = text(line.get("subtype"))
            self.draft.skipped[f"{kind} ({detail})" if detail else kind or "not a line of the stream"] += 1

    def _lane(self, started_by: str) -> _Lane:
        """The agent that a line belongs to."""
        if started_by not in self.lanes:
            self.lanes[started_by] = _Lane(Conversation(agent_draft(started_by, self.asked)))
        return self.lanes[started_by]

    def _assistant(self, lane: _Lane, line: Mapping[str, Json], source: SourceRef) -> None:
        message = line["message"]
        if line.get("is_api_error_message") or message.get("model") == SYNTHETIC or line.get("error"):
            words = " ".join(text(mapping(block).get("text")) for block in items(message.get("content")))
            what = f"Line {source.line} is a notice of a failed request, not a model call."
            self.draft.problems.append(Problem(what=what, kind="api_error", source=source, excerpt=masked_part(words, 0, 80)))
            self.draft.skipped["API error notice"] += 1
            return
        self.draft.used += 1
        own_id = text(message.get("id"))
        if lane.lines and own_id != lane.id:
            self._close(lane)
        lane.id = own_id
        lane.lines.append(Line(line, {"role": "assistant", "content": message.get("content")}, source, self.seq))
        for block in items(message.get("content")):
            if mapping(block).get("type") == "tool_use" and text(block.get("name")) in AGENT_TOOLS:
                given = mapping(block.get("input"))
                title = text(given.get("description")) or masked_part(text(given.get("prompt")).partition("\n")[0], 0, 80)
                call = lane.places.get(own_id, len(lane.told.thread.calls))
                self.asked[text(block.get("id"))] = (lane.told.thread.id, call, title)

    def _close(self, lane: _Lane) -> None:
        """The reply is complete; blocks that come after a result of the same message join it."""
        lines, lane.lines = lane.lines, []
        if not lines:
            return
        thread = lane.told.thread
        if lane.id and lane.id in lane.places:
            self._extend(thread, lane.places[lane.id], lines)
            return
        message = reply_message(lines)
        last = mapping(lines[-1].value.get("message"))
        counted = usage(last.get("usage"), cache_in_input=False)
        lane.places[lane.id] = lane.told.reply(message, model=text(last.get("model")), usage=counted, id=lane.id)

    def _extend(self, thread: ThreadDraft, call: int, lines: Sequence[Line]) -> None:
        place = thread.calls[call].reply
        if place is None:
            return
        old = thread.messages[place]
        raws = old.raw if isinstance(old.raw, list) else [old.raw]
        earlier = [
            Line(raw, {"role": "assistant", "content": mapping(raw.get("message")).get("content")}, old.source, 0) for raw in map(mapping, raws)
        ]
        thread.messages[place] = reply_message([*earlier, *lines])

    def _user(self, lane: _Lane, line: Mapping[str, Json], source: SourceRef) -> None:
        self._close(lane)
        self.draft.used += 1
        wire = {"role": "user", "content": line["message"].get("content")}
        message = anthropic_message(wire, source, raw=line, id=text(line.get("uuid")), at=seconds(line.get("timestamp")))
        if (line.get("isSynthetic") or line.get("isMeta")) and not message.injected and not message.results:
            message = replace(message, injected="meta")
        if message.is_real_user and lane is self.lanes[""]:
            self.draft.not_recorded = NOT_RECORDED if lane.told.thread.calls else tuple(p for p in NOT_RECORDED if p != "first prompt")
        events = lane.told.thread.events
        index = lane.told.add(message)
        if message.injected == "summary" and events and events[-1].summary is None and events[-1].call == len(lane.told.thread.calls):
            events[-1] = replace(events[-1], summary=index)

    def _boundary(self, lane: _Lane, line: Mapping[str, Json], source: SourceRef) -> None:
        self._close(lane)
        self.draft.used += 1
        details = mapping(line.get("compact_metadata") or line.get("compactMetadata"))
        before = whole(details.get("pre_tokens", details.get("preTokens")))
        lane.told.compact(None, (), trigger=text(details.get("trigger")), before_tokens=before, source=source)

    def _event(self, event: Mapping[str, Json], agent: str) -> None:
        """A piece of a stream: only its counts matter, the whole message comes on a line of its own."""
        self.draft.skipped["piece of a streamed reply, recorded whole as well"] += 1
        if event.get("type") == "message_start":
            self.streaming[agent] = text(mapping(event.get("message")).get("id"))
        elif event.get("type") == "message_delta" and isinstance(event.get("usage"), dict):
            self.counted[self.streaming[agent]] = event["usage"]

    def _counts(self) -> None:
        """Output counts: from the stream's events, from the result for its last pass, or what the total leaves for one call; the rest is unknown."""
        total = mapping(mapping(self.results[-1].get("usage")) if self.results else None)
        main = self.lanes[""].told.thread
        unknown: list[tuple[ThreadDraft, int]] = []
        known = 0
        for thread in (lane.told.thread for lane in self.lanes.values()):
            for number, call in enumerate(thread.calls):
                end = usage(self.counted.get(call.id), cache_in_input=False)
                last = thread is main and number == len(main.calls) - 1
                output = end.output_tokens if end else _output_of(total, call.usage) if last else None
                known += output or 0
                _set_output(thread, number, output)
                if output is None:
                    unknown.append((thread, number))
        sum_of_all = whole(total.get("output_tokens"))
        if len(unknown) == len(self.lanes) == len(self.results) == 1 and sum_of_all is not None and sum_of_all >= known:
            _set_output(*unknown.pop(), sum_of_all - known)
        self._notes(len(unknown))

    def _notes(self, unknown: int) -> None:
        totals = [mapping(result.get("usage")) for result in self.results]
        if unknown and totals:
            output = sum(whole(total.get("output_tokens")) or 0 for total in totals)
            self.draft.notes.append(
                f"Lines hold the output count of the stream's start; the result names {output:,} output tokens for the whole run."
            )
        for result in self.results:
            if result.get("is_error") or text(result.get("subtype")).startswith("error"):
                self.draft.notes.append(f"The run ended with {text(result.get('subtype')) or 'an error'}.")


def _set_output(thread: ThreadDraft, number: int, output: int | None) -> None:
    call = thread.calls[number]
    flags = tuple(flag for flag in call.flags if flag != OUTPUT_UNKNOWN) + (() if output is not None else (OUTPUT_UNKNOWN,))
    thread.calls[number] = replace(call, usage=replace(call.usage or Usage(), output_tokens=output), flags=flags)


def _output_of(total: Mapping[str, Json], counted: Usage | None) -> int | None:
    """Output of the run's last call, where the result lists its passes and the last one has that call's input."""
    last = mapping(next(reversed(items(total.get("iterations"))), None))
    found = usage(last, cache_in_input=False)
    same = found is not None and counted is not None and found.input_tokens == counted.input_tokens
    return found.output_tokens if same and found is not None else None
