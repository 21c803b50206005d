"""Conversations in the chat format, as tests write them down."""

from __future__ import annotations

import json
from typing import Any

from ctxcore import read_session
from ctxcore.model import Thread

Step = tuple[str, dict[str, Any], str]
"""Tool name, arguments, text of the result."""


def conversation(*steps: Step | str, system: str = "You help.") -> list[dict[str, Any]]:
    """Messages: a text is a user message, a step is one exchange; a last answer ends it."""
    messages: list[dict[str, Any]] = [{"role": "system", "content": system}]
    for number, step in enumerate(steps):
        if isinstance(step, str):
            messages.append({"role": "user", "content": step})
            continue
        name, arguments, result = step
        call = {"id": f"c{number}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments, ensure_ascii=False)}}
        messages += [{"role": "assistant", "content": None, "tool_calls": [call]}, {"role": "tool", "tool_call_id": f"c{number}", "content": result}]
    return [*messages, {"role": "assistant", "content": "Finished."}]


def upload(messages: list[dict[str, Any]]) -> bytes:
    """A file with one request."""
    return json.dumps({"model": "demo-model", "messages": messages}, ensure_ascii=False).encode()


def thread_of(*steps: Step | str) -> Thread:
    """The thread of such a conversation; call k is the reply of step k, user messages not counted."""
    return read_session(upload(conversation(*steps)), "chat.json").threads[0]
