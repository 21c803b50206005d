"""ToolBench searches: every query of the tree is one call, those of the chosen chain with what was sent."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ctxcore import read_session

SYSTEM, USER = {"role": "system", "content": "Use functions."}, {"role": "user", "content": "Where?"}


def node(kind: str, words: str, *children: dict, query: int = 0, seen: str = "") -> dict:
    return {"node_type": kind, "description": words, "expand_num": query, "observation": seen, "children": list(children)}


def act(name: str, query: int, *children: dict) -> dict:
    return node("Action", name, node("Action Input", "{}", *children, query=query, seen=f"saw {name}"))


def called(name: str, content: str | None = None) -> dict:
    return {"role": "assistant", "content": content, "function_call": {"name": name, "arguments": "{}"}}


def test_branches_share_the_calls_above_them():
    """Query 1 looks in the attic; 2 only thinks; 3 goes on from that thought; 4 is a second try from query 1, and the chosen end."""
    thought = node("Thought", "Hm.", act("cellar", 3), query=2)
    tree = node("Action Input", "", act("attic", 1, thought, node("Thought", "Better:", act("mat", 4))))
    seen = {"role": "function", "name": "attic", "content": "saw attic"}
    prompt = {"role": "user", "content": "You tried before.", "valid": False}
    chain = [[SYSTEM, USER, called("attic")], [SYSTEM, USER, called("attic"), seen, prompt, called("mat", "Better:")]]
    answer = {"train_messages": chain, "function": [{"name": "attic"}], "query_count": 4, "total_tokens": 900}
    session = read_session(json.dumps({"answer_generation": answer, "tree": {"tree": tree}, "win": True}).encode())
    main, branch = session.threads
    assert [(c.message_count, c.known) for c in main.calls] == [(2, "recorded"), (5, "recorded")]
    assert main.messages[4].injected == "meta"
    assert [(c.id, c.message_count, c.known) for c in branch.calls] == [("query 2", 4, "reconstructed"), ("query 3", 5, "reconstructed")]
    assert [m.role for m in branch.messages] == ["system", "user", "assistant", "function", "assistant", "assistant", "function"]
    assert any("900 tokens" in note for note in session.notes)


def test_odd_trees_do_not_raise():
    value = {"answer_generation": {"train_messages": [3, [], [1], [{}]], "function": 3}, "tree": {"tree": {"children": [1, {"children": [None]}]}}}
    assert read_session(json.dumps(value).encode()).threads[0].calls == ()


@pytest.mark.parametrize(("name", "calls"), [("G2_52_ChatGPT_DFS_woFilter_w2", 30), ("G3_13_ChatGPT_DFS_woFilter_w2", 75)])
def test_a_real_search_has_as_many_calls_as_it_says(shared: Path, name: str, calls: int):
    """``query_count`` of the file; the chain holds 3 and 5 of them."""
    path = shared / "corpus" / "toolbench" / f"{name}.json"
    answer = json.loads(path.read_text())["answer_generation"]
    session = read_session(path)
    assert sum(len(t.calls) for t in session.threads) == answer["query_count"] == calls
    assert [c.message_count for c in session.threads[0].calls] == [len(messages) - 1 for messages in answer["train_messages"]]
    assert len({c.id for t in session.threads[1:] for c in t.calls}) == calls - len(answer["train_messages"])
