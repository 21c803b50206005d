"""What a recorder kept as input and output of a model call: messages, tools and the reply, told apart by their shape.

Frameworks hand over a list of messages, a provider's request, a list of lists of dumps, or JSON saved as text once or twice.
Source: format notes, 2.0.9, 2.8 and 2.9.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ctxcore.model import Json
from ctxcore.readers.dialects import is_one_key, pieces
from ctxcore.readers.langchain_message import langchain_fields
from ctxcore.readers.noted import note
from ctxcore.readers.part_forms import decoded
from ctxcore.readers.values import items, mapping, text


@dataclass(frozen=True, slots=True)
class Request:
    """What a call got."""

    messages: list[Json]
    """One by one, as recorded."""
    tools: list[Json] | None = None
    """Definitions, or None where there are none beside the messages."""
    model: str = ""
    """As asked for, or empty."""


def request_in(value: Json) -> Request | None:
    """The messages and tools in a recorded input; None where it holds none."""
    value = decoded(value)
    if isinstance(value, str):
        return Request([{"role": "user", "content": value}]) if value else None
    if isinstance(value, list):
        return _from_list(value)
    record = mapping(value)
    for key in ("messages", "contents", "input", "prompts", "prompt"):
        if record.get(key):
            return _from_request(record, decoded(record[key]))
    fields = langchain_fields(record)
    return Request([record]) if "role" in record or fields is not None else None


def _from_request(record: Mapping[str, Json], given: Json) -> Request | None:
    found = request_in(given)
    if found is None:
        return None
    front = _system(record)
    messages = [{"role": "system", "content": front}, *found.messages] if front else found.messages
    tools = definitions(record.get("tools"))
    return Request(messages, found.tools if tools is None else tools, text(record.get("model")))


def _system(record: Mapping[str, Json]) -> Json:
    """System text beside the messages."""
    for key in ("system", "instructions", "systemInstruction", "system_instruction"):
        given = record.get(key) or mapping(record.get("config")).get(key)
        if given:
            return mapping(given).get("parts", given)
    return None


def _from_list(values: Sequence[Json]) -> Request | None:
    """A list of messages, or a list of one such list; entries that are tool definitions are no messages."""
    if len(values) == 1 and isinstance(values[0], list):
        values = values[0]
    values = [decoded(value) if isinstance(value, str) and value.lstrip()[:1] == "{" else value for value in values]
    tools = [value for value in values if _is_definition(value)]
    messages = pieces(value for value in values if not _is_definition(value))
    if not messages:
        return None
    return Request(messages, [mapping(decoded(mapping(t).get("content"))) or t for t in tools] or None)


def _is_definition(value: Json) -> bool:
    """True for a tool's schema that stands among the messages under the role ``tool``."""
    record = mapping(value)
    if record.get("role") != "tool" or "tool_call_id" in record:
        return False
    inner = mapping(decoded(record.get("content")))
    return inner.get("type") == "function" and "function" in inner


def reply_in(value: Json) -> Json | None:  # noqa: PLR0911 - one return per shape
    """The message that a recorded output holds; None where it holds none."""
    value = decoded(value)
    if value is None or value in ("", [], {}):
        return None
    if isinstance(value, str):
        return {"role": "assistant", "content": value}
    if isinstance(value, list):
        return _first_reply(value)
    record = mapping(value)
    for key in ("choices", "candidates", "generations"):
        if items(record.get(key)):
            return _choice(items(record[key])[0])
    if items(record.get("output")):
        return _first_reply(items(record["output"]))
    if items(record.get("messages")):
        return reply_in(items(record["messages"])[-1:])
    if isinstance(record.get("message"), dict):
        return reply_in(record["message"])
    return _said(record)


def _said(record: Mapping[str, Json]) -> Json | None:
    """A message, or text and calls beside each other (AI SDK)."""
    if "role" in record or langchain_fields(record) is not None or is_one_key(record):
        return record
    calls = [{**mapping(call), "type": "tool-call"} for call in items(record.get("toolCalls"))]
    said = text(record.get("text")) or text(record.get("content"))
    if calls or said:
        return {"role": "assistant", "content": [*([{"type": "text", "text": said}] if said else []), *calls]}
    return {**record, "role": "assistant"} if record.get("tool_calls") else None


def _choice(value: Json) -> Json | None:
    choice = items(value)[0] if items(value) else value
    record = mapping(choice)
    content = record.get("content")
    found = record.get("message") or (content if isinstance(content, dict) else None) or record
    said = mapping(found)
    if isinstance(record.get("text"), str) and found is record:
        return {"role": "assistant", "content": record["text"]}
    return reply_in({"role": "assistant", **said} if "parts" in said else said)


def _first_reply(values: Sequence[Json]) -> Json | None:
    """The model's message in a list: the first where each entry is an alternative, all items of one reply together."""
    found = pieces(values)
    if not found:
        return None
    return found[0] if isinstance(found[0], list) else reply_in(found[0])


def front_in(value: Json) -> str:
    """The system text that a response of the Responses interface repeats; empty where it has none."""
    record = mapping(decoded(value))
    return text(record.get("instructions")) if record.get("object") == "response" else ""


def definitions(value: Json) -> list[Json] | None:
    """Tool definitions: a list of objects or of JSON texts, or such a list as text; None where there is none."""
    value = decoded(value)
    if isinstance(value, dict) and value:
        value = [{"name": name, **mapping(decoded(item))} for name, item in value.items()]
    if not isinstance(value, list):
        if value:
            note("tools_unreadable", value)
        return None
    return [decoded(item) for item in value]
