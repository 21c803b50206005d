"""Messages of several providers in one log: each read by its provider's rules, compared by what was said.

Source: format notes 2.0.1 and 2.0.8.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Literal, NamedTuple

from ctxcore.model import Call, Json, Message, Reasoning, Text, ToolCall, ToolResult
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

BLANK = Call(index=0, context=(), known="recorded")
"""For messages that are only compared."""


class Said(NamedTuple):
    """A message of a request with the provider whose shape it has; Responses groups its items in a plain tuple instead."""

    provider: Provider
    value: Body


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
