"""Traces of OpenTelemetry: OTLP JSON with GenAI or OpenInference attributes, and spans as Phoenix and the Python SDK dump them.

Source: format notes, 2.6 and 2.7.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from ctxcore.errors import UnreadableFile
from ctxcore.model import Json, Level
from ctxcore.readers.document import Document
from ctxcore.readers.marks import majority
from ctxcore.readers.protocol import SessionDraft
from ctxcore.readers.span_content import call_of
from ctxcore.readers.span_kind import node_of, span_kind
from ctxcore.readers.spans import Span, joined, spans_of
from ctxcore.readers.trace_call import Trace
from ctxcore.readers.trace_session import sessions
from ctxcore.readers.values import items, mapping, text


def _entries(head: Sequence[Json]) -> Sequence[Json]:
    return head[0] if len(head) == 1 and isinstance(head[0], list) else head


def is_otlp(value: Json) -> bool:
    """True for an OTLP request: resources of spans or logs, each with scopes."""
    record = mapping(value)
    for key, inner in (("resourceSpans", "scopeSpans"), ("resourceLogs", "scopeLogs")):
        if items(record.get(key)):
            return inner in mapping(items(record[key])[0])
    return False


def is_span(value: Json) -> bool:
    """True for a span with its context and attributes: Phoenix, or the Python SDK."""
    record = mapping(value)
    return "trace_id" in mapping(record.get("context")) and "attributes" in record


def _is_openinference(value: Json) -> bool:
    spans = [
        s for r in items(mapping(value).get("resourceSpans")) for g in items(mapping(r).get("scopeSpans")) for s in items(mapping(g).get("spans"))
    ]
    keys = {text(mapping(a).get("key")) for span in spans[:50] for a in items(mapping(span).get("attributes"))}
    return "openinference.span.kind" in keys


class OpenInference:
    """OTLP with OpenInference attributes."""

    name: ClassVar[str] = "openinference"
    family: ClassVar[str] = "traces"
    level: ClassVar[Level] = "full requests"
    detects: ClassVar[str] = "resourceSpans with scopeSpans whose spans have openinference.span.kind"

    def matches(self, document: Document, head: Sequence[Json]) -> bool:  # noqa: ARG002 - the protocol has it
        """See ``Reader.matches``."""
        values = _entries(head)
        return majority(values, is_otlp) and any(map(_is_openinference, values))

    def read(self, documents: Sequence[Document]) -> list[SessionDraft]:
        """See ``Reader.read``."""
        return read_spans(documents)


class OTelGenAI:
    """OTLP with GenAI attributes, in spans or in logs."""

    name: ClassVar[str] = "otel-genai"
    family: ClassVar[str] = "traces"
    level: ClassVar[Level] = "full requests"
    detects: ClassVar[str] = "resourceSpans or resourceLogs, each with its scopes"

    def matches(self, document: Document, head: Sequence[Json]) -> bool:  # noqa: ARG002 - the protocol has it
        """See ``Reader.matches``."""
        return majority(_entries(head), is_otlp)

    def read(self, documents: Sequence[Document]) -> list[SessionDraft]:
        """See ``Reader.read``."""
        return read_spans(documents)


class Phoenix:
    """Spans with a context of their own, one a line or in a list."""

    name: ClassVar[str] = "spans"
    family: ClassVar[str] = "traces"
    level: ClassVar[Level] = "full requests"
    detects: ClassVar[str] = "spans with context.trace_id and attributes, as Phoenix and OpenTelemetry's Python SDK write them"

    def matches(self, document: Document, head: Sequence[Json]) -> bool:  # noqa: ARG002 - the protocol has it
        """See ``Reader.matches``."""
        return majority(_entries(head)[:200], is_span)

    def read(self, documents: Sequence[Document]) -> list[SessionDraft]:
        """See ``Reader.read``."""
        return read_spans(documents)


def read_spans(documents: Sequence[Document]) -> list[SessionDraft]:
    """Sessions from the spans and log records of all files.

    Raises:
        UnreadableFile: No span is a model call.
    """
    trace = Trace()
    everything: list[Span] = []
    for document in documents:
        count = len(everything)
        everything += spans_of(document)
        found = everything[count:]
        document.record_count = sum(span.log_records + (not span.is_log_only) for span in found) + document.unreadable.total()
        for span in found:
            trace.met(span.trace, document)
    for span in joined(everything):
        kind = span_kind(span)
        if kind == "model":
            trace.calls.append(call_of(span))
        else:
            trace.nodes.append(node_of(span, kind))
    if not trace.calls:
        names = ", ".join(dict.fromkeys(node.name for node in trace.nodes[:5])) or "none"
        raise UnreadableFile(
            documents[0].name,
            f"no span of the trace is a model call (spans: {names}); looked for gen_ai.operation.name=chat and openinference.span.kind=LLM",
            advice="export the spans of the model client too, with content: OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true",
        )
    return sessions(trace)
