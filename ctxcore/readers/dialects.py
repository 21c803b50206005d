"""One message of a trace, in whatever dialect its recorder wrote it, as an OpenAI Chat message: one form to size, compare and show.

Dialects: OpenAI Chat, parts with ``content`` (OpenTelemetry GenAI), LangChain dumps, Anthropic blocks, Gemini contents, OpenAI Responses items,
AI SDK model messages, and one-key objects ``{role: text}``. Source: format notes, 2.1 to 2.10.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from ctxcore.model import Json, Message, SourceRef, ToolResult
from ctxcore.readers.chat_message import chat_message
from ctxcore.readers.chat_message import normal_form as chat_normal_form
from ctxcore.readers.claude_marks import injected_by_text
from ctxcore.readers.langchain_message import TYPES, langchain_fields, langchain_form
from ctxcore.readers.part_forms import decoded, gathered, one_part
from ctxcore.readers.responses_item import is_item, kind_of, split_items
from ctxcore.readers.values import compact_json, items, mapping, text

ROLES = {"human": "user", "ai": "assistant", "model": "assistant", "function": "tool", "developer": "developer"}
"""Other words for the roles of a chat."""

ONE_KEY = frozenset({"system", "human", "user", "ai", "assistant", "tool", "function"})
"""Roles that stand as the only key of a message."""


def pieces(values: Iterable[Json]) -> list[Json]:
    """The recorded messages one by one: several results in one message become one each, the items of one reply are a list together."""
    made: list[Json] = []
    waiting: list[Mapping[str, Json]] = []
    for value in values:
        if _is_response_item(value):
            waiting.append(value)
            continue
        if waiting:
            made += _items(waiting)
            waiting = []
        made += _split(value)
    return made + _items(waiting)


def _is_response_item(value: Json) -> bool:
    record = mapping(value)
    return "role" not in record and "type" in record and kind_of(record) != "message" and is_item(record)


def _items(values: Sequence[Mapping[str, Json]]) -> list[Json]:
    return [group[0] if len(group) == 1 else list(group) for group in split_items(values)]


def _split(value: Json) -> list[Json]:
    """A message with several results as one message each, what else it holds behind them."""
    record = mapping(value)
    for key in ("parts", "content"):
        parts = items(record.get(key))
        results = [part for part in parts if _is_result(part)] if len(parts) > 1 else ()
        if results:
            rest = [part for part in parts if not _is_result(part)]
            alone = [{**record, key: [part]} for part in results]
            return [*alone, {**record, key: rest}] if rest and record.get("role") != "assistant" else alone if not rest else [value]
    return [value]


def _is_result(part: Json) -> bool:
    record = mapping(part)
    return record.get("type") in ("tool_call_response", "tool_result", "tool-result") or "functionResponse" in record or "function_response" in record


def chat_form(value: Json) -> Mapping[str, Json]:  # noqa: PLR0911 - one return per dialect
    """The recorded message as a Chat message; what is no message of any dialect becomes a user's text."""
    if isinstance(value, list):
        return _from_items(value)
    if not isinstance(value, dict):
        return {"role": "user", "content": value if isinstance(value, str) else compact_json(value)}
    fields = langchain_fields(value)
    if fields is not None:
        return langchain_form(fields)
    if isinstance(value.get("additional_kwargs"), dict) and text(value.get("role")) in TYPES:
        return langchain_form({**value, "type": TYPES[value["role"]]})
    if _is_response_item(value):
        return _from_items([value])
    if is_one_key(value):
        return _from_one_key(value)
    if isinstance(value.get("parts"), list) or isinstance(value.get("content"), list):
        return _from_parts(value)
    role = text(value.get("role"))
    return {**value, "role": ROLES[role]} if role in ROLES and role != "function" else value


def is_one_key(value: Mapping[str, Json]) -> bool:
    """True for ``{role: what was said}``."""
    return len(value) == 1 and next(iter(value)) in ONE_KEY


def _from_one_key(value: Mapping[str, Json]) -> Mapping[str, Json]:
    role, said = next(iter(value.items()))
    found = decoded(said)
    asked = [mapping(call) for call in (found if isinstance(found, list) else [found])]
    if asked and all("name" in call and "args" in call for call in asked):
        return gathered("assistant", [one_part({**call, "type": "tool_call"}) for call in asked])
    return {"role": ROLES.get(role, role), "content": said if isinstance(said, str) else compact_json(said)}


def _from_parts(value: Mapping[str, Json]) -> Mapping[str, Json]:
    """Typed parts, whatever their names."""
    role = text(value.get("role"))
    key = "parts" if isinstance(value.get("parts"), list) else "content"
    form = gathered(ROLES.get(role, role), [one_part(part) for part in items(value[key])])
    kept = {name: item for name, item in value.items() if name in ("name", "tool_call_id", "id", "tool_calls", "reasoning_content") and item}
    return {**kept, **form}


def _from_items(values: Sequence[Json]) -> Mapping[str, Json]:
    """The items of one reply, or one result, of the Responses interface."""
    parts: list[Mapping[str, Json]] = []
    role = "assistant"
    for value in values:
        item = mapping(value)
        match kind_of(item):
            case "function_call" | "custom_tool_call":
                asked = {"id": item.get("call_id") or item.get("id"), "name": item.get("name"), "arguments": item.get("arguments", item.get("input"))}
                parts.append(one_part({"type": "tool_call", **asked}))
            case "function_call_output" | "custom_tool_call_output":
                parts.append(one_part({"type": "tool_call_response", "id": item.get("call_id"), "response": item.get("output")}))
                role = "tool"
            case "reasoning":
                shown = [text(mapping(part).get("text")) for part in (*items(item.get("summary")), *items(item.get("content")))]
                parts.append({"reasoning": "\n".join(shown)})
            case "message":
                parts += [one_part(part) for part in items(item.get("content"))] or [one_part(item.get("content"))]
                role = text(item.get("role")) or role
            case kind:
                parts.append({"part": {"type": kind, "text": compact_json(item)}})
    return gathered(role, parts)


def normal_form(value: Json) -> Json:
    """The form in which two recordings of a message are equal, in whatever dialects: arguments as the object they stand for, no ids of messages."""
    form = dict(chat_normal_form(chat_form(value)))
    form.pop("id", None)
    if form.get("tool_calls"):
        form["tool_calls"] = [_normal_call(mapping(call)) for call in items(form["tool_calls"])]
    return form


def _normal_call(call: Mapping[str, Json]) -> Json:
    function = mapping(call.get("function"))
    try:
        arguments = json.loads(text(function.get("arguments")))
    except (ValueError, RecursionError):
        arguments = function.get("arguments")
    return [call.get("id"), function.get("name"), arguments]


def traced_message(value: Json, source: SourceRef, *, at: float | None = None) -> Message:
    """A message from its recorded form.

    Args:
        value: As recorded, one of ``pieces``.
        source: Where.
        at: Unix seconds.
    """
    message = chat_message(chat_form(value), source, raw=value)
    if at is not None and message.at is None:
        message = replace(message, at=at)
    if message.role == "user" and (injected := injected_by_text(message.parts)):
        message = replace(message, injected=injected)
    failed = _failed(value)
    if failed is None:
        return message
    return replace(message, parts=tuple(replace(part, is_error=failed) if isinstance(part, ToolResult) else part for part in message.parts))


def _failed(value: Json) -> bool | None:
    """Whether the recorder marks a result as failed; None where it does not say."""
    record = mapping(value)
    for holder in (record, mapping(record.get("kwargs")), mapping(record.get("data")), *map(mapping, items(record.get("content")))):
        if holder.get("status") in ("error", "success"):
            return bool(holder["status"] == "error")
        if isinstance(holder.get("is_error"), bool):
            return bool(holder["is_error"])
    return None
