"""What ``--json`` prints, key by key."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import orjson
import pytest

from ctxcore.cli import main
from ctxcore.columns import CATEGORIES
from ctxcore.readers import READERS
from ctxcore.views.json_output import strict_json
from tests.data.requests import REQUEST, request_file, request_size

GOLDENS = Path(__file__).parent.parent / "data" / "goldens" / "replay.jsonl"

CASES = Path(__file__).parent.parent / "data" / "cases"

CALL_KEYS = {"index", "messages", "chars", "tokens", "tokens_basis", "context", "recorded_input_tokens", "breakdown", "model", "at"}
PARTS = {"chars": "breakdown", "tokens": "breakdown_tokens"}
REPLAYED_KEYS = {"thread", "index", "before", "after", "refused", "missing", "dropped_messages", "dropped_turns", "dropped_exchanges"}
MORE_KEYS = {"changed_parts", "flags", "needs"}


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    assert main([*arguments, "--json"]) == 0
    streams = capsys.readouterr()
    assert streams.err == "", "nothing but the answer"
    return orjson.loads(streams.out)


def test_inspect_tells_every_call_with_its_size_by_the_definition(tmp_path, capsys) -> None:
    answer = printed(capsys, "inspect", str(request_file(tmp_path)))
    assert answer["schema"] == "ctxscope.inspect/1"
    assert {"format", "level", "not_recorded", "ledger", "problems", "threads", "totals", "sessions"} <= answer.keys()
    (thread,) = answer["threads"]
    assert {"id", "kind", "parent", "calls"} <= thread.keys()
    assert [call["index"] for call in thread["calls"]] == [0, 1, 2]
    assert [call["messages"] for call in thread["calls"]] == [2, 4, 6]
    assert [call["chars"] for call in thread["calls"]] == [request_size(upto) for upto in (2, 4, 6)]
    assert [call["context"] for call in thread["calls"]] == ["reconstructed", "reconstructed", "recorded"]
    assert all(call.keys() >= CALL_KEYS for call in thread["calls"])


def test_the_parts_of_a_call_sum_to_its_size(tmp_path, capsys) -> None:
    answer = printed(capsys, "inspect", str(request_file(tmp_path)))
    for call in answer["threads"][0]["calls"]:
        for unit in ("chars", "tokens"):
            assert list(call[PARTS[unit]]) == list(CATEGORIES)
            assert sum(call[PARTS[unit]].values()) == call[unit]
    assert answer["threads"][0]["calls"][0]["breakdown"]["tools"] == len(json.dumps(REQUEST["tools"], separators=(",", ":"))) - 2


@pytest.mark.parametrize("golden", [json.loads(line) for line in GOLDENS.read_text(encoding="utf-8").splitlines()[:6]], ids=lambda g: g["id"])
def test_replay_prints_the_published_result(golden, tmp_path, capsys) -> None:
    file = tmp_path / "golden.json"
    file.write_text(json.dumps({"messages": golden["messages"], "tools": golden["tools"]}), encoding="utf-8")
    for expected in golden["replays"]:
        answer = printed(capsys, "replay", str(file), "--budget", str(expected["budget"]))
        calls = answer["calls"]
        assert all(call.keys() == REPLAYED_KEYS | MORE_KEYS for call in calls)
        assert [{k: v for k, v in call.items() if k not in {"thread", "index"} | MORE_KEYS} for call in calls] == expected["calls"]
        assert answer["totals"] == {
            "calls": len(calls),
            "refused": sum(call["refused"] is not None for call in expected["calls"]),
            "before": sum(call["before"] for call in expected["calls"]),
            "after": sum(call["after"] or 0 for call in expected["calls"]),
        }
        assert (answer["schema"], answer["policy"], answer["unit"]) == ("ctxscope.replay/1", "whole-units", "chars")
        assert answer["budget"] == expected["budget"]


def test_replay_takes_a_policy_a_unit_and_a_thread(tmp_path, capsys) -> None:
    file = str(request_file(tmp_path))
    answer = printed(capsys, "replay", file, "--budget", "10", "--policy", "none", "--unit", "tokens", "--thread", "main")
    assert (answer["policy"], answer["unit"]) == ("none", "tokens")
    assert [call["refused"] for call in answer["calls"]] == ["over_budget"] * 3
    assert all(call["after"] is None and call["missing"] == call["before"] - 10 for call in answer["calls"])


def test_formats_lists_every_reader(capsys) -> None:
    answer = printed(capsys, "formats")
    assert answer["schema"] == "ctxscope.formats/1"
    assert answer["formats"] == [{"name": r.name, "family": r.family, "level": r.level, "detects": r.detects} for r in READERS]


def test_an_empty_list_of_messages_is_a_session_without_calls(tmp_path, capsys) -> None:
    file = tmp_path / "none.json"
    file.write_text('{"messages": [], "model": "demo"}', encoding="utf-8")
    assert printed(capsys, "replay", str(file), "--budget", "100")["totals"] == {"calls": 0, "refused": 0, "before": 0, "after": 0}
    assert printed(capsys, "inspect", str(file))["totals"]["calls"] == 0


def test_json_is_strict_whatever_the_session_holds() -> None:
    """Lone surrogates, which RFC 8259 parsers may refuse, and characters that steer a terminal never stand in the text."""
    text = strict_json({"a": "\ud800 \x1b[2J \x9b31m \u202egnp 中 😀"})
    assert orjson.loads(text) == {"a": "\ufffd \x1b[2J \x9b31m \u202egnp 中 😀"}
    assert not set("\x1b\x9b\u202e\ud800") & set(text)
    with pytest.raises(ValueError, match="not JSON compliant"):
        strict_json({"a": float("nan")})


def test_a_line_with_nan_is_told_and_the_answer_stays_strict(tmp_path, capsys) -> None:
    file = tmp_path / "nan.jsonl"
    good = json.dumps(REQUEST)
    file.write_text(good + "\n" + good.replace('"max_tokens": 5', '"max_tokens": NaN') + "\n", encoding="utf-8")
    answer = printed(capsys, "inspect", str(file))
    assert [problem["kind"] for problem in answer["problems"]] == ["not_a_number"]
    assert answer["problems"][0]["line"] == 2


def test_a_call_without_a_users_message_is_flagged(tmp_path, capsys) -> None:
    """The first request holds a system message alone, the second a task; a blank user message is none."""
    requests = [[("system", "Be brief.")], [("system", "Be brief."), ("user", " ")], [("system", "Be brief."), ("user", "Sum it up.")]]
    for number, messages in enumerate(requests):
        file = tmp_path / f"{number}.json"
        file.write_text(json.dumps({"messages": [{"role": role, "content": content} for role, content in messages]}), encoding="utf-8")
        (call,) = printed(capsys, "replay", str(file), "--budget", "16000")["calls"]
        assert ("no_user_task" in call["flags"]) is (number < 2)


def test_inspect_lists_what_happened_to_the_context(capsys) -> None:
    """COMP-02: three automatic compactions, each freeing next to nothing, none making it larger."""
    (thread,) = printed(capsys, "inspect", str(CASES / "COMP-02.jsonl"))["threads"]
    told = [(e["kind"], e["call"], e["trigger"], e["before_tokens"], e["after_tokens"], e["grew"], e["inferred"]) for e in thread["events"]]
    assert told == [
        ("compaction", 1, "auto", 9800, 9700, False, False),
        ("compaction", 2, "auto", 9750, 9690, False, False),
        ("compaction", 3, "auto", 9740, 9700, False, False),
    ]


def test_a_refused_call_says_what_fills_it(tmp_path, capsys) -> None:
    """By the definition: each message is its canonical JSON and a comma, the tools their JSON inside the brackets."""
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Old."}, {"role": "user", "content": "Sum it up."}]
    file = tmp_path / "a.json"
    file.write_text(json.dumps({"messages": messages, "tools": REQUEST["tools"]}), encoding="utf-8")
    (call,) = printed(capsys, "replay", str(file), "--budget", "100")["calls"]
    sizes = [len(json.dumps(one, separators=(",", ":"))) + 1 for one in messages]
    tools = len(json.dumps(REQUEST["tools"], separators=(",", ":"))) - 2
    needs = call["needs"]
    assert (needs["system"], needs["tools"], needs["task"], needs["newest"]) == (sizes[0], tools, sizes[2], 0)
    assert needs["total"] == 100 + call["missing"] == sum(needs[name] for name in ("system", "tools", "task", "newest", "rest"))
    assert needs["what"] == (
        f"Needs {needs['total']:,} chars after every cut, budget 100: system {sizes[0]:,}, tools {tools:,}, task {sizes[2]:,}, newest unit 0, "
        f"rest {needs['rest']:,}. "
        "Raise the budget or drop tool definitions."
    )
    (whole,) = printed(capsys, "replay", str(file), "--budget", "100", "--policy", "none")["calls"]
    assert whole["needs"]["total"] == whole["before"]
    assert "this policy drops nothing" in whole["needs"]["what"]
    (sent,) = printed(capsys, "replay", str(file), "--budget", "16000")["calls"]
    assert sent["needs"] is None


def test_what_fills_a_refused_call_counts_only_the_results_that_it_holds(tmp_path, capsys) -> None:
    """Two results of one message arrive in turn: the call between them holds the first alone, and its parts must not count the second."""
    calls = [{"id": f"c{n}", "type": "function", "function": {"name": "look", "arguments": "{}"}} for n in (1, 2)]
    messages = [
        {"role": "user", "content": "Go."},
        {"role": "assistant", "content": None, "tool_calls": calls},
        {"role": "tool", "tool_call_id": "c1", "content": "short"},
        {"role": "assistant", "content": "Waiting."},
        {"role": "tool", "tool_call_id": "c2", "content": "long " * 500},
    ]
    file = tmp_path / "a.json"
    file.write_text(json.dumps({"messages": messages}), encoding="utf-8")
    call = printed(capsys, "replay", str(file), "--budget", "10")["calls"][1]
    assert call["before"] < 500
    assert call["needs"]["newest"] == sum(len(json.dumps(one, separators=(",", ":"))) + 1 for one in messages[1:3])
    assert call["needs"]["rest"] >= 0


def test_a_secret_in_a_field_that_a_problem_quotes_is_masked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A role, a model and a title come from the recording as any text does."""
    key = "sk-" + "proj-Ab3dEf6hIj9kLmN2pQr5tUv8xYz1"
    messages = [{"role": "user", "content": "Hello."}, {"role": key, "content": "x"}, {"role": "assistant", "content": "Hi."}]
    (tmp_path / "a.json").write_text(json.dumps({"model": key, "messages": messages}))
    (tmp_path / "b.jsonl").write_text(json.dumps({"model": "m", "messages": messages}) + "\n" + json.dumps({"x": key})[:-1] + "\n")
    for name in ("a.json", "b.jsonl"):
        told = printed(capsys, "inspect", str(tmp_path / name))
        assert told["problems"]
        assert key[:9] not in json.dumps(told)
