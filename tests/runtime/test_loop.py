"""The live loop: nothing over budget reaches a model, and no fault of a model or a tool comes out as an exception."""

from __future__ import annotations

import asyncio
import json
import threading
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxcore import BudgetedModel, ContextBudgetError, InputError, fit_context, read_session
from ctxcore.runtime.loop import RunResult, run_agent
from ctxcore.runtime.models import ScriptedModel
from ctxcore.runtime.recorder import Recorder
from ctxcore.runtime.tools import Tool
from ctxcore.sizes.characters import request_chars
from tests.runtime.clock import run_fast

START = [{"role": "system", "content": "Answer briefly."}, {"role": "user", "content": "Add the numbers."}]
NUMBERS = {
    "type": "object",
    "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
    "required": ["a", "b"],
    "additionalProperties": False,
}
ADD = Tool(name="add", description="Add two numbers.", parameters=NUMBERS, function=lambda a, b: a + b)
DONE = {"role": "assistant", "content": "Done."}


def calls(*wanted: tuple[str, str], first: int = 1) -> dict[str, Any]:
    """An assistant message that calls tools, arguments as written."""
    made = [{"id": f"call_{n}", "type": "function", "function": {"name": name, "arguments": text}} for n, (name, text) in enumerate(wanted, first)]
    return {"role": "assistant", "content": None, "tool_calls": made}


def tool(function: Any, name: str = "act") -> Tool:
    return Tool(name=name, description="Does something.", parameters={"type": "object"}, function=function)


def run(*replies: Any, tools: Any = (ADD,), **settings: Any) -> RunResult:
    return asyncio.run(run_agent(ScriptedModel(replies), START, tools, **settings))


def contents(result: RunResult) -> list[Any]:
    return [json.loads(m["content"]) for m in result.messages if m["role"] == "tool"]


def error_of(result: RunResult) -> str:
    (content,) = contents(result)
    assert set(content) == {"status", "error"}
    assert content["status"] == "error"
    return content["error"]


class Hanging:
    """Never answers."""

    async def complete(self, messages: Any, tools: Any) -> Any:
        await asyncio.sleep(60)


# Results


def test_a_success_is_its_value_in_canonical_json() -> None:
    result = run(calls(("add", '{"b": 2, "a": 40}')), DONE)
    assert result.messages[3] == {"role": "tool", "tool_call_id": "call_1", "content": '{"result":42,"status":"ok"}'}
    assert (result.status, result.text, result.calls, [r.ok for r in result.tool_runs]) == ("complete", "Done.", 2, [True])


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("{", "not JSON"),
        ("", "not JSON"),
        ('{"a": NaN, "b": 1}', "NaN is not a JSON number"),
        ("[1, 2]", "not an object but list"),
        ('{"a": 1}', "'b' is a required property"),
        ('{"a": "1", "b": 2}', "at $.a: '1' is not of type 'integer'"),
        ('{"a": 1, "b": 2, "c": 3}', "'c' was unexpected"),
        ("[" * 100_000, "not JSON"),
        (json.dumps({"a": "x" * 10_000, "b": 1}), "at $.a"),
    ],
)
def test_bad_arguments_are_a_marked_result_and_the_tool_does_not_run(arguments: str, says: str) -> None:
    ran: list[Any] = []
    watched = Tool(name="add", description="", parameters=NUMBERS, function=lambda a, b: ran.append((a, b)))
    result = run(calls(("add", arguments)), DONE, tools=[watched])
    assert says in error_of(result)
    assert len(error_of(result)) <= 300
    assert (ran, result.status, result.tool_runs[0].ok) == ([], "complete", False)


def test_an_unknown_tool_is_a_result_that_names_the_known_ones() -> None:
    assert error_of(run(calls(("subtract", "{}")), DONE)) == "No tool 'subtract'. There are: add."


async def _fails() -> None:
    raise KeyError("gone")


def _raises(error: BaseException) -> Any:
    def function() -> None:
        raise error

    return function


async def _cancels_itself() -> None:
    raise asyncio.CancelledError


@pytest.mark.parametrize(
    ("function", "says"),
    [
        (_raises(FileNotFoundError("no such page")), "FileNotFoundError: no such page"),
        (_raises(StopIteration()), "StopIteration"),
        (_raises(SystemExit(2)), "SystemExit: 2"),
        (_raises(TimeoutError("upstream")), "TimeoutError: upstream"),
        (_raises(asyncio.CancelledError()), "CancelledError"),
        (_fails, "KeyError: 'gone'"),
        (_cancels_itself, "The tool cancelled itself."),
        (lambda: float("nan"), "not JSON"),
        (lambda: {1: 0, "a": 0}, "not JSON"),
        (object, "not JSON"),
    ],
)
def test_a_failing_tool_is_a_marked_result_and_the_run_goes_on(function: Any, says: str) -> None:
    result = run(calls(("act", "{}")), DONE, tools=[tool(function)])
    assert says in error_of(result)
    assert result.status == "complete"


def test_several_calls_run_in_order_and_one_failure_does_not_stop_the_others() -> None:
    result = run(calls(("add", '{"a":1,"b":1}'), ("nothing", "{}"), ("add", '{"a":2,"b":2}')), DONE)
    assert [r.ok for r in result.tool_runs] == [True, False, True]
    assert [m["tool_call_id"] for m in result.messages if m["role"] == "tool"] == ["call_1", "call_2", "call_3"]


def test_parameters_that_are_no_schema_are_refused_at_once() -> None:
    with pytest.raises(InputError, match=r"'act': the parameters are no JSON Schema"):
        Tool(name="act", description="", parameters={"type": "nonsense"}, function=list)


def test_a_reference_outside_the_schema_is_not_fetched() -> None:
    outside = Tool(name="act", description="", parameters={"$ref": "https://schemas.invalid/x.json"}, function=dict)
    assert "schemas.invalid" in error_of(run(calls(("act", "{}")), DONE, tools=[outside]))


# Endings


@pytest.mark.parametrize(
    "reply",
    [
        None,
        "text",
        {"role": "user", "content": "no"},
        {"role": "assistant", "content": None, "tool_calls": {}},
        {"role": "assistant", "content": None, "tool_calls": ["x"]},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "", "type": "function", "function": {"name": "add", "arguments": "{}"}}]},
        {**calls(("add", "{}")), "tool_calls": calls(("add", "{}"))["tool_calls"] * 2},
        {"role": "assistant", "content": float("nan")},
    ],
)
def test_a_reply_that_is_no_assistant_message_fails_the_run(reply: Any) -> None:
    result = run(lambda _messages, _tools: reply)
    assert (result.status, result.calls, list(result.messages)) == ("failed", 0, START)
    assert "reply" in result.reason


def test_a_model_that_raises_fails_the_run_with_its_reason() -> None:
    result = run(calls(("add", '{"a":1,"b":1}')))
    assert result.status == "failed"
    assert result.reason == "The model failed: ScriptEnded: The script has 1 reply and was asked for one more."
    assert type(result.cause).__name__ == "ScriptEnded"


def test_a_model_that_cancels_itself_fails_the_run() -> None:
    assert run(lambda _m, _t: _raises(asyncio.CancelledError())()).status == "failed"


def test_a_model_that_times_out_by_itself_failed_and_did_not_meet_the_deadline() -> None:
    assert run(lambda _m, _t: _raises(TimeoutError())(), timeout_s=60).status == "failed"


def test_the_last_turn_still_runs_its_tools() -> None:
    one = '{"a":1,"b":1}'
    result = run(calls(("add", one)), calls(("add", one), first=2), DONE, max_turns=2)
    assert (result.status, result.calls, len(result.tool_runs), result.text) == ("limit_reached", 2, 2, "")
    assert result.messages[-1]["role"] == "tool"


def test_a_model_that_hangs_meets_the_deadline() -> None:
    result = asyncio.run(run_agent(Hanging(), START, timeout_s=0.02))
    assert (result.status, result.reason) == ("timed_out", "Not finished within 0.02 seconds.")


def test_a_tool_that_hangs_past_the_deadline_leaves_a_result_for_every_call() -> None:
    async def hang() -> None:
        await asyncio.sleep(60)

    result = run(calls(("act", "{}"), ("act", "{}")), DONE, tools=[tool(hang)], timeout_s=0.02)
    assert result.status == "timed_out"
    assert {c["error"] for c in contents(result)} == {"Not finished: Not finished within 0.02 seconds."}
    fit_context(list(result.messages), [])


@pytest.mark.parametrize("blocking", [False, True])
def test_a_slow_tool_is_a_result_and_the_run_goes_on(blocking: bool) -> None:
    release = threading.Event()

    async def wait() -> None:
        await asyncio.sleep(60)

    def release_and_finish(_messages: Any, _tools: Any) -> dict[str, Any]:
        release.set()
        return DONE

    result = run(
        calls(("act", "{}")),
        release_and_finish,
        tools=[tool(lambda: release.wait(60) if blocking else None) if blocking else tool(wait)],
        tool_timeout_s=0.02,
    )
    assert error_of(result) == "No result within 0.02 seconds."
    assert result.status == "complete"


@pytest.mark.parametrize("stuck_in", ["model", "tool"])
def test_cancelling_leaves_a_whole_conversation(stuck_in: str) -> None:
    async def hang() -> None:
        await asyncio.sleep(60)

    async def cancelled() -> RunResult:
        model = Hanging() if stuck_in == "model" else ScriptedModel([calls(("act", "{}"))])
        task = asyncio.create_task(run_agent(model, START, [tool(hang)]))
        await asyncio.sleep(0.02)
        task.cancel()
        return await task

    result = asyncio.run(cancelled())
    assert result.status == "cancelled"
    fit_context(list(result.messages), [])


def test_a_deadline_around_the_run_still_ends_it_in_time() -> None:
    """On a clock that only moves where something waits for it: the model would take 60 seconds."""

    async def outer() -> tuple[RunResult, float]:
        async with asyncio.timeout(0.02):
            result = await run_agent(Hanging(), START)
        await asyncio.sleep(0)
        return result, asyncio.get_running_loop().time()

    result, ended_s = run_fast(outer())
    assert result.status == "cancelled"
    assert ended_s == pytest.approx(0.02)


def test_code_that_keeps_a_cancellation_to_itself_does_not_outlive_the_deadline() -> None:
    async def stubborn() -> str:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            return "late"
        return "never"

    asks = calls(("act", "{}"), ("act", "{}"))
    result = run(asks, calls(("act", "{}"), first=3), DONE, tools=[tool(stubborn)], timeout_s=0.02)
    assert (result.status, result.calls, [r.finished for r in result.tool_runs]) == ("timed_out", 1, [True, False])


def test_what_is_asked_for_wrongly_raises() -> None:
    with pytest.raises(InputError, match="at least 1"):
        run(DONE, max_turns=0)
    with pytest.raises(InputError, match="one name"):
        run(DONE, tools=[ADD, ADD])


def test_the_given_messages_are_not_touched() -> None:
    given_messages = deepcopy(START)
    asyncio.run(run_agent(ScriptedModel([calls(("add", "{}")), DONE]), given_messages, [ADD]))
    assert given_messages == START


def test_tool_calls_beyond_the_limit_do_not_run_and_end_the_run() -> None:
    one = ("add", '{"a":1,"b":1}')
    result = run(calls(one, one), calls(one, one, first=3), DONE, max_tool_calls=3)
    assert (result.status, [r.ok for r in result.tool_runs], [r.finished for r in result.tool_runs]) == (
        "limit_reached",
        [True, True, True, False],
        [True, True, True, False],
    )
    assert result.reason == "The model called more than 3 tools."
    fit_context(list(result.messages), [])
    with pytest.raises(InputError, match="at least 0"):
        run(DONE, max_tool_calls=-1)


@pytest.mark.parametrize("stuck", [False, True])
def test_every_tool_outcome_is_told_once_it_stands_in_the_conversation(stuck: bool) -> None:
    """A success, a failure, and what the deadline left unfinished."""

    async def act() -> None:
        if stuck:
            await asyncio.sleep(60)

    told: list[Any] = []
    asks = calls(("add", '{"a":1,"b":1}'), ("add", "{"), ("act", "{}"))
    result = run(
        asks,
        DONE,
        tools=[ADD, tool(act)],
        on_tool=told.append,
        timeout_s=0.05 if stuck else 60,
    )
    assert tuple(told) == result.tool_runs
    assert [(r.ok, r.finished) for r in told] == [(True, True), (False, True), (not stuck, not stuck)]
    assert [(r.call_id, r.content) for r in told] == [(m["tool_call_id"], m["content"]) for m in result.messages if m["role"] == "tool"]
    assert told[0].arguments == '{"a":1,"b":1}'


def test_an_object_whose_call_is_a_coroutine_is_a_tool() -> None:
    class Act:
        async def __call__(self) -> str:
            return "acted"

    assert contents(run(calls(("act", "{}")), DONE, tools=[tool(Act())])) == [{"status": "ok", "result": "acted"}]


# The budget


def test_a_budget_is_checked_when_the_model_is_wrapped() -> None:
    for budget in (0, -1, True, 3.0, "9"):
        with pytest.raises(ContextBudgetError) as refusal:
            BudgetedModel(ScriptedModel([]), max_characters=budget)
        assert (refusal.value.kind, refusal.value.missing) == ("bad_budget", None)


def test_a_refusal_leaves_the_model_untouched_and_is_not_counted() -> None:
    script = ScriptedModel([DONE])
    model = BudgetedModel(script, max_characters=request_chars(START, []) - 1)
    with pytest.raises(ContextBudgetError) as refusal:
        asyncio.run(model.complete(START, []))
    assert (refusal.value.kind, refusal.value.missing) == ("over_budget", 1)
    assert (script.requests, model.calls, model.reports) == ([], 0, ())


def test_a_refusal_inside_the_loop_fails_the_run_with_its_kind() -> None:
    told: list[Any] = []
    result = asyncio.run(run_agent(BudgetedModel(ScriptedModel([DONE]), max_characters=10), START, on_call=lambda *seen: told.append(seen)))
    assert result.status == "failed"
    assert isinstance(result.cause, ContextBudgetError)
    assert result.cause.kind == "over_budget"
    assert told == []


def test_another_task_than_the_required_one_is_refused() -> None:
    model = BudgetedModel(ScriptedModel([DONE]), required_task="Multiply the numbers.")
    with pytest.raises(ContextBudgetError) as refusal:
        asyncio.run(model.complete(START, []))
    assert refusal.value.kind == "task_mismatch"


def test_a_call_counts_even_if_the_model_fails() -> None:
    model = BudgetedModel(ScriptedModel([]))
    with pytest.raises(RuntimeError):
        asyncio.run(model.complete(START, []))
    assert (model.calls, len(model.reports)) == (1, 1)


def test_a_call_is_counted_before_the_model_answers() -> None:
    seen: list[tuple[int, int]] = []
    model = BudgetedModel(ScriptedModel([lambda _m, _t: seen.append((model.calls, len(model.reports)))]))  # type: ignore[list-item]
    assert asyncio.run(model.complete(START, [])) is None
    assert seen == [(1, 1)]


def test_the_wrapped_models_value_comes_back_unchanged() -> None:
    answer = {"role": "assistant", "content": "as it is", "vendor": object()}
    assert asyncio.run(BudgetedModel(ScriptedModel([answer])).complete(START, [])) is answer


def test_the_model_gets_copies_only() -> None:
    def spoil(messages: Any, tools: Any) -> dict[str, Any]:
        messages[1]["content"] = tools[0]["function"]["parameters"]["type"] = "spoiled"
        return DONE

    messages, tools = deepcopy(START), [ADD.definition()]
    asyncio.run(BudgetedModel(ScriptedModel([spoil])).complete(messages, tools))
    assert (messages, tools) == (START, [ADD.definition()])


def test_only_the_newest_64_reports_are_kept() -> None:
    model = BudgetedModel(ScriptedModel([DONE] * 70))

    async def ask_all() -> None:
        for number in range(70):
            await model.complete([{"role": "user", "content": "x" * (number + 1)}], [])

    asyncio.run(ask_all())
    first = request_chars([{"role": "user", "content": "x"}], [])
    assert model.calls == 70
    assert [r.before for r in model.reports] == [first + number for number in range(6, 70)]


@given(st.lists(st.integers(0, 400), min_size=1, max_size=12), st.integers(150, 1500))
def test_what_reaches_the_model_is_never_over_budget(result_chars: list[int], budget: int) -> None:
    replies = [calls(("fill", json.dumps({"n": n})), first=i) for i, n in enumerate(result_chars, 1)]
    fill = Tool(name="fill", description="", parameters={"type": "object"}, function=lambda n: "资" * n)
    script = ScriptedModel([*replies, DONE])
    model = BudgetedModel(script, max_characters=budget)
    result = asyncio.run(run_agent(model, START, [fill]))
    sizes = [request_chars(r.messages, r.tools) for r in script.requests]
    assert all(size <= budget for size in sizes)
    assert sizes == [r.after for r in model.reports]
    assert all(START[1] in r.messages for r in script.requests)
    assert result.status == "complete" or isinstance(result.cause, ContextBudgetError)


# The recorder


def test_a_recorded_run_is_read_back_as_it_was_sent(tmp_path: Path) -> None:
    script = ScriptedModel([calls(("add", '{"a":1,"b":2}')), DONE])
    path = tmp_path / "run.jsonl"
    recorder = Recorder(path, model="gpt-5-mini", clock=iter([1_740_000_000.0, 1_740_000_012.5]).__next__)
    asyncio.run(run_agent(script, START, [ADD], on_call=recorder))
    session = read_session(path)
    (thread,) = session.threads
    assert (session.level, session.problems, session.not_recorded) == ("full requests", (), ())
    assert [(c.known, c.model, c.at) for c in thread.calls] == [
        ("recorded", "gpt-5-mini", 1_740_000_000.0),
        ("recorded", "gpt-5-mini", 1_740_000_012.5),
    ]
    assert [[thread.messages[i].wire[0] for i in c.messages()] for c in thread.calls] == [r.messages for r in script.requests]
    assert thread.tool_sets == ((ADD.definition(),),)
    assert thread.messages[thread.calls[-1].reply or 0].text == "Done."


def test_behind_a_budget_the_fitted_requests_are_recorded(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "run.jsonl", model="gpt-5-mini")
    script = ScriptedModel([calls(("act", "{}")), calls(("act", "{}"), first=2), DONE])
    model = BudgetedModel(recorder.wrap(script), max_characters=1_100)
    asyncio.run(run_agent(model, START, [tool(lambda: "x" * 400)]))
    (thread,) = read_session(recorder.path).threads
    assert [[thread.messages[i].wire[0] for i in c.messages()] for c in thread.calls] == [r.messages for r in script.requests]
    assert model.reports[-1].dropped_exchanges == 1


def test_a_call_without_a_reply_is_recorded_too(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "run.jsonl", model="gpt-5-mini")
    asyncio.run(run_agent(ScriptedModel([]), START, on_call=recorder))
    with pytest.raises(RuntimeError):
        asyncio.run(recorder.wrap(ScriptedModel([])).complete(START, []))
    calls_read = [c for t in read_session(recorder.path).threads for c in t.calls]
    assert [c.reply for c in calls_read] == [None, None]


def test_a_log_is_continued_even_behind_a_cut_line(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text('{"ts":"2025-01-01T00:0')
    for _ in range(2):
        Recorder(path, model="gpt-5-mini")(START, [], DONE)
    lines = path.read_bytes().split(b"\n")
    assert (lines[0], lines[3]) == (b'{"ts":"2025-01-01T00:0', b"")
    assert [json.loads(line)["request"]["messages"] for line in lines[1:3]] == [START, START]


def test_lone_surrogates_are_written_and_read_back(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "run.jsonl", model="gpt-5-mini")
    recorder([{"role": "user", "content": "half \ud83d"}], [], DONE)
    assert json.loads(recorder.path.read_text())["request"]["messages"][0]["content"] == "half \ud83d"
