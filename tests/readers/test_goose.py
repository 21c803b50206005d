"""goose sessions as JSON lines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ctxcore import Session, read_session

HEAD = {"working_dir": "/x", "description": "Weather", "message_count": 4, "accumulated_input_tokens": 900, "accumulated_output_tokens": 90}


def message(role: str, *content: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"role": role, "created": 1_750_000_000, "content": list(content), **more}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def asked(id: str) -> dict[str, Any]:
    return {"type": "toolRequest", "id": id, "toolCall": {"status": "success", "value": {"name": "shell", "arguments": {"command": "ls"}}}}


def answered(id: str, *value: dict[str, Any]) -> dict[str, Any]:
    return {"type": "toolResponse", "id": id, "toolResult": {"status": "success", "value": list(value)}}


def log(*lines: Any) -> Session:
    return read_session(b"".join(json.dumps(line).encode() + b"\n" for line in lines))


def test_calls_results_and_the_totals_of_the_session():
    session = log(
        HEAD,
        message("user", text("Look")),
        message("assistant", {"type": "thinking", "thinking": "Hm", "signature": "s"}, asked("t1")),
        message("user", answered("t1", text("a b"))),
        message("assistant", text("Two files.")),
        5,
    )
    (thread,) = session.threads
    assert session.format == "goose"
    assert [c.messages() for c in thread.calls] == [(0,), (0, 1, 2)]
    assert [p.kind for p in thread.messages[1].parts] == ["reasoning", "tool_call"]
    assert thread.messages[2].results[0].text == "a b"
    assert not thread.messages[2].is_real_user
    assert any("900 input" in note for note in session.notes)
    assert (session.ledger.records, session.ledger.read) == (6, 5)


def test_only_what_the_agent_may_see_is_sent():
    hidden = {"userVisible": True, "agentVisible": False}
    session = log(
        HEAD,
        message("user", text("Old"), metadata=hidden),
        message("assistant", text("Old answer"), metadata=hidden),
        message("user", {"type": "conversationCompacted", "msg": "Compacted"}),
        message("user", text("Summary"), metadata={"userVisible": False, "agentVisible": True}),
        message("assistant", text("On")),
    )
    (thread,) = session.threads
    assert [thread.messages[i].text for i in thread.calls[1].messages()] == ["Summary"]
    assert [e.kind for e in thread.events] == ["compaction"]


def test_a_failed_tool_and_a_broken_call():
    broken = {"type": "toolRequest", "id": "t", "toolCall": {"status": "error", "error": "no such tool"}}
    failed = {"type": "toolResponse", "id": "t", "toolResult": {"status": "error", "error": "went wrong"}}
    (thread,) = log(HEAD, message("user", text("Go")), message("assistant", broken), message("user", failed)).threads
    assert thread.messages[2].results[0].is_error
    assert thread.messages[2].results[0].text == "went wrong"


def test_the_sample_with_its_tools(shared: Path):
    """Two assistant lines; the head lists one tool."""
    session = read_session(shared / "corpus/goose/teck968_sample_session.jsonl")
    (thread,) = session.threads
    assert [c.tools for c in thread.calls] == [0, 0]
    assert len(thread.tool_sets[0]) == 1
    assert not session.problems
