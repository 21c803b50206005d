"""Langfuse: a trace as downloaded, and observations as exported (camelCase of the interface, snake_case of the blob export).

Input and output are whatever the framework handed over, often JSON in a string. Source: format notes, 2.8.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from ctxcore.errors import UnreadableFile
from ctxcore.model import Json, Level, SourceRef, Usage
from ctxcore.readers.document import Document
from ctxcore.readers.langchain_message import filled
from ctxcore.readers.marks import majority
from ctxcore.readers.part_forms import decoded
from ctxcore.readers.payload import definitions, front_in, reply_in, request_in
from ctxcore.readers.protocol import SessionDraft
from ctxcore.readers.span_content import call_of, tools_of
from ctxcore.readers.span_kind import node_of, span_kind
from ctxcore.readers.spans import Span
from ctxcore.readers.trace_call import Trace, TraceCall
from ctxcore.readers.trace_session import sessions
from ctxcore.readers.values import mapping, natural, seconds, text, whole

CACHE_READ = ("input_cached_tokens", "cache_read_input_tokens", "input_cache_read", "prompt_details.cache_read", "cached_tokens")
CACHE_WRITE = ("cache_creation_input_tokens", "input_cache_creation", "prompt_details.cache_write")
REASONING = ("output_reasoning_tokens", "output_reasoning", "completion_details.reasoning", "reasoning_tokens")
"""Names of counts in ``usageDetails``."""

KINDS = {"AGENT": "agent", "TOOL": "tool"}


def is_observation(value: Json) -> bool:
    """True for an observation: of a trace, and with a parent or usage."""
    record = mapping(value)
    camel = "traceId" in record and "type" in record and ("parentObservationId" in record or "usageDetails" in record)
    return camel or ("trace_id" in record and "type" in record and ("usage_details" in record or "parent_observation_id" in record))


def is_download(value: Json) -> bool:
    """True for a trace with its observations."""
    record = mapping(value)
    return isinstance(record.get("trace"), dict) and isinstance(record.get("observations"), list)


class Langfuse:
    """See the module."""

    name: ClassVar[str] = "langfuse"
    family: ClassVar[str] = "traces"
    level: ClassVar[Level] = "full requests"
    detects: ClassVar[str] = "trace with observations; or observations with traceId, type and parentObservationId or usageDetails"

    def matches(self, document: Document, head: Sequence[Json]) -> bool:
        """See ``Reader.matches``."""
        if document.shape == "json" and isinstance(head[0], list):
            head = head[0][:200]
        return majority(head, lambda value: is_download(value) or is_observation(value))

    def read(self, documents: Sequence[Document]) -> list[SessionDraft]:
        """See ``Reader.read``.

        Raises:
            UnreadableFile: No observation is a generation.
        """
        trace = Trace()
        for document in documents:
            _read(document, trace)
        if not trace.calls:
            what = "no observation is of type GENERATION, so there is no model call to show"
            raise UnreadableFile(documents[0].name, what, advice="download the trace with all its observations")
        drafts = sessions(trace)
        for draft in drafts:
            _say_what_is_missing(draft)
        return drafts


def _say_what_is_missing(draft: SessionDraft) -> None:
    if any("input_not_recorded" in call.flags for thread in draft.threads for call in thread.calls):
        draft.notes.append("Langfuse leaves out the fields of some observations in a download; the export of observations holds them.")


def _observations(document: Document) -> Iterator[tuple[Json, Mapping[str, Json], SourceRef]]:
    """Each observation with the trace around it, if any."""
    for record in document.records():
        listed = isinstance(record.value, list)
        for number, value in enumerate(record.value if listed else [record.value]):
            before = f"[{number}]" if listed else ""
            if is_download(value):
                for place, entry in enumerate(value["observations"]):
                    yield entry, value["trace"], document.source(record, f"{before}.observations[{place}]".lstrip("."))
            else:
                yield value, {}, document.source(record, before)


def _read(document: Document, trace: Trace) -> None:
    count = 0
    for entry, around, source in _observations(document):
        if not isinstance(entry, dict) or not text(entry.get("id")):
            document.lost("An observation without an id was left out.", source.line, "no_id", repr(entry))
            continue
        count += 1
        span = _span(_camel(entry), source, document)
        trace.met(span.trace, document)
        kind = text(entry.get("type")).upper()
        if kind == "GENERATION":
            trace.calls.append(_call(_camel(entry), around, span))
        else:
            told = span_kind(span)
            node = node_of(span, KINDS.get(kind) or (told if told in ("agent", "tool") else "other"))
            node.output, node.result = decoded(entry.get("output")), entry.get("output")
            node.arguments = entry.get("input")
            node.name = text(span.attributes.get("ai.toolCall.name")) or text(span.attributes.get("gen_ai.tool.name")) or node.name
            trace.nodes.append(node)
    document.record_count = count + document.unreadable.total()


def _camel(entry: Mapping[str, Json]) -> Mapping[str, Json]:
    """The names of the interface for those of the blob export."""
    return {_joined(key) if "_" in key else key: value for key, value in entry.items()}


def _joined(key: str) -> str:
    first, *rest = key.split("_")
    return first + "".join(word.capitalize() for word in rest)


def _span(entry: Mapping[str, Json], source: SourceRef, document: Document) -> Span:
    """The span that the observation was made of, with the attributes that Langfuse kept."""
    metadata = mapping(decoded(entry.get("metadata")))
    return Span(
        id=text(entry.get("id")),
        trace=text(entry.get("traceId")),
        parent=text(entry.get("parentObservationId")),
        name=text(entry.get("name")),
        scope=text(mapping(metadata.get("scope")).get("name")),
        start=seconds(entry.get("startTime")),
        end=seconds(entry.get("endTime")),
        attributes={**{key: metadata[key] for key in ("tools",) if key in metadata}, **mapping(decoded(metadata.get("attributes")))},
        source=source,
        document=document,
        failed=entry.get("level") == "ERROR",
    )


def _call(entry: Mapping[str, Json], around: Mapping[str, Json], span: Span) -> TraceCall:
    call = call_of(span)
    given = request_in(entry.get("input"))
    if given is not None:
        call.messages, call.rebuilt = given.messages, False
        call.tools = given.tools or call.tools
    answer = reply_in(entry.get("output"))
    call.reply = _with_calls(answer if answer is not None else call.reply, span.attributes)
    front = front_in(entry.get("output"))
    if front and call.messages and mapping(call.messages[0]).get("role") != "system":
        call.messages = [{"role": "system", "content": front}, *call.messages]
    call.tools = definitions(entry.get("toolDefinitions")) or call.tools or tools_of(mapping(entry.get("modelParameters")))
    call.model = text(entry.get("model")) or text(entry.get("providedModelName")) or call.model
    call.usage = usage_of(mapping(decoded(entry.get("usageDetails")) or decoded(entry.get("usage")))) or call.usage
    call.session = text(around.get("sessionId")) or text(entry.get("sessionId")) or call.session
    return call


def _with_calls(reply: Json, attributes: Mapping[str, Json]) -> Json:
    """The reply with the tool calls that the AI SDK notes beside its text."""
    calls = decoded(attributes.get("ai.response.toolCalls"))
    record = mapping(reply)
    if not calls or not isinstance(record.get("content"), str):
        return reply
    return reply_in({"text": record["content"], "toolCalls": calls})


def usage_of(record: Mapping[str, Json]) -> Usage | None:
    """Tokens of a generation. The total tells whether cached tokens are in the input, and what thinking is not in the output."""
    counts = {key: natural(value) if isinstance(value, (str, dict)) else whole(value) for key, value in record.items()}  # units and parts beside them
    given = _first(counts, "input", "promptTokens", "input_tokens", "prompt_tokens")
    made = _first(counts, "output", "completionTokens", "output_tokens", "completion_tokens")
    read, write, thought = _first(counts, *CACHE_READ), _first(counts, *CACHE_WRITE), _first(counts, *REASONING)
    total = _first(counts, "total", "totalTokens", "total_tokens")
    if given is None or made is None or total is None:
        return filled(Usage(input_tokens=given, output_tokens=made, cache_read_tokens=read, cache_write_tokens=write, reasoning_tokens=thought))
    missing = total - given - made
    cached = (read or 0) + (write or 0)
    if cached and missing >= cached:
        given, missing = given + cached, missing - cached
    found = Usage(input_tokens=given, output_tokens=made, cache_read_tokens=read, cache_write_tokens=write, reasoning_tokens=thought)
    if missing > 0:
        found = replace(found, output_tokens=made + missing, reasoning_tokens=missing if thought is None else thought)
    return filled(found)


def _first(counts: Mapping[str, int | None], *names: str) -> int | None:
    return next((n for name in names if (n := counts.get(name)) is not None), None)
