"""``ctxscope compact``: the schema, and both ways in."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ctxcore.cli import main
from ctxcore.compaction.source_text import source_text
from ctxcore.readers.detect import read_sessions
from tests.cases import CASES


def test_json_says_what_survives_and_where_it_stands(capsys: pytest.CaptureFixture[str]) -> None:
    path = CASES / "COMP-10.jsonl"
    assert main(["compact", str(path), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["schema"] == "ctxscope.compact/1"
    recorded, simulated = told["compactions"]
    assert {"call", "source", "before", "after", "ratio", "codes", "survival", "items"} <= recorded.keys() & simulated.keys()
    assert [recorded[key] for key in ("source", "call", "before", "after", "ratio")] == ["recorded", 1, 5000, 400, 0.08]
    assert simulated["source"] == "simulated"
    assert recorded["survival"]["number"] == {"kept": 1, "total": 1, "lost": []}
    messages = read_sessions(path)[0].threads[0].messages
    for item in [*recorded["items"], *simulated["items"]]:
        assert item.keys() >= {"kind", "text", "sources"}
        for place in item["sources"]:
            assert source_text(messages[place["message"]])[place["start"] : place["end"]] in item["text"]


def test_an_opaque_summary_has_no_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compact", str(CASES / "COMP-07.jsonl"), "--json"]) == 0
    recorded = json.loads(capsys.readouterr().out)["compactions"][0]
    assert recorded["survival"] is None
    assert recorded["codes"] == ["OPAQUE", "NO_USER_MESSAGE_KEPT"]


def test_two_lists_are_judged_as_one_compaction(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compact", str(CASES / "COMP-11.json")]) == 0
    assert "Not mentioned any more: Door 2, Door 3." in capsys.readouterr().out


def test_where_nothing_can_be_called_lost_the_table_says_what_was_looked_in(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A Pi session that ends with its compaction: no call tells which messages stayed."""
    lines = [
        {"type": "session", "version": 3, "id": "s", "timestamp": "2025-05-01T10:00:00.000Z", "cwd": "/halls"},
        _entry("a", None, {"role": "user", "content": [{"type": "text", "text": "Never paint the door of hall 7."}]}),
        _entry("b", "a", {"role": "assistant", "content": [{"type": "text", "text": "Noted."}], "model": "m", "provider": "p"}),
        {"type": "compaction", "id": "c", "parentId": "b", "timestamp": AT, "summary": "Halls.", "firstKeptEntryId": "b", "tokensBefore": 900},
    ]
    file = tmp_path / "ends.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)))
    assert main(["compact", str(file)]) == 0
    told = capsys.readouterr().out
    assert "900 (recorded) → " in told
    assert "of the summary alone" in told
    assert "What stands in the summary (what stayed beside it is not recorded)" in told
    assert "not found" in told
    assert " lost " not in told.replace("called lost", "")
    assert main(["compact", str(file), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["compactions"][0]["judged"] is False


AT = "2025-05-01T10:00:00.000Z"


def _entry(id: str, parent: str | None, message: dict[str, object]) -> dict[str, object]:
    return {"type": "message", "id": id, "parentId": parent, "timestamp": AT, "message": message}


def test_of_many_threads_those_with_a_check_are_listed_and_the_rest_is_counted(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Eight with a greeting, and one whose 40 rules stand to the letter: more than 30 % is left."""
    rules = " ".join(f"Never open door {number} before noon." for number in range(40))
    said = [["Hi.", "Hello."]] * 8 + [[rules, "Noted."]]
    told = [{"conversations": [{"from": "human", "value": a}, {"from": "gpt", "value": b}]} for a, b in said]
    file = tmp_path / "many.json"
    file.write_text(json.dumps(told))
    assert main(["compact", str(file)]) == 0
    shown = capsys.readouterr().out
    assert shown.count("UNDER_COMPRESSED") == 1
    assert "8 have less than 200 tokens to compact" in " ".join(shown.split())
    assert "What survives" not in shown


def test_a_list_of_no_messages_is_refused_in_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "pair.json"
    file.write_text('{"before": [3], "after": []}')
    assert main(["compact", str(file)]) == 2
    assert "before[0] is no message" in capsys.readouterr().err
