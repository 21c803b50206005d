"""Parts of pydantic-ai messages as OpenAI Chat messages, and the usage that a response carries. Source: format notes, 2.10."""

from __future__ import annotations

from collections.abc import Mapping

from ctxcore.model import Json, Usage
from ctxcore.readers.dialects import normal_form
from ctxcore.readers.langchain_message import filled
from ctxcore.readers.part_forms import Form, arguments_text, as_text, gathered, one_part
from ctxcore.readers.values import items, mapping, text, whole

RETURNS = frozenset({"tool-return", "builtin-tool-return", "native-tool-return"})
"""Parts that hold what a tool gave back."""

CALLS = frozenset({"tool-call", "builtin-tool-call", "native-tool-call"})
"""Parts that ask for a tool."""


def comparable(value: Json) -> Json:
    """The form in which two recordings of a part are equal."""
    return normal_form(form_of(value))


def form_of(value: Json) -> Mapping[str, Json]:
    """A part of a request, or a whole response, as a Chat message."""
    part = mapping(value)
    kind = text(part.get("part_kind"))
    if part.get("kind") == "response":
        return gathered("assistant", [_said(mapping(entry)) for entry in items(part.get("parts"))])
    if kind in RETURNS or (kind == "retry-prompt" and part.get("tool_name")):
        named = {"name": part["tool_name"]} if text(part.get("tool_name")) else {}
        return {"role": "tool", "tool_call_id": text(part.get("tool_call_id")), **named, "content": as_text(part.get("content"))}
    if kind in ("system-prompt", "instructions"):
        return {"role": "system", "content": as_text(part.get("content"))}
    content = part.get("content")
    return {"role": "user", "content": content} if isinstance(content, str) else gathered("user", [_given(entry) for entry in items(content)])


def _said(part: Mapping[str, Json]) -> Form:
    kind = text(part.get("part_kind"))
    if kind == "text":
        return {"part": {"type": "text", "text": text(part.get("content"))}}
    if kind == "thinking":
        return {"reasoning": text(part.get("content"))}
    if kind in CALLS:
        function = {"name": text(part.get("tool_name")), "arguments": arguments_text(part.get("args"))}
        return {"call": {"id": text(part.get("tool_call_id")), "type": "function", "function": function}}
    return _given(part.get("content") if isinstance(part.get("content"), dict) else part)


def _given(entry: Json) -> Form:
    """An entry of a user's prompt: text, the address of a file, or its bytes."""
    part = mapping(entry)
    kind = text(part.get("kind"))
    if kind.endswith("-url"):
        return one_part({"type": "image", "url": part.get("url"), "mime_type": part.get("media_type")})
    if kind == "binary":
        return one_part({"type": "blob", "mime_type": part.get("media_type"), "content": part.get("data")})
    return one_part(entry)


def usage_of(value: Mapping[str, Json]) -> Usage | None:
    """Tokens of a response; its input count has the cached ones in it. Older files have other names."""
    counted = mapping(value.get("usage"))
    counted = {**mapping(counted.get("details")), **counted}
    return filled(
        Usage(
            input_tokens=_first(counted, "input_tokens", "request_tokens"),
            output_tokens=_first(counted, "output_tokens", "response_tokens"),
            cache_read_tokens=_first(counted, "cache_read_tokens", "cached_tokens", "cache_read_input_tokens"),
            cache_write_tokens=_first(counted, "cache_write_tokens", "cache_creation_input_tokens"),
            reasoning_tokens=_first(counted, "output_reasoning_tokens", "reasoning_tokens", "thoughts_tokens"),
        )
    )


def _first(counted: Mapping[str, Json], *names: str) -> int | None:
    return next((n for name in names if (n := whole(counted.get(name))) is not None), None)
