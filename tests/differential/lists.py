"""Lists of chat messages to compare on: made from a seed, and from recorded sessions where the reference data is there."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

from ctxcore import read_session
from ctxcore.errors import CtxscopeError
from ctxcore.model import Message, Thread
from tests.conftest import shared_folder

Chat = dict[str, Any]

WORDS = (
    "open",
    "the",
    "file",
    "再看",
    "一遍",
    "ledger",
    '"quoted"',
    "back\\slash",
    "é",
    "total",
    "0.35",
    "T-1042",
    "src/app.py",
    "never",
    "🙂",
    "\t",
)
TOOLS = ("read_file", "write_file", "grep", "search", "run")


def made_list(seed: int) -> list[Chat]:
    """Messages of a conversation with tools; the seed decides how long, how big and how odd it is."""
    dice = random.Random(seed)
    return [message for step in _steps(dice) for message in step]


def _steps(dice: random.Random) -> Iterator[list[Chat]]:
    odd = dice.random() < 0.3
    if dice.random() < 0.8:
        yield [{"role": "system", "content": _text(dice, 30)}]
    for number in range(dice.randint(1, 14)):
        kind = dice.random()
        if kind < 0.3 or (number == 0 and not odd):
            yield [{"role": "user", "content": _text(dice, 25)}]
        elif kind < 0.75:
            yield _exchange(dice, number)
        elif kind < 0.93 or not odd:
            yield [{"role": "assistant", "content": _text(dice, 20)}]
        else:
            yield [{"role": "system", "content": _text(dice, 10)}]
    if dice.random() < 0.5:
        yield [{"role": "user", "content": _text(dice, 15)}]


def _exchange(dice: random.Random, number: int) -> list[Chat]:
    calls = [_call(dice, f"call_{number}_{n}") for n in range(dice.choice((1, 1, 1, 2, 3)))]
    text = _text(dice, 8) if dice.random() < 0.5 else None
    results = [{"role": "tool", "tool_call_id": call["id"], "content": _text(dice, dice.choice((3, 40, 160)))} for call in calls]
    if dice.random() < 0.2:
        dice.shuffle(results)
    return [{"role": "assistant", "content": text, "tool_calls": calls}, *results]


def _call(dice: random.Random, name: str) -> Chat:
    arguments = {"path": f"src/{dice.randint(0, 4)}.py"} | ({"text": _text(dice, 50)} if dice.random() < 0.3 else {})
    return {"id": name, "type": "function", "function": {"name": dice.choice(TOOLS), "arguments": _compact(arguments)}}


def _text(dice: random.Random, most: int) -> str:
    words = [dice.choice(WORDS) for _ in range(dice.randint(1, most))]
    return "".join(word + dice.choice((" ", " ", " ", "\n")) for word in words)


def recorded_lists(most_messages: int = 120) -> Iterator[tuple[str, list[Chat]]]:
    """Names and lists from the recorded sessions of the reference data, none without it."""
    folder = shared_folder()
    if folder is None:
        return
    for name in RECORDED:
        small = [file for file in sorted((folder / "corpus" / name).glob("*.json*")) if file.stat().st_size < 3_000_000]
        for file in small[:FILES_A_FOLDER]:
            try:
                threads = read_session(file).threads
            except CtxscopeError:
                continue
            if threads:
                yield f"{name}/{file.name}", chat_form(threads[0])[:most_messages]


RECORDED = ("openai_chat", "anthropic_messages", "langchain_messages", "pydantic_ai", "claude-code", "tau-bench")
"""Folders of recorded sessions that lists are made from."""

FILES_A_FOLDER = 8


def chat_form(thread: Thread) -> list[Chat]:
    """Texts, calls and results of a thread as chat messages."""
    found = [chat for message in thread.messages for chat in _chats(message)]
    _name_results(found)
    return found


def _name_results(chats: list[Chat]) -> None:
    """Give results without an id that of the oldest call that waits: the packages pair by ids alone."""
    waiting: list[str] = []
    for number, chat in enumerate(chats):
        for order, call in enumerate(chat.get("tool_calls", ())):
            call["id"] = call["id"] or f"call_{number}_{order}"
            waiting.append(call["id"])
        if chat["role"] == "tool":
            chat["tool_call_id"] = chat["tool_call_id"] or (waiting[0] if waiting else f"nobody_{number}")
            waiting = [one for one in waiting if one != chat["tool_call_id"]]


def _chats(message: Message) -> list[Chat]:
    if message.results:
        return [{"role": "tool", "tool_call_id": one.call_id, "content": one.text} for one in message.results]
    if message.role in ("assistant", "model"):
        calls = [{"id": c.id, "type": "function", "function": {"name": c.name, "arguments": _object(c.arguments)}} for c in message.calls]
        return [{"role": "assistant", "content": message.text or ("" if not calls else None)} | ({"tool_calls": calls} if calls else {})]
    return [{"role": message.role if message.role == "system" else "user", "content": message.text}]


def _object(arguments: str) -> str:
    """Arguments that are an object, without spaces as some packages write them anew; others would not pass the packages' own checks."""
    try:
        found = json.loads(arguments)
    except ValueError:
        return "{}"
    return _compact(found) if isinstance(found, dict) else "{}"


def _compact(value: Chat) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def thread_of(messages: list[Chat]) -> Thread:
    """A list as our reader sees it: a call before each reply, and one more where the list ends without one."""
    upload = json.dumps({"model": "demo-model", "messages": messages}, ensure_ascii=False).encode()
    return read_session(upload, "list.json").threads[0]
