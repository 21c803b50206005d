"""AI SDK messages: those of a chat window (UIMessage, old and new) and those sent to a model (ModelMessage).

A message of a window holds calls and results together; its model calls are told apart by ``step-start``. Source: format notes, 2.10.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from ctxcore.model import Json, Level, Message, SourceRef, ToolResult, Usage
from ctxcore.readers.chat_message import chat_message
from ctxcore.readers.dialects import pieces, traced_message
from ctxcore.readers.document import Document
from ctxcore.readers.langchain_message import filled
from ctxcore.readers.marks import majority
from ctxcore.readers.part_forms import Form, arguments_text, as_text, gathered, one_part
from ctxcore.readers.protocol import SessionDraft
from ctxcore.readers.reply_list import About, conversation, listed
from ctxcore.readers.values import items, mapping, seconds, text, whole

ROLES = frozenset({"system", "user", "assistant", "data"})

ANSWERED = frozenset({"output-available", "output-error", "result", "output-denied"})
"""States of a tool part that holds its result."""


def is_ui_message(value: Json) -> bool:
    """True for a message of a chat window: an id, a role and typed parts, or the old list of tool invocations."""
    record = mapping(value)
    if text(record.get("role")) not in ROLES or "id" not in record or "model" in record:
        return False
    parts = items(record.get("parts"))
    return (bool(parts) and all(text(mapping(part).get("type")) for part in parts)) or isinstance(record.get("toolInvocations"), list)


def is_model_message(value: Json) -> bool:
    """True for a message for a model with parts that only the AI SDK has."""
    parts = [mapping(part) for part in items(mapping(value).get("content"))]
    return "role" in mapping(value) and any(part.get("type") in ("tool-call", "tool-result") and "toolCallId" in part for part in parts)


class VercelAI:
    """See the module."""

    name: ClassVar[str] = "vercel-ai"
    family: ClassVar[str] = "traces"
    level: ClassVar[Level] = "message list only"
    detects: ClassVar[str] = "messages with id, role and typed parts, or with tool-call parts that have toolCallId"

    def matches(self, document: Document, head: Sequence[Json]) -> bool:
        """See ``Reader.matches``."""
        values = _messages(head[0]) if document.shape == "json" else head
        return majority(values[:200], is_ui_message) or (
            any(map(is_model_message, values[:200])) and majority(values[:200], lambda v: "role" in mapping(v) and "content" in mapping(v))
        )

    def read(self, documents: Sequence[Document]) -> list[SessionDraft]:
        """See ``Reader.read``."""
        return [_read(document) for document in documents]


def _messages(value: Json) -> Sequence[Json]:
    return value if isinstance(value, list) else items(mapping(value).get("messages")) or [value]


def _read(document: Document) -> SessionDraft:
    messages: list[Message] = []
    about: list[About] = []
    count = used = 0
    for value, source in listed(document, _messages):
        count += 1
        made = list(_made(mapping(value), source))
        used += bool(made)
        messages += [message for message, _ in made]
        about += [said for _, said in made]
    draft = conversation(messages, about)
    document.record_count = count + document.unreadable.total()
    draft.used = used
    draft.skipped.update({"not a message": count - used} if count > used else {})
    draft.documents = (document,)
    return draft


def _made(value: Mapping[str, Json], source: SourceRef) -> Iterator[tuple[Message, About]]:
    """The messages that an entry stands for, each with what it says about its call."""
    if not text(value.get("role")):
        return
    if not is_ui_message(value):
        for piece in pieces([value]):
            yield traced_message(piece, source), About()
        return
    extra = mapping(value.get("metadata"))
    at = seconds(value.get("createdAt") or extra.get("createdAt") or mapping(extra.get("pydantic_ai")).get("timestamp"))
    model = text(extra.get("model")) or text(extra.get("modelId"))
    counted = _usage(mapping(extra.get("usage") or extra.get("totalUsage")))
    steps = _steps(value)
    for number, parts in enumerate(steps):
        reply, *results = _step_messages(text(value["role"]), parts)
        whole_usage = counted if len(steps) == 1 else None
        key = text(value.get("id")) + (f"#{number + 1}" if len(steps) > 1 else "")
        yield replace(chat_message(reply, source, raw=value), at=at, id=text(value.get("id"))), About(model, whole_usage, key, at)
        for form, failed in results:
            message = replace(chat_message(form, source, raw=value), at=at)
            yield replace(message, parts=tuple(replace(p, is_error=failed) if isinstance(p, ToolResult) else p for p in message.parts)), About()


def _steps(value: Mapping[str, Json]) -> list[list[Mapping[str, Json]]]:
    """Parts of each model call of a message; without any mark all of them are one."""
    parts = [mapping(part) for part in items(value.get("parts"))]
    if not parts:
        said = [{"type": "text", "text": text(value.get("content"))}] if text(value.get("content")) else []
        parts = [*said, *({"type": "tool-invocation", "toolInvocation": call} for call in items(value.get("toolInvocations")))]
    steps: list[list[Mapping[str, Json]]] = [[]]
    for part in parts:
        if part.get("type") == "step-start":
            steps.append([])
        else:
            steps[-1].append(part)
    return [step for step in steps if step] or [[]]


def _step_messages(role: str, parts: Sequence[Mapping[str, Json]]) -> list[Json]:
    """The message of a step, then the result of each of its calls with whether it failed."""
    forms: list[Form] = []
    results: list[Json] = []
    for part in parts:
        call = _invocation(part)
        if call is None:
            forms += _shown(part)
            continue
        forms.append({"call": {"id": call["id"], "type": "function", "function": {"name": call["name"], "arguments": arguments_text(call["input"])}}})
        if call["state"] in ANSWERED:
            answer = {"role": "tool", "tool_call_id": call["id"], "content": as_text(call["output"])}
            results.append((answer, call["state"] in ("output-error", "output-denied") or None))
    return [gathered("user" if role == "data" else role, forms), *results]


def _shown(part: Mapping[str, Json]) -> list[Form]:
    """A part that is no call; data and sources of the window are not sent to a model."""
    kind = text(part.get("type"))
    if kind.startswith(("data-", "source")):
        return []
    if kind == "reasoning":
        return [{"reasoning": text(part.get("text")) or text(part.get("reasoning"))}]
    return [one_part(part)]


def _invocation(part: Mapping[str, Json]) -> Mapping[str, Json] | None:
    """Name, input, state and output of a tool part; None for any other."""
    kind = text(part.get("type"))
    inner = mapping(part.get("toolInvocation")) if kind == "tool-invocation" else part
    if not (kind == "dynamic-tool" or kind.startswith("tool-")):
        return None
    output = inner.get("errorText") if inner.get("state") == "output-error" else inner.get("output", inner.get("result"))
    return {
        "id": text(inner.get("toolCallId")),
        "name": text(inner.get("toolName")) or kind.removeprefix("tool-"),
        "input": inner.get("input", inner.get("args", inner.get("rawInput"))),
        "state": text(inner.get("state")),
        "output": output,
    }


def _usage(counted: Mapping[str, Json]) -> Usage | None:
    given, made = counted.get("inputTokens", counted.get("promptTokens")), counted.get("outputTokens", counted.get("completionTokens"))
    cached, thought = whole(counted.get("cachedInputTokens")), whole(counted.get("reasoningTokens"))
    return filled(Usage(input_tokens=whole(given), output_tokens=whole(made), cache_read_tokens=cached, reasoning_tokens=thought))
