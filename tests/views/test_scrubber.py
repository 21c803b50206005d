"""The strip of all calls says of each what the replay says, and marks what happened once a call."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from ctxcore.measures.references import references
from ctxcore.model import Event
from ctxcore.readers.detect import read_session
from ctxcore.replay import replay
from ctxcore.views import scrubber
from ctxcore.views.scrubber import FITS, MARKS, REFUSED, TRIMMED, call_marks, request_sizes, strip
from tests.pages.conftest import chat

TALK = read_session(chat(("first", 3), ("second", 3)), "a.json").threads[0]


@pytest.mark.parametrize("policy", ["whole-units", "none", "pydantic-ai-clamp"])
@pytest.mark.parametrize("budget", [300, 2500, 100_000])
def test_each_call_fits_is_trimmed_or_refused(policy: str, budget: int) -> None:
    one = replay(TALK, policy, budget)
    found = strip(one)
    states = np.repeat(found.state, np.diff(found.begins, append=len(TALK.calls)))
    assert len(states) == len(TALK.calls)
    for call, state in enumerate(states.tolist()):
        if one.refused[call]:
            assert state == REFUSED
        else:
            assert state == (TRIMMED if one.edits(call) or one.inserts(call) else FITS)


@pytest.mark.parametrize("unit", ["chars", "tokens"])
def test_bars_are_the_requests_as_recorded(unit: str) -> None:
    assert request_sizes(TALK, unit).tolist() == replay(TALK, "none", 10**9, unit).before.tolist()


def test_a_call_has_one_mark_of_a_kind() -> None:
    """Two compactions before call 1 and one behind the last call: marks at call 1 and at the last."""
    events = tuple(Event(kind="compaction", call=call) for call in (1, 1, len(TALK.calls)))
    calls, kinds = call_marks(replace(TALK, events=events, memo={}))
    assert list(zip(calls.tolist(), kinds.tolist(), strict=True)) == [(1, MARKS.index("context")), (len(TALK.calls) - 1, MARKS.index("context"))]


def test_plans_and_values_are_marked_at_the_call_whose_reply_writes_them() -> None:
    plan = {
        "id": "p",
        "type": "function",
        "function": {"name": "update_plan", "arguments": json.dumps({"plan": [{"step": "a", "status": "pending"}]})},
    }
    value = {"id": "v", "type": "function", "function": {"name": "set_budget", "arguments": json.dumps({"budget": 5})}}
    messages = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": None, "tool_calls": [plan]},
        {"role": "tool", "tool_call_id": "p", "content": "ok"},
        {"role": "assistant", "content": None, "tool_calls": [value]},
        {"role": "tool", "tool_call_id": "v", "content": "ok"},
        {"role": "assistant", "content": "done"},
    ]
    thread = read_session(json.dumps(messages).encode(), "a.json").threads[0]
    calls, kinds = call_marks(thread)
    assert list(zip(calls.tolist(), [MARKS[kind] for kind in kinds.tolist()], strict=True)) == [(0, "plan"), (1, "state")]


def test_lost_references_are_marked_and_in_a_long_thread_only_once_somebody_asked_for_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """The file named first is gone when the last reply names it: the call of that reply gets the mark."""
    path = "src/limits/window_start.py"
    read = {"id": "r", "type": "function", "function": {"name": "read_file", "arguments": '{"path": "README.md"}'}}
    look = {"id": "s", "type": "function", "function": {"name": "search", "arguments": '{"for": "x"}'}}
    messages = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": None, "tool_calls": [read]},
        {"role": "tool", "tool_call_id": "r", "content": f"starts in {path}"},
        {"role": "assistant", "content": None, "tool_calls": [look]},
        {"role": "tool", "tool_call_id": "s", "content": "nothing " * 100},
        {"role": "assistant", "content": f"The fault is in {path}."},
    ]
    thread = read_session(json.dumps(messages).encode(), "a.json").threads[0]
    one = replay(thread, "whole-units", 1_250)
    monkeypatch.setattr(scrubber, "SMALL_CHARS", 0)
    assert (strip(one).lost.tolist(), strip(one).lost_known) == ([], False)
    assert "evidence" not in thread.memo
    references(one)
    assert (strip(one).lost.tolist(), strip(one).lost_known) == ([2], True)
    monkeypatch.undo()
    again = replay(read_session(json.dumps(messages).encode(), "a.json").threads[0], "whole-units", 1_250)
    assert (strip(again).lost.tolist(), strip(again).lost_known) == ([2], True)


def test_a_value_needed_a_second_time_is_no_second_lost_reference() -> None:
    """As everywhere: what is lost counts where it is needed first."""
    path = "src/limits/window_start.py"
    read = {"id": "r", "type": "function", "function": {"name": "read_file", "arguments": '{"path": "README.md"}'}}
    messages = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": None, "tool_calls": [read]},
        {"role": "tool", "tool_call_id": "r", "content": f"starts in {path} " + "... " * 160},
        {"role": "assistant", "content": f"The fault is in {path}."},
        {"role": "user", "content": "next " * 20},
        {"role": "assistant", "content": "Looking."},
        {"role": "user", "content": "where?"},
        {"role": "assistant", "content": f"In {path}."},
    ]
    thread = read_session(json.dumps(messages).encode(), "a.json").threads[0]
    one = replay(thread, "whole-units", 700)
    assert references(one).per_call.sum() > references(one).first_per_call.sum()
    assert strip(one).lost.tolist() == np.flatnonzero(references(one).first_per_call).tolist()
