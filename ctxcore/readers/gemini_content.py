"""A Gemini ``Content`` (``{role, parts}``) as a ``Message``, and Gemini's usage; keys in camelCase or snake_case.

Source: format notes on generateContent (2.4) and on Gemini CLI; js-genai reference of ``UsageMetadata``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from ctxcore.model import Injected, Json, Media, Message, Other, Part, Reasoning, SourceRef, Text, ToolCall, ToolResult, Usage
from ctxcore.readers.values import compact_json, items, mapping, media_from_address, media_from_base64, text, whole

ROLES = {"user": "user", "model": "assistant", "function": "user", "system": "system"}
"""Recorded role -> the field's word; tool results stand under user or function."""

CODE_TOOL = "code_execution"
"""Name for code that the model runs on the provider's side; the parts themselves have none."""

OUTPUT_KEYS = ("output", "error", "result", "content")
"""Where tools put the text of a response."""

UNSENT_RESPONSE_KEYS = frozenset({"thoughtSignature", "thought_signature"})
"""Keys that come and go without changing what a part says."""


def twin(value: Json, name: str) -> Any:
    """The value of a camelCase key, or of its snake_case twin."""
    record = mapping(value)
    if name in record:
        return record[name]
    return record.get(_snake(name))


@cache
def _snake(name: str) -> str:
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name)


def is_content(value: Json) -> bool:
    """True for an object with a Gemini role and parts that are no typed parts of another kind."""
    record = mapping(value)
    parts = record.get("parts")
    if text(record.get("role")) not in ROLES or not isinstance(parts, list) or "id" in record:
        return False
    return all(isinstance(part, dict) and "type" not in part for part in parts)


def gemini_message(
    contents: Sequence[Mapping[str, Json]],
    source: SourceRef,
    *,
    raw: Json = None,
    id: str = "",
    at: float | None = None,
    injected: Injected = "",
    flags: Iterable[str] = (),
) -> Message:
    """A message from its contents: one, or several of the model in a row, which are one reply.

    Args:
        contents: As they stand in the request.
        source: Where.
        raw: The record around them, where there is more.
        id: The log's own id.
        at: Unix seconds.
        injected: Why a user-role message is not a person's.
        flags: Words that the reader adds.
    """
    recorded = text(contents[0].get("role")) or "user"
    role = ROLES.get(recorded, recorded)
    parts = tuple(part for content in contents for part in content_parts(content.get("parts")))
    odd = [*flags]
    if recorded not in ROLES:
        odd.append("unknown_role")
    if role == "assistant" and not parts:
        odd.append("empty")
    if any(isinstance(part, ToolCall) and not part.name for part in parts):
        odd.append("call_without_name")
    return Message(
        role=role,
        parts=parts,
        wire=tuple(contents),
        raw=(contents[0] if len(contents) == 1 else list(contents)) if raw is None else raw,
        source=source,
        id=id,
        at=at,
        injected=injected,
        flags=tuple(dict.fromkeys(odd)),
    )


def content_parts(parts: Json) -> list[Part]:
    """Parts of a ``parts`` value: a list, one part, or a string."""
    values = parts if isinstance(parts, list) else [parts] if parts else []
    found: list[Part] = []
    for value in values:
        part = _part(value)
        call = found[-1] if found else None
        if _goes_on(value) and isinstance(part, ToolCall) and isinstance(call, ToolCall):
            found[-1] = ToolCall(id=call.id, name=call.name, arguments=call.arguments + part.arguments)
        else:
            found.append(part)
    return found


def _goes_on(value: Json) -> bool:
    """True for a piece of a call whose arguments are streamed."""
    call = twin(value, "functionCall")
    return isinstance(call, dict) and not call.get("name") and ("partialArgs" in call or not call.get("args"))


def _part(value: Json) -> Part:
    if isinstance(value, str):
        return Text(text=value)
    for key, make in MAKERS:
        inner = twin(value, key)
        if isinstance(inner, dict):
            return make(inner)
    record = mapping(value)
    words = text(record.get("text"))
    if record.get("thought"):
        return Reasoning(text=words)
    if not words and (opaque := twin(record, "thoughtSignature")):
        return Reasoning(text="", opaque=bool(opaque))
    if "text" in record:
        return Text(text=words)
    return Other(type=next(iter(record), "unknown"))


def _call(call: Mapping[str, Json]) -> Part:
    args = twin(call, "args")
    pieces = items(twin(call, "partialArgs"))
    arguments = compact_json(args) if args is not None else "".join(map(_piece, pieces))
    return ToolCall(id=text(call.get("id")), name=text(call.get("name")), arguments=arguments)


def _piece(value: Json) -> str:
    """A streamed piece of arguments, as readable text."""
    piece = mapping(value)
    found = next((item for key, item in piece.items() if key.endswith(("Value", "_value"))), None)
    path = text(twin(piece, "jsonPath"))
    return f"{path}={found if isinstance(found, str) else compact_json(found)} " if found is not None else ""


def _response(response: Mapping[str, Json]) -> Part:
    answer = response.get("response")
    record = mapping(answer)
    key = next((key for key in OUTPUT_KEYS if isinstance(record.get(key), str)), None)
    words = record[key] if key and len(record) == 1 else answer if isinstance(answer, str) else "" if answer is None else compact_json(answer)
    inner = [part for value in items(response.get("parts")) if isinstance(part := _part(value), Media)]
    failed = True if key == "error" else None
    return ToolResult(call_id=text(response.get("id")), name=text(response.get("name")), text=words, is_error=failed, media=tuple(inner))


def _inline(blob: Mapping[str, Json]) -> Part:
    return media_from_base64(text(twin(blob, "mimeType")), text(blob.get("data")))


def _file(file: Mapping[str, Json]) -> Part:
    return media_from_address(text(twin(file, "fileUri")), text(twin(file, "mimeType")))


def _code(code: Mapping[str, Json]) -> Part:
    return ToolCall(id=text(code.get("id")), name=CODE_TOOL, arguments=text(code.get("code")))


def _code_result(result: Mapping[str, Json]) -> Part:
    failed = text(result.get("outcome")) not in ("", "OUTCOME_OK")
    return ToolResult(call_id=text(result.get("id")), name=CODE_TOOL, text=text(result.get("output")), is_error=failed)


MAKERS = (
    ("functionCall", _call),
    ("functionResponse", _response),
    ("inlineData", _inline),
    ("fileData", _file),
    ("executableCode", _code),
    ("codeExecutionResult", _code_result),
)
"""Key of a part -> how it is read; text is what none of them is."""


def gemini_usage(metadata: Json) -> Usage | None:
    """Normalised ``usageMetadata``: input holds the cached tokens and what tools of the provider put in, output the thoughts."""
    prompt, output = whole(twin(metadata, "promptTokenCount")), whole(twin(metadata, "candidatesTokenCount"))
    if prompt is None and output is None:
        return None
    thoughts, tool = whole(twin(metadata, "thoughtsTokenCount")), whole(twin(metadata, "toolUsePromptTokenCount"))
    return gemini_tokens(prompt, output, whole(twin(metadata, "cachedContentTokenCount")), thoughts, tool)


def gemini_tokens(prompt: int | None, output: int | None, cached: int | None, thoughts: int | None, tool: int | None) -> Usage:
    """Usage from Gemini's five counts: prompt includes cached, output excludes thoughts."""
    return Usage(
        input_tokens=None if prompt is None else prompt + (tool or 0),
        output_tokens=None if output is None and thoughts is None else (output or 0) + (thoughts or 0),
        cache_read_tokens=cached,
        reasoning_tokens=thoughts,
    )


def normal_form(content: Json) -> Json:
    """The form in which two recordings of a content are equal: no signatures, no empty parts, camelCase left as it is."""
    record = mapping(content)
    parts = [part for part in items(record.get("parts")) if isinstance(part, dict)]
    bare = [{key: item for key, item in part.items() if key not in UNSENT_RESPONSE_KEYS} for part in parts]
    return {"role": record.get("role"), "parts": [part for part in bare if part and part != {"text": ""}]}
