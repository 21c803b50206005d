"""A Claude Code session of any length, made up: tools, sub-agents inside the file, and compactions."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.benchmarks.generate import CALLS_A_TURN, passage

SESSION = "6f0c2f5e-0000-4000-8000-00000000a11e"
AGENT_EVERY, AGENT_CALLS = 100, 25
"""Calls of the main thread between two sub-agents, and calls of each."""

COMPACT_EVERY = 400
"""Calls of the main thread between two compactions."""

Line = dict[str, Any]


class Writer:
    """Lines of one session, each linked to the one before in its chain."""

    def __init__(self, seed: int, call_bytes: int) -> None:
        self.random, self.call_bytes = random.Random(seed), call_bytes  # noqa: S311 - equal runs, no secret
        self.number = self.calls = 0
        self.input_tokens = self.output_tokens = 0

    def line(self, kind: str, parent: str | None, *, side: bool = False, **more: Any) -> Line:
        """One line with the fields that all have."""
        self.number += 1
        minute, second = divmod(self.number, 60)
        stamp = f"2026-03-{1 + minute // 1440:02}T{minute // 60 % 24:02}:{minute % 60:02}:{second:02}.000Z"
        common = {
            "isSidechain": side,
            "userType": "external",
            "cwd": "/home/ana/shop",
            "sessionId": SESSION,
            "version": "2.0.31",
            "gitBranch": "main",
        }
        return {"parentUuid": parent, **common, "type": kind, **more, "uuid": f"u-{self.number:07}", "timestamp": stamp}

    def user(self, parent: str | None, content: Any, **more: Any) -> Line:
        return self.line("user", parent, message={"role": "user", "content": content}, **more)

    def reply(self, parent: str | None, blocks: list[Line], *, side: bool = False) -> Iterator[Line]:
        """One reply: a line for each block, all with the usage of the whole."""
        self.calls += 1
        usage = {"input_tokens": 4, "cache_creation_input_tokens": 900, "cache_read_input_tokens": 60_000 + self.calls, "output_tokens": 120}
        self.input_tokens += 60_904 + self.calls
        self.output_tokens += 120
        message = {"id": f"msg_{self.calls:06}", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5", "stop_reason": "tool_use"}
        for block in blocks:
            made = self.line(
                "assistant", parent, side=side, message={**message, "content": [block], "usage": usage}, requestId=f"req_{self.calls:06}"
            )
            parent = made["uuid"]
            yield made

    def step(self, parent: str | None, name: str, given: Line, *, side: bool = False) -> Iterator[Line]:
        """A call of a tool and its result, which takes most of the bytes."""
        text = {"type": "text", "text": passage(self.random, "english", self.call_bytes // 12)}
        id = f"toolu_{self.calls:06}"  # noqa: A001 - the field's word
        yield from self.reply(parent, [text, {"type": "tool_use", "id": id, "name": name, "input": given}], side=side)
        output = passage(self.random, "english", self.call_bytes - self.call_bytes // 12 - 1_200)
        result = [{"type": "tool_result", "tool_use_id": id, "content": output}]
        yield self.user(f"u-{self.number:07}", result, side=side, toolUseResult={"type": "text", "file": {"numLines": output.count("\n") + 1}})


def lines(calls: int, call_bytes: int, seed: int = 1) -> Iterator[Line]:
    """A session of about this many calls, those of its sub-agents included.

    Args:
        calls: Model calls.
        call_bytes: Bytes that each call adds to the file.
        seed: Equal seeds, equal sessions.
    """
    writer, parent, mine = Writer(seed, call_bytes), None, 0
    while writer.calls < calls - 1:
        if mine % CALLS_A_TURN == 0:
            asked = writer.user(parent, passage(writer.random, "english", 200))
            parent = asked["uuid"]
            yield asked
        if mine and mine % COMPACT_EVERY == 0:
            for line in _compaction(writer, parent):
                parent = line["uuid"]
                yield line
        agent = mine % AGENT_EVERY == AGENT_EVERY - 1
        prompt = passage(writer.random, "english", 300)
        given = {"description": "look", "prompt": prompt} if agent else {"file_path": f"/home/ana/shop/part_{mine % 97}.py"}
        step = list(writer.step(parent, "Task" if agent else "Read", given))
        yield from step[:-1]
        if agent:
            yield from _agent(writer, prompt)
        yield step[-1]
        parent, mine = step[-1]["uuid"], mine + 1
    yield from writer.reply(parent, [{"type": "text", "text": "Done."}])


def _compaction(writer: Writer, parent: str | None) -> Iterator[Line]:
    """The boundary and the summary behind it."""
    told = {"subtype": "compact_boundary", "content": "Conversation compacted", "compactMetadata": {"trigger": "auto", "preTokens": 155_000}}
    boundary = writer.line("system", None, logicalParentUuid=parent, **told)
    yield boundary
    yield writer.user(boundary["uuid"], passage(writer.random, "english", 4_000), isCompactSummary=True, isVisibleInTranscriptOnly=True)


def _agent(writer: Writer, prompt: str) -> Iterator[Line]:
    """A sub-agent: a chain of its own that begins with the prompt of the call."""
    asked = writer.user(None, prompt, side=True)
    yield asked
    parent = asked["uuid"]
    for number in range(AGENT_CALLS - 1):
        for line in writer.step(parent, "Grep", {"pattern": f"part {number}"}, side=True):
            parent = line["uuid"]
            yield line
    yield from writer.reply(parent, [{"type": "text", "text": "Found."}], side=True)


def session_file(path: Path, calls: int, call_bytes: int, seed: int = 1) -> Path:
    """The lines as a file."""
    with path.open("w", encoding="utf-8") as file:
        for line in lines(calls, call_bytes, seed):
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
    return path
