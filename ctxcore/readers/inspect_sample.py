"""One sample of an Inspect log: every model event is a recorded call; scorers and sub-agents are threads of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ctxcore.model import Call, Event, Json, Message, SourceRef, Usage
from ctxcore.readers.build import ThreadDraft, conversation_calls
from ctxcore.readers.inspect_message import inspect_message, plain
from ctxcore.readers.inspect_parts import Parts
from ctxcore.readers.protocol import SessionDraft
from ctxcore.readers.request_log import RequestLog
from ctxcore.readers.values import items, mapping, seconds, text, tool_list, whole
from ctxcore.redaction.masking import masked_part

SCORERS = frozenset({"scorer", "scorers"})
"""Types of spans and steps in which a scorer asks a model."""


def read_sample(parts: Parts) -> SessionDraft:
    """The session of a sample."""
    sample = parts.sample
    draft = SessionDraft(id=f"{sample.get('id', '')} epoch {sample.get('epoch', 1)}", level="full requests")
    log = _Log(parts)
    for event, source, around in parts.events():
        log.event(event, source, around)
    if log.count:
        draft.threads, draft.tool_sets = log.threads(), log.requests.tool_sets
    else:
        _messages_only(draft, parts)
    _notes(draft, parts, log)
    return draft


def _messages_only(draft: SessionDraft, parts: Parts) -> None:
    """Without model events, the sample's own list of messages."""
    draft.level = "message list only"
    thread = ThreadDraft(id="main")
    for number, value in enumerate(parts.messages()):
        thread.add(inspect_message(parts.whole(value), parts.source(f"messages[{number}]"), raw=value))
    thread.calls = conversation_calls(thread.messages, model=text(parts.evaluation.get("model")), asks=False)
    if not thread.calls:
        draft.notes.append("The sample holds messages, but no event of a model and no reply: there is no call to show.")
    draft.threads = [thread]
    missing = [] if any(message.role == "system" for message in thread.messages) else ["system prompt"]
    draft.not_recorded = (*missing, "tool definitions", "usage of single calls")


def _notes(draft: SessionDraft, parts: Parts, log: _Log) -> None:
    if log.cached:
        draft.notes.append(f"{log.cached} replies came from Inspect's own cache without a request; they are no calls.")
    if log.lost:
        draft.notes.append(f"{log.lost} model events hold no input that can be found; they are left out.")
    error = mapping(parts.sample.get("error"))
    if error:
        draft.notes.append(f"The sample ended with an error: {masked_part(text(error.get('message')), 0, 200)}")
    limit = mapping(parts.sample.get("limit"))
    if limit:
        draft.notes.append(f"The sample ended at a limit: {text(limit.get('type'))} {limit.get('limit', '')}".rstrip() + ".")


@dataclass(slots=True)
class _Span:
    """Who acts: a part of the run with a name, inside another one."""

    name: str
    type: str
    parent: str


@dataclass(slots=True)
class _Asked:
    """Where a call was made."""

    order: int
    chain: tuple[_Span, ...]
    role: str


class _Log:
    """The events of a sample while they are read."""

    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        self.requests = RequestLog(self._message, plain)
        self.spans: dict[str, _Span] = {}
        self.steps: list[_Span] = []
        self.asked: dict[SourceRef, _Asked] = {}
        self.compactions: list[tuple[int, Event]] = []
        self.count = self.cached = self.lost = 0

    def _message(self, value: Json, call: Call) -> Message:
        return replace(inspect_message(self.parts.whole(value), call.source, raw=value), at=call.at)

    def event(self, event: Mapping[str, Json], source: SourceRef, around: Sequence[str]) -> None:
        """One event; only some matter to a request."""
        match event.get("event"):
            case "model":
                self._model(event, source, around)
            case "span_begin":
                span = _Span(text(event.get("name")), text(event.get("type")), text(event.get("parent_id")))
                self.spans[text(event.get("id"))] = span
            case "step" if event.get("action") == "begin":
                self.steps.append(_Span(text(event.get("name")), text(event.get("type")), ""))
            case "step" if self.steps:
                self.steps.pop()
            case "compaction":
                self._compaction(event, source)

    def _chain(self, event: Mapping[str, Json], around: Sequence[str]) -> tuple[_Span, ...]:
        """Everything that the event is part of, innermost first."""
        chain = [_Span(name, "agent", "") for name in reversed(around)]
        span, seen = text(event.get("span_id")), set()
        while span in self.spans and span not in seen:
            seen.add(span)
            chain.append(self.spans[span])
            span = self.spans[span].parent
        return (*chain, *reversed(self.steps))

    def _model(self, event: Mapping[str, Json], source: SourceRef, around: Sequence[str]) -> None:
        if event.get("cache") == "read":
            self.cached += 1
            return
        messages = self.parts.input(event)
        if not messages:
            self.lost += 1
            return
        output = mapping(event.get("output"))
        reply = next((mapping(mapping(choice).get("message")) for choice in items(output.get("choices"))), None)
        self.asked[source] = _Asked(self.count, self._chain(event, around), text(event.get("role")))
        self.count += 1
        tools = tool_list(event.get("tools"))
        call = Call(
            index=0,
            context=(),
            known="recorded",
            tools=self.requests.tools([_tool(mapping(self.parts.whole(tool))) for tool in tools]) if tools else None,
            model=text(output.get("model")) or text(event.get("model")),
            usage=usage_of(mapping(output.get("usage"))),
            at=seconds(event.get("timestamp")),
            id=_id(event, output),
            source=source,
            flags=_flags(event, output),
        )
        self.requests.add(messages, reply or None, call)

    def _compaction(self, event: Mapping[str, Json], source: SourceRef) -> None:
        """Source: inspect_ai ``event/_compaction.py``."""
        made = Event(
            kind="compaction" if event.get("type") in (None, "summary") else "microcompaction",
            call=0,
            trigger="auto",
            before_tokens=whole(event.get("tokens_before")),
            after_tokens=whole(event.get("tokens_after")),
            at=seconds(event.get("timestamp")),
            source=source,
            note=f"Inspect shortened the history ({text(event.get('type')) or 'summary'}).",
        )
        self.compactions.append((self.count, made))

    def threads(self) -> list[ThreadDraft]:
        """The threads: the solver's with the most calls is the main one; scorers are side calls, other agents are agents."""
        drafts = self.requests.threads()
        scorers = [draft for draft in drafts if self._is_scorer(draft)]
        others = [draft for draft in drafts if all(draft is not scorer for scorer in scorers)] or drafts
        main = max(others, key=lambda draft: len(draft.calls))
        for draft in drafts:
            if draft is main:
                draft.kind, draft.title = "main", ""
            else:
                self._label(draft, main)
        for order, event in self.compactions:
            index = sum(self.asked[call.source].order < order for call in main.calls)
            main.events.append(replace(event, call=index))
        main.events.sort(key=lambda event: event.call)
        return [main, *(draft for draft in drafts if draft is not main)]

    def _is_scorer(self, draft: ThreadDraft) -> bool:
        return any(span.type in SCORERS for span in self.asked[draft.calls[0].source].chain)

    def _label(self, draft: ThreadDraft, main: ThreadDraft) -> None:
        asked = self.asked[draft.calls[0].source]
        named = next((span for span in asked.chain if span.type in {"agent", "scorer", "solver", "subtask"}), None)
        draft.title = asked.role or (named.name if named else "")
        draft.kind = "side"
        if self._is_scorer(draft):
            return
        draft.parent = main.id
        earlier = sum(self.asked[call.source].order < asked.order for call in main.calls)
        draft.parent_call = earlier - 1 if earlier else None
        if named is not None and named.type == "agent":
            draft.kind = "agent"


def _tool(tool: Mapping[str, Json]) -> Json:
    function = {key: tool[key] for key in ("name", "description", "parameters") if key in tool}
    return {"type": "function", "function": function}


def _id(event: Mapping[str, Json], output: Mapping[str, Json]) -> str:
    """The provider's id of the response, or the log's own of the event."""
    response = mapping(mapping(event.get("call")).get("response"))
    return text(response.get("id")) or text(output.get("id")) or text(event.get("uuid"))


def _flags(event: Mapping[str, Json], output: Mapping[str, Json]) -> tuple[str, ...]:
    failed = bool(event.get("error") or output.get("error"))
    return (*(("failed",) if failed else ()), *(("retried",) if whole(event.get("retries")) else ()))


def usage_of(record: Mapping[str, Json]) -> Usage | None:
    """Usage in Inspect's names. Newer logs count cached tokens beside the input, older ones in it: the recorded total tells."""
    fresh, output = whole(record.get("input_tokens")), whole(record.get("output_tokens"))
    if fresh is None and output is None:
        return None
    read, write = whole(record.get("input_tokens_cache_read")), whole(record.get("input_tokens_cache_write"))
    total = whole(record.get("total_tokens"))
    beside = total != (fresh or 0) + (output or 0)
    return Usage(
        input_tokens=None if fresh is None else fresh + ((read or 0) + (write or 0) if beside else 0),
        output_tokens=output,
        cache_read_tokens=read,
        cache_write_tokens=write,
        reasoning_tokens=whole(record.get("reasoning_tokens")),
    )
