"""One model call from the JSON bodies of its request and its answer, told apart call by call: a session may change its provider.

Every container of bodies (HTTP pairs, HAR, cassettes, batches, gateway logs) reads them here. Source: format notes 2.0.8, 2.1 to 2.4 and 3, step 4.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ctxcore.model import Call, Json, SourceRef, Usage
from ctxcore.readers.anthropic_marks import has_anthropic_marks
from ctxcore.readers.anthropic_request import recorded_messages
from ctxcore.readers.chat_message import ROLES
from ctxcore.readers.chat_record import reply_of, tools_of
from ctxcore.readers.gemini import answers_of, contents_of, joined
from ctxcore.readers.gemini import request_of as gemini_request
from ctxcore.readers.gemini import tools_of as gemini_tools
from ctxcore.readers.gemini_content import gemini_usage, twin
from ctxcore.readers.responses_marks import asks_in_text, is_request
from ctxcore.readers.said import Body, Provider, Said
from ctxcore.readers.values import items, mapping, seconds, text, tool_list, usage, whole

LOOK_MESSAGES = 20
"""Messages that are looked at to tell a provider."""

MODEL_IN_URL = re.compile(r"/models/([^/:?]+)")
"""Where Gemini and Bedrock name the model."""


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
    if not asked and not answered and answer.get("error") and asks_in_text(request):
        return "responses"
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
    if provider == "gemini":
        return gemini_tools(request)
    return tool_list(request.get("tools"))


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
        known="recorded" if request else "reconstructed",
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
