"""One model call from the JSON bodies of its request and its answer, told apart call by call: a session may change its provider.

Every container of bodies (HTTP pairs, HAR, cassettes, batches, gateway logs) reads them here. Source: format notes 2.0.8, 2.1 to 2.4 and 3, step 4.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from ctxcore.model import Call, Json, Message, Reasoning, SourceRef, Text, ToolCall, ToolResult, Usage
from ctxcore.readers.anthropic_marks import has_anthropic_marks
from ctxcore.readers.anthropic_message import anthropic_message
from ctxcore.readers.anthropic_request import normal_form as anthropic_form
from ctxcore.readers.anthropic_request import recorded_messages
from ctxcore.readers.chat_message import ROLES, chat_message
from ctxcore.readers.chat_message import normal_form as chat_form
from ctxcore.readers.chat_record import reply_of, tools_of
from ctxcore.readers.claude_marks import injected_by_text
from ctxcore.readers.codex_marks import injected_kind
from ctxcore.readers.gemini import answers_of, contents_of, joined
from ctxcore.readers.gemini import request_of as gemini_request
from ctxcore.readers.gemini_content import gemini_message, gemini_usage, twin
from ctxcore.readers.gemini_content import normal_form as gemini_form
from ctxcore.readers.responses_item import items_message
from ctxcore.readers.responses_log import normal_item
from ctxcore.readers.responses_marks import is_request
from ctxcore.readers.values import items, mapping, seconds, text, usage, whole

Provider = Literal["", "anthropic", "chat", "responses", "gemini"]
"""Whose shape a body has; empty for none."""

Body = Mapping[str, Json]

LOOK_MESSAGES = 20
"""Messages that are looked at to tell a provider."""

MODEL_IN_URL = re.compile(r"/models/([^/:?]+)")
"""Where Gemini and Bedrock name the model."""


class Said(NamedTuple):
    """A message of a request with the provider whose shape it has; Responses groups its items in a plain tuple instead."""

    provider: Provider
    value: Body


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """What a container recorded of one HTTP call; headers are never taken over, they hold secrets."""

    request: Json
    """Body of the request as JSON; None where there is none."""
    answer: Json
    """Body of the answer as JSON, a stream put together; None where there is none."""
    source: SourceRef
    """Where it stands."""
    at: float | None = None
    """Unix seconds of the request."""
    url: str = ""
    """Address of the request."""
    failed: bool = False
    """True for an HTTP status from 400."""
    cut: bool = False
    """True where the answer's stream has no end."""
    id: str = ""
    """The container's own id, where the answer has none."""
    usage: Usage | None = None
    """As the container counted it, where the answer has none."""
    model: str = ""
    """As the container names it, where neither body does."""


def provider_of(pair: Pair) -> Provider:
    """Whose shape the call has: the answer decides where the request leaves it open, else the request's own marks."""
    request, answer = mapping(pair.request), mapping(pair.answer)
    answered = answer_provider(answer)
    if not request or pair.request is None:
        return answered
    asked = request_provider(request)
    if isinstance(request.get("messages"), list) and answered in ("anthropic", "chat"):
        return answered
    if not asked and answered == "responses" and "input" in request:
        return answered
    return asked


def request_provider(request: Body) -> Provider:
    """Whose request it is, by the request alone."""
    messages = request.get("messages")
    if isinstance(messages, list):
        first = [mapping(message) for message in messages[:LOOK_MESSAGES]]
        if not all(isinstance(message.get("role"), str) for message in first) or ("model" not in request and "tools" not in request and not first):
            return ""
        if has_anthropic_marks(request):
            return "anthropic"
        return "chat" if any(message["role"] in ROLES for message in first) else ""
    if is_request(request):
        return "responses"
    return "gemini" if gemini_request(request) is request else ""


def answer_provider(answer: Body) -> Provider:
    """Whose answer it is, by the answer alone."""
    if isinstance(answer.get("choices"), list) and text(answer.get("object")) != "text_completion":
        return "chat"
    if answer.get("type") == "message" and answer.get("role") == "assistant" and isinstance(answer.get("content"), list):
        return "anthropic"
    if answer.get("object") in ("response", "response.compaction") and isinstance(answer.get("output"), list):
        return "responses"
    return "gemini" if answers_of(answer) else ""


def is_token_count(answer: Json) -> bool:
    """True for the answer of a request that only asks for the number of tokens."""
    record = mapping(answer)
    only_input = set(record) <= {"input_tokens", "object", "context_management"} and whole(record.get("input_tokens")) is not None
    return only_input or ("totalTokens" in record and "candidates" not in record)


def is_model_call(pair: Pair) -> bool:
    """True for a request of a model, or the answer of one."""
    return bool(provider_of(pair)) and not is_token_count(pair.answer)


def messages_of(provider: Provider, request: Body) -> list[Said]:
    """The request's messages, a system prompt beside them in front; Responses requests are read by ``ResponsesLog``."""
    if provider == "anthropic":
        return [Said(provider, message) for message in recorded_messages(request)]
    if provider == "gemini":
        return [Said(provider, content) for content in contents_of(request)]
    return [Said(provider, message) for message in items(request.get("messages")) if isinstance(message, dict)]


def lost_entries(request: Body) -> int:
    """Entries of the message list that are no objects."""
    return sum(not isinstance(message, dict) for key in ("messages", "contents") for message in items(request.get(key)))


def tools_in(provider: Provider, request: Body) -> Sequence[Json] | None:
    """Tool definitions; None where the request has none."""
    if provider == "chat":
        return tools_of(request, None)
    tools = request.get("tools")
    return tools if isinstance(tools, list) else None


def reply_in(provider: Provider, answer: Body) -> Said | None:
    """The answering message; None where there is none."""
    if provider == "anthropic":
        content = answer.get("content")
        return Said(provider, {"role": "assistant", "content": content}) if isinstance(content, list) else None
    if provider == "gemini":
        candidate = mapping(next(iter(items(answer.get("candidates"))), None))
        parts = joined(part for part in items(mapping(candidate.get("content")).get("parts")) if isinstance(part, dict))
        return Said(provider, {"role": "model", "parts": parts}) if parts else None
    reply = reply_of(answer)
    return None if reply is None else Said(provider, reply)


def call_of(provider: Provider, pair: Pair) -> Call:
    """All of a call but its context, its tools and its reply."""
    request, answer = mapping(pair.request), mapping(pair.answer)
    return Call(
        index=0,
        context=(),
        known="recorded",
        model=_model(answer, request) or pair.model or model_in(pair.url),
        usage=_counted(provider, answer) or pair.usage,
        at=pair.at or seconds(answer.get("created")) or seconds(twin(answer, "createTime")),
        id=text(answer.get("id")) or text(twin(answer, "responseId")) or pair.id,
        source=pair.source,
        flags=flags_of(provider, pair),
    )


def _model(answer: Body, request: Body) -> str:
    return text(answer.get("model")) or text(twin(answer, "modelVersion")) or text(request.get("model")).removeprefix("models/")


def _counted(provider: Provider, answer: Body) -> Usage | None:
    if provider == "gemini":
        return gemini_usage(twin(answer, "usageMetadata"))
    return usage(answer.get("usage"), cache_in_input=provider != "anthropic")


def model_in(url: str) -> str:
    """The model that an address names, or an empty string."""
    found = MODEL_IN_URL.search(url)
    return found[1] if found else ""


def flags_of(provider: Provider, pair: Pair) -> tuple[str, ...]:
    """Stable words for what is odd about a call."""
    answer = mapping(pair.answer)
    failed = pair.failed or (bool(answer.get("error")) and provider != "responses" and not answer.get("choices"))
    failed = failed or bool(mapping(twin(answer, "promptFeedback")).get("blockReason"))
    choices = len(items(answer.get("choices") or answer.get("candidates")))
    words = (("failed", failed), ("incomplete", pair.cut), ("several_choices", choices > 1), ("input_not_recorded", not mapping(pair.request)))
    return tuple(word for word, holds in words if holds)


def make_message(value: Json, call: Call) -> Message:
    """A message as its provider's rules read it; the time of the call that first held it, where it has none of its own."""
    match value:
        case Said(provider="anthropic", value=record):
            message = anthropic_message(record, call.source)
        case Said(provider="gemini", value=record):
            message = gemini_message([record], call.source)
        case Said(value=record):
            message = chat_message(record, call.source)
        case _:
            message = items_message(value, call.source, at=call.at)
    if message.role == "user" and not message.injected:
        message = replace(message, injected=injected_by_text(message.parts) or injected_kind(message.parts))
    return message if message.at is not None else replace(message, at=call.at)


def shared_form(value: Json) -> Json:
    """The form in which a message is the same whatever provider it was sent to: role, texts, calls and results.

    A message with parts that providers write too differently (images, documents, server items) keeps its provider's own form.
    """
    message = make_message(value, BLANK)
    parts: list[Json] = []
    for part in message.parts:
        match part:
            case Text(text=words):
                parts += [["text", words]] if words else []
            case Reasoning(text=words):
                parts.append(["reasoning", words])
            case ToolCall():
                parts.append(["call", part.id, part.name, _loaded(part.arguments)])
            case ToolResult(media=()):
                parts.append(["result", part.call_id, part.text])
            case _:
                return own_form(value)
    if message.results and len(message.results) == len(parts):
        return ["tool", parts]
    return ["system" if message.role == "developer" else message.role, parts]


BLANK = Call(index=0, context=(), known="recorded")


def _loaded(arguments: str) -> Json:
    try:
        return json.loads(arguments)
    except (ValueError, RecursionError):
        return arguments


def own_form(value: Json) -> Json:
    """The form in which one provider's recordings of a message are equal."""
    match value:
        case Said(provider="anthropic", value=record):
            return anthropic_form(record)
        case Said(provider="gemini", value=record):
            return gemini_form(record)
        case Said(value=record):
            return chat_form(record)
    return [normal_item(item) for item in value]
