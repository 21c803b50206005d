"""Every policy: what the engine says about sizes and counts is what its edits do to the messages themselves."""

from __future__ import annotations

import numpy as np
import pytest

from ctxcore import replay
from ctxcore.columns import CATEGORIES
from ctxcore.keep import Keep, kept_units
from ctxcore.policies import POLICIES
from ctxcore.policies.applied import freed_parts
from ctxcore.replay import ABSENT, DROPPED, EDITED, PINNED, Replay
from ctxcore.sending import sent_messages
from ctxcore.sizes.characters import json_chars, request_chars
from tests.policies.samples import SAMPLES, sample_thread


def unwritten(result: Replay, call: int) -> int:
    """Size of summaries that have no text, beyond that of an empty message."""
    opaque = [one for one in result.inserts(call) if one.source == "opaque"]
    return sum(one.size - 1 - json_chars({"role": one.role, "content": ""}) for one in opaque)


@pytest.mark.parametrize("policy", [kind.name for kind in POLICIES])
@pytest.mark.parametrize("sample", SAMPLES)
def test_sizes_are_those_of_the_edited_messages(policy: str, sample: str) -> None:
    thread = sample_thread(sample)
    for budget in (2_000, 8_000, 30_000):
        result = replay(thread, policy, budget)
        for call in result.thread.calls:
            tools = thread.tool_sets[call.tools] if call.tools is not None else ()
            size = request_chars(sent_messages(result, call.index), tools)
            if result.refused[call.index]:
                continue
            assert result.after[call.index] == size + unwritten(result, call.index), (call.index, budget)


@pytest.mark.parametrize("policy", [kind.name for kind in POLICIES])
@pytest.mark.parametrize("sample", SAMPLES)
def test_counts_are_those_of_the_edits(policy: str, sample: str) -> None:
    thread = sample_thread(sample)
    result = replay(thread, policy, 8_000)
    for call in range(len(thread.calls)):
        edits = result.edits(call)
        dropped = [edit.message for edit in edits if edit.action == "drop"]
        status = result.message_status(call)
        assert len(dropped) == len(set(dropped)) == result.dropped_messages[call] == (status == DROPPED).sum()
        inside = [edit for edit in edits if edit.action != "drop"]
        assert len({(edit.message, edit.part) for edit in inside}) == len(inside)
        assert (status == EDITED).sum() == len({edit.message for edit in inside})


@pytest.mark.parametrize("policy", [kind.name for kind in POLICIES])
@pytest.mark.parametrize("sample", SAMPLES)
def test_what_is_freed_by_category_sums_to_what_is_freed(policy: str, sample: str) -> None:
    thread = sample_thread(sample)
    result = replay(thread, policy, 8_000)
    for line, fits in zip(result.timelines, result.fits, strict=True):
        freed = freed_parts(line.history, fits.plan(0))
        added = fits.plan(0).added(len(line.seen))
        sent = ~fits.refused[0]
        assert freed.shape == (len(line.seen), len(CATEGORIES))
        assert (line.before - freed.sum(axis=1) + added == fits.after[0])[sent].all()


KEEPS = (Keep(tools=("read_file", "grep", "read_column")), Keep(texts=("lesson 2", "directory 3", "ledger")), Keep(units=(1, 4, 6)))


@pytest.mark.parametrize("policy", [kind.name for kind in POLICIES if kind.name != "none"])
@pytest.mark.parametrize("keep", KEEPS, ids=["tools", "texts", "units"])
def test_what_the_user_keeps_is_never_dropped_or_edited(policy: str, keep: Keep) -> None:
    for sample in ("parallel", "responses", "anthropic-thinking"):
        thread = sample_thread(sample)
        result = replay(thread, policy, 9_000, keep=keep)
        kept = np.flatnonzero(kept_units(thread, keep))
        members = {message for unit in kept.tolist() for message in result.units.members[unit]}
        for call in range(len(thread.calls)):
            assert not members & {edit.message for edit in result.edits(call)}
            if not result.refused[call]:
                status = result.status(call)[kept]
                assert set(status.tolist()) <= {ABSENT, PINNED}
                tools = thread.tool_sets[thread.calls[call].tools] if thread.calls[call].tools is not None else ()
                assert result.after[call] == request_chars(sent_messages(result, call), tools) + unwritten(result, call)


def test_a_kept_unit_changes_what_else_goes() -> None:
    """The rule makes room elsewhere: with one more unit kept, another is dropped that was not."""
    thread = sample_thread("parallel")
    last = len(thread.calls) - 1
    plain = {drop.unit for drop in replay(thread, "whole-units", 9_000).drops(last)}
    oldest = min(plain)
    kept = {drop.unit for drop in replay(thread, "whole-units", 9_000, keep=Keep(units=(oldest,))).drops(last)}
    assert oldest not in kept
    assert kept >= plain - {oldest}


def test_keeping_the_task_itself_changes_nothing() -> None:
    """No rule drops the task, so a wish to keep it is granted already."""
    thread = sample_thread("coding-agent.jsonl")
    last = len(thread.calls) - 1
    place, column = replay(thread).place(last)
    line = replay(thread).timelines[place]
    task = int(replay(thread).units.of_epoch[place][line.task[column]])
    plain, kept = replay(thread, "whole-units", 9_000), replay(thread, "whole-units", 9_000, keep=Keep(units=(task,)))
    assert kept.drops(last) == plain.drops(last) != ()
    assert (kept.after[last], kept.dropped_messages[last]) == (plain.after[last], plain.dropped_messages[last])
