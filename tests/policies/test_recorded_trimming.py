"""Rules against recordings of the programs that follow them: what was really sent, cleared, forgotten and kept."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ctxcore import read_session, replay
from ctxcore.model import Event, Thread
from ctxcore.policies.catalog.codex_compact import UserTexts
from ctxcore.policies.pruning import Batch, prune
from ctxcore.replay import timelines
from ctxcore.sending import sent_messages as sent
from ctxcore.sizes.measure import thread_sizes


def recorded(shared: Path, name: str) -> Path:
    file = shared / "corpus" / name
    if not file.exists():
        pytest.skip(f"no {name} among the reference files")
    return file


def compactions(thread: Thread) -> list[Event]:
    """Those that a record tells of and that a call follows."""
    return [event for event in thread.events if event.kind == "compaction" and not event.inferred and event.call < len(thread.calls)]


def content(entry: dict[str, Any]) -> str:
    return entry["content"] if isinstance(entry["content"], str) else "".join(block.get("text", "") for block in entry["content"])


@pytest.mark.parametrize("name", ["v1_claude_bokeh-13370.traj", "v1_gpt5_monai-5416_4.6MB.traj", "v1_kimi_dask-8685_548KB.traj"])
def test_swe_agent_sent_the_whole_history_where_its_settings_name_no_rule(shared: Path, name: str) -> None:
    """Their only processor marks cache points. A last query of a run may ask once more with other words."""
    file = recorded(shared, f"swe-agent/{name}")
    value = json.loads(file.read_text())
    processors = json.loads(value["replay_config"])["agent"]["history_processors"]
    assert [one["type"] for one in processors] == ["cache_control"]
    history = [(entry["role"], content(entry)) for entry in value["history"]]
    result = replay(read_session(file).threads[0], "none", 10**9)
    queries = [[(m["role"], content(m)) for m in sent(result, call)] for call in range(len(result.thread.calls))]
    asked_again = [query for query in queries if query != history[: len(query)]]
    assert len(queries) > 10
    assert len(asked_again) <= 1


def test_swe_agent_totals_fit_the_last_five_observations(shared: Path) -> None:
    """The run's log counts 216,294 tokens sent and 2,065 received. By characters the rule is within 7 % of that ratio, the whole history 25 % off."""
    value = json.loads(recorded(shared, "swe-agent/v0_claude35_psf-requests-1142_1.9MB.traj").read_text())
    stats = value["info"]["model_stats"]
    value["replay_config"] = json.dumps({"agent": {"history_processors": []}})
    thread = read_session(json.dumps(value).encode(), "whole.traj").threads[0]
    replies = sum(len(entry["content"]) for entry in value["history"] if entry["role"] == "assistant" and not entry.get("is_demo"))
    denser = 1.09  # tokens per character of contexts over those of replies, as measured on runs whose totals are known
    target = stats["tokens_sent"] / stats["tokens_received"]
    shares = {name: denser * replay(thread, name, 10**9).after.sum() / replies / target for name in ("swe-agent-last-observations", "none")}
    assert shares["swe-agent-last-observations"] == pytest.approx(1, abs=0.07)
    assert shares["none"] > 1.2


def test_swe_agent_rebuilt_contexts_shorten_the_same_observations(shared: Path) -> None:
    """The reader rebuilds 0.x contexts by the old rule; the policy on the whole history edits the same places with the same line counts."""
    file = recorded(shared, "swe-agent/v0_claude35_psf-requests-1142_1.9MB.traj")
    rebuilt = read_session(file).threads[0]
    value = json.loads(file.read_text()) | {"replay_config": json.dumps({"agent": {"history_processors": []}})}
    result = replay(read_session(json.dumps(value).encode(), "whole.traj").threads[0], "swe-agent-last-observations", 10**9)
    for call in rebuilt.calls:
        old = [rebuilt.messages[index].text for index in call.messages()]
        new = [message["content"] for message in sent(result, call.index)]
        assert [text.replace("Old output omitted (", "Old environment output: (").replace("lines)", "lines omitted)") for text in old] == new


def test_openhands_forgot_nothing_where_its_settings_say_so(shared: Path) -> None:
    """All five runs of the evaluation were made without a condenser: every context goes on with the one before."""
    file = recorded(shared, "openhands/v0_evaloutput_swebench_5runs_3.0MB.jsonl")
    lines = file.read_bytes().splitlines()
    for line in lines:
        assert json.loads(line)["metadata"]["condenser_config"] == {"type": "noop"}
        thread = read_session(line, "output.jsonl").threads[0]
        assert not compactions(thread)
        contexts = [call.messages() for call in thread.calls]
        assert all(late[: len(early)] == early for early, late in pairwise(contexts))


MICROCOMPACTED = "claude-code/entire_b0-dc55_2microcompact_1compact.jsonl"


def test_claude_code_clears_what_the_rule_clears(shared: Path) -> None:
    """Two records: (call, results cleared by then, tokens saved). Characters / 4, rounded up, are the numbers that the log itself gives.

    The first 12 results went before (the log has no record of it, only the fall of the input). The rule gives the same results at both calls;
    for the first batch it is worth it two calls earlier already, by 31 tokens.
    """
    thread = read_session(recorded(shared, MICROCOMPACTED)).threads[0]
    texts: dict[str, str] = {}
    counts = []
    for call in thread.calls:
        results = [result for index in call.messages() for result in thread.messages[index].results]
        counts.append(len(results))
        for result in results:
            texts.setdefault(result.call_id, result.text)
    order = [result.call_id for index in thread.calls[99].messages() for result in thread.messages[index].results]
    size = np.asarray([-(-len(texts[one]) // 4) for one in order], np.int64)
    batch = Batch(protect=40_000, worth=lambda total: total > 20_000)
    for call, first, last, saved in ((44, 12, 21, 21_294), (74, 21, 39, 20_134)):
        cleared = [r.text for index in thread.calls[call].messages() for r in thread.messages[index].results][:last]
        assert all(text != texts[one] for text, one in zip(cleared[first:], order[first:last], strict=True))
        assert size[first:last].sum() == pytest.approx(saved, abs=6)
        assert first + prune(size[first:], [counts[call] - first], batch)[0] == last
    gone = 12 + prune(size[12:], [max(count - 12, 0) for count in counts], batch)
    assert [(call, int(gone[call])) for call in range(1, len(gone)) if gone[call] != gone[call - 1]] == [(42, 20), (74, 39)]


@pytest.mark.parametrize(
    ("name", "count", "full"),
    [
        ("entire_63-095c_opus46_tasks.jsonl", 1, 167_000),
        ("entire_fc-99c9_userimage_taskcreate.jsonl", 1, 167_000),
        ("entire_b0-dc55_2microcompact_1compact.jsonl", 1, 155_000),
        ("entire_cd-95ad_3compact_6interrupts.jsonl", 3, 155_000),
    ],
)
def test_claude_code_sends_the_summary_alone_once_the_window_less_a_reserve_is_reached(shared: Path, name: str, count: int, full: int) -> None:
    """Nothing of the history stays. 200,000 less 33,000 in versions 2.1.29 and 2.1.39; 2.1.7 and 2.1.17 kept 45,000 free."""
    thread = read_session(recorded(shared, f"claude-code/{name}")).threads[0]
    events = compactions(thread)
    assert len(events) == count
    for event in events:
        after, before = thread.calls[event.call], thread.calls[event.call - 1]
        assert [thread.messages[index].injected for index in after.messages()] == ["summary"]
        assert event.before_tokens is not None
        assert full <= event.before_tokens < full + 3_000
        assert before.usage is not None
        assert (before.usage.input_tokens or 0) < event.before_tokens


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("agentv_1f-4427-0_websearch_compact.jsonl", 1),
        ("agentv_79-6ead_3compactions_4.1MB.jsonl", 3),
        ("agentv_88-8ba8_aborted_missing_output.jsonl", 1),
    ],
)
def test_codex_keeps_the_users_texts_and_no_reply_or_result(shared: Path, name: str, count: int) -> None:
    """The replacement history of the log against the rule: the same texts, and what is neither instruction nor user's text is gone.

    In the last file a second record follows a rollback; it is no compaction of the history before it and is left out.
    """
    thread = read_session(recorded(shared, f"codex-cli/{name}")).threads[0]
    events = compactions(thread)[:count]
    lines = timelines(thread, thread_sizes(thread))
    for event in events:
        line = next(one for one in lines if event.call - 1 in one.epoch.calls)
        history = line.history
        length = int(history.length[np.flatnonzero(line.epoch.calls == event.call - 1)[0]])
        users = UserTexts(history, history.tokens(20_000))
        users.size(length)
        kept = [history.messages[place].text for place in users.persons[users.oldest :].tolist() if place < length]
        after = [thread.messages[index] for index in thread.calls[event.call].messages()]
        assert [message.text for message in after if message.is_real_user] == kept
        assert {message.role for message in after} <= {"system", "developer", "user"}
        assert event.before_tokens is not None
        assert thread.window is not None
        assert 0.83 < event.before_tokens / thread.window < 0.93
