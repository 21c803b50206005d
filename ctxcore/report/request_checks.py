"""Faults of a written request by the rules of its API, in the kinds of ``measures.validity``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ctxcore.measures.validity import FaultKind
from ctxcore.model import Message, SourceRef
from ctxcore.readers.anthropic_message import anthropic_message
from ctxcore.readers.chat_message import chat_message


def body_faults(body: Mapping[str, Any], form: str) -> list[FaultKind]:
    """What an API of this form refuses, by reading the body back.

    Args:
        body: Of the request.
        form: ``openai`` or ``anthropic``.
    """
    read = chat_message if form == "openai" else anthropic_message
    messages = [read(message, SourceRef()) for message in body["messages"]]
    talk = [message for message in messages if message.role not in ("system", "developer")]
    found: list[FaultKind] = [] if talk else ["empty_request"]
    if form == "anthropic":
        if talk and talk[0].role != "user":
            found.append("first_role")
        if any(not message.parts for message in talk[:-1]):
            found.append("empty_message")
    return [*found, *_pairs(talk)]


def _pairs(talk: Sequence[Message]) -> list[FaultKind]:
    """Results follow the reply that asks for them, all of them before anything else."""
    found: list[FaultKind] = []
    waiting: set[str] = set()
    for message in talk:
        answered = {result.call_id for result in message.results} - {call.id for call in message.calls}
        if answered - waiting:
            found.append("orphan_result")
        waiting -= answered
        if waiting and not answered:
            found.append("unanswered_call")
        if not answered:
            waiting = {call.id for call in message.calls} - {result.call_id for result in message.results}
        elif message.role == "user" and waiting:
            found.append("unanswered_call")
            waiting = set()
    return [*found, "unanswered_call"] if waiting else found
