"""Letta agent files: the agent's messages, its tools, its window, and what has left it."""

from __future__ import annotations

import json
from pathlib import Path

from ctxcore import read_session

SCHEMA = {"name": "look", "parameters": {"type": "object"}}


def said(id: str, role: str, text: str, **rest) -> dict:
    return {"id": id, "role": role, "content": [{"type": "text", "text": text}], "created_at": "2026-01-02T03:04:05+00:00", **rest}


CALL = {"id": "k1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
MESSAGES = [
    said("m0", "system", "You are Ada."),
    said("m1", "user", "Where?"),
    {**said("m2", "assistant", ""), "content": None, "tool_calls": [CALL]},
    said("m3", "tool", "dust", tool_call_id="k1", tool_returns=[{"tool_call_id": "k1", "status": "error"}]),
    said("m4", "assistant", "Not there.", model="m-2"),
    said("m5", "user", "And?"),
]


def agent_file(**changes) -> bytes:
    config = {"model": "m-1", "context_window": 32000}
    agent = {
        "id": "agent-0",
        "name": "Ada",
        "system": "You are {name}.",
        "llm_config": config,
        "tool_ids": ["tool-1"],
        "messages": MESSAGES,
        **changes,
    }
    tools = [{"id": "tool-0", "json_schema": {"name": "other"}}, {"id": "tool-1", "json_schema": SCHEMA}]
    return json.dumps({"agents": [agent], "groups": [], "blocks": [], "tools": tools}).encode()


def test_an_agent_is_a_thread_with_its_window_and_its_own_tools():
    session = read_session(agent_file(), "a.af")
    (thread,) = session.threads
    assert (session.format, session.level, thread.title, thread.window) == ("letta", "message list only", "Ada", 32000)
    assert [(c.context, c.reply, c.model, c.flags) for c in thread.calls] == [
        (((0, 2),), 2, "m-1", ()),
        (((0, 4),), 4, "m-2", ()),
    ]
    assert thread.tool_sets == ((SCHEMA,),)
    assert thread.messages[3].results[0].is_error


def test_a_call_that_was_not_made_is_not_shown():
    """A system message alone, or a question at the end: no reply tells that a model was asked."""
    session = read_session(agent_file(messages=MESSAGES[:1]))
    assert session.threads[0].calls == ()
    assert session.notes[0].endswith("a first one would begin with 1 messages and 1 tools.")
    assert [c.reply for c in read_session(agent_file(messages=MESSAGES[:4])).threads[0].calls] == [2]


def test_what_left_the_window_is_an_event_behind_the_last_call():
    (thread,) = read_session(agent_file(in_context_message_ids=["m0", "m4", "m5"])).threads
    (event,) = thread.events
    assert (event.kind, event.call) == ("compaction", 2)
    assert event.note.startswith("3 of 6 messages")


def test_a_file_saved_twice_and_one_of_version_1():
    assert read_session(json.dumps(agent_file().decode()).encode()).format == "letta"
    first = {"agent_type": "memgpt_agent", "core_memory": [], "messages": MESSAGES, "tools": [], "llm_config": {"context_window": 9}}
    (thread,) = read_session(json.dumps({**first, "in_context_message_indices": [0, 5]}).encode()).threads
    assert (thread.window, thread.events[0].note[:16]) == (9, "4 of 6 messages ")


def test_odd_agents_do_not_raise():
    session = read_session(
        agent_file(messages=[1, {}, {"role": "tool", "tool_returns": 3}], tool_ids=3, llm_config=None, in_context_message_ids=[None, [], "x"])
    )
    assert len(session.threads[0].messages) == 2


def test_real_agent_files(shared: Path):
    """Messages and windows as the files say; the boot sequence of one holds a call of a tool and its result."""
    found = {}
    for path in sorted((shared / "corpus" / "letta_af").glob("*.af")):
        value = json.loads(path.read_text())
        agent = (json.loads(value) if isinstance(value, str) else value)["agents"][0]
        (thread,) = read_session(path).threads
        assert (len(thread.messages), thread.window) == (len(agent["messages"]), agent["llm_config"]["context_window"])
        assert [len(tools) for tools in thread.tool_sets] == [len(agent["tool_ids"])] * bool(thread.calls)
        found[path.stem] = len(thread.calls)
    assert found == {"customer_service": 0, "loop": 1, "memgpt_agent_with_convo": 0}
