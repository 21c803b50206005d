"""LangSmith runs: exports, batches on their way in, and which runs are calls."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ctxcore import Session, read_session
from ctxcore.errors import UnreadableFile
from ctxcore.model import Usage

RUN_A, RUN_B = "aaaaaaaa-0000-0000-0000-000000000001", "bbbbbbbb-0000-0000-0000-000000000002"


def dump(name: str, **fields: Any) -> dict[str, Any]:
    return {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", name], "kwargs": fields}


def llm(id: str, *messages: dict[str, Any], reply: dict[str, Any] | None = None, second: int = 0, **more: Any) -> dict[str, Any]:
    outputs = {"generations": [[{"text": "", "message": reply}]], "llm_output": {"id": f"r-{id}", "model_name": "m-1"}} if reply else None
    return {
        "id": id,
        "run_type": "llm",
        "trace_id": "t",
        "start_time": f"2026-01-01T00:00:{second:02}",
        "inputs": {"messages": [list(messages)]},
        "outputs": outputs,
        "extra": {"invocation_params": {"tools": [{"name": "find"}]}},
        **more,
    }


def read(*runs: Any) -> Session:
    return read_session("\n".join(map(json.dumps, runs)).encode())


COUNTED = {"input_tokens": 90, "output_tokens": 5, "input_token_details": {"cache_read": 80}, "output_token_details": {"reasoning": 2}}


def test_runs_of_type_llm_are_the_calls():
    """The chain around them repeats messages and tokens; tools stand in the parameters of the call only."""
    ask, answer = dump("HumanMessage", content="Hi"), dump("AIMessageChunk", content="Ho", usage_metadata=COUNTED)
    chain = {"id": "c", "run_type": "chain", "trace_id": "t", "inputs": {}, "prompt_tokens": 90, "completion_tokens": 5}
    session = read(
        chain, llm("b", ask, answer, dump("HumanMessage", content="So?"), second=2, parent_run_id="c"), llm("a", ask, reply=answer, parent_run_id="c")
    )
    (thread,) = session.threads
    assert [(c.id, c.message_count, c.reply) for c in thread.calls] == [("r-a", 1, 1), ("b", 3, None)]
    assert thread.calls[0].usage == Usage(input_tokens=90, output_tokens=5, cache_read_tokens=80, reasoning_tokens=2)
    assert thread.tool_sets == (({"name": "find"},),)
    assert any("agrees with the 90 and 5" in note for note in session.notes)
    assert (session.ledger.records, session.ledger.read) == (3, 2)


def test_the_parsed_calls_count_and_not_the_raw_ones_beside_them():
    raw = {"tool_calls": [{"id": "c1", "type": "function", "function": {"name": "find", "arguments": '{"q":1}'}}]}
    reply = dump("AIMessage", content="", tool_calls=[{"id": "c1", "name": "find", "args": {"q": 1}}], additional_kwargs=raw)
    (thread,) = read(llm("a", dump("HumanMessage", content="Hi"), reply=reply)).threads
    assert [(c.id, c.arguments) for c in thread.messages[1].calls] == [("c1", '{"q":1}')]


def test_what_was_posted_and_what_was_patched_is_one_run():
    """By id, or where the patch has none by the last id of its order."""
    order = f"20260101T000000000000Z{RUN_A}"
    post = {
        "id": RUN_A,
        "run_type": "llm",
        "trace_id": RUN_A,
        "inputs": {"messages": [{"role": "user", "content": "Hi"}]},
        "outputs": {},
        "dotted_order": order,
    }
    patch = {"dotted_order": order, "outputs": {"choices": [{"message": {"role": "assistant", "content": "Ho"}}]}, "inputs": {}, "tags": []}
    session = read_session(json.dumps({"post": [post], "patch": [patch]}).encode())
    assert [m.text for m in session.threads[0].messages] == ["Hi", "Ho"]
    assert (session.ledger.records, session.ledger.read) == (2, 2)


def test_child_runs_are_read_wherever_they_stand():
    inner = llm(RUN_B, dump("HumanMessage", content="Hi"))
    session = read_session(json.dumps([{"id": RUN_A, "run_type": "chain", "inputs": {}, "trace_id": "t", "child_runs": [inner]}]).encode())
    assert session.threads[0].calls[0].id == RUN_B
    assert session.threads[0].calls[0].source.path == "[0].child_runs[0]"


def test_a_failed_run_says_so():
    assert "failed" in read(llm("a", dump("HumanMessage", content="Hi"), error="boom")).threads[0].calls[0].flags


def test_runs_without_a_model_are_refused():
    with pytest.raises(UnreadableFile, match="no run is of type llm"):
        read({"id": "c", "run_type": "chain", "inputs": {}, "trace_id": "t"})


@pytest.mark.parametrize(
    ("name", "tokens"),
    [("langsmith_js_wrap_openai_reasoning.json", (43, 1901, 960)), ("langsmith_py_wrap_openai_stream.json", (9, 9, 0))],
)
def test_real_batches_have_one_call_with_its_answer(shared: Path, name: str, tokens: tuple[int, int, int]):
    """Tokens as in ``outputs.usage_metadata`` of the patch."""
    (thread,) = read_session(shared / "corpus/langsmith" / name).threads
    (call,) = thread.calls
    assert call.usage is not None
    assert (call.usage.input_tokens, call.usage.output_tokens, call.usage.reasoning_tokens) == tokens
    assert [m.role for m in thread.messages] == ["user", "assistant"]
    assert call.id.startswith("chatcmpl-")
