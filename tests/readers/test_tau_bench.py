"""tau-bench and tau2-bench: runs with one or two models in a list."""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from ctxcore import Session, read_sessions
from ctxcore.errors import UnreadableFile

Value = dict[str, Any]


def read(value: Any) -> list[Session]:
    sessions = list(read_sessions(json.dumps(value).encode(), "results.json"))
    assert all(s.ledger.records == s.ledger.read + sum(n for _, n in s.ledger.skipped) for s in sessions)
    return sessions


def said(role: str, content: str | None, **more: Any) -> Value:
    return {"role": role, "content": content, **more}


def sent(session: Session, call: int, thread: str = "main") -> list[str]:
    found = session.thread(thread)
    return [f"{found.messages[i].role}: {found.messages[i].text}" for i in found.calls[call].messages()]


# tau-bench


def asks(id: str) -> Value:
    return said("assistant", None, tool_calls=[{"id": id, "type": "function", "function": {"name": "find", "arguments": "{}"}}])


def run(*traj: Value, task: int = 0) -> Value:
    return {"task_id": task, "reward": 1.0, "info": {}, "traj": [said("system", "P"), *traj], "trial": 2}


def test_every_reply_is_a_call_and_the_end_of_a_run_is_none():
    """The last entry ends the run: the user's stop word, or a transfer to a person."""
    first = run(said("user", "Hi"), said("assistant", "Yes?"), said("user", "###STOP###"))
    second = run(said("user", "Hi"), asks("a"), said("tool", "transferred", tool_call_id="a", name="find"), task=1)
    sessions = read([first, second])
    assert [s.format for s in sessions] == ["tau-bench"] * 2
    assert [s.id for s in sessions] == ["task 0 trial 2", "task 1 trial 2"]
    assert [[c.message_count for c in s.threads[0].calls] for s in sessions] == [[2], [2]]
    assert "usage" in sessions[0].not_recorded


def test_a_call_id_that_is_used_again_means_the_newest_call():
    turns = [asks("a"), said("tool", "one", tool_call_id="a"), asks("a"), said("tool", "two", tool_call_id="a")]
    (session,) = read([run(said("user", "Hi"), *turns, said("assistant", "Done"))])
    assert session.problems == ()
    (epoch,) = session.threads[0].epochs
    assert [bool(x) for x in epoch.units.exchange] == [False, False, True, True]


def test_output_of_an_interface_in_the_users_role_is_no_person():
    (session,) = read([run(said("user", "Hi"), said("assistant", "Action: find"), said("user", "API output: 7"), said("assistant", "7"))])
    assert [m.injected for m in session.threads[0].messages] == ["", "", "", "meta", ""]


@pytest.mark.parametrize("bad", [None, 3, {"task_id": 1}, {"task_id": 1, "reward": 0, "traj": [None, 4, {}]}])
def test_odd_runs_never_raise(bad: Any):
    assert read([run(said("user", "Hi"), said("assistant", "Yes"))] * 2 + [bad])


def test_real_runs_pair_by_position(shared: Path):
    """200 runs, 2,454 assistant entries; in 49 runs an id is used more than once, and none of that is a problem."""
    path = shared / "corpus" / "tau-bench" / "gpt-4o-airline_4.1MB.json"
    replies = [sum(m["role"] == "assistant" for m in r["traj"]) for r in json.loads(path.read_text())]
    sessions = read_sessions(path)
    assert [len(s.threads[0].calls) for s in sessions] == replies
    assert sum(replies) == 2454
    assert not [p for s in sessions for p in s.problems if p.kind in ("duplicate_result", "orphan_result", "open")]


# tau2-bench


def counted(role: str, content: str | None, prompt: int, **more: Any) -> Value:
    raw = {"model": f"{role}-model", "id": f"r{prompt}"}
    return said(role, content, usage={"prompt_tokens": prompt, "completion_tokens": 2}, raw_data=raw, timestamp="2026-01-01T10:00:00", **more)


def tool_call(id: str, requestor: str) -> list[Value]:
    return [{"id": id, "name": "check", "arguments": {"x": 1}, "requestor": requestor}]


TALK = [
    said("assistant", "Hi! How can I help?", usage=None),
    counted("user", "Phone is dead", 10),
    counted("assistant", None, 20, tool_calls=tool_call("c1", "assistant")),
    said("tool", "plan: ok", id="c1", requestor="assistant", error=False),
    counted("assistant", "Restart it", 30),
    counted("user", None, 40, tool_calls=tool_call("u1", "user")),
    said("tool", "restarted", id="u1", requestor="user", error=True),
    counted("user", "Works", 50),
    counted("assistant", "Bye", 60),
]


def results(*messages: Value, **more: Any) -> Value:
    info = {"agent_info": {"llm": "a"}, "user_info": {"llm": "u", "global_simulation_guidelines": "Play a customer."}}
    info["environment_info"] = {"policy": "Be kind.", "tool_defs": None}
    task = {"id": "t1", "user_scenario": {"instructions": "Phone is dead"}}
    simulation = {"id": "s1", "task_id": "t1", "messages": list(messages), "termination_reason": "user_stop"}
    return {"timestamp": "2026", "info": info, "tasks": [task], "simulations": [simulation], **more}


def test_each_model_receives_its_own_view():
    (session,) = read(results(*TALK))
    agent, user = session.threads
    assert session.format == "tau2-bench"
    assert (user.kind, user.title) == ("agent", "simulated user")
    assert [c.usage.input_tokens for c in agent.calls] == [20, 30, 60]
    assert [c.usage.input_tokens for c in user.calls] == [10, 40, 50]
    assert [c.model for c in (*agent.calls, *user.calls)] == ["assistant-model"] * 3 + ["user-model"] * 3
    words = ["system: Be kind.", "assistant: Hi! How can I help?", "user: Phone is dead", "assistant: ", "tool: plan: ok"]
    assert sent(session, 1) == words
    assert sent(session, 2) == [*words, "assistant: Restart it", "user: Works"]
    assert sent(session, 2, "user-simulator")[1:] == [
        "user: Hi! How can I help?",
        "assistant: Phone is dead",
        "user: Restart it",
        "assistant: ",
        "tool: restarted",
    ]
    assert user.messages[0].text.startswith("Play a customer.")
    assert [r.is_error for m in user.messages for r in m.results] == [True]
    assert session.problems[0].kind == "times"


def test_the_greeting_is_no_call_even_where_nothing_is_counted():
    bare = [{k: v for k, v in m.items() if k not in ("usage", "raw_data")} for m in TALK]
    (session,) = read(results(*bare))
    assert [len(t.calls) for t in session.threads] == [3, 3]
    assert session.threads[0].calls[0].model == "a"
    assert "usage" in session.not_recorded


def test_several_results_in_one_entry_are_opened():
    both = {"role": "tool", "tool_messages": [TALK[3], {**TALK[3], "id": "c2", "content": "more"}]}
    (session,) = read(results(*TALK[:3], both, *TALK[4:]))
    assert sent(session, 1)[-2:] == ["tool: plan: ok", "tool: more"]


def test_a_simulation_without_messages_is_counted():
    value = results(*TALK)
    value["simulations"] += [{"id": "s2", "task_id": "t1", "messages": None, "ticks": [{}]}]
    (session,) = read(value)
    assert ("simulation without messages", 1) in session.ledger.skipped
    with pytest.raises(UnreadableFile, match="ticks"):
        read(results())


@pytest.mark.parametrize("bad", [None, 5, {}, {"role": "tool"}, {"role": "assistant", "tool_calls": 5, "usage": "x", "raw_data": []}, {"role": 7}])
def test_odd_entries_never_raise(bad: Any):
    assert read(results(*TALK, bad))


def test_the_usage_of_real_runs_is_that_of_each_model(shared: Path):
    """40 simulations: 620 assistant and 889 user entries with usage; 482 tool calls of the simulated user."""
    path = shared / "corpus" / "tau2-bench" / "tau2_gpt41_telecom_2.7MB.json"
    entries = [m for s in json.loads(path.read_text())["simulations"] for m in s["messages"]]
    sessions = read_sessions(path)
    for side, thread in (("assistant", 0), ("user", 1)):
        calls = [c for s in sessions for c in s.threads[thread].calls]
        usages = [m["usage"]["prompt_tokens"] for m in entries if m["role"] == side and m["usage"]]
        assert [c.usage.input_tokens for c in calls] == usages
    assert [sum(len(s.threads[n].calls) for s in sessions) for n in (0, 1)] == [620, 889]
    assert sum(len(m.calls) for s in sessions for m in s.threads[1].messages) == 482


def test_both_views_of_real_runs_grow_by_the_tokens_that_were_counted(shared: Path):
    """Between two calls with only words the input grows by the o200k tokens of the two new messages and 4 for each (OpenAI's chat format).

    So for all 416 such pairs of the simulated user, and for 360 of the agent's 376; once in most runs the agent received 230 to 390 tokens more.
    """
    splintr = pytest.importorskip("splintr")
    count = splintr.Tokenizer.from_pretrained("o200k_base").encode
    grown: list[Counter[bool]] = [Counter(), Counter()]
    for session in read_sessions(shared / "corpus" / "tau2-bench" / "tau2_gpt41_telecom_2.7MB.json"):
        for side, thread in enumerate(session.threads):
            for before, after in pairwise(thread.calls):
                new = [thread.messages[i] for i in after.messages()[before.message_count :]]
                if not any(m.calls or m.results for m in new):
                    tokens = sum(len(count(m.text)) + 4 for m in new)
                    grown[side][after.usage.input_tokens - before.usage.input_tokens == tokens] += 1
    assert grown == [{True: 360, False: 16}, {True: 416}]


def test_the_model_that_answered_is_named_not_the_one_of_the_file(shared: Path):
    """The wrapper says claude-opus-4-6; by raw_data.model 461 of the agent's 667 counted replies are deepseek-chat's. One simulation is empty."""
    sessions = read_sessions(shared / "corpus" / "tau2-bench" / "tau2_adaptive_airline_opus46_3.9MB.json")
    assert len(sessions) == 49
    models = Counter(c.model for s in sessions for c in s.threads[0].calls)
    assert models == {"deepseek-chat": 461, "claude-opus-4-6": 179, "claude-sonnet-4-6": 27}
