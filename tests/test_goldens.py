"""The published results of the whole-unit rule, request by request and call by call."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ctxcore import ContextBudgetError, fit_context, read_session, replay

GOLDENS = Path(__file__).parent / "data" / "goldens"


def _lines(name: str) -> list[dict]:
    return [json.loads(line) for line in (GOLDENS / name).read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("golden", _lines("fit_context.jsonl"), ids=lambda g: g["id"])
def test_fit_context_gives_the_published_result(golden: dict) -> None:
    expect = golden["expect"]
    before = json.dumps(golden["messages"])
    request = {"max_characters": golden["max_characters"], "required_task": golden.get("required_task")}
    if "error" in expect:
        with pytest.raises(ContextBudgetError) as refusal:
            fit_context(golden["messages"], golden["tools"], **request)
        assert refusal.value.kind == expect["error"]
        assert refusal.value.missing == expect.get("missing", refusal.value.missing)
    else:
        prepared = fit_context(golden["messages"], golden["tools"], **request)
        notice = prepared.messages[0]["content"] if prepared.report.dropped_messages else None
        assert notice == expect["notice"]
        assert prepared.messages[notice is not None :] == [golden["messages"][i] for i in expect["kept"]]
        names = ("before", "after", "limit", "dropped_messages", "dropped_turns", "dropped_exchanges")
        assert {n: getattr(prepared.report, n) for n in names} == {n: expect[n] for n in names}
    assert json.dumps(golden["messages"]) == before, "the input is never changed"


@pytest.mark.parametrize("golden", _lines("replay.jsonl"), ids=lambda g: g["id"])
def test_replay_gives_the_published_result_of_every_call(golden: dict) -> None:
    upload = json.dumps({"messages": golden["messages"], "tools": golden["tools"]}).encode()
    thread = read_session(upload, "golden.json").threads[0]
    for expected in golden["replays"]:
        result = replay(thread, budget=expected["budget"])
        assert [_call(result, index) for index in range(len(thread.calls))] == expected["calls"]


def _call(result, index: int) -> dict:
    refused = bool(result.refused[index])
    return {
        "before": int(result.before[index]),
        "after": None if refused else int(result.after[index]),
        "refused": result.refusal(index),
        "missing": int(result.missing[index]),
        "dropped_messages": int(result.dropped_messages[index]),
        "dropped_turns": int(result.dropped_turns[index]),
        "dropped_exchanges": int(result.dropped_exchanges[index]),
    }
