"""Where an Anthropic Messages request and its answer stand in a record, and the form in which two recordings of a message are equal.

Source: format notes, 2.0 and 2.3.
"""

from __future__ import annotations

from collections.abc import Mapping

from ctxcore.model import Json
from ctxcore.readers.anthropic_marks import has_anthropic_marks
from ctxcore.readers.values import items, mapping

Request = Mapping[str, Json]


def request_of(value: Json) -> Request | None:
    """The object that holds ``messages``: the value itself, its ``request``, ``body`` or ``params``; None without one."""
    record = mapping(value)
    request = mapping(record.get("request"))
    for holder in (record, request, mapping(record.get("body")), mapping(request.get("body")), mapping(record.get("params"))):
        if isinstance(holder.get("messages"), list):
            return holder
    return None


def response_of(value: Json) -> Mapping[str, Json]:
    """The answering message object (``type: message``) in a record; empty without one."""
    record = mapping(value)
    response = mapping(record.get("response"))
    for holder in (record, response, mapping(response.get("body")), mapping(mapping(record.get("result")).get("message"))):
        if holder.get("type") == "message" and holder.get("role") == "assistant" and isinstance(holder.get("content"), list):
            return holder
    return {}


def is_anthropic(value: Json) -> bool:
    """True for a record with a mark of Anthropic Messages in its request or the shape of its response."""
    request = request_of(value)
    if request is not None and has_anthropic_marks(request):
        return True
    answer = response_of(value)
    return bool(answer) and ("stop_reason" in answer or "input_tokens" in mapping(answer.get("usage")))


def normal_form(message: Json) -> Json:
    """The form in which two recordings of a message are equal: no cache marks, no null fields, text as blocks.

    Source: format notes, 2.0.1.
    """
    record = mapping(message)
    content = record.get("content")
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else [_bare(block) for block in items(content)]
    rest = {key: value for key, value in record.items() if key not in ("content", "cache_control") and value is not None}
    return {**rest, "content": blocks}


def _bare(block: Json) -> Json:
    if not isinstance(block, dict):
        return block
    bare = {key: value for key, value in block.items() if key != "cache_control" and value is not None}
    inner = bare.get("content")
    if bare.get("type") == "tool_result":
        bare["content"] = [{"type": "text", "text": inner}] if isinstance(inner, str) else [_bare(item) for item in items(inner)]
    return bare


def recorded_messages(request: Request) -> list[Mapping[str, Json]]:
    """The messages as sent, a top-level ``system`` as a message of that role in front."""
    system = request.get("system")
    front = [{"role": "system", "content": system}] if system else []
    return [*front, *(m for m in items(request.get("messages")) if isinstance(m, dict))]
