"""SWE-agent trajectories: the query of each step, or the history by the rule that shortened it."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from ctxcore import Session, read_session
from ctxcore.readers.chat_message import normal_form

Value = dict[str, Any]


def read(value: Any) -> Session:
    return read_session(json.dumps(value).encode(), "run.traj")


def entry(role: str, content: str, **more: Any) -> Value:
    return {"role": role, "content": content, "agent": "main", **more}


def step(response: str, observation: str, **more: Any) -> Value:
    return {"action": "ls", "observation": observation, "response": response, "thought": response, "state": "{}", **more}


def sent(session: Session, call: int) -> list[str]:
    thread = session.threads[0]
    return [thread.messages[i].text for i in thread.calls[call].messages()]


def run(turns: int, **stats: int) -> Value:
    """A 0.x run: prompt, task, then replies and observations of two lines."""
    history = [entry("system", "Be an engineer."), entry("user", "Fix it.")]
    steps = []
    for n in range(turns):
        steps.append(step(f"I look {n}", f"a{n}\nb{n}"))
        history += [entry("assistant", f"I look {n}"), entry("user", f"a{n}\nb{n}")]
    return {"environment": "swe_main", "trajectory": steps, "history": history[:-1], "info": {"model_stats": stats}}


def test_old_observations_become_one_line_and_the_first_message_stays():
    """Eight replies: at the eighth call the task and 7 observations were seen; the newest 5 are whole."""
    session = read(run(8))
    assert [c.message_count for c in session.threads[0].calls] == [2, 4, 6, 8, 10, 12, 14, 16]
    assert [c.known for c in session.threads[0].calls] == ["reconstructed"] * 8
    last = sent(session, 7)
    assert last[1] == "Fix it."
    assert [last[i] for i in (3, 5)] == ["Old output omitted (2 lines)"] * 2
    assert [last[i] for i in range(7, 16, 2)] == [f"a{n}\nb{n}" for n in range(2, 7)]
    assert [(e.kind, e.call) for e in session.threads[0].events] == [("microcompaction", 6), ("microcompaction", 7)]


def test_each_call_of_a_long_run_receives_what_the_rule_says():
    """Prompt and task, then every reply with its observation; all but the newest 5 observations as one line."""
    session = read(run(40))
    for call in range(40):
        seen = [(f"I look {n}", f"a{n}\nb{n}" if n >= call - 5 else "Old output omitted (2 lines)") for n in range(call)]
        assert sent(session, call) == ["Be an engineer.", "Fix it.", *(words for pair in seen for words in pair)]


def test_a_context_shares_the_ranges_that_no_longer_change():
    """1,500 calls with a place for each observation of each context would take 140 MB."""
    contexts = [call.context for call in read(run(60)).threads[0].calls]
    for before, after in pairwise(contexts[10:]):
        assert all(one is other for one, other in zip(before[:-12], after, strict=False))


def test_only_the_task_is_a_persons_message():
    session = read(run(3))
    assert [m.text for m in session.threads[0].messages if m.is_real_user] == ["Fix it."]
    assert all(c.turn == 1 for c in session.threads[0].calls)


def test_totals_that_only_the_whole_history_explains_decide_the_rule():
    """Characters of all inputs over those of all replies, whole history: 21 + 21·… computed here one by one."""
    value = run(12)
    for turn, item in enumerate(value["history"][2:]):
        if item["role"] == "user":
            item["content"] = f"line {turn}\n" * 50
    inputs = [sum(len(m["content"]) for m in value["history"][: 2 + 2 * n]) for n in range(12)]
    replies = sum(len(m["content"]) for m in value["history"] if m["role"] == "assistant")
    value["info"]["model_stats"] = {"tokens_sent": sum(inputs), "tokens_received": replies, "api_calls": 12}
    assert not read(value).threads[0].events
    value["info"]["model_stats"]["tokens_sent"] //= 2
    assert read(value).threads[0].events


def test_demonstrations_are_input_and_no_calls():
    value = run(1)
    value["history"][1:1] = [entry("user", "Task of the demo.", is_demo=True), entry("assistant", "Done.", is_demo=True)]
    session = read(value)
    (call,) = session.threads[0].calls
    assert call.message_count == 4
    assert [m.injected for m in session.threads[0].messages[:4]] == ["", "meta", "", ""]


def test_another_agent_is_a_thread_of_its_own():
    value = run(2)
    value["history"][4:4] = [{**entry("user", "Sub task"), "agent": "helper"}, {**entry("assistant", "Sub done"), "agent": "helper"}]
    main, helper = read(value).threads
    assert (helper.id, helper.kind, helper.parent, helper.parent_call, len(helper.calls)) == ("helper", "agent", "main", 0, 1)
    assert [c.message_count for c in main.calls] == [2, 4]


def tool_run() -> Value:
    """A 1.x run of three steps, the second of which had no tool call and was asked again."""
    call = {"id": "t1", "type": "function", "function": {"name": "bash", "arguments": "{}"}}
    base = [entry("system", "S"), entry("user", "Fix it.")]
    first = [entry("assistant", "Look", tool_calls=[call]), entry("tool", "a.py", tool_call_ids=["t1"], cache_control={"type": "ephemeral"})]
    requery = [entry("assistant", "All done"), entry("user", "No tool call!")]
    last = [entry("assistant", "", tool_calls=[{**call, "id": "t2"}]), entry("tool", "ok", tool_call_ids=["t2"])]
    clean = [first[0], {k: v for k, v in first[1].items() if k != "cache_control"}]
    steps = [
        step("Look", "a.py", query=base),
        {**step("All done", "", query=[*base, *first]), "action": ""},
        step("", "ok", query=[*base, *clean, *requery]),
    ]
    config = json.dumps({"agent": {"model": {"name": "m-1", "max_input_tokens": 1000}}})
    stats = {"model_stats": {"tokens_sent": 90, "tokens_received": 9, "api_calls": 3}}
    return {"environment": "i-1", "trajectory": steps, "history": [*base, *clean, *last], "info": stats, "replay_config": config}


def test_the_query_of_a_step_is_its_input_as_recorded():
    session = read(tool_run())
    thread = session.threads[0]
    assert session.id == "i-1"
    assert session.level == "full requests"
    assert [c.message_count for c in thread.calls] == [2, 4, 6]
    assert all(c.known == "recorded" and c.model == "m-1" for c in thread.calls)
    assert [c.flags for c in thread.calls] == [(), ("failed",), ()]
    assert sent(session, 2) == ["S", "Fix it.", "Look", "a.py", "All done", "No tool call!"]
    assert [thread.messages[c.reply].text for c in thread.calls] == ["Look", "All done", ""]
    assert [call.id for call in thread.messages[thread.calls[2].reply].calls] == ["t2"]
    assert thread.messages[3].results[0].call_id == "t1"
    assert len(thread.messages) == 7
    assert thread.window == 1000


def test_a_replayed_demonstration_has_no_calls():
    value = tool_run()
    value["replay_config"] = {"agent": {"model": {"name": "replay"}}}
    session = read(value)
    assert not session.threads[0].calls
    assert any("no model was asked" in note for note in session.notes)


def test_a_configured_rule_is_used_where_queries_are_missing():
    value = run(5)
    value["replay_config"] = {"agent": {"model": {"name": "m"}, "history_processors": [{"type": "last_n_observations", "n": 2}]}}
    assert sent(read(value), 4)[3] == "Old environment output: (2 lines omitted)"
    value["replay_config"]["agent"]["history_processors"] = [{"type": "cache_control"}]
    assert sent(read(value), 4)[3] == "a0\nb0"


def test_rows_of_the_data_set_are_one_session_each():
    rows = [{"role": "system", "text": None, "system_prompt": "S"}, {"role": "user", "text": "Fix"}, {"role": "ai", "text": "ok"}]
    row = {"instance_id": "i", "model_name": "m", "trajectory": rows, "exit_status": "submitted"}
    session = read(row)
    assert [m.role for m in session.threads[0].messages] == ["system", "user", "assistant"]
    assert session.threads[0].messages[0].text == "S"
    assert session.threads[0].calls[0].model == "m"


@pytest.mark.parametrize("change", [{"history": None}, {"history": [3, None, {}]}, {"info": 5}, {"replay_config": "{"}, {"trajectory": []}])
def test_odd_trajectories_never_raise(change: Value):
    for value in (run(2), tool_run()):
        session = read({**value, **change})
        assert session.format == "swe-agent"
        assert session.ledger.records == session.ledger.read + sum(n for _, n in session.ledger.skipped)


# Real recordings


def test_the_rebuilt_input_of_a_real_run_has_the_tokens_that_were_counted(shared: Path):
    """GPT-4 run: 12 calls, 122,612 tokens sent. In cl100k, with OpenAI's 4 tokens a message and 3 a call, the contexts sum to exactly that."""
    splintr = pytest.importorskip("splintr")
    tokenizer = splintr.Tokenizer.from_pretrained("cl100k_base")
    session = read_session(shared / "corpus" / "swe-agent" / "v0_pydicom-1458.traj")
    thread = session.threads[0]
    sizes = [len(tokenizer.encode(m.text)) + 4 for m in thread.messages]
    assert sum(3 + sum(sizes[i] for i in c.messages()) for c in thread.calls) == 122_612


def test_the_shortened_run_has_the_ratio_of_its_totals(shared: Path):
    """Claude run: 20 calls, 216,294 tokens sent, 2,065 received. In cl100k the replies have 1,784 tokens, so 1.157 Claude tokens each; the inputs
    by the rule have 186,050, times 1.157 is 215,300 (0.5 % below); the whole history would be 259,500."""
    session = read_session(shared / "corpus" / "swe-agent" / "v0_claude35_psf-requests-1142_1.9MB.traj")
    thread = session.threads[0]
    assert len(thread.calls) == 20
    assert len(thread.events) == 14
    assert sum(m.text.startswith("Old output omitted") for m in thread.messages) == 14


@pytest.mark.parametrize(("name", "calls"), [("v1_kimi_dask-8685_548KB", 14), ("v1_gpt5_monai-5416_4.6MB", 37), ("v1_claude_bokeh-13370", 36)])
def test_every_recorded_query_is_the_context_of_its_call(shared: Path, name: str, calls: int):
    path = shared / "corpus" / "swe-agent" / f"{name}.traj"
    steps = json.loads(path.read_text())["trajectory"]
    (thread,) = read_session(path).threads
    assert len(thread.calls) == len(steps) == calls

    def plain(value: Value) -> Value:
        return {k: v for k, v in normal_form(value).items() if k in ("role", "content", "tool_calls", "thinking_blocks")}

    for call, recorded in zip(thread.calls, steps, strict=True):
        assert [plain(dict(thread.messages[i].wire[0])) for i in call.messages()] == [plain(m) for m in recorded["query"]]


def test_the_history_alone_gives_the_contexts_of_the_queries(shared: Path):
    """Without the queries 14 of 14, 36 of 37 and 35 of 36 contexts come out the same: re-queries are not in the history."""
    agreed = []
    for name in ("v1_kimi_dask-8685_548KB", "v1_gpt5_monai-5416_4.6MB", "v1_claude_bokeh-13370"):
        value = json.loads((shared / "corpus" / "swe-agent" / f"{name}.traj").read_text())
        recorded = read(value)
        for recorded_step in value["trajectory"]:
            del recorded_step["query"]
        rebuilt = read(value)
        contexts = {tuple(sent(rebuilt, n)) for n in range(len(rebuilt.threads[0].calls))}
        agreed.append(sum(tuple(sent(recorded, n)) in contexts for n in range(len(recorded.threads[0].calls))))
    assert agreed == [14, 36, 35]
