"""Chat lists for hand-derived cases, and what a policy sends of them."""

from __future__ import annotations

import json
from typing import Any

from ctxcore import read_session, replay
from ctxcore.model import Thread
from ctxcore.policies.applied import edits_of
from ctxcore.policies.wire import edited_wire
from ctxcore.sizes.characters import request_chars

Chat = dict[str, Any]


def system(text: str = "You help.") -> Chat:
    return {"role": "system", "content": text}


def user(text: str = "Do it.") -> Chat:
    return {"role": "user", "content": text}


def said(text: str = "Done.") -> Chat:
    return {"role": "assistant", "content": text}


def calls(*names: str, tool: str = "read_file", **arguments: str) -> Chat:
    """A reply with one call per id."""
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": name, "type": "function", "function": {"name": tool, "arguments": json.dumps(arguments)}} for name in names],
    }


def result(name: str, text: str = "result") -> Chat:
    return {"role": "tool", "tool_call_id": name, "content": text}


def thread(messages: list[Chat]) -> Thread:
    """The list, and a call behind its last message."""
    body = {"model": "demo-model", "messages": messages if messages and messages[-1]["role"] == "assistant" else [*messages, said()]}
    return read_session(json.dumps(body, ensure_ascii=False).encode(), "list.json").threads[0]


def size(*messages: Chat) -> int:
    """Characters of a request of these messages."""
    return request_chars(list(messages), ())


def sent(messages: list[Chat], policy: str, budget: int, call: int = -1, **parameters: Any) -> list[Chat]:
    """What a policy sends of a list at a call, the last one if left out; also where the request is refused."""
    found = replay(thread(messages), policy, budget, **parameters)
    number = range(len(found.thread.calls))[call]
    epoch, column = found.place(number)
    line, plan = found.timelines[epoch], found.fits[epoch].plan(0)
    edits = edits_of(line, plan, column)
    gone = {edit.message for edit in edits if edit.action == "drop"}
    kept = [index for index in found.thread.calls[number].messages() if index not in gone]
    return [dict(edited_wire(found.thread.messages[index], [e for e in edits if e.message == index])[0]) for index in kept]
