"""A small recorded request with its sizes by the definition."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

REQUEST: dict[str, Any] = {
    "model": "demo",
    "max_tokens": 5,
    "tools": [{"type": "function", "function": {"name": "look", "description": "Look at a page.", "parameters": {"type": "object"}}}],
    "messages": [
        {"role": "system", "content": "Answer briefly."},
        {"role": "user", "content": "查一下 page one."},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "a1", "type": "function", "function": {"name": "look", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "a1", "content": 'Page one\nsays "hi".'},
        {"role": "assistant", "content": "It says hi."},
        {"role": "user", "content": "And page two?"},
    ],
}
"""Two answered calls and one that waits for its answer."""


def request_file(folder: Path) -> Path:
    """The request as a file."""
    file = folder / "request.json"
    file.write_text(json.dumps(REQUEST), encoding="utf-8")
    return file


def request_size(messages: int) -> int:
    """Characters of the request with its first messages, by the definition: the length of its canonical JSON."""
    body = {"messages": REQUEST["messages"][:messages], "tools": REQUEST["tools"]}
    return len(json.dumps(body, ensure_ascii=False, sort_keys=True, separators=(",", ":")))
