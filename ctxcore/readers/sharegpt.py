"""ShareGPT data sets: ``from``/``value`` turns, with tools as JSON text, or Hermes calls and results in tags.

Each conversation is a thread of its own. Source: format notes, 2.13; LLaMA-Factory and Hermes function-calling data descriptions.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from ctxcore.model import Json, Level, Media, Message, Part, SourceRef, Text, ToolCall, ToolResult
from ctxcore.readers.build import ThreadDraft, conversation_calls
from ctxcore.readers.document import Document
from ctxcore.readers.marks import majority
from ctxcore.readers.places import step_to
from ctxcore.readers.protocol import SessionDraft
from ctxcore.readers.values import compact_json, items, mapping, text

Turn = Mapping[str, Json]

ROLES = {
    "human": "user",
    "user": "user",
    "gpt": "assistant",
    "chatgpt": "assistant",
    "bing": "assistant",
    "bard": "assistant",
    "assistant": "assistant",
    "model": "assistant",
    "system": "system",
    "function_call": "assistant",
    "observation": "tool",
    "tool": "tool",
    "function_response": "tool",
    "tool_response": "tool",
}
"""Word of ``from`` -> the field's role."""

CALL = re.compile(r"<tool_call>\s*(\{.*?\})\s*</tool_call>", re.DOTALL)
RESULT = re.compile(r"<tool_response>\s*(.*?)\s*</tool_response>", re.DOTALL)
SCHEMAS = re.compile(r"<tools>\s*(.*?)\s*</tools>", re.DOTALL)
"""Hermes: calls in the reply, results in the answer, definitions in the system text."""

MEDIA_KEYS = (("images", "image"), ("image", "image"), ("videos", "video"), ("audios", "audio"))
"""Lists of files beside a conversation."""


class ShareGPT:
    """See the module."""

    name: ClassVar[str] = "sharegpt"
    family: ClassVar[str] = "data sets"
    level: ClassVar[Level] = "message list only"
    detects: ClassVar[str] = "conversations whose turns have from and value"

    def matches(self, document: Document, head: Sequence[Json]) -> bool:
        """See ``Reader.matches``."""
        if document.shape == "json":
            return majority(head[0][:200] if isinstance(head[0], list) else head, is_conversation)
        return majority(head, is_conversation)

    def read(self, documents: Sequence[Document]) -> list[SessionDraft]:
        """See ``Reader.read``."""
        return [_read(document) for document in documents]


def is_conversation(value: Json) -> bool:
    """True for an object whose turns have ``from`` and ``value``."""
    turns = mapping(value).get("conversations")
    return isinstance(turns, list) and bool(turns) and all("from" in mapping(turn) and "value" in mapping(turn) for turn in turns[:20])


def _read(document: Document) -> SessionDraft:
    draft = SessionDraft(id="", level="message list only", documents=(document,))
    tool_sets: dict[str, int] = {}
    for record in document.records():
        values = record.value if isinstance(record.value, list) else [record.value]
        document.record_count += len(values) - 1
        for place, value in enumerate(values):
            if not is_conversation(value):
                draft.skipped["not a conversation"] += 1
                continue
            number = len(draft.threads) + 1
            path = f"[{place}]" if isinstance(record.value, list) else ""
            draft.threads.append(_thread(value, number, document.source(record, path), tool_sets))
            draft.used += 1
    draft.tool_sets = [_definitions(key) for key in tool_sets]
    draft.not_recorded = tuple(_missing(draft))
    draft.threads = draft.threads or [ThreadDraft(id="main")]
    return draft


def _missing(draft: SessionDraft) -> Sequence[str]:
    has_system = any(message.role == "system" for thread in draft.threads for message in thread.messages)
    return [word for word, known in (("system prompt", has_system), ("tool definitions", bool(draft.tool_sets)), ("usage", False)) if not known]


def _thread(value: Turn, number: int, source: SourceRef, tool_sets: dict[str, int]) -> ThreadDraft:
    thread = ThreadDraft(id=text(value.get("id")) or f"conversation-{number}")
    thread.id = f"{thread.id}-{number}" if value.get("id") else thread.id
    system = text(value.get("system"))
    if system:
        thread.add(_message({"from": "system", "value": system}, replace(source, path=step_to(source.path, "system"))))
    for place, turn in enumerate(items(value["conversations"])):
        if isinstance(turn, dict):
            thread.add(_message(turn, replace(source, path=step_to(source.path, f"conversations[{place}]"))))
    _add_media(thread, value)
    key = _tools_text(value, thread.messages)
    tools = tool_sets.setdefault(key, len(tool_sets)) if key else None
    thread.calls = conversation_calls(thread.messages, tools=tools)
    return thread


def _message(turn: Turn, source: SourceRef) -> Message:
    word = text(turn.get("from"))
    role = ROLES.get(word.lower(), word)
    value = turn.get("value")
    words = value if isinstance(value, str) else "" if value is None else compact_json(value)
    parts: list[Part]
    if word == "function_call":
        parts = list(_calls(words))
    elif role == "tool":
        parts = [ToolResult(call_id="", text=found) for found in RESULT.findall(words) or [words]]
    elif role == "assistant" and "<tool_call>" in words:
        rest = CALL.sub("", words).strip()
        parts = [*([Text(text=rest)] if rest else []), *(call for found in CALL.findall(words) for call in _calls(found))]
    else:
        parts = [Text(text=words)] if words else []
    flags = () if role in ROLES.values() else ("unknown_role",)
    return Message(role=role, parts=tuple(parts), wire=(turn,), raw=turn, source=source, flags=flags)


def _calls(words: str) -> list[ToolCall]:
    """Calls saved as the JSON text of one, or of a list."""
    try:
        value = json.loads(words)
    except (ValueError, RecursionError):
        return [ToolCall(id="", name="", arguments=words)]
    found = [mapping(call) for call in (value if isinstance(value, list) else [value])]
    return [ToolCall(id="", name=text(call.get("name")), arguments=_arguments(call)) for call in found]


def _arguments(call: Turn) -> str:
    value = call.get("arguments", call.get("parameters"))
    return value if isinstance(value, str) else "" if value is None else compact_json(value)


def _tools_text(value: Turn, messages: Sequence[Message]) -> str:
    """Definitions as JSON text: beside the conversation, or in the system text; empty without any."""
    tools = value.get("tools")
    if isinstance(tools, list):
        return compact_json(tools) if tools else ""
    if text(tools).strip() not in ("", "[]"):
        return text(tools)
    found = SCHEMAS.search(messages[0].text) if messages and messages[0].role == "system" else None
    return found[1] if found and found[1].startswith(("{", "[")) else ""


def _definitions(words: str) -> tuple[Json, ...]:
    """Tool definitions from a JSON list, or from one object a line; the text itself where it is no JSON."""
    try:
        value = json.loads(words)
        return tuple(value) if isinstance(value, list) else (value,)
    except (ValueError, RecursionError):
        pass
    try:
        return tuple(json.loads(line) for line in words.splitlines() if line.strip())
    except (ValueError, RecursionError):
        return (words,)


def _add_media(thread: ThreadDraft, value: Turn) -> None:
    """Files beside a conversation belong to the marks in its texts, in order; the files themselves are elsewhere."""
    for key, kind in MEDIA_KEYS:
        names = value.get(key)
        left = [name for name in (names if isinstance(names, list) else [names]) if isinstance(name, str)]
        for number, message in enumerate(thread.messages):
            marks = min(message.text.count(f"<{kind}>"), len(left))
            media = tuple(Media(media_type=kind, payload_chars=len(name)) for name in left[:marks])
            if media:
                thread.messages[number] = replace(message, parts=(*message.parts, *media))
                left = left[marks:]
