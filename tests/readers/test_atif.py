"""Harbor trajectories (ATIF): calls, copies, summarisations, continuations and sub-agents."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ctxcore import Session, read_session
from ctxcore.readers.detect import read_uploads

Value = dict[str, Any]


def trajectory(*steps: Value, id: str = "s-1", name: str = "a", version: str = "ATIF-v1.6", **more: Any) -> Value:
    agent = {"name": name, "version": "1", "model_name": "m", **more.pop("agent", {})}
    numbered = [{"step_id": number, **step} for number, step in enumerate(steps, 1)]
    return {"schema_version": version, "session_id": id, "agent": agent, "steps": numbered, **more}


def user(words: Any, **more: Any) -> Value:
    return {"source": "user", "message": words, **more}


def agent(words: str, prompt: int | None = 10, **more: Any) -> Value:
    metrics = {} if prompt is None else {"metrics": {"prompt_tokens": prompt, "completion_tokens": 2, "cached_tokens": 1}}
    return {"source": "agent", "message": words, **metrics, **more}


def tool(id: str, name: str = "run") -> Value:
    return {"tool_call_id": id, "function_name": name, "arguments": {"x": 1}}


def seen(*results: Value) -> Value:
    return {"results": list(results)}


def read(value: Any) -> Session:
    return read_session(json.dumps(value).encode(), "trajectory.json")


def together(*values: Value) -> list[Session]:
    reading = read_uploads([(f"{n}.json", json.dumps(v).encode()) for n, v in enumerate(values)])
    assert reading.failures == ()
    assert all(s.ledger.records == s.ledger.read + sum(n for _, n in s.ledger.skipped) for s in reading.sessions)
    return list(reading.sessions)


def sent(session: Session, call: int, thread: str = "") -> list[str]:
    found = session.thread(thread)
    return [found.messages[i].text for i in found.calls[call].messages()]


def test_an_observation_is_input_of_the_next_call_and_its_tokens_include_the_cached():
    first = agent("Run it", tool_calls=[tool("c1"), tool("c2")], observation=seen({"source_call_id": "c2", "content": "two"}, {"content": "x"}))
    first["observation"]["results"][1] = {"source_call_id": "c1", "content": "one"}
    session = read(trajectory(user("Go", timestamp="2026-01-01T10:00:00Z"), first, agent("Done", 30)))
    (thread,) = session.threads
    assert session.format == "harbor-atif"
    assert sent(session, 1) == ["Go", "Run it", "two", "one"]
    assert [m.results[0].call_id for m in thread.messages if m.results] == ["c2", "c1"]
    assert [(c.usage.input_tokens, c.usage.cache_read_tokens) for c in thread.calls] == [(10, 1), (30, 1)]
    assert thread.messages[0].at == 1_767_261_600


def test_a_result_without_an_id_answers_the_call_in_its_place():
    session = read(trajectory(user("Go"), agent("x", tool_calls=[tool("c1")], observation=seen({"content": "out"})), agent("y")))
    assert session.threads[0].messages[2].results[0].call_id == "c1"


def test_without_tool_calls_the_observation_is_no_persons_message():
    (thread,) = read(trajectory(user("Go"), agent("x", observation=seen({"content": "terminal"})), agent("y"))).threads
    assert (thread.messages[2].role, thread.messages[2].injected) == ("user", "meta")


def test_copied_steps_and_steps_without_a_request_are_no_calls():
    steps = (user("Go", is_copied_context=True), agent("old", None, is_copied_context=True), agent("by rule", llm_call_count=0), agent("new", 5))
    session = read(trajectory(*steps, version="ATIF-v1.7"))
    assert sent(session, 0) == ["Go", "old", "by rule"]
    assert len(session.threads[0].calls) == 1


def test_one_step_for_several_requests_is_said():
    session = read(trajectory(user("Go"), agent("x", llm_call_count=3)))
    assert session.threads[0].calls[0].flags == ("several_requests",)
    assert any("several requests" in note for note in session.notes)


def test_usage_in_the_place_of_metrics_is_read():
    step = agent("x", None, usage={"prompt_tokens": 7, "completion_tokens": 3, "cache_tokens": 2})
    usage = read(trajectory(user("Go"), step, version="ATIF-v1.2")).threads[0].calls[0].usage
    assert (usage.input_tokens, usage.output_tokens, usage.cache_read_tokens) == (7, 3, 2)


def test_without_any_counts_every_step_of_the_agent_is_a_call():
    assert len(read(trajectory(user("Go"), agent("a", None), agent("b", None))).threads[0].calls) == 2


def test_images_are_media():
    parts = [{"type": "text", "text": "See"}, {"type": "image", "source": {"media_type": "image/png", "path": "images/1.png"}}]
    (thread,) = read(trajectory(user(parts), agent("x"))).threads
    assert [part.kind for part in thread.messages[0].parts] == ["text", "media"]


COMPACTION = {
    "source": "system",
    "message": "Summarised.",
    "observation": seen({"subagent_trajectory_ref": [{"session_id": "q"}, {"session_id": "w"}]}),
}

MAIN = trajectory(
    user("Task"), agent("a", 10), agent("b", 20), COMPACTION, user("Answers"), agent("c", 30), agent={"tool_definitions": [{"name": "run"}]}
)

QUESTIONS = trajectory(user("Ask"), agent("What?", 4), id="q", name="t-questions", agent={"extra": {"summarization_index": 1}})

WORKER = trajectory(user("Work"), agent("ok", 6), id="w", name="worker")


def test_a_summarisation_replaces_the_history_and_its_sub_agents_are_threads():
    (session,) = together(WORKER, MAIN, QUESTIONS)
    assert sent(session, 2) == ["Task", "Ask", "What?", "Answers"]
    assert [(e.kind, e.call) for e in session.threads[0].events] == [("compaction", 2)]
    assert [(t.kind, t.parent, t.parent_call, len(t.calls)) for t in session.threads[1:]] == [("agent", "main", 1, 1), ("side", "main", 1, 1)]
    assert [m.text for m in session.threads[0].messages if m.is_real_user] == ["Task"]
    assert session.threads[0].calls[0].tools == 0
    assert session.ledger.records == 3


def test_a_sub_agent_embedded_in_the_file_is_the_same_thread():
    session = read({**MAIN, "schema_version": "ATIF-v1.7", "subagent_trajectories": [QUESTIONS, WORKER]})
    assert sent(session, 2) == ["Task", "Ask", "What?", "Answers"]
    assert [t.id for t in session.threads] == ["main", "q", "w"]
    assert session.ledger.records == session.ledger.read == 1


def test_a_continuation_goes_on_in_the_same_thread():
    first = trajectory(user("Task"), agent("a"), {**COMPACTION, "observation": seen()}, continued_trajectory_ref="t.cont-1.json")
    first["steps"][2]["extra"] = {"context_management": {"type": "compaction"}}
    copies = (user("Task", is_copied_context=True), user("Summary", is_copied_context=True))
    second = trajectory(*copies, agent("b", 50), agent={"extra": {"continuation_index": 1}})
    (session,) = together(second, first)
    assert [c.usage.input_tokens for c in session.threads[0].calls] == [10, 50]
    assert sent(session, 1) == ["Task", "Summary"]
    assert session.threads[0].calls[1].context[0] == (0, 1)
    assert [m.injected for m in session.threads[0].messages] == ["", "", "summary", ""]


def test_trajectories_that_name_each_other_are_read_apart():
    one = trajectory(user("A"), agent("a", observation=seen({"subagent_trajectory_ref": {"session_id": "y"}})), id="x")
    other = trajectory(user("B"), agent("b", observation=seen({"subagent_trajectory_ref": {"session_id": "x"}})), id="y")
    assert len(together(one, other)) == 2


@pytest.mark.parametrize("bad", [None, 3, {}, {"source": "agent", "tool_calls": 4, "observation": [1], "metrics": "x"}, {"source": 1, "message": {}}])
def test_odd_steps_never_raise(bad: Any):
    value = trajectory(user("Go"), agent("a"))
    value["steps"].append(bad)
    assert read(value).format == "harbor-atif"


def test_the_files_of_a_real_summarised_run_add_up_to_its_own_total(shared: Path):
    """final_metrics: 7,802 input and 1,030 output tokens; 7 calls of the agent, 3 of the summarising sub-agents, counted by their metrics."""
    folder = shared / "corpus" / "harbor-atif"
    (session,) = read_uploads([(p.name, p) for p in sorted(folder.glob("phoenix_terminus2_*.json"))]).sessions
    calls = [call for thread in session.threads for call in thread.calls]
    assert [len(thread.calls) for thread in session.threads] == [7, 1, 1, 1]
    assert (sum(c.usage.input_tokens for c in calls), sum(c.usage.output_tokens for c in calls)) == (7802, 1030)
    assert len(session.threads[0].events) == 1
    assert all(thread.parent == "main" and thread.parent_call == 2 for thread in session.threads[1:])


def test_the_rebuilt_context_after_a_real_summarisation_is_the_one_of_the_linear_recording(shared: Path):
    """The same run recorded twice: with a handoff, and as a linear history whose continuation copies the messages that were sent."""
    folder = shared / "corpus" / "harbor-atif"
    (one,) = read_uploads([(p.name, p) for p in sorted(folder.glob("phoenix_terminus2_*.json"))]).sessions
    (two,) = read_uploads([(p.name, p) for p in sorted(folder.glob("terminus_2_*.json"))]).sessions
    assert sent(one, 3) == sent(two, 3)
    assert len(two.threads[0].calls) == 7


@pytest.mark.parametrize(
    ("name", "calls", "tokens"),
    [("openhands_hello-world.trajectory", 2, 220), ("phoenix_multi_tool", 3, 9150), ("phoenix_sample_recipe_finder_v1.2_99KB", 13, 130_557)],
)
def test_calls_of_real_files_add_up_to_their_final_metrics(shared: Path, name: str, calls: int, tokens: int):
    """final_metrics.total_prompt_tokens; the steps with metrics (or usage) counted in the file."""
    path = shared / "corpus" / "harbor-atif" / f"{name}.json"
    value = json.loads(path.read_text())
    (thread,) = read_session(path).threads
    assert sum(bool(step.get("metrics") or step.get("usage")) for step in value["steps"]) == len(thread.calls) == calls
    assert sum(c.usage.input_tokens for c in thread.calls) == value["final_metrics"]["total_prompt_tokens"] == tokens
