"""Messages of several providers in one log: each read by its provider's rules, compared by what was said.

Source: format notes 2.0.1 and 2.0.8.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Literal, NamedTuple

from ctxcore.model import Call, Json, Message, Reasoning, SourceRef, Text, ToolCall, ToolResult
from ctxcore.readers.anthropic_message import anthropic_message
from ctxcore.readers.anthropic_request import normal_form as anthropic_form
from ctxcore.readers.chat_message import chat_message
from ctxcore.readers.chat_message import normal_form as chat_form
from ctxcore.readers.claude_marks import injected_by_text
from ctxcore.readers.codex_marks import injected_kind
from ctxcore.readers.gemini_content import gemini_message
from ctxcore.readers.gemini_content import normal_form as gemini_form
from ctxcore.readers.responses_item import items_message
from ctxcore.readers.responses_log import normal_item

Provider = Literal["", "anthropic", "chat", "responses", "gemini"]
"""Whose shape a body has; empty for none."""

Body = Mapping[str, Json]

NOWHERE = SourceRef()
"""For messages that are only compared."""


class Said(NamedTuple):
    """A message of a request with the provider whose shape it has; Responses groups its items in a plain tuple instead."""

    provider: Provider
    value: Body


def make_message(value: Json, call: Call) -> Message:
    """A message as its provider's rules read it; the time of the call that first held it, where it has none of its own."""
    message = _read(value, call.source)
    injected = message.injected
    if message.role == "user" and not injected:
        injected = injected_by_text(message.parts) or injected_kind(message.parts)
    at = call.at if message.at is None else message.at
    return message if (injected, at) == (message.injected, message.at) else replace(message, injected=injected, at=at)


def _read(value: Json, source: SourceRef) -> Message:
    match value:
        case Said(provider="anthropic", value=record):
            return anthropic_message(record, source)
        case Said(provider="gemini", value=record):
            return gemini_message([record], source)
        case Said(value=record):
            return chat_message(record, source)
    return items_message(value, source)


def message_of(value: Json) -> Message:
    """A message that is only compared."""
    return _read(value, NOWHERE)


def provider_of_message(value: Json) -> Provider:
    """In whose shape a message is recorded."""
    return value.provider if isinstance(value, Said) else "responses"


def shared_form(value: Json) -> Json:
    """The form in which a message is the same whatever provider it was sent to: role, texts, calls and results.

    A message with parts that providers write too differently (images, documents, server items) keeps its provider's own form.
    """
    message = message_of(value)
    parts: list[Json] = []
    for part in message.parts:
        match part:
            case Text(text=words):
                parts += [["text", words]] if words else []
            case Reasoning(text=words):
                parts.append(["reasoning", words])
            case ToolCall():
                parts.append(["call", part.id, part.name, loaded(part.arguments)])
            case ToolResult(media=()):
                parts.append(["result", part.call_id, part.text])
            case _:
                return own_form(value)
    if message.results and len(message.results) == len(parts):
        return ["tool", parts]
    return ["system" if message.role == "developer" else message.role, parts]


def loaded(arguments: str) -> Json:
    """The value that a text of JSON stands for, else the text."""
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
