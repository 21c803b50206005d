"""LangChain messages, in each way that they are dumped, as OpenAI Chat messages; and the usage that a reply carries.

Source: format notes, 2.9: ``messages_to_dict``, constructor dumps (``lc``), flat dumps of a graph's state.
"""

from __future__ import annotations

from collections.abc import Mapping

from ctxcore.model import Json, Usage
from ctxcore.readers.part_forms import arguments_text, as_text, gathered, one_part
from ctxcore.readers.values import items, mapping, text, usage, whole

KINDS = {
    "human": "user",
    "ai": "assistant",
    "system": "system",
    "tool": "tool",
    "function": "function",
    "chat": "",
    "developer": "developer",
    "remove": "remove",
}
"""Message types and their role in a chat; ``chat`` names its role itself."""

TYPES = {role: kind for kind, role in KINDS.items() if role}
"""Roles and the type of their messages."""

Fields = Mapping[str, Json]


def langchain_fields(value: Json) -> Fields | None:
    """The message's own fields with ``type`` among them, from any dump; None for what is none."""
    record = mapping(value)
    if record.get("lc") == 1 and isinstance(record.get("kwargs"), dict):
        name = text(items(record.get("id"))[-1]) if items(record.get("id")) else ""
        return _typed(record["kwargs"], name.removesuffix("Chunk").removesuffix("Message").lower())
    kind = text(record.get("type"))
    if isinstance(record.get("data"), dict) and ("content" in record["data"] or (kind == "remove" and "id" in record["data"])):
        return _typed(record["data"], kind)
    return _typed(record, kind) if ("content" in record and "role" not in record) or kind in ("chat", "remove") else None


def _typed(fields: Fields, kind: str) -> Fields | None:
    name = kind.removesuffix("Chunk").removesuffix("Message").lower()
    return {**fields, "type": name} if name in KINDS else None


def langchain_form(fields: Fields) -> Mapping[str, Json]:
    """A Chat message from a message's fields."""
    role = KINDS[fields["type"]] or text(fields.get("role")) or "user"
    extra = mapping(fields.get("additional_kwargs"))
    calls = _calls(fields, extra)
    named = {"name": fields["name"]} if text(fields.get("name")) else {}
    if role in ("tool", "function"):
        return {"role": role, **named, "tool_call_id": text(fields.get("tool_call_id")), "content": _result_content(fields.get("content"))}
    content = fields.get("content")
    parts = [content] if isinstance(content, str) and content else items(content)
    form = gathered(role, [form for form in map(one_part, parts) if "call" not in form or not calls])
    thought = text(extra.get("reasoning_content"))
    if thought and "reasoning_content" not in form:
        form["reasoning_content"] = thought
    return {**form, **named, **({"tool_calls": calls} if calls else {})}


def _result_content(content: Json) -> Json:
    """Text of a result, or its parts where one is no text."""
    forms = [one_part(part) for part in items(content)]
    if any(mapping(form.get("part")).get("type") not in (None, "text") for form in forms):
        return [form["part"] for form in forms if "part" in form]
    return as_text(content)


def _calls(fields: Fields, extra: Fields) -> list[Json]:
    """Tool calls: the parsed ones, else those that the provider's reply held, and those that could not be parsed."""
    parsed = [mapping(call) for call in (*items(fields.get("tool_calls")), *items(fields.get("invalid_tool_calls")))]
    if not parsed and items(extra.get("tool_calls")):
        return list(items(extra["tool_calls"]))
    if not parsed and isinstance(extra.get("function_call"), dict):
        return [{"id": "", "type": "function", "function": extra["function_call"]}]
    return [
        {"id": text(call.get("id")), "type": "function", "function": {"name": text(call.get("name")), "arguments": arguments_text(call.get("args"))}}
        for call in parsed
    ]


def model_of(fields: Fields) -> str:
    """The model that answered, or empty."""
    answer = mapping(fields.get("response_metadata"))
    return text(answer.get("model_name")) or text(answer.get("model"))


def usage_of(fields: Fields) -> Usage | None:
    """Tokens of the reply; None where the dump has none, or zeros that stand for none."""
    counted = mapping(fields.get("usage_metadata"))
    details, out = mapping(counted.get("input_token_details")), mapping(counted.get("output_token_details"))
    if counted:
        found: Usage | None = Usage(
            input_tokens=whole(counted.get("input_tokens")),
            output_tokens=whole(counted.get("output_tokens")),
            cache_read_tokens=whole(details.get("cache_read")),
            **cache_writes(details),
            reasoning_tokens=whole(out.get("reasoning")),
        )
    else:
        answer = mapping(fields.get("response_metadata"))
        found = usage(answer.get("token_usage") or answer.get("usage"), cache_in_input=True)
    return filled(found)


def cache_writes(details: Fields) -> dict[str, int | None]:
    """What was written to the cache, and how much of it for an hour; with that split given, LangChain leaves the sum at 0."""
    split = [whole(details.get(f"ephemeral_{time}_input_tokens")) for time in ("5m", "1h")]
    known = [count for count in split if count is not None]
    total = whole(details.get("cache_creation"))
    return {"cache_write_tokens": (total or sum(known)) if known else total, "cache_write_1h_tokens": split[1]}


def filled(found: Usage | None) -> Usage | None:
    """The usage, or None where all of it is unknown or zero: a call always has input."""
    return found if found is not None and (found.input_tokens or found.output_tokens) else None
