"""Compactions: what a summary kept, lost, told wrong, or cannot be asked."""

from __future__ import annotations

import json

from ctxcore.measures.compaction_pair import pair_thread
from ctxcore.measures.compactions import RecordedCompaction, recorded_compactions
from tests.cases import CASES, case, main, turns


def judged(name: str) -> RecordedCompaction:
    (one,) = recorded_compactions(main(name))
    return one


def pair(name: str) -> RecordedCompaction:
    value = json.loads((CASES / name).read_text())
    (one,) = recorded_compactions(pair_thread(value["before"], value["after"], file=name))
    return one


def sentence(one: RecordedCompaction, code: str) -> str:
    return next(fault.text for fault in one.faults if fault.code == code)


@case
def comp_03() -> None:
    """Every number, the path, the command and the tool result are lost; the decision is kept in other words. A smaller size alone is no pass."""
    one = pair("COMP-03.json")
    assert one.table is not None
    lost = {kind: row.lost for kind, row in one.table.items()}
    assert [value.rstrip("ms") for value in sorted(lost["number"])] == ["1", "3", "412", "500", "88"]
    assert lost["path"] == ("src/queue/worker.py",)
    assert lost["command"] == ("bench queue --n 500",)
    assert lost["tool_result"] == ("q1",)
    assert (one.table["decision"].kept, one.table["decision"].total) == (1, 1)
    assert one.after < one.before
    assert one.codes


@case
def comp_05() -> None:
    """The latest instruction is not there, and what it took back is told as current."""
    one = pair("COMP-05.json")
    assert "Only check prices from now on." in sentence(one, "LATEST_USER_INSTRUCTION_LOST")
    assert "translate the menu" in sentence(one, "SUPERSEDED_INSTRUCTION")


@case
def comp_07() -> None:
    """An encrypted summary cannot be verified: no table, no loss asserted; no user message is kept."""
    one = judged("COMP-07.jsonl")
    assert one.codes == ("OPAQUE", "NO_USER_MESSAGE_KEPT")
    assert one.table is None
    assert one.user_messages == (0, 2)
    assert one.summary is None
    summary = next(message for message in main("COMP-07.jsonl").messages if message.injected == "summary")
    assert summary.text == ""


@case
def comp_08() -> None:
    """One compaction of all the lines that speak of it, with the summary of the compacted line."""
    one = judged("COMP-08.jsonl")
    assert one.summary is not None
    assert main("COMP-08.jsonl").messages[one.summary].text == "Summary: user wants a denser layout."
    assert turns(main("COMP-08.jsonl")) == 1


@case
def comp_10() -> None:
    """A manual compaction, 5,000 to 400 tokens: the summary stands for the first turn, the second is none of it."""
    one = judged("COMP-10.jsonl")
    assert (one.before, one.after, one.event.trigger) == (5000, 400, "manual")
    assert [main("COMP-10.jsonl").messages[index].text for index in one.replaced] == ["Label jars.", "12 jars."]
    assert len(one.left) == 1
    assert "OVER_COMPRESSED" in one.codes, "8 % is less than 10 %"


@case
def comp_11() -> None:
    """Two open plan steps are not mentioned any more, by name; the finished one is no loss."""
    one = pair("COMP-11.json")
    assert sentence(one, "OPEN_PLAN_STEPS_LOST") == "Not mentioned any more: Door 2, Door 3."
    assert "GREW" not in one.codes


@case
def comp_12() -> None:
    """The user's two messages are kept word for word, the two replies are not."""
    one = judged("COMP-12.jsonl")
    assert one.user_messages == (2, 2)
    assert len(one.replaced) == 2
    assert turns(main("COMP-12.jsonl")) == 3
