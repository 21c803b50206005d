"""OpenAI Agents SDK, exported traces: generations with all that was sent; response spans name only an id.

A nested agent (an agent used as a tool) is a thread of its own. Source: openai-agents tracing, ``span_data``; format notes, 2.10.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

from ctxcore.model import Json, Level, SourceRef
from ctxcore.readers.bodies import Pair
from ctxcore.readers.body_log import BodyLog, in_order
from ctxcore.readers.build import ThreadDraft
from ctxcore.readers.document import Document
from ctxcore.readers.marks import majority
from ctxcore.readers.protocol import SessionDraft
from ctxcore.readers.responses_item import is_item
from ctxcore.readers.values import items, mapping, seconds, text, usage

Span = Mapping[str, Json]

TOLD_ELSEWHERE = "{} span: told by the requests"
NO_CONTENT = "{} response spans name only the id of a response; what was sent stayed at the provider."


class AgentsTrace:
    """See the module."""

    name: ClassVar[str] = "openai-agents-trace"
    family: ClassVar[str] = "traces"
    level: ClassVar[Level] = "full requests"
    detects: ClassVar[str] = "object trace or trace.span with an id, spans with span_data"

    def matches(self, document: Document, head: Sequence[Json]) -> bool:
        """See ``Reader.matches``."""
        values = _listed(head[0])[:200] if document.shape == "json" else head
        return majority(values, is_trace_record)

    def read(self, documents: Sequence[Document]) -> list[SessionDraft]:
        """See ``Reader.read``: one session for each trace."""
        return [draft for document in documents for draft in _read(document)]


def _listed(value: Json) -> Sequence[Json]:
    """Records of a list, of the body of an upload (``data``), or the value alone."""
    if isinstance(value, list):
        return value
    data = mapping(value).get("data")
    return data if isinstance(data, list) else [value]


def is_trace_record(value: Json) -> bool:
    """True for a trace or a span of one."""
    record = mapping(value)
    kind = record.get("object")
    return isinstance(record.get("id"), str) and (kind == "trace" or (kind == "trace.span" and isinstance(record.get("span_data"), dict)))


@dataclass(slots=True)
class _Trace:
    """One trace under construction."""

    draft: SessionDraft
    spans: dict[str, Span] = field(default_factory=dict)
    logs: dict[str, BodyLog] = field(default_factory=dict)
    """Per nested agent; the empty name is the trace's own."""
    bare: int = 0
    """Calls whose content stayed at the provider."""


def _read(document: Document) -> list[SessionDraft]:
    traces: dict[str, _Trace] = {}
    spans: list[tuple[_Trace, Span, SourceRef]] = []
    stray = 0
    for record in document.records():
        values = _listed(record.value)
        document.record_count += len(values) - 1
        for value in values:
            if not is_trace_record(value):
                stray += 1
                continue
            name = text(value.get("trace_id")) or value["id"]
            trace = traces.setdefault(name, _Trace(SessionDraft(id=name, level="full requests", documents=(document,))))
            if value["object"] == "trace":
                trace.draft.used += 1
            else:
                trace.spans[value["id"]] = value
                spans.append((trace, value, document.source(record, value["id"])))
    for trace, span, source in in_order(spans, lambda entry: seconds(entry[1].get("started_at"))):
        _use(trace, span, source)
    drafts = [_finished(trace) for trace in traces.values()]
    if drafts and stray:
        drafts[0].skipped["no trace or span"] += stray
    return drafts


def _use(trace: _Trace, span: Span, source: SourceRef) -> None:
    data = mapping(span.get("span_data"))
    kind = text(data.get("type"))
    if kind not in ("generation", "response"):
        trace.draft.skipped[TOLD_ELSEWHERE.format(kind or "unnamed")] += 1
        return
    agent = _nested_in(trace.spans, span)
    log = trace.logs.setdefault(agent, BodyLog())
    pair = _pair(span, data, source)
    if pair.request is None and pair.answer is None:
        trace.bare += kind == "response"
        log.add_bare(pair)
        reason = ""
    else:
        reason = log.add(pair)
    trace.draft.used += not reason
    trace.draft.skipped.update([reason] if reason else ())


def _pair(span: Span, data: Span, source: SourceRef) -> Pair:
    """The call of a generation: messages in, messages out; of a response span what newer exports add to its id."""
    sent, came = items(data.get("input")), items(data.get("output"))
    model = text(data.get("model"))
    request: Json = None
    answer: Json = None
    if sent and any(is_item(value) and "type" in mapping(value) for value in sent):
        request = {"model": model, "input": list(sent), "store": False}
        answer = {"object": "response", "output": list(came)} if came else None
    else:
        request = {"model": model, "messages": list(sent)} if sent else None
        answer = {"choices": [{"index": n, "message": value} for n, value in enumerate(came)]} if came else None
    return Pair(
        request=request,
        answer=answer,
        source=source,
        at=seconds(span.get("started_at")),
        failed=bool(span.get("error")),
        id=text(data.get("response_id")) or text(span.get("id")),
        usage=usage(data.get("usage"), cache_in_input=True),
        model=model,
    )


def _ancestors(spans: Mapping[str, Span], span: Span) -> Iterator[Span]:
    seen: set[str] = set()
    parent = text(span.get("parent_id"))
    while parent in spans and parent not in seen:
        seen.add(parent)
        yield spans[parent]
        parent = text(spans[parent].get("parent_id"))


def _kind(span: Span) -> str:
    return text(mapping(span.get("span_data")).get("type"))


def _nested_in(spans: Mapping[str, Span], span: Span) -> str:
    """Id of the agent's span where that agent runs inside a tool of another one; else empty."""
    own = ""
    inside_tool = False
    for above in _ancestors(spans, span):
        if _kind(above) == "agent" and not own:
            own = above["id"]
        elif _kind(above) == "function" and own:
            inside_tool = True
        elif _kind(above) == "agent" and inside_tool:
            return own
    return ""


def _finished(trace: _Trace) -> SessionDraft:
    """The trace's own threads first, then those of nested agents, linked to the call that was newest when they began."""
    draft = trace.draft
    draft.threads = []
    main = trace.logs.pop("", BodyLog())
    main.finish(draft)
    names: list[ThreadDraft] = draft.threads
    for agent, log in trace.logs.items():
        nested = log.finish(SessionDraft(id="", level="full requests"))
        offset = len(draft.tool_sets)
        draft.tool_sets = [*draft.tool_sets, *nested.tool_sets]
        for number, thread in enumerate(nested.threads):
            _link(thread, names[0], trace.spans[agent], number, offset)
        draft.threads = [*draft.threads, *nested.threads]
    if trace.bare:
        draft.notes.append(NO_CONTENT.format(trace.bare))
        draft.not_recorded = tuple(dict.fromkeys((*draft.not_recorded, "messages")))
    return draft


def _link(thread: ThreadDraft, parent: ThreadDraft, agent: Span, number: int, offset: int) -> None:
    thread.id = f"{agent['id']}-{number}" if number else text(agent["id"])
    thread.kind, thread.parent, thread.title = "agent", parent.id, text(mapping(agent["span_data"]).get("name"))
    begun = seconds(agent.get("started_at")) or 0.0
    before = [call.index for call in parent.calls if call.at is not None and call.at <= begun]
    thread.parent_call = before[-1] if before else None
    thread.calls = [call if call.tools is None else replace(call, tools=call.tools + offset) for call in thread.calls]
