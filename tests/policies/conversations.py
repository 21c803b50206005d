"""Generated chat conversations, and the harness that holds a policy against a slow rewriting of its rule."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st

from ctxcore import read_session, replay
from ctxcore.model import Thread
from ctxcore.sending import sent_messages as sent
from tests.chat import upload

FEW = settings(max_examples=40)
"""Reading and replaying a conversation takes milliseconds, so a law looks at this many."""

Request = list[dict[str, Any]]
"""Messages of one request in the chat format."""

TOOL_NAMES = ("read_file", "bash", "browser", "skill")

WORDS = st.sampled_from(
    ["a", "seven\nlines\n", "one two three", "x" * 40, "1:import os\n2:import re\n", "文" * 9, "<diff>+1</diff> rest", "https://a.org/b"]
)

TEXTS = st.builds(lambda word, times: word * times, WORDS, st.integers(1, 9))


@st.composite
def requests(draw: st.DrawFn, most: int = 14, system: bool = True) -> Request:
    """A system text, perhaps, and then tasks, exchanges and answers in any order."""
    messages: Request = [{"role": "system", "content": "You help."}] if system and draw(st.booleans()) else []
    count = draw(st.integers(0, most))
    for number in range(count):
        kind = draw(st.sampled_from(["user", "exchange", "exchange", "exchange", "answer"]))
        if kind == "user":
            messages.append({"role": "user", "content": draw(TEXTS)})
        elif kind == "answer":
            messages.append({"role": "assistant", "content": draw(TEXTS)})
        else:
            messages += draw(exchange(number))
    return messages


@st.composite
def exchange(draw: st.DrawFn, number: int) -> Request:
    """A reply with one to three calls and their results, in any order."""
    ids = [f"c{number}_{order}" for order in range(draw(st.integers(1, 3)))]
    calls = [
        {
            "id": i,
            "type": "function",
            "function": {"name": draw(st.sampled_from(TOOL_NAMES)), "arguments": json.dumps({"path": draw(st.sampled_from(["a.py", "b.py"]))})},
        }
        for i in ids
    ]
    said = draw(st.one_of(st.none(), TEXTS))
    results = [{"role": "tool", "tool_call_id": i, "content": draw(TEXTS)} for i in draw(st.permutations(ids))]
    return [{"role": "assistant", "content": said, "tool_calls": calls}, *results]


def chat_thread(messages: Request) -> Thread:
    """The thread of a conversation: every reply is one call's, and an end that is no reply makes one more."""
    return read_session(upload(messages), "chat.json").threads[0]


Slow = Callable[[Sequence[Request]], list[Request]]
"""A rule in plain words: the contexts of all calls, in order → what each call would send."""


def agree(messages: Request, policy: str, slow: Slow, budget: int = 10**9, **settings: Any) -> None:
    """Every call that is not refused sends what the slow rule sends."""
    if not any(message["role"] != "system" for message in messages):
        return
    result = replay(chat_thread(messages), policy, budget, **settings)
    thread = result.thread
    contexts = [[dict(thread.messages[i].wire[0]) for i in call.messages()] for call in thread.calls]
    for call, expected in enumerate(slow(contexts)):
        if not result.refused[call]:
            assert sent(result, call) == expected, call


def is_result(message: dict[str, Any]) -> bool:
    return message["role"] == "tool"
