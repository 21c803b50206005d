"""Messages and tools that stand as numbered attributes: ``llm.input_messages.0.message.role``, ``gen_ai.prompt.0.content``.

The recorder keeps 128 attributes a span unless told otherwise, and drops the oldest (Python) or the newest (JavaScript).
Source: format notes, 2.6 and 2.7.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ctxcore.model import Json
from ctxcore.readers.part_forms import decoded, gathered, one_part
from ctxcore.readers.values import mapping, text

Tree = dict[str, Json]


@dataclass(frozen=True, slots=True)
class Indexed:
    """Numbered messages."""

    messages: dict[int, Json]
    """By their number; numbers that are missing were lost."""
    incomplete: bool
    """True where the first of them lost fields."""


def tree(attributes: Mapping[str, Json], prefix: str) -> Tree:
    """The attributes under a prefix as nested objects, by the words between the dots."""
    root: Tree = {}
    for key, value in attributes.items():
        if not key.startswith(prefix):
            continue
        node = root
        *path, last = key[len(prefix) :].split(".")
        for word in path:
            inner = node.setdefault(word, {})
            if not isinstance(inner, dict):
                break
            node = inner
        else:
            node[last] = value
    return root


def numbered(value: Json) -> dict[int, Json]:
    """Entries whose names are numbers, in order; a list by its positions."""
    if isinstance(value, list):
        return dict(enumerate(value))
    return {int(key): item for key, item in sorted(mapping(value).items(), key=lambda pair: _number(pair[0])) if key.isdigit() and len(key) < 9}


def _number(key: str) -> int:
    return int(key) if key.isdigit() and len(key) < 9 else -1


def openinference_messages(attributes: Mapping[str, Json], prefix: str) -> Indexed:
    """Messages under ``llm.input_messages.`` or ``llm.output_messages.``."""
    found = {number: mapping(mapping(entry).get("message")) for number, entry in numbered(tree(attributes, prefix)).items()}
    return _indexed({number: _openinference_message(entry) for number, entry in found.items()})


def _openinference_message(entry: Mapping[str, Json]) -> Json:
    contents = [mapping(mapping(item).get("message_content")) for item in numbered(entry.get("contents")).values()]
    form = gathered(text(entry.get("role")), [one_part(_content_part(content)) for content in contents])
    if entry.get("content") is not None:
        form["content"] = entry["content"]
    calls = [mapping(mapping(item).get("tool_call")) for item in numbered(entry.get("tool_calls")).values()]
    if calls:
        form["tool_calls"] = [_call(text(call.get("id")), mapping(call.get("function"))) for call in calls]
    for name in ("tool_call_id", "name"):
        if entry.get(name):
            form[name] = entry[name]
    return form


def _content_part(content: Mapping[str, Json]) -> Json:
    image = mapping(mapping(content.get("image")).get("image"))
    if image.get("url"):
        return {"type": "image_url", "image_url": {"url": image["url"]}}
    return {"type": content.get("type") or "text", "text": content.get("text")}


def _call(id: str, function: Mapping[str, Json]) -> Json:
    return {"id": id, "type": "function", "function": {"name": text(function.get("name")), "arguments": text(function.get("arguments"))}}


def prompt_messages(attributes: Mapping[str, Json], prefix: str) -> Indexed:
    """Messages under ``gen_ai.prompt.`` or ``gen_ai.completion.``."""
    return _indexed({number: _prompt_message(mapping(entry)) for number, entry in numbered(tree(attributes, prefix)).items()})


def _prompt_message(entry: Mapping[str, Json]) -> Json:
    content = decoded(entry.get("content")) if text(entry.get("content")).startswith("[{") else entry.get("content")
    parts = content if isinstance(content, list) and all(text(mapping(part).get("type")) for part in content) else None
    form: Tree = {"role": text(entry.get("role")), "content": entry.get("content") if parts is None or entry.get("role") == "tool" else parts}
    calls = numbered(entry.get("tool_calls")).values()
    if calls:
        form["tool_calls"] = [_call(text(mapping(call).get("id")), mapping(call)) for call in calls]
    for name in ("tool_call_id", "name", "reasoning_content"):
        if entry.get(name):
            form[name] = entry[name]
    return form


def _indexed(messages: dict[int, Json]) -> Indexed:
    first = messages.get(min(messages)) if messages else None
    return Indexed(messages, incomplete=bool(first) and not text(mapping(first).get("role")))


def openinference_tools(attributes: Mapping[str, Json]) -> dict[int, Json]:
    """Definitions under ``llm.tools.``, by number."""
    found = numbered(tree(attributes, "llm.tools."))
    return {number: decoded(mapping(mapping(entry).get("tool")).get("json_schema")) for number, entry in found.items()}


def request_functions(attributes: Mapping[str, Json]) -> dict[int, Json]:
    """Definitions under ``llm.request.functions.``, by number."""
    found = numbered(tree(attributes, "llm.request.functions."))
    return {number: {"type": "function", "function": _definition(mapping(entry))} for number, entry in found.items()}


def _definition(entry: Mapping[str, Json]) -> Json:
    return {**entry, **({"parameters": decoded(entry["parameters"])} if "parameters" in entry else {})}
