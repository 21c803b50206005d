"""Money: published prices, sums by hand, and predictions against what providers counted."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ctxcore import read_session, replay
from ctxcore.errors import InputError
from ctxcore.measures.cost import break_even, cost
from ctxcore.measures.prefix import prefix
from ctxcore.measures.prices import price_table, rates, read_prices
from ctxcore.measures.recorded_cost import calibration, recorded_dollars
from ctxcore.measures.sent_tokens import hidden_tokens, sent_requests
from ctxcore.measures.starts import SAME
from ctxcore.policies import all_policies
from ctxcore.units import split_epochs
from tests.measures.conversations import says, thread_of, user
from tests.policies.samples import sample_thread


@pytest.mark.parametrize(
    ("model", "first"),
    [
        ("claude-opus-5-5", (4, 0.2, 5, 20)),
        ("claude-sonnet-4-5", (3, 0.3, 3.75, 15)),
        ("claude-haiku-5-5", (0.1, 0.01, 0.125, 0.5)),
        ("gpt-6-sol", (2, 0.2, 2.5, 10)),
        ("gpt-5.4", (2.5, 0.25, 2.5, 15)),
        ("gemini-3.1-pro-preview", (2, 0.2, 2, 12)),
        ("anthropic/claude-sonnet-4-5", (3, 0.3, 3.75, 15)),
    ],
)
def test_prices_are_the_published_ones(model: str, first: tuple[float, ...]) -> None:
    """Input, cache read, cache write and output in dollars per million. Source: the table of prices, cross-checked; no write price is the input's."""
    found = rates(model)
    assert found is not None
    assert (found.tiers[0].input, found.tiers[0].cache_read, found.tiers[0].cache_write, found.tiers[0].output) == first
    assert "genai-prices" in found.source


@pytest.mark.parametrize(
    ("model", "five_minutes", "hour"),
    [("claude-opus-4-5", 6.25, 10), ("claude-opus-5-5", 5, 8), ("claude-sonnet-4-6", 3.75, 6), ("claude-haiku-4-5", 1.25, 2), ("gpt-5", 1.25, 1.25)],
)
def test_what_is_kept_for_an_hour_has_a_price_of_its_own(model: str, five_minutes: float, hour: float) -> None:
    """Source: the table of prices; one without such a price has none of its own."""
    found = rates(model)
    assert found is not None
    assert (found.tiers[0].write(0), found.tiers[0].write(1)) == (five_minutes, hour)


def hourly(calls: int = 4) -> bytes:
    """Claude's answers whose writes are for an hour; half an hour passes between calls."""
    messages: list[dict[str, object]] = []
    lines = []
    for call in range(calls):
        messages = [*messages, {"role": "user", "content": f"question {call} " * 400}]
        reply = {"role": "assistant", "content": [{"type": "text", "text": f"answer {call}"}]}
        before = 5_000 + 2_000 * (call - 1) if call else 0
        usage = {
            "input_tokens": 10,
            "cache_read_input_tokens": before,
            "cache_creation_input_tokens": 4_990 + 2_000 * call - before,
            "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 4_990 + 2_000 * call - before},
            "output_tokens": 100,
        }
        response = {"id": f"msg_{call}", "type": "message", "model": "claude-opus-4-5", "usage": usage, **reply}
        request = {"model": "claude-opus-4-5", "max_tokens": 500, "messages": messages}
        stamp = f"2026-05-01T{10 + call // 2}:{30 * (call % 2):02}:00Z"
        lines.append(json.dumps({"timestamp": stamp, "request": request, "response": response}))
        messages = [*messages, reply]
    return "\n".join(lines).encode()


def test_writes_for_an_hour_are_priced_as_such_by_hand() -> None:
    """Opus 4.5: 5 in, 0.5 read, 10 written for an hour, 25 out. Written 4,990, then three times 1,990; read 5,000, 7,000 and 9,000."""
    thread = read_session(hourly(), "log.jsonl").threads[0]
    written, read = 4_990 + 3 * 1_990, 5_000 + 7_000 + 9_000
    assert recorded_dollars(thread) == pytest.approx((40 * 5 + written * 10 + read * 0.5 + 400 * 25) / 1e6)


def test_a_log_whose_writes_are_for_an_hour_is_predicted_so() -> None:
    """The clock of the recording: entries of five minutes would have gone before each call."""
    thread = read_session(hourly(), "log.jsonl").threads[0]
    assert all(call.at is not None for call in thread.calls)
    found = cost(replay(thread, "none", 10**9, "tokens"))
    assert found is not None
    assert found.cache.read.tolist() == [0, 5_000, 7_000, 9_000]
    assert found.hour.tolist() == [1, 1, 1, 1]
    tier = found.rates.tiers[0]
    assert found.total == pytest.approx((tier.cache_write_1h * found.cache.written.sum() + 0.5 * 21_000 + 400 * 25) / 1e6)


def test_a_long_request_costs_the_higher_rate_for_all_its_tokens() -> None:
    found = rates("gpt-5.4")
    assert found is not None
    assert [(tier.start, tier.input) for tier in found.tiers] == [(0, 2.5), (272_000, 5)]
    assert found.tier(272_000).input == 2.5
    assert found.tier(272_001).input == 5


def test_a_table_of_ones_own_goes_first(tmp_path: Path) -> None:
    table = tmp_path / "prices.toml"
    table.write_text('["gpt-5"]\ninput = 1\noutput = 2\ncache_read = 0.5\n')
    found = rates("GPT-5", own=price_table(table))
    assert found is not None
    assert (found.tiers[0].input, found.tiers[0].cache_read, found.tiers[0].cache_write) == (1, 0.5, 1)
    assert re.fullmatch(re.escape(str(table)) + r", changed \d{4}-\d\d-\d\d", found.source)


@pytest.mark.parametrize("day", ["2026-11-01", '"2026-11-01"'])
def test_a_table_may_say_of_when_its_prices_are(day: str) -> None:
    found = rates("gpt-5", own=read_prices(f'date = {day}\n["gpt-5"]\ninput = 1\noutput = 2\n', "mine.toml"))
    assert found is not None
    assert found.source == "mine.toml, prices of 2026-11-01"
    undated = rates("gpt-5", own=read_prices('["gpt-5"]\ninput = 1\noutput = 2\n', "mine.toml"))
    assert undated is not None
    assert undated.source == "mine.toml, no date given"


@pytest.mark.parametrize("text", ["input = 1", '["m"]\ninput = 1', '["m"]\ninput = 1\noutput = 2\ntypo = 3', "[m", '["m"]\ninput = -1\noutput = 2'])
def test_a_wrong_table_is_told(tmp_path: Path, text: str) -> None:
    table = tmp_path / "prices.toml"
    table.write_text(text)
    with pytest.raises(InputError, match="rice table"):
        price_table(table)


def pairs(count: int, *, cached: bool) -> bytes:
    """Requests of a growing chat with usage; each reads the request before it from the cache, where asked."""
    messages = [{"role": "system", "content": "rule " * 1_200}]
    lines = []
    for call in range(count):
        messages = [*messages, {"role": "user", "content": f"question {call} " * 100}]
        usage = {"prompt_tokens": 2_000 + 500 * call, "completion_tokens": 100, "total_tokens": 2_100 + 500 * call}
        if cached:
            usage["prompt_tokens_details"] = {"cached_tokens": (2_000 + 500 * (call - 1)) // 128 * 128 if call else 0}
        reply = {"role": "assistant", "content": f"answer {call}"}
        response = {"id": f"r{call}", "object": "chat.completion", "model": "gpt-5", "choices": [{"index": 0, "message": reply}], "usage": usage}
        request = {"model": "gpt-5", "messages": messages}
        lines.append(json.dumps({"request": request, "response": response}))
        messages = [*messages, reply]
    return "\n".join(lines).encode()


def test_what_was_recorded_is_priced_by_hand() -> None:
    """gpt-5: 1.25 in, 0.125 cached, 10 out. Calls: 2,000 none cached; 2,500 with 1,920; 3,000 with 2,432. Output 100 each."""
    thread = read_session(pairs(3, cached=True), "log.jsonl").threads[0]
    plain, read = 2_000 + 580 + 568, 1_920 + 2_432
    assert recorded_dollars(thread) == pytest.approx((plain * 1.25 + read * 0.125 + 300 * 10) / 1e6)


def test_each_call_has_the_price_of_its_own_model() -> None:
    """gpt-5 is 1.25 in and 10 out, gpt-5-mini 0.25 and 2. Calls of 2,000 and 3,000 are gpt-5's, that of 2,500 is the small one's."""
    lines = pairs(3, cached=False).splitlines()
    lines[1] = lines[1].replace(b'"gpt-5"', b'"gpt-5-mini"')
    thread = read_session(b"\n".join(lines), "log.jsonl").threads[0]
    assert [call.model for call in thread.calls] == ["gpt-5", "gpt-5-mini", "gpt-5"]
    by_hand = (5_000 * 1.25 + 200 * 10 + 2_500 * 0.25 + 100 * 2) / 1e6
    assert recorded_dollars(thread) == pytest.approx(by_hand)
    cold = cost(replay(thread, "none", 10**9, "tokens"), clock="cold")
    assert cold is not None
    assert cold.total == pytest.approx(by_hand)


def test_tokens_that_the_log_does_not_hold_are_sent_all_the_same() -> None:
    thread = read_session(pairs(3, cached=False), "log.jsonl").threads[0]
    whole = cost(replay(thread, "none", 10**9, "tokens"))
    assert whole is not None
    assert (whole.cache.read + whole.cache.plain).tolist() == [2_000, 2_500, 3_000]
    assert hidden_tokens(thread)[0] > 0


def test_a_log_that_never_cached_is_priced_without_a_cache() -> None:
    log = pairs(3, cached=True).replace(b'"cached_tokens": 1920', b'"cached_tokens": 0').replace(b'"cached_tokens": 2432', b'"cached_tokens": 0')
    found = cost(replay(read_session(log, "log.jsonl").threads[0], "none", 10**9, "tokens"))
    assert found is not None
    assert found.rules.model == "none"
    assert found.total == pytest.approx(recorded_dollars(read_session(log, "log.jsonl").threads[0]))


@pytest.mark.parametrize("budget", [1_062, 3_399])
def test_every_policy_has_a_price(budget: int) -> None:
    """Also where a summary comes to nothing: what is not sent breaks no cache."""
    thread = sample_thread("coding-agent.jsonl")
    for kind in all_policies():
        result = replay(thread, kind.name, budget, "tokens")
        found = prefix(result)
        assert (found.shared <= np.where(result.refused, 0, result.after)).all(), kind.name
        assert (found.lost >= 0).all(), kind.name


def test_a_growing_request_shares_all_of_the_one_before() -> None:
    thread = sample_thread("coding-agent.jsonl")
    result = replay(thread, "none", 10**9, "tokens")
    found = prefix(result)
    assert found.shared[1:].tolist() == result.after[:-1].tolist()
    assert set(found.cause[1:]) == {SAME}


def test_after_a_side_call_a_request_goes_on_from_the_one_before_that() -> None:
    """Calls receive messages 0 to 2, then the side question 4 alone, then 0 to 4: the last begins with all of the first."""
    made = thread_of(user("Count all."), says("12"), user("Again."), says("13"), user("Aside."), says("Yes."))
    one, two, three = made.calls
    contexts = (((0, 3),), ((4, 5),), ((0, 5),))
    calls = tuple(replace(call, context=context, reply=None) for call, context in zip((one, two, three), contexts, strict=True))
    thread = replace(made, calls=calls, epochs=split_epochs(made.messages, calls), memo={})
    result = replay(thread, "none", 10**9)
    found = prefix(result)
    assert found.branch.tolist() == [-1, -1, 0]
    assert found.branch_shared[2] > found.shared[2]
    assert 0 <= result.after[0] - found.branch_shared[2] <= 2  # the closing bracket of a list is none of the prefix


def test_a_call_can_have_begun_when_its_newest_message_came() -> None:
    made = thread_of(user("Count all."), says("12"), user("Again."), says("13"))
    timed = tuple(replace(message, at=at) for message, at in zip(made.messages, (10.0, 20.0, 30.0, 45.0), strict=True))
    calls = tuple(replace(call, at=at) for call, at in zip(made.calls, (20.0, 45.0), strict=True))
    result = replay(replace(made, messages=timed, calls=calls, memo={}), "none", 10**9, "tokens")
    asked = sent_requests(result, prefix(result))
    assert asked.begun is not None
    assert (asked.begun.tolist(), asked.at.tolist()) == ([10, 30], [20, 45])


def test_a_request_whose_oldest_message_goes_shares_its_system_text_only() -> None:
    """A buffer that slides at every call: what stands behind the system text begins with another message each time."""
    thread = sample_thread("parallel")
    result = replay(thread, "autogen-buffered", 10**9, "chars", buffer_size=4)
    found = prefix(result)
    sliding = [call for call in range(1, len(thread.calls)) if result.dropped_messages[call] > result.dropped_messages[call - 1] > 0]
    assert len(sliding) > 5
    assert all(found.shared[call] == found.system[call] for call in sliding if thread.calls[call].message_count < 30)


def test_break_even_by_hand() -> None:
    """Half of what stands behind the cut goes: (1.25 - 0.1) / 0.1 = 11.5 calls. Source: the rules of prompt caching."""
    found = rates("claude-sonnet-4-5")
    assert found is not None
    assert break_even(found, freed=1_000, tail=1_000) == pytest.approx(11.5)
    assert break_even(found, freed=1_000, tail=1_000, hour=1) == pytest.approx(19)  # (2 - 0.1) / 0.1
    assert break_even(found, freed=0, tail=1_000) is None


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("codex-cli/agentv_79-6ead_3compactions_4.1MB.jsonl", 0.005),
        ("claude-code/entire_63-095c_opus46_tasks.jsonl", 0.001),
        ("claude-code/entire_cd-95ad_3compact_6interrupts.jsonl", 0.001),
        ("openhands/v0_tb_blind-maze_204events.json", 0.001),
    ],
)
def test_the_cache_of_real_sessions_is_predicted(shared: Path, name: str, error: float) -> None:
    """The provider's own counts of cached tokens are the reference: median of the difference, as a share of the input."""
    found = calibration(read_session(shared / "corpus" / name).threads[0])
    assert found is not None
    assert found.calls > 50
    assert found.median_error < error


@pytest.mark.parametrize(
    ("name", "dollars", "share"),
    [
        ("claude-code/agentv_1e-d266-0_v2.1.62.jsonl", 3.4854, 0.03),
        ("claude-code/entire_b0-dc55_2microcompact_1compact.jsonl", 11.87, 0.06),
        ("claude-code/entire_cd-95ad_3compact_6interrupts.jsonl", None, 0.06),
        ("claude-code/entire_63-095c_opus46_tasks.jsonl", None, 0.07),
    ],
)
def test_the_money_of_real_sessions_is_predicted(shared: Path, name: str, dollars: float | None, share: float) -> None:
    """By hand from the log's own counts, an hour's writes at their price; what other sessions had put into the cache cannot be known."""
    thread = read_session(shared / "corpus" / name).threads[0]
    recorded, predicted = recorded_dollars(thread), cost(replay(thread, "none", 10**9, "chars"))
    assert recorded is not None
    assert predicted is not None
    assert dollars is None or recorded == pytest.approx(dollars, abs=0.005)
    assert predicted.total == pytest.approx(recorded, rel=share)


def test_what_the_log_does_not_hold_stays_in_the_cache() -> None:
    """A policy that begins each request anew still sends the unrecorded system text and tools in front: they are read, not written again."""
    thread = read_session(pairs(12, cached=True), "log.jsonl").threads[0]
    found = cost(replay(thread, "autogen-buffered", 10**9, "tokens", buffer_size=2))
    assert found is not None
    hidden = hidden_tokens(thread)
    assert (found.cache.read[2:] >= (hidden[2:] // 128 * 128) * (hidden[2:] >= 1_024)).all()
    assert found.cache.read[2:].any()


@pytest.mark.parametrize("price", ["inf", "nan", "1e30", "true", "-1"])
def test_a_price_that_is_none_is_refused(tmp_path: Path, price: str) -> None:
    table = tmp_path / "prices.toml"
    table.write_text(f'["gpt-5"]\ninput = {price}\noutput = 1\n')
    with pytest.raises(InputError, match="rice table"):
        price_table(table)
