"""Symptoms on the page Overview, with numbers derived by hand."""

from __future__ import annotations

import json

import pytest

from tests.pages.conftest import Start

READS = ("src/a.py", "src/b.py", "src/a.py")


def talk() -> bytes:
    """Three reads, of which the last asks for src/a.py again; nothing changes. The task has three words and src/a.py."""
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Rename the invoices table in src/a.py"}]
    for number, path in enumerate(READS):
        call = {"id": f"c{number}", "type": "function", "function": {"name": "read_file", "arguments": json.dumps({"path": path})}}
        messages += [{"role": "assistant", "content": None, "tool_calls": [call]}, {"role": "tool", "tool_call_id": f"c{number}", "content": "text"}]
    messages.append({"role": "assistant", "content": "Look at the weather!"})
    return json.dumps({"model": "gpt-5", "messages": messages}).encode()


def symptom_rows(at) -> dict[str, list]:
    tables = [json.loads(e.proto.json) for e in at.get("bidi_component") if e.proto.component_name == "ctxscope_rows"]
    rows = next(table["rows"] for table in tables if table["columns"][0]["label"] == "Symptom")
    return {row[0]: row[1:] for row in rows}


def test_symptoms_have_their_numbers_and_a_call(start: Start) -> None:
    """Of three tool calls one asks again (call 2). Replies hold 1 of 4, 0, 1 of 4 and 0 of the task: a fifth of four replies is one."""
    rows = symptom_rows(start({"a.json": talk()}))
    assert rows["Repeated tool calls"][0].startswith("1 of 3 tool calls (33 %) ask again; 1 with nothing changed since")
    assert rows["Repeated tool calls"][2] == 2
    assert rows["Goal drift"][0].startswith("25 % of the task's values and words stand in the first fifth of the replies, 0 % in the last")
    assert rows["Goal drift"][2] == 3
    assert rows["Noise"][0].startswith("0.0 %")


def test_a_symptom_leads_to_its_call(start: Start) -> None:
    at = start({"a.json": talk()})
    at.session_state["overview_open"] = 2
    at.run()
    assert not at.exception
    assert any(one.value == "Call #2" for one in at.header)


@pytest.mark.parametrize("sample", ["coding-agent", "long-research", "travel-desk-zh"])
def test_every_sample_tells_its_symptoms(start: Start, sample: str) -> None:
    rows = symptom_rows(start({}, session=sample))
    assert {"Repeated tool calls", "Goal drift", "Noise", "Utilisation", "The policy's firings"} <= set(rows)
