"""Spans of a trace from each container: OTLP JSON (one request, a list, or lines of them), Phoenix and the Python SDK's own dump.

Ids are opaque: hexadecimal by the specification, base64 where protobuf wrote the JSON. Source: format notes, 2.6 and 2.7.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from ctxcore.model import Json, SourceRef
from ctxcore.readers.document import Document
from ctxcore.readers.values import items, mapping, natural, seconds, text

NO_PARENT = ("", "0000000000000000")
"""Ids that stand for no parent."""


@dataclass(slots=True)
class Span:
    """One span, or the log records of one span that is not in the upload."""

    id: str
    trace: str
    parent: str
    """Empty for a root."""
    name: str
    scope: str
    """Who recorded it."""
    start: float | None
    """Unix seconds."""
    end: float | None
    """Unix seconds."""
    attributes: Mapping[str, Json]
    """Decoded; keys with dots as recorded."""
    source: SourceRef
    document: Document
    events: list[tuple[str, Mapping[str, Json]]] = field(default_factory=list)
    """Name and content of each event, log records of the span included, in order."""
    dropped: int = 0
    """Attributes that the recorder left out at its limit."""
    failed: bool = False
    """Ended with an error."""
    log_records: int = 0
    """Of the events: those that stand as records of a log."""
    is_log_only: bool = False
    """True where only log records tell of the span."""


def any_value(value: Json) -> Json:
    """An OTLP value as plain JSON; accepts the snake_case twin."""
    record = mapping(value)
    for key, item in record.items():
        match key:
            case "stringValue" | "string_value" | "bytesValue" | "bytes_value" | "boolValue" | "bool_value" | "doubleValue" | "double_value":
                return item
            case "intValue" | "int_value":
                return int(item) if isinstance(item, str) and item.lstrip("-").isdigit() and len(item) < 20 else item
            case "arrayValue" | "array_value":
                return [any_value(entry) for entry in items(mapping(item).get("values"))]
            case "kvlistValue" | "kvlist_value":
                return attributes_of(mapping(item).get("values"))
    return None


def attributes_of(values: Json) -> dict[str, Json]:
    """Attributes from a list of keys and values."""
    return {text(mapping(entry).get("key")): any_value(mapping(entry).get("value")) for entry in items(values)}


def flat(value: Mapping[str, Json], before: str = "") -> dict[str, Json]:
    """Nested attributes with dotted keys; lists of objects by their index, other lists as they are."""
    made: dict[str, Json] = {}
    for key, item in value.items():
        name = f"{before}{key}"
        if isinstance(item, dict) and item:
            made |= flat(item, f"{name}.")
        elif isinstance(item, list) and item and not name.startswith("gen_ai.") and all(isinstance(entry, dict) for entry in item):
            for number, entry in enumerate(item):
                made |= flat(entry, f"{name}.{number}.")
        else:
            made[name] = item
    return made


def spans_of(document: Document) -> Iterator[Span]:
    """Every span of a file in its order, log records gathered by span at the end."""
    logs: dict[tuple[str, str], Span] = {}
    for record in document.records():
        values = record.value if isinstance(record.value, list) else [record.value]
        for number, value in enumerate(values):
            source = document.source(record, f"[{number}]" if isinstance(record.value, list) else "")
            if "resourceSpans" in mapping(value) or "resourceLogs" in mapping(value):
                yield from _otlp_spans(document, value, source)
                _gather_logs(document, value, source, logs)
            elif isinstance(value, dict) and "context" in value:
                yield _sdk_span(document, value, source)
    yield from logs.values()


def _groups(value: Mapping[str, Json], resources: str, scopes: str, entries: str) -> Iterator[tuple[str, Mapping[str, Json], str]]:
    """Name of the scope, entry and place of each span or log record of a request."""
    for r, resource in enumerate(items(value.get(resources))):
        for s, group in enumerate(items(mapping(resource).get(scopes))):
            scope = text(mapping(mapping(group).get("scope")).get("name"))
            for number, entry in enumerate(items(mapping(group).get(entries))):
                yield scope, mapping(entry), f"{resources}[{r}].{scopes}[{s}].{entries}[{number}]"


def _placed(source: SourceRef, path: str) -> SourceRef:
    return SourceRef(file=source.file, line=source.line, path=f"{source.path}.{path}".lstrip("."))


def _parent(value: Json) -> str:
    parent = text(value)
    return "" if parent in NO_PARENT else parent


def _otlp_spans(document: Document, value: Mapping[str, Json], source: SourceRef) -> Iterator[Span]:
    for scope, entry, path in _groups(value, "resourceSpans", "scopeSpans", "spans"):
        status = mapping(entry.get("status")).get("code")
        yield Span(
            id=text(entry.get("spanId")),
            trace=text(entry.get("traceId")),
            parent=_parent(entry.get("parentSpanId")),
            name=text(entry.get("name")),
            scope=scope,
            start=seconds(entry.get("startTimeUnixNano")),
            end=seconds(entry.get("endTimeUnixNano")),
            attributes=attributes_of(entry.get("attributes")),
            source=_placed(source, path),
            document=document,
            events=[_event(mapping(event)) for event in items(entry.get("events"))],
            dropped=natural(entry.get("droppedAttributesCount")) or 0,
            failed=status in (2, "STATUS_CODE_ERROR"),
        )


def _event(value: Mapping[str, Json]) -> tuple[str, Mapping[str, Json]]:
    return text(value.get("name")), attributes_of(value.get("attributes"))


def _gather_logs(document: Document, value: Mapping[str, Json], source: SourceRef, logs: dict[tuple[str, str], Span]) -> None:
    """Log records as events of spans of their own, until the spans themselves are met."""
    for scope, entry, path in _groups(value, "resourceLogs", "scopeLogs", "logRecords"):
        attributes = attributes_of(entry.get("attributes"))
        name = text(entry.get("eventName")) or text(attributes.get("event.name"))
        key = (text(entry.get("traceId")), text(entry.get("spanId")))
        at = seconds(entry.get("timeUnixNano")) or seconds(entry.get("observedTimeUnixNano"))
        if key not in logs:
            where = _placed(source, path)
            logs[key] = Span(key[1], key[0], "", name, scope, at, at, {}, where, document, is_log_only=True)
        body = any_value(entry.get("body"))
        logs[key].events.append((name, {**attributes, **body} if isinstance(body, dict) else {**attributes, "body": body}))
        logs[key].log_records += 1
        logs[key].end = at or logs[key].end


def _sdk_span(document: Document, value: Mapping[str, Json], source: SourceRef) -> Span:
    """A span of Phoenix, or of the Python SDK's ``to_json``."""
    context = mapping(value.get("context"))
    attributes = flat(mapping(value.get("attributes")))
    kind = text(value.get("span_kind"))
    status = value.get("status_code") or mapping(value.get("status")).get("status_code")
    return Span(
        id=text(context.get("span_id")),
        trace=text(context.get("trace_id")),
        parent=_parent(value.get("parent_id")),
        name=text(value.get("name")),
        scope=text(mapping(value.get("instrumentation_scope")).get("name")),
        start=seconds(value.get("start_time")),
        end=seconds(value.get("end_time")),
        attributes={"openinference.span.kind": kind, **attributes} if kind else attributes,
        source=source,
        document=document,
        events=[(text(mapping(event).get("name")), mapping(mapping(event).get("attributes"))) for event in items(value.get("events"))],
        dropped=natural(value.get("dropped_attributes_count")) or 0,
        failed=status == "ERROR",
    )


def joined(spans: Iterable[Span]) -> list[Span]:
    """All spans, the log records of a span that is there moved to it."""
    everything = list(spans)
    known = {(span.trace, span.id): span for span in everything if not span.is_log_only}
    rest: list[Span] = []
    for span in everything:
        owner = known.get((span.trace, span.id)) if span.is_log_only else None
        if owner is None:
            rest.append(span)
        else:
            owner.events += span.events
            owner.log_records += span.log_records
    return rest
