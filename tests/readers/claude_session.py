"""Hand-made Claude Code lines, and a second, naive reading of real ones to compare with."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from ctxcore.model import Session, Thread
from ctxcore.readers.detect import read_sessions

SESSION = "55555555-0000-4000-8000-000000000001"


def line(kind: str, uuid: str, parent: str | None, message: dict | None = None, **more) -> dict:
    """One recorded line."""
    envelope = {
        "type": kind,
        "uuid": uuid,
        "parentUuid": parent,
        "isSidechain": False,
        "sessionId": SESSION,
        "version": "2.1.0",
        "userType": "external",
    }
    return {**envelope, **({"message": message} if message is not None else {}), **more}


def user(uuid: str, parent: str | None, content, **more) -> dict:
    return line("user", uuid, parent, {"role": "user", "content": content}, **more)


def result(uuid: str, parent: str | None, call: str, content="ok", **more) -> dict:
    return user(uuid, parent, [{"type": "tool_result", "tool_use_id": call, "content": content}], **more)


def reply(uuid: str, parent: str | None, message_id: str, *blocks: dict, stop="end_turn", tokens: int = 5, **more) -> dict:
    counted = {"input_tokens": 10, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": tokens}
    message = {
        "id": message_id,
        "type": "message",
        "role": "assistant",
        "model": "demo-model",
        "content": list(blocks),
        "stop_reason": stop,
        "usage": counted,
    }
    return line("assistant", uuid, parent, message, requestId=f"req_{message_id}", **more)


def text(words: str) -> dict:
    return {"type": "text", "text": words}


def ask(call: str, name: str = "Read", **given) -> dict:
    return {"type": "tool_use", "id": call, "name": name, "input": given}


def session(*lines: dict) -> Session:
    """The only session of these lines."""
    (found,) = sessions(*lines)
    return found


def sessions(*lines: dict) -> tuple[Session, ...]:
    return read_sessions("\n".join(map(json.dumps, lines)).encode() + b"\n", "made.jsonl")


def context(thread: Thread, call: int) -> list[str]:
    """The texts that a call received; a tool call reads as its id."""
    return [said(thread, i) for i in thread.calls[call].messages()]


def said(thread: Thread, index: int) -> str:
    message = thread.messages[index]
    return message.text or "+".join(c.id for c in message.calls)


def raw_values(path: Path) -> Iterator[dict]:
    """Every JSON value of a file, glued ones too; what cannot be read is left out."""
    decoder = json.JSONDecoder()
    for row in path.read_text(encoding="utf-8").splitlines():
        rest = row.strip()
        while rest:
            try:
                value, stop = decoder.raw_decode(rest)
            except ValueError:
                break
            yield value
            rest = rest[stop:].strip()
