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


def test_a_list_of_no_messages_is_refused_in_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "pair.json"
    file.write_text('{"before": [3], "after": []}')
    assert main(["compact", str(file)]) == 2
    assert "before[0] is no message" in capsys.readouterr().err
