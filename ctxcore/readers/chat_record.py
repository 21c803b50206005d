"""What a record of an OpenAI Chat call holds, wherever its logger put it: request, tools, response, reply, time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ctxcore.model import Json
from ctxcore.readers.values import items, mapping, moment, seconds, text, tool_list


def request_of(value: Json) -> Mapping[str, Json] | None:
    """The object that holds ``messages``: the value itself, its ``request``, or a ``body``; None without one."""
    record = mapping(value)
    request = mapping(record.get("request"))
    for holder in (record, request, mapping(record.get("body")), mapping(request.get("body"))):
        if isinstance(holder.get("messages"), list):
            return holder
    return None


def response_of(value: Json) -> Mapping[str, Json]:
    """The response object beside a request, or an error in its place; empty without one."""
    record = mapping(value)
    response = mapping(record.get("response"))
    for holder in (response, mapping(response.get("body")), record):
        if isinstance(holder.get("choices"), list):
            return holder
    return response if error_of(response) else {}


def error_of(response: Mapping[str, Json]) -> bool:
    """True for a provider's error in place of a reply."""
    return bool(response.get("error")) and not response.get("choices")


def is_foreign(value: Json) -> bool:
    """True if the response beside the request is of another provider: Anthropic Messages or OpenAI Responses."""
    response = mapping(mapping(value).get("response"))
    body = mapping(response.get("body")) or response
    return isinstance(body.get("content"), list) or isinstance(body.get("output"), list)


def tools_of(request: Mapping[str, Json], record: Json) -> Sequence[Json] | None:
    """Tool definitions of a request: a list, an object or their JSON text, or old ``functions``; None where there are none."""
    for value in (request.get("tools"), request.get("functions"), mapping(record).get("tools")):
        found = tool_list(value)
        if found is not None:
            return found
    return None


def reply_of(response: Mapping[str, Json]) -> Mapping[str, Json] | None:
    """The first choice's message, without its null fields; None where there is none."""
    for choice in items(response.get("choices")):
        message = mapping(mapping(choice).get("message"))
        if message:
            return {key: item for key, item in message.items() if item is not None or key == "content"}
    return None


def time_of(value: Json, response: Mapping[str, Json]) -> float | None:
    """When the call was, by the first time that can be read: the record's, the request's, the response's."""
    record = mapping(value)
    request = mapping(record.get("request"))
    for candidate in (record.get("ts"), record.get("timestamp"), request.get("timestamp"), record.get("created_at"), response.get("created")):
        stamp = seconds(candidate)
        if stamp is not None:
            return stamp
    return None


def time_flag(value: Json) -> str | None:
    """What is odd about a recorded time, or None: it cannot be read, or it names no zone."""
    if not value or isinstance(value, bool):
        return None
    if moment(value) is None:
        return "time_unreadable"
    words = text(value).strip()
    clock = words[10:]
    named = words.endswith(("Z", "z")) or "+" in clock or "-" in clock
    return None if not words or named or "-" not in words else "zone_not_recorded"
