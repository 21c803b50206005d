"""Rules that summarise: when they fire and what stays, derived by hand; the text is a stand-in and not looked at."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ctxcore import InputError, replay
from ctxcore.policies import make_policy
from ctxcore.replay import Replay
from ctxcore.sending import sent_messages as sent
from ctxcore.sizes.characters import canonical_json, request_chars
from tests.chat import conversation
from tests.policies.conversations import Request, chat_thread
from tests.policies.samples import sample_thread


def run(messages: Request, policy: str, budget: int, **settings: Any) -> Replay:
    return replay(chat_thread(messages), policy, budget, **{"summary": "extractive", "ratio": 0.0} | settings)


def shown(result: Replay, call: int) -> list[int | str]:
    """Places of the messages that a call sends, and kinds of what is put between them."""
    dropped = {edit.message for edit in result.edits(call) if edit.action == "drop"}
    inserts = list(result.inserts(call))
    found: list[int | str] = []
    for place, message in enumerate((*result.thread.calls[call].messages(), -1)):
        while inserts and (message < 0 or inserts[0].place <= place):
            found.append(inserts.pop(0).kind)
        if message >= 0 and message not in dropped:
            found.append(message)
    return found


def exchanges(count: int, size: int = 200, name: str = "bash") -> list[tuple[str, dict[str, Any], str]]:
    return [(name, {"n": n}, "x" * size) for n in range(count)]


def turns(count: int, steps: int = 1, size: int = 200) -> Request:
    """Turns of a task, exchanges and an answer; place 0 is the system text."""
    messages: Request = [{"role": "system", "content": "You help."}]
    for turn in range(count):
        messages.append({"role": "user", "content": f"Task {turn}."})
        for step in range(steps):
            call = {"id": f"c{turn}_{step}", "type": "function", "function": {"name": "bash", "arguments": "{}"}}
            messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
            messages.append({"role": "tool", "tool_call_id": f"c{turn}_{step}", "content": "x" * size})
        messages.append({"role": "assistant", "content": f"Done {turn}."})
    return messages


def answered(messages: Request, length: int) -> int:
    """Size of a request of so many messages with its reply, as the next call finds it."""
    return request_chars(messages[:length], []) + len(canonical_json(messages[length])) + 1


def test_claude_code_summarises_everything_near_the_end_of_the_window_and_brings_files_back() -> None:
    """12 messages before the last answer reach window - reserve. Newest files first, each once; the large one by its name."""
    names = ["a.py", "b.py", "a.py", "c.py", "big.py"]
    messages = conversation(
        "Task.", *(("read_file", {"path": name}, f"{name} {n} " * (200 if name == "big.py" else 20)) for n, name in enumerate(names))
    )
    size = request_chars(messages[:12], [])
    result = run(messages, "claude-code-autocompact", size + 500, reserve=500, files=3, file_limit=1_000)
    assert shown(result, 4) == list(range(10))
    assert shown(result, 5) == [0, "summary", "marker"]
    text = result.inserts(5)[1].text
    assert text.splitlines()[0] == "File big.py was read before the summary; read it again if needed."
    assert text.index("File c.py:") < text.index("File a.py:\na.py 2 ")
    assert "b.py" not in text


def test_roo_condenses_the_newest_message_too_and_goes_on_from_the_summary() -> None:
    messages = conversation("Task.", *exchanges(6))
    size = request_chars(messages[:8], [])
    result = run(messages, "roo-condense", 10 * size, threshold=10.0, buffer=0.0, max_output=0)
    assert shown(result, 2) == list(range(6))
    assert shown(result, 3) == [0, "summary"]
    assert shown(result, 4) == [0, "summary", 8, 9]


def test_opencode_keeps_whole_turns_that_fit_and_the_end_of_the_next() -> None:
    """Turns of 6 messages at 1, 7, 13, and the task of the fourth at 19. Call and result of an exchange take the same in each turn.

    Room for turn 3 (19), turn 2 (13 to 18) and 10 characters more than the last three of turn 1 (10, 11, 12): 10 and 11 are an exchange,
    12 the answer, so 10 is the first from which it fits. One character less than 11 and 12 need: 12 stays alone, 11 is a result.
    """
    messages = turns(4, steps=2)
    length = 20
    sizes = [len(canonical_json(message)) + 1 for message in messages]
    usable = answered(messages, 18)
    room = sum(sizes[13:20]) + sum(sizes[10:13]) + 10
    result = run(messages, "opencode-compaction", usable, reserved=0, preserve=room)
    last = next(call.index for call in result.thread.calls if call.message_count == length)
    assert shown(result, last) == [0, "marker", "summary", *range(10, 20)]
    assert shown(result, last - 1) == list(range(18))
    less = run(messages, "opencode-compaction", usable, reserved=0, preserve=sum(sizes[13:20]) + sum(sizes[10:13]) - 1)
    assert shown(less, last) == [0, "marker", "summary", *range(12, 20)]


def test_opencode_keeps_nothing_where_every_turn_would_fit() -> None:
    messages = turns(3)
    result = run(messages, "opencode-compaction", answered(messages, 8), reserved=0, preserve=10**6)
    last = next(call.index for call in result.thread.calls if call.message_count == 10)
    assert shown(result, last) == [0, "marker", "summary"]


def test_goose_puts_the_latest_text_of_the_user_behind_its_summary() -> None:
    """Turns of 4 messages at 1, 5, 9; the call with 8 messages took more than 80 % with its reply: the next has the task at 9 alone."""
    messages = turns(3)
    budget = int((answered(messages, 8) - 1) / 0.8)
    result = run(messages, "goose-compact", budget)
    by_length = {call.message_count: call.index for call in result.thread.calls}
    assert shown(result, by_length[8]) == list(range(8))
    assert shown(result, by_length[10]) == [0, "summary", "marker", 9]
    assert [one.role for one in result.inserts(by_length[10])] == ["user", "assistant"]


def test_letta_takes_two_fifths_up_to_a_reply() -> None:
    """22 messages (system, task, 10 exchanges): round(0.4 * 22) is 9, a result; the reply before it is 8. 14 of 22 messages are under 70 %."""
    messages = conversation("Task.", *exchanges(10))
    result = run(messages, "letta-summarize", request_chars(messages[:22], []) - 1)
    assert shown(result, 9) == list(range(20))
    assert shown(result, 10) == [0, "summary", *range(8, 22)]


def test_letta_takes_more_until_the_rest_is_small_enough() -> None:
    """A result of 2,200 characters at 13. 40 % is 9 (reply 8), 50 % is 11 (reply 10): over 70 %. 60 % is 13 (reply 12): under it."""
    messages = conversation("Task.", *exchanges(5), *exchanges(1, 2_200), *exchanges(4))
    sizes = [len(canonical_json(message)) + 1 for message in messages]
    window = request_chars(messages[:22], []) - 1
    assert sum(sizes[10:22]) + sizes[0] > 0.7 * window > sum(sizes[12:22]) + sizes[0] + 30
    result = run(messages, "letta-summarize", window)
    assert shown(result, 10) == [0, "summary", *range(12, 22)]


def test_factory_drops_from_the_fill_line_down_to_the_drain_line() -> None:
    """Exchanges are alike: at 12 messages (5 of them) the fill line is reached; what goes first ends where half of the line is left."""
    messages = conversation("Task.", *exchanges(6))
    fill = request_chars(messages[:12], [])
    sizes = [len(canonical_json(message)) + 1 for message in messages]
    result = run(messages, "factory-merge", fill)
    stay = next(first for first in (2, 4, 6, 8, 10) if fill - sum(sizes[1:first]) <= fill // 2)
    assert shown(result, 4) == list(range(10))
    assert shown(result, 5) == [0, "summary", *range(stay, 12)]


def test_cline_summarises_up_to_a_prompt_that_leaves_enough_and_never_behind_the_latest() -> None:
    """Turns of 4 messages at 1, 5, 9; the call with 10 messages fires. Little to preserve: 9, the latest; 7 to 9: the prompt before them, 5."""
    messages = turns(3)
    size = request_chars(messages[:10], [])
    sizes = [len(canonical_json(message)) + 1 for message in messages]
    for preserve, first in ((10, 9), (sum(sizes[7:10]), 5)):
        result = run(messages, "cline-agentic", size, input_share=1.0, trigger=1.0, preserve=preserve)
        by_length = {call.message_count: call.index for call in result.thread.calls}
        assert shown(result, by_length[8]) == list(range(8))
        assert shown(result, by_length[10]) == [0, "summary", *range(first, 10)]
    everything = run(messages, "cline-agentic", size, input_share=1.0, trigger=1.0, preserve=10**6)
    assert not any(everything.inserts(call) for call in range(len(everything.thread.calls)))


def test_cline_cannot_cut_within_the_first_turn() -> None:
    messages = conversation("Task.", *exchanges(6))
    result = run(messages, "cline-agentic", request_chars(messages[:10], []), input_share=1.0, trigger=1.0)
    assert result.refused.tolist() == [False] * 5 + [True] * 2


def test_codex_keeps_the_users_texts_in_front_of_the_summary() -> None:
    """Turns of 4 messages at 1, 5, 9: the call with 8 messages took the limit with its reply, so all but the texts of the user goes at 10."""
    messages = turns(3)
    result = run(messages, "codex-compact", 10**6, limit=answered(messages, 8))
    by_length = {call.message_count: call.index for call in result.thread.calls}
    assert shown(result, by_length[8]) == list(range(8))
    assert shown(result, by_length[10]) == [0, 1, 5, 9, "summary"]
    assert shown(result, by_length[12]) == [0, 1, 5, 9, "summary", 10, 11]


def test_codex_cuts_the_middle_of_the_text_that_no_longer_fits() -> None:
    """Texts of 100 characters, 102 in JSON. Room 200: the newest takes 102, 98 are left for the one before, cut to 98 characters; older ones go."""
    messages = turns(4)
    for turn in range(4):
        messages[1 + 4 * turn] = {"role": "user", "content": f"{turn}" * 100}
    result = run(messages, "codex-compact", 10**6, limit=answered(messages, 12), keep_user=200)
    last = next(call.index for call in result.thread.calls if call.message_count == 14)
    assert shown(result, last) == [0, 9, 13, "summary"]
    assert [message["content"] for message in sent(result, last)][1] == "2" * 49 + "…0 tokens truncated…" + "2" * 49


def test_gemini_splits_at_the_first_task_behind_seventy_percent_of_the_characters() -> None:
    """Turns of 4 messages at 1, 5, 9, 13; the task at 17 is not yet history. Four equal turns: 9 stands at 50 %, 13 at 75 %."""
    messages = turns(5)
    result = run(messages, "gemini-compress", 2 * request_chars(messages[:16], []))
    by_length = {call.message_count: call.index for call in result.thread.calls}
    assert shown(result, by_length[18]) == [0, "summary", "marker", *range(13, 18)]


def test_gemini_takes_everything_that_ends_with_an_answer_where_no_task_stands_so_late() -> None:
    """One turn: its task stands at 0 %. The history before the second task ends with an answer."""
    messages = turns(2, steps=3)
    result = run(messages, "gemini-compress", 2 * request_chars(messages[:8], []))
    last = next(call.index for call in result.thread.calls if call.message_count == 10)
    assert shown(result, last) == [0, "summary", "marker", 9]


def test_gemini_rejects_a_summary_that_would_be_larger() -> None:
    messages = turns(2, steps=1, size=1)
    result = run(messages, "gemini-compress", 100, ratio=5.0)
    assert not any(result.inserts(call) for call in range(len(result.thread.calls)))


def test_openhands_counts_the_summary_among_the_events_that_are_left() -> None:
    """max_size 6, so 3 are left: the first, the summary and the last. 8 messages: 7 stays. 10: 5 events. 12: 7 events, and 11 stays."""
    messages = conversation("Task.", *exchanges(5))
    result = run(messages, "openhands-summarize", 10**6, max_size=6)
    assert [shown(result, call) for call in (2, 3, 4, 5)] == [list(range(6)), [0, "summary", 7], [0, "summary", 7, 8, 9], [0, "summary", 11]]


def test_openhands_refuses_a_head_of_half_the_limit() -> None:
    with pytest.raises(InputError):
        make_policy("openhands-summarize", max_size=4, keep_first=2)


def test_openhands_sdk_moves_its_ends_on_to_where_no_exchange_is_open() -> None:
    """max_size 10, keep_first 2: at 12 messages 5 are kept, less the first 2 and the summary: a tail of 2, which is the exchange at 10."""
    messages = conversation("Task.", *exchanges(6))
    result = run(messages, "openhands-sdk-summarize", 10**6, max_size=10)
    assert shown(result, 4) == list(range(10))
    assert shown(result, 5) == [0, 1, "summary", 10, 11]
    odd = run(messages, "openhands-sdk-summarize", 10**6, max_size=8)  # at 10 messages: 4 - 3 = 1, which is the result at 9
    assert shown(odd, 4) == [0, 1, "summary"]


def test_openhands_sdk_takes_the_stricter_of_events_and_size() -> None:
    """Over the size only: half of it holds the first two, and of the rest two exchanges."""
    messages = conversation("Task.", *exchanges(6))
    sizes = [len(canonical_json(message)) + 1 for message in messages]
    fixed = request_chars(messages[:2], [])
    limit = request_chars(messages[:12], []) - 1
    room = limit // 2 - fixed
    count = next(n for n in range(12) if sum(sizes[12 - n - 1 : 12]) > room)
    first = 12 - max(count - 3, 0)
    result = run(messages, "openhands-sdk-summarize", limit)
    assert shown(result, 5) == [0, 1, "summary", *range(first + first % 2, 12)]


SAFE = [
    *("claude-code-autocompact", "roo-condense", "opencode-compaction", "goose-compact", "letta-summarize", "factory-merge", "cline-agentic"),
    *("codex-compact", "gemini-compress", "openhands-sdk-summarize", "cline-half-or-quarter", "cline-basic", "roo-truncate", "whole-units-sticky"),
]


@pytest.mark.parametrize("policy", SAFE)
@pytest.mark.parametrize("sample", ["coding-agent.jsonl", "parallel"])
def test_no_result_stands_without_its_call(policy: str, sample: str) -> None:
    """What their notes say: nothing by its pairs."""
    thread = sample_thread(sample)
    for budget in (4_000, 12_000):
        result = replay(thread, policy, budget, **({"summary": "opaque"} if make_policy(policy).needs_summary else {}))
        for call in range(len(thread.calls)):
            asked: set[str] = set()
            for message in sent(result, call):
                asked |= {one["id"] for one in message.get("tool_calls") or ()}
                assert message.get("role") != "tool" or message["tool_call_id"] in asked, json.dumps(message)[:200]
