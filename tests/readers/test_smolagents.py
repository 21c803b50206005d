"""smolagents memory: what each step sent, or what the library would have sent."""

from __future__ import annotations

import json
from pathlib import Path

from ctxcore import read_session

CALLS = [{"id": "k1", "type": "function", "function": {"name": "look", "arguments": {"where": "attic"}}}]


def step(number: int, **fields) -> dict:
    base = {
        "step_number": number,
        "timing": {"start_time": 1_780_000_000.5 + number, "end_time": None},
        "error": None,
        "tool_calls": None,
        "observations": None,
    }
    return {**base, "model_output": None, "token_usage": {"input_tokens": 5 * number, "output_tokens": 1}, **fields}


def memory(*steps: dict) -> bytes:
    return json.dumps(
        {"system_prompt": {"system_prompt": "Solve it."}, "steps": [{"task": "Where is the key?", "task_images": None}, *steps]}
    ).encode()


def test_steps_without_their_input_are_told_again_as_the_library_sends_them():
    """Call 1 gets the system text and the task; call 2 also the thought, the call and its observation as text; call 3 also the error."""
    failed = step(2, model_output="Again.", error={"type": "AgentParsingError", "message": "no action"})
    session = read_session(
        memory(step(1, model_output="I look.", tool_calls=CALLS, observations="dust"), failed, step(3, model_output="Under the mat."))
    )
    (thread,) = session.threads
    assert (session.format, session.level) == ("smolagents", "message list only")
    assert [c.message_count for c in thread.calls] == [2, 5, 7]
    texts = [thread.messages[i].text for i in thread.calls[2].messages()]
    assert texts[:5] == ["Solve it.", "New task:\nWhere is the key?", "I look.", f"Calling tools:\n{CALLS}", "Observation:\ndust"]
    assert texts[6].startswith("Error:\nno action")
    assert [c.usage.input_tokens for c in thread.calls] == [5, 10, 15]
    assert [c.turn for c in thread.calls] == [1, 1, 1], "observations stand in the user role but nobody wrote them"


def test_recorded_input_counts_more_than_what_is_told_again():
    sent = [{"role": "system", "content": "Other."}, {"role": "tool-response", "content": [{"type": "text", "text": "x"}], "raw": None}]
    (thread,) = read_session(memory(step(1, model_input_messages=sent, model_output="y"))).threads
    assert [(m.role, m.text, m.injected) for m in thread.messages] == [("system", "Other.", ""), ("user", "x", "meta"), ("assistant", "y", "")]
    assert thread.calls[0].known == "recorded"


def test_odd_steps_are_counted():
    session = read_session(memory(step(1, model_output="y"), {}, {"other": 1}, step(2, tool_calls=3, observations=[], error="boom")))
    assert session.ledger.records == session.ledger.read + sum(n for _, n in session.ledger.skipped) == 5


def test_a_real_memory_is_told_again_exactly(shared: Path):
    """13 calls with their recorded input: each equals what is told again once the input is taken out; the 14th only has counts, 52,529."""
    value = json.loads((shared / "corpus" / "smolagents" / "gen_smolagents_memory_full_steps.json").read_text())
    recorded = read_session(json.dumps(value).encode()).threads[0]
    assert [c.message_count for c in recorded.calls[:13]] == [len(s["model_input_messages"]) for s in value["steps"][1:14]]
    assert recorded.calls[13].usage.input_tokens == 52529
    for entry in value["steps"]:
        entry.pop("model_input_messages", None)
    told = read_session(json.dumps(value).encode()).threads[0]
    agree = [texts(recorded, n) == texts(told, n) for n in range(14)]
    assert sum(agree) == 14


def texts(thread, number: int) -> list[str]:
    return [thread.messages[index].text for index in thread.calls[number].messages()]
