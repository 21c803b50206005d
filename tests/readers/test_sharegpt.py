"""ShareGPT data sets: roles, tools and calls in each of their spellings."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from ctxcore import read_session

TOOLS = [{"name": "look", "parameters": {"type": "object"}}]


def turn(who: str, value: str) -> dict:
    return {"from": who, "value": value}


def test_calls_and_observations_of_llama_factory_are_paired_by_order():
    turns = [turn("human", "Where?"), turn("function_call", '[{"name": "look", "arguments": {"where": "attic"}}, {"name": "look", "arguments": {}}]')]
    turns += [turn("observation", "dust"), turn("gpt", "Not there.")]
    session = read_session(json.dumps([{"conversations": turns, "tools": json.dumps(TOOLS), "system": "Be brief."}]).encode())
    (thread,) = session.threads
    assert (session.format, session.level, session.not_recorded) == ("sharegpt", "message list only", ("usage",))
    assert [m.role for m in thread.messages] == ["system", "user", "assistant", "tool", "assistant"]
    assert [(c.name, c.arguments) for c in thread.messages[2].calls] == [("look", '{"where":"attic"}'), ("look", "{}")]
    assert [(c.context, c.reply, c.tools) for c in thread.calls] == [(((0, 2),), 2, 0), (((0, 4),), 4, 0)]
    assert thread.tool_sets == (tuple(TOOLS),)


def test_hermes_keeps_calls_results_and_schemas_in_tags():
    system = f"You call functions. <tools>\n{json.dumps(TOOLS[0])}\n</tools> For each call answer in tags."
    called = 'I look.\n<tool_call>\n{"name": "look", "arguments": {"where": "attic"}}\n</tool_call>'
    called += '<tool_call>{"name": "look", "arguments": {}}</tool_call>'
    turns = [
        turn("system", system),
        turn("human", "Where?"),
        turn("gpt", called),
        turn("tool", "<tool_response>\ndust\n</tool_response><tool_response>x</tool_response>"),
    ]
    (thread,) = read_session(json.dumps({"id": "c1", "conversations": turns}).encode() + b"\n").threads
    assert (thread.messages[2].text, [c.name for c in thread.messages[2].calls]) == ("I look.", ["look", "look"])
    assert [r.text for r in thread.messages[3].results] == ["dust", "x"]
    assert thread.tool_sets == (tuple(TOOLS),)
    assert [c.flags for c in thread.calls] == [(), ("no_reply",)]


def test_each_conversation_is_a_thread_with_its_own_tools():
    values = [{"conversations": [turn("human", "a"), turn("gpt", "b")], "tools": json.dumps([{"name": f"t{n}"}])} for n in range(3)]
    session = read_session("\n".join(map(json.dumps, [*values, {"other": 1}])).encode())
    assert [t.tool_sets[t.calls[0].tools][0]["name"] for t in session.threads] == ["t0", "t1", "t2"]
    assert dict(session.ledger.skipped) == {"not a conversation": 1}


def test_files_beside_a_conversation_stand_at_their_marks():
    value = {
        "conversations": [turn("human", "<image>Who?"), turn("gpt", "x"), turn("human", "And <image>?"), turn("gpt", "y")],
        "images": ["1.jpg", "2.jpg"],
    }
    (thread,) = read_session(json.dumps([value]).encode()).threads
    assert [[p.kind for p in m.parts] for m in thread.messages] == [["text", "media"], ["text"], ["text", "media"], ["text"]]


def test_odd_turns_do_not_raise():
    turns = [turn("human", "a"), {"from": 3, "value": None}, {"from": "function_call", "value": "no json"}, {"from": "alien", "value": {"x": 1}}]
    (thread,) = read_session(json.dumps([{"conversations": turns, "tools": "no json", "images": 3}]).encode()).threads
    assert thread.messages[2].calls[0].arguments == "no json"
    assert "unknown_role" in thread.messages[3].flags


def test_a_real_data_set_has_a_call_for_every_reply_of_the_model(shared: Path):
    """300 conversations; replies are the turns of gpt and function_call, 957 by a count over the file."""
    path = shared / "corpus" / "sharegpt" / "glaive_toolcall_en_demo.json"
    told = Counter(turn["from"] for value in json.loads(path.read_text()) for turn in value["conversations"])
    session = read_session(path)
    assert len(session.threads) == 300
    assert sum(len(t.calls) for t in session.threads) == told["gpt"] + told["function_call"] == 957
    assert sum(len(m.results) for t in session.threads for m in t.messages) == told["observation"] == 211
