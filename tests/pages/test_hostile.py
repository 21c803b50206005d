"""No page passes a character on that steers or reorders what is around it, whatever field of a recording it stands in."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from ctxcore.measures.simulated import simulate
from ctxcore.readers.detect import read_sessions
from ctxcore.views.compaction_pieces import pieces
from ctxcore.views.visible import STEERING
from tests.pages.conftest import PAGES, Start, unpack

ODD = "\x1b[31m\x07\u202egnp\x00\x9b2J"
"""ESC, BEL, a right-to-left override, NUL and C1's CSI."""

STEERS = re.compile(f"(?![\\n\\t\u2060]){STEERING.pattern}")
"""Line breaks and tabs are laid out; the word joiner is our own (``literal``)."""

SHOWN = sorted(path.stem for path in PAGES.glob("[a-z]*.py"))


def odd_chat() -> bytes:
    """A chat whose every name holds such characters, with a plan and state."""
    call = {"id": f"c{ODD}", "type": "function", "function": {"name": f"read{ODD}", "arguments": json.dumps({f"path{ODD}": f"src/{ODD}.py"})}}
    plan = {
        "id": "p1",
        "type": "function",
        "function": {"name": "update_plan", "arguments": json.dumps({"plan": [{"step": f"look{ODD}", "status": "in_progress"}]})},
    }
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": f"Be brief.{ODD}"},
        {"role": "user", "content": f"Budget is 5000 yuan for ORD-1234567{ODD}", "name": f"ann{ODD}"},
        {"role": "assistant", "content": None, "tool_calls": [call, plan]},
        {"role": "tool", "tool_call_id": f"c{ODD}", "content": f"ORD-7654321 {ODD}"},
        {"role": "tool", "tool_call_id": "p1", "content": "ok"},
        {"role": f"judge{ODD}", "content": f"x{ODD}"},
        {"role": "assistant", "content": f"Done {ODD}"},
    ]
    tool = {
        "type": "function",
        "function": {"name": f"read{ODD}", "description": ODD, "parameters": {"type": "object", "properties": {ODD: {"type": "string"}}}},
    }
    return json.dumps({"model": f"gpt{ODD}", "user": ODD, "messages": messages, "tools": [tool]}).encode()


def odd_claude() -> bytes:
    """Lines of Claude Code with a compaction, and such characters in every field that is free text."""
    common = {"sessionId": f"s{ODD}", "cwd": f"/w/{ODD}", "version": f"1{ODD}", "gitBranch": ODD, "isSidechain": False, "userType": "external"}

    def said(uuid: str, parent: str | None, **more: Any) -> dict[str, Any]:
        return {**common, "uuid": uuid, "parentUuid": parent, "timestamp": "2025-03-10T12:00:00Z", **more}

    def answer(uuid: str, parent: str, text: str) -> dict[str, Any]:
        usage = {"input_tokens": 900, "output_tokens": 9, "cache_read_input_tokens": 0, "cache_creation_input_tokens": 0}
        message = {"id": uuid + ODD, "role": "assistant", "model": f"claude{ODD}", "content": [{"type": "text", "text": text}], "usage": usage}
        return said(uuid, parent, type="assistant", message=message)

    trigger = {"trigger": f"auto{ODD}", "preTokens": 9000}
    lines = [
        {"type": "summary", "summary": f"Title{ODD}", "leafUuid": "a2"},
        said("u1", None, type="user", message={"role": "user", "content": f"Fix /src/app.py {ODD} before 2025-04-01, budget 5000 USD"}),
        answer("a1", "u1", f"I will fix /src/app.py {ODD}"),
        said("c1", None, type="system", subtype="compact_boundary", content=f"Compacted{ODD}", logicalParentUuid="a1", compactMetadata=trigger),
        said("u2", "c1", type="user", isCompactSummary=True, message={"role": "user", "content": f"1. Primary Request:\n   Fix /src/app.py {ODD}"}),
        answer("a2", "u2", f"Done {ODD}"),
        {"type": f"odd{ODD}", "uuid": "x"},
    ]
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, one in value.items():
            yield from _texts(key)
            yield from _texts(one)
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from _texts(one)


def _of_proto(proto: Any) -> Iterator[str]:
    """Every text in a message of the page; JSON in it is read."""
    for field, value in proto.ListFields():
        for one in value if field.is_repeated else [value]:
            if isinstance(one, str):
                yield from _texts(json.loads(one)) if one[:1] in "{[" and _is_json(one) else [one]
            elif hasattr(one, "ListFields"):
                yield from _of_proto(one)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def shown_texts(at: AppTest) -> Iterator[str]:
    """All that the page sent."""
    for node in at._tree.children.values():
        yield from _of_node(node)


def _of_node(node: Any) -> Iterator[str]:
    proto = node.proto
    if proto is not None:
        if getattr(proto, "component_name", "") and proto.WhichOneof("data") == "bytes":
            yield from _texts(unpack(proto.bytes))
        elif hasattr(proto, "ListFields"):
            yield from _of_proto(proto)
    for child in getattr(node, "children", {}).values():
        yield from _of_node(child)


@pytest.mark.parametrize("page", SHOWN)
@pytest.mark.parametrize("name", ["chat.json", "claude.jsonl"])
def test_no_page_passes_on_what_steers(start: Start, page: str, name: str) -> None:
    at = start({name: odd_chat() if name == "chat.json" else odd_claude()}, page=page, call="0")
    assert [text for text in shown_texts(at) if STEERS.search(text)] == []


def test_words_around_a_value_that_the_record_alone_holds_do_not_steer() -> None:
    """A session id stands in no text of a message; it is told from the record."""
    (session,) = read_sessions(odd_claude(), "claude.jsonl")
    thread = session.threads[0]
    made = simulate(thread)
    assert made is not None
    found = pieces(thread, made)
    near = [text for piece in found for text, _ in piece.original if "in the record" in text]
    assert near
    assert [text for text in near if STEERS.search(text)] == []
