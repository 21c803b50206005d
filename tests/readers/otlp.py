"""OTLP JSON as recorders write it, small and in our own words."""

from __future__ import annotations

import json
from typing import Any

START = 1_767_225_600
"""2026-01-01T00:00:00Z in seconds."""


def any_value(value: Any) -> dict[str, Any]:  # noqa: PLR0911 - one return per kind
    match value:
        case bool():
            return {"boolValue": value}
        case int():
            return {"intValue": str(value)}
        case float():
            return {"doubleValue": value}
        case str():
            return {"stringValue": value}
        case list():
            return {"arrayValue": {"values": [any_value(entry) for entry in value]}}
        case dict():
            return {"kvlistValue": {"values": [{"key": key, "value": any_value(item)} for key, item in value.items()]}}
    return {}


def attributes(values: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"key": key, "value": any_value(value)} for key, value in values.items()]


def span(
    id: str, values: dict[str, Any], *, parent: str = "", trace: str = "t1", start: float = 0, seconds: float = 1, **more: Any
) -> dict[str, Any]:
    begin = int((START + start) * 10**9)
    return {
        "traceId": trace,
        "spanId": id,
        "parentSpanId": parent,
        "name": more.pop("name", id),
        "startTimeUnixNano": str(begin),
        "endTimeUnixNano": str(begin + int(seconds * 10**9)),
        "attributes": attributes(values),
        **more,
    }


def request(*spans: dict[str, Any], scope: str = "recorder") -> dict[str, Any]:
    return {"resourceSpans": [{"resource": {}, "scopeSpans": [{"scope": {"name": scope}, "spans": list(spans)}]}]}


def log_request(*records: dict[str, Any]) -> dict[str, Any]:
    return {"resourceLogs": [{"resource": {}, "scopeLogs": [{"scope": {"name": "recorder"}, "logRecords": list(records)}]}]}


def log_record(name: str, body: dict[str, Any], *, span_id: str, trace: str = "t1") -> dict[str, Any]:
    return {"eventName": name, "traceId": trace, "spanId": span_id, "body": any_value(body), "observedTimeUnixNano": str(START * 10**9)}


def said(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "parts": [{"type": "text", "content": text}]}


def chat(messages: list[Any], reply: Any = None, **more: Any) -> dict[str, Any]:
    """Attributes of a model call in the newest form."""
    found: dict[str, Any] = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m-1", "gen_ai.input.messages": json.dumps(messages)}
    if reply is not None:
        found["gen_ai.output.messages"] = json.dumps([reply])
    return {**found, **{key.replace("__", "."): value for key, value in more.items()}}


def data(*values: Any) -> bytes:
    return "\n".join(json.dumps(value) for value in values).encode()
