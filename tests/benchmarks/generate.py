"""Recordings of any length, made up: prose, code, logs and tables that differ from call to call."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from tests.cases import CASES

Language = Literal["english", "chinese"]

ENGLISH = (
    "The handler reads the queue, and every failed job is tried again after a pause.",
    '    if response.status_code != 200:\n        raise UploadError(f"{path}: {response.text}")',
    "2026-11-03T09:14:07Z WARN  pool-3 connection to db-7 was reset; 3 of 5 retries left",
    'src/report/build.py:118:\tdef rows(self, since: "date") -> list[Row]:',
    "PASSED tests/test_window.py::test_limit[4096-3481] in 0.02s",
    "| invoice | 2026-10-31 | 1,204.50 | paid | C:\\exports\\october.csv |",
    "It is not clear why the second worker sees the old value, so the next step is to read its log.",
)
CHINESE = (
    "处理程序读取队列，每个失败的任务会在暂停之后再试一次。",
    "第二个进程为什么还看到旧值，目前不清楚；下一步先读它的日志，再决定是否回滚。",
    '    if 状态 != "完成":\n        raise ValueError(f"{路径}：{状态}")',
    "2026-11-03 09:14:07 警告 连接池三号：与 db-7 的连接被重置，还可重试 3 次",
    "订单 A-20417：预算不超过五千元，颜色改为黑色，预计下周三送达。",
    "PASSED tests/test_window.py::test_limit[4096-3481] in 0.02s",
)
SENTENCES: dict[Language, tuple[str, ...]] = {"english": ENGLISH, "chinese": CHINESE}

TOOLS = [
    {
        "type": "function",
        "function": {"name": name, "description": f"{name} something.", "parameters": {"type": "object", "properties": {"path": {"type": "string"}}}},
    }
    for name in ("read_file", "run_command", "search", "edit_file")
]
CALLS_A_TURN = 25
"""Calls until the user says something again."""


def passage(random_: random.Random, language: Language, size_bytes: int) -> str:
    """Lines of about this many UTF-8 bytes, no two passages alike."""
    lines: list[str] = []
    left = size_bytes
    while left > 0:
        line = f"{random_.choice(SENTENCES[language])} #{random_.randrange(10**6)}"
        lines.append(line)
        left -= len(line.encode()) + 1
    return "\n".join(lines)


def messages(calls: int, call_bytes: int, language: Language, seed: int = 1) -> Iterator[dict[str, Any]]:
    """A tool-using conversation: each call asks for one tool, whose result takes most of the bytes.

    Args:
        calls: Model calls, the last one answered with text.
        call_bytes: UTF-8 bytes that each call adds.
        language: Of the text.
        seed: Equal seeds, equal conversations.
    """
    random_ = random.Random(seed)  # noqa: S311 - equal runs, no secret
    yield {"role": "system", "content": passage(random_, language, 2000)}
    for number in range(calls - 1):
        if number % CALLS_A_TURN == 0:
            yield {"role": "user", "content": passage(random_, language, 200)}
        arguments = json.dumps({"path": f"src/part_{number % 97}.py", "why": passage(random_, language, 60)}, ensure_ascii=False)
        call = {"id": f"call_{number}", "type": "function", "function": {"name": TOOLS[number % 4]["function"]["name"], "arguments": arguments}}
        yield {"role": "assistant", "content": passage(random_, language, call_bytes // 12), "tool_calls": [call]}
        yield {"role": "tool", "tool_call_id": f"call_{number}", "content": passage(random_, language, call_bytes - call_bytes // 12 - 350)}
    yield {"role": "assistant", "content": "done"}


def conversation_file(path: Path, calls: int, call_bytes: int, language: Language = "english", seed: int = 1) -> Path:
    """One recorded request as a JSON file."""
    body = {"model": "gpt-5", "messages": list(messages(calls, call_bytes, language, seed)), "tools": TOOLS}
    path.write_text(json.dumps(body, ensure_ascii=False), encoding="utf-8")
    return path


def talk_file(path: Path, turns: int) -> Path:
    """A conversation of short turns without tools: two messages and one call each."""
    said = [
        {"role": role, "content": f"{words} {number}."} for number in range(turns) for role, words in (("user", "Item"), ("assistant", "Done with"))
    ]
    path.write_text(json.dumps({"model": "gpt-5", "messages": said}), encoding="utf-8")
    return path


def request_log_file(path: Path, calls: int, call_bytes: int) -> int:
    """A log of requests that each repeat the whole history.

    Returns:
        Bytes of the unique text: of the history once.
    """
    history = list(messages(calls, call_bytes, "english"))
    ends = [number for number, message in enumerate(history) if message["role"] == "assistant"]
    with path.open("w", encoding="utf-8") as file:
        for end in ends:
            file.write(json.dumps({"request": {"model": "gpt-5", "messages": history[:end], "tools": TOOLS}}) + "\n")
    return len(json.dumps(history).encode())


def small_lines_file(path: Path, lines: int) -> Path:
    """A Claude Code session of many small lines, as the case FILE-17 writes it."""
    subprocess.run([sys.executable, str(CASES / "FILE-17.gen.py"), str(path), str(lines)], check=True)
    return path
