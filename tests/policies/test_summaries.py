"""Summaries: what stands in, its size, and that the engine measures it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from ctxcore import read_session, replay
from ctxcore.atoms import atoms
from ctxcore.errors import InputError
from ctxcore.policies import History, Parameter, Plan, PlannedPolicy
from ctxcore.policies.history import SYSTEM
from ctxcore.policies.summaries import Firing, Summaries
from ctxcore.replay import Replay
from ctxcore.sending import sent_messages as sent
from ctxcore.sizes.characters import request_chars
from tests.policies.samples import sample_thread


@dataclass(frozen=True)
class SummariseOld(PlannedPolicy):
    """Over the budget, all but the last four messages become a summary; then again once it is over."""

    summary: str = "extractive"
    ratio: float = 0.1

    name: ClassVar[str] = "test-summarise"
    title: ClassVar[str] = "Test"
    about: ClassVar[str] = "Test."
    source: ClassVar[str] = "A test."
    rejects: ClassVar[str] = "Anything."
    needs_summary: ClassVar[bool] = True
    parameters: ClassVar[tuple[Parameter, ...]] = ()

    def plan(self, history: History, budget: int) -> Plan:
        system = np.flatnonzero(history.role == SYSTEM).tolist()
        firings: list[Firing] = []
        for column, length in enumerate(history.length.tolist()):
            start = firings[-1].stop if firings else 0
            if history.fixed[column] + history.upto[length] - history.upto[start] > budget and length - 4 > start:
                firings.append(Firing(column, 0, length - 4))
        made = Summaries(history=history, firings=firings, rule="old", summary=self.summary, ratio=self.ratio, kept=system, lead="Summary: ")
        return Plan(layers=(made.layer,), inserts=(made.insert,))


def last_summarised(result: Replay) -> int:
    """The last call that is sent with a summary in it."""
    return max(call for call in range(len(result.thread.calls)) if result.inserts(call))


@pytest.mark.parametrize("sample", ["coding-agent.jsonl", "travel-desk-zh.jsonl", "parallel"])
def test_sizes_are_those_of_the_request_with_its_summary(sample: str) -> None:
    thread = sample_thread(sample)
    result = replay(thread, SummariseOld(), 12_000)
    assert result.dropped_messages.any()
    for call in thread.calls:
        if not result.refused[call.index]:
            tools = thread.tool_sets[call.tools] if call.tools is not None else ()
            assert result.after[call.index] == request_chars(sent(result, call.index), tools)


def test_a_summary_is_no_larger_than_its_share_and_made_of_what_goes() -> None:
    """The stand-in's own text takes at most a tenth of what is replaced; each line is one of the replaced messages."""
    thread = sample_thread("coding-agent.jsonl")
    result = replay(thread, SummariseOld(), 12_000)
    last = last_summarised(result)
    (summary,) = result.inserts(last)
    gone = {edit.message for edit in result.edits(last)}
    replaced = sum(int(result.sizes.message[message]) + 1 for message in gone)
    assert summary.kind == "summary"
    assert summary.source == "extractive"
    assert 0 < len(json.dumps(summary.text)) <= replaced * 0.1 + 60
    everything = "\n".join(part.text for message in gone for part in thread.messages[message].parts if hasattr(part, "text"))
    everything += "\n".join(call.arguments for message in gone for call in thread.messages[message].calls)
    for line in summary.text.removeprefix("Summary: ").splitlines():
        assert line.partition("] ")[2][:100] in everything


def test_the_same_session_gives_the_same_summary() -> None:
    thread = sample_thread("travel-desk-zh.jsonl")
    results = [replay(thread, SummariseOld(), 9_000) for _ in range(2)]
    texts = [result.inserts(last_summarised(result))[0].text for result in results]
    assert texts[0] == texts[1]


def test_lines_with_evidence_go_first() -> None:
    """Of twenty equal lines one names a path and an id: with room for about two, it is kept."""
    lines = [f"nothing to see in line {word}" for word in ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]]
    messages = [{"role": "user", "content": "Go."}, {"role": "assistant", "content": "\n".join([*lines, "wrote src/app/main.py for ticket ABC-123"])}]
    messages += [{"role": "user", "content": "more"}, {"role": "assistant", "content": "ok"}] * 3
    thread = read_session(json.dumps({"model": "gpt-4o", "messages": messages}).encode(), "chat.json").threads[0]
    result = replay(thread, SummariseOld(ratio=0.25), 400)
    text = next(one.text for call in range(len(thread.calls)) for one in result.inserts(call))
    assert "src/app/main.py" in text
    assert atoms(text) >= atoms("src/app/main.py ABC-123")


def test_an_opaque_summary_is_a_size_alone() -> None:
    thread = sample_thread("coding-agent.jsonl")
    result = replay(thread, SummariseOld(summary="opaque"), 12_000)
    (summary,) = result.inserts(last_summarised(result))
    assert summary.text == ""
    assert summary.size > 0
    assert summary.source == "opaque"


def test_no_other_source() -> None:
    with pytest.raises(InputError, match="recorded, extractive, opaque"):
        replay(sample_thread("parallel"), SummariseOld(summary="model"), 4_000)
