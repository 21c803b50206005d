"""A scripted conversation: what the user says, and what the model says and calls in answer."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from ctxcore.runtime.loop import OnCall, run_agent
from ctxcore.runtime.models import ChatMessage, Reply, ScriptedModel
from ctxcore.runtime.tools import Tool


@dataclass(frozen=True, slots=True)
class Use:
    """One tool call."""

    name: str
    """Of the tool."""
    arguments: dict[str, Any]
    """As an object; sent as JSON."""


@dataclass(frozen=True, slots=True)
class Say:
    """One assistant message."""

    text: str
    """May be empty before a tool call."""
    uses: tuple[Use, ...] = ()
    """Calls in it; the message that has none ends the turn."""


Results = list[Any]
"""Decoded values of the newest exchange's successful results, in order; an error sentence for a failed one."""

Step = Say | Callable[[Results], Say]
"""A message, or a function that makes one from what the tools just gave."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One user message and the assistant messages that answer it."""

    user: str
    """What the user says."""
    steps: tuple[Step, ...]
    """In order; the last one calls no tool."""


class ScriptBroken(RuntimeError):
    """A scripted turn did not end with its last message."""


def use(name: str, /, **arguments: Any) -> Use:
    """A tool call."""
    return Use(name, arguments)


def say(text: str, *uses: Use) -> Say:
    """An assistant message."""
    return Say(text, uses)


def schema(*required: str, **properties: Any) -> dict[str, Any]:
    """JSON Schema of an object with these properties and no others."""
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


async def play(turns: Sequence[Turn], *, system: str, tools: Sequence[Tool], on_call: OnCall | None = None) -> list[ChatMessage]:
    """Run the whole conversation; all its messages.

    Raises:
        ScriptBroken: A turn ended before or after its last scripted message.
    """
    ids = count(1)
    messages: list[ChatMessage] = [{"role": "system", "content": system}]
    for number, turn in enumerate(turns, 1):
        messages.append({"role": "user", "content": turn.user})
        model = ScriptedModel([_reply(step, ids) for step in turn.steps])
        result = await run_agent(model, messages, tools, max_turns=len(turn.steps), on_call=on_call)
        if result.status != "complete" or result.calls != len(turn.steps):
            raise ScriptBroken(
                f"Turn {number}: {result.status} after {result.calls} of {len(turn.steps)} messages. {result.reason}"
            ) from result.cause
        messages = list(result.messages)
    return messages


def _reply(step: Step, ids: count[int]) -> Reply:
    def reply(messages: list[ChatMessage], _tools: Any) -> ChatMessage:
        said = step if isinstance(step, Say) else step(_newest_results(messages))
        message: ChatMessage = {"role": "assistant", "content": said.text or None}
        if said.uses:
            message["tool_calls"] = [_call(use_, next(ids)) for use_ in said.uses]
        return message

    return reply


def _call(wanted: Use, number: int) -> dict[str, Any]:
    arguments = json.dumps(wanted.arguments, ensure_ascii=False)
    return {"id": f"call_{number:04d}", "type": "function", "function": {"name": wanted.name, "arguments": arguments}}


def _newest_results(messages: Sequence[ChatMessage]) -> Results:
    values: Results = []
    for message in reversed(messages):
        if message["role"] != "tool":
            break
        content = json.loads(message["content"])
        values.insert(0, content.get("result", content.get("error")))
    return values
