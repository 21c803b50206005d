"""The chart's columns say what the replay says."""

from __future__ import annotations

import json

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxcore.keep import Keep
from ctxcore.model import Thread
from ctxcore.readers.detect import read_session
from ctxcore.replay import replay
from ctxcore.views.calls import call_categories, call_tables, call_tools
from ctxcore.views.calls_chart import call_parts_dropped, calls_frame, fixed_columns, moving_columns, parts_dropped
from tests.pages.conftest import chat


def thread_of(data: bytes) -> Thread:
    return read_session(data, "a.json").threads[0]


TALK = thread_of(chat(("first", 3), ("second", 3), ("third", 2)))


def after_in_browser(thread: Thread, budget: int, **parameters: bool) -> np.ndarray:
    """The browser's rule (``readings`` in calls_chart.js), call by call."""
    one = replay(thread, "whole-units", budget, **parameters)
    fixed, moving = fixed_columns(thread, one.sizes), moving_columns(one)
    sizes = []
    for call in range(moving.calls):
        cut, task = int(moving.cut[call]), int(fixed.task[call])
        if cut < 0:
            sizes.append(-1)
            continue
        held = 0 <= task < cut
        lost = fixed.sums[cut] - (fixed.sums[task + 1] - fixed.sums[task] if held else 0)
        count = fixed.sum_messages[cut] - (fixed.sum_messages[task + 1] - fixed.sum_messages[task] if held else 0)
        notice = moving.notice[len(str(count))] if count else 0
        sizes.append(int(fixed.before[call] - lost.sum() + notice))
    return np.asarray(sizes)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 6000), st.booleans())
def test_the_browser_finds_the_same_sizes_as_the_engine(budget: int, notice: bool) -> None:
    assert after_in_browser(TALK, budget, notice=notice).tolist() == replay(TALK, "whole-units", budget, notice=notice).after.tolist()


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 6000), st.frozensets(st.integers(0, 12), min_size=1, max_size=4))
def test_kept_units_stay_in_the_bars(budget: int, units: frozenset[int]) -> None:
    one = replay(TALK, "whole-units", budget, keep=Keep(units=units))
    moving = moving_columns(one)
    notice = np.asarray([moving.notice[len(str(n))] if n else 0 for n in one.dropped_messages.tolist()])
    assert moving.cut is None
    assert moving.after.tolist() == one.after.tolist()
    assert (one.before - moving.dropped.sum(axis=1) + notice)[~one.refused].tolist() == one.after[~one.refused].tolist()
    for call in range(len(one.before)):
        assert call_parts_dropped(one, call).tolist() == moving.dropped[call].tolist()


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 6000))
def test_dropped_parts_and_the_notice_explain_the_difference(budget: int) -> None:
    one = replay(TALK, "whole-units", budget)
    sent = ~one.refused
    count = one.dropped_messages
    notice = np.asarray([one.sizes.notice[len(str(n))] if n else 0 for n in count.tolist()])
    assert (one.before - parts_dropped(one).sum(axis=1) + notice)[sent].tolist() == one.after[sent].tolist()
    for call in range(len(one.before)):
        assert call_parts_dropped(one, call).tolist() == parts_dropped(one)[call].tolist()


def test_parts_of_every_call_sum_to_its_size() -> None:
    one = replay(TALK, "whole-units", 2000)
    for call in range(len(one.before)):
        shares = call_categories(one, call)
        assert sum(share.before for share in shares) == one.before[call]
        assert sum(share.after for share in shares) == max(0, one.after[call])


def test_tools_and_files_of_a_call_sum_to_its_tool_parts() -> None:
    one = replay(TALK, "whole-units", 2000)
    categories = {share.name: share for share in call_categories(one, 10)}
    tools, files = call_tools(one, 10)
    assert [share.name for share in tools] == ["read_file"]
    assert tools[0].before == categories["Tool calls"].before + categories["Tool results"].before == sum(share.before for share in files)
    assert tools[0].after == categories["Tool calls"].after + categories["Tool results"].after
    assert len(files) == 8


def test_a_long_list_of_parts_keeps_its_sum() -> None:
    one = replay(thread_of(chat(("many", 14))), "none", 10**9)
    table = call_tables(one, 14)[2]
    assert table.rows[-1].name == "6 more"
    assert sum(row.before for row in table.rows) == call_tools(one, 14)[0][0].before


def test_the_table_has_a_row_for_every_call() -> None:
    frame = calls_frame(replay(TALK, "whole-units", 10))
    assert len(frame) == 11
    assert frame["refused"].all()


def test_two_results_in_one_message_share_its_size() -> None:
    """Anthropic's shape: one user message answers two tools; the split is by length and sums to the message."""
    blocks = [{"type": "tool_result", "tool_use_id": f"t{n}", "content": "x" * 100 * n} for n in (1, 3)]
    uses = [{"type": "tool_use", "id": f"t{n}", "name": name, "input": {}} for n, name in ((1, "short"), (3, "long"))]
    body = {
        "model": "claude-sonnet-4-5",
        "max_tokens": 10,
        "system": "s",
        "messages": [{"role": "user", "content": "go"}, {"role": "assistant", "content": uses}, {"role": "user", "content": blocks}],
    }
    thread = thread_of(json.dumps(body).encode())
    one = replay(thread, "none", 10**9)
    tools = {share.name: share.before for share in call_tools(one, len(thread.calls) - 1)[0]}
    assert tools["long"] > 2 * tools["short"] > 0
