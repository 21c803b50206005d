"""Conversations in a few letters, and which of their messages a policy sends."""

from __future__ import annotations

import json
from typing import Any

from ctxcore import read_session, replay
from ctxcore.model import Thread

FREE = 10**9
"""A budget that refuses nothing."""


def chats(words: str, text: str = "Nine words that say nothing at all, but long.") -> list[dict[str, Any]]:
    """Messages in chat form: ``s`` system, ``u`` user, ``a`` assistant, ``c`` a call (``c3`` three of them), ``r`` its next result.

    A result with a number answers that call of the newest message of calls (``r2``: the third); ``o`` is a result without a call.
    """
    found: list[dict[str, Any]] = []
    waiting: list[str] = []
    for number, word in enumerate(words.split()):
        match word[0]:
            case "c":
                waiting = [f"call_{number}_{n}" for n in range(int(word[1:] or 1))]
                calls = [{"id": key, "type": "function", "function": {"name": "read", "arguments": '{"path": "a.py"}'}} for key in waiting]
                found.append({"role": "assistant", "content": None, "tool_calls": calls})
            case "r":
                found.append({"role": "tool", "tool_call_id": waiting[int(word[1:])] if word[1:] else waiting.pop(0), "content": text})
            case "o":
                found.append({"role": "tool", "tool_call_id": f"nobody_{number}", "content": text})
            case letter:
                found.append({"role": {"s": "system", "u": "user", "a": "assistant"}[letter], "content": text})
    return found


def thread_of(messages: list[dict[str, Any]]) -> Thread:
    """A call before each reply, and one more where the list ends without one."""
    return read_session(json.dumps({"model": "demo-model", "messages": messages}).encode(), "list.json").threads[0]


def sent(words: str, policy: str, budget: int = FREE, **settings: Any) -> list[list[Any]]:
    """Per call: positions of the messages that are sent, and texts of those put in between."""
    thread = thread_of(chats(words))
    result = replay(thread, policy, budget, **settings)
    found: list[list[Any]] = []
    for call in thread.calls:
        gone = {edit.message for edit in result.edits(call.index) if edit.action == "drop"}
        row: list[Any] = [message for message in call.messages() if message not in gone]
        for one in reversed(result.inserts(call.index)):
            row.insert(sum(place < one.place for place in row if isinstance(place, int)), one.text)
        found.append(row)
    return found
