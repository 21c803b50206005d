"""What tells a message, a list of messages or a request of OpenAI Chat from others."""

from __future__ import annotations

from ctxcore.model import Json
from ctxcore.readers.anthropic_marks import has_anthropic_marks
from ctxcore.readers.chat_message import ROLES
from ctxcore.readers.chat_record import is_foreign, request_of, response_of
from ctxcore.readers.marks import majority
from ctxcore.readers.values import mapping, text

LOOK_MESSAGES = 50
"""Messages of a list that detection looks at."""


def is_chat_message(value: Json) -> bool:
    """True for an object with a chat role and something to say."""
    record = mapping(value)
    return text(record.get("role")) in ROLES and any(key in record for key in ("content", "tool_calls", "function_call"))


def is_chat_list(values: Json) -> bool:
    """True for a list of mostly chat messages without a mark of Anthropic Messages."""
    return (
        isinstance(values, list)
        and majority(values[:LOOK_MESSAGES], is_chat_message)
        and not has_anthropic_marks({"messages": values[:LOOK_MESSAGES]})
    )


def is_chat_request(value: Json) -> bool:
    """True for a request (or what holds one) whose messages are chat messages, or none, and which nothing marks as another provider's."""
    request = request_of(value)
    if request is None or is_foreign(value):
        return False
    messages = request["messages"]
    if response_of(value) or any(mapping(message).get("tool_calls") for message in messages[:LOOK_MESSAGES]):
        return not messages or majority(messages[:LOOK_MESSAGES], is_chat_message)
    return not has_anthropic_marks({**request, "messages": ()}) and (not messages or is_chat_list(messages))
