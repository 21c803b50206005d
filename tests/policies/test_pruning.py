"""Rules that clear old tool results in batches, and the whole-unit rule with a low-water mark: by hand, and message by message."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ctxcore import InputError, replay
from ctxcore.policies import make_policy
from ctxcore.sending import sent_messages as sent
from ctxcore.sizes.characters import notice_message, request_chars, text_chars
from tests.chat import conversation
from tests.policies.conversations import FEW, Request, agree, chat_thread, is_result, requests

CLEARED = "[Old tool result content cleared]"


def cleared(policy: str, messages: Request, **settings: Any) -> list[list[int]]:
    """Per call: places of the results that it clears."""
    result = replay(chat_thread(messages), policy, 10**9, **settings)
    return [[edit.message for edit in result.edits(call)] for call in range(len(result.thread.calls))]


def big(name: str = "bash", size: int = 98) -> tuple[str, dict[str, Any], str]:
    """A step whose result takes size + 2 characters."""
    return (name, {}, "x" * size)


def test_opencode_prunes_when_a_turn_has_ended_and_leaves_two_turns_alone() -> None:
    """Results of 100 characters in turns 1 to 4, protect 150, minimum 100; a walk sees turns up to t - 2 when turn t has ended.

    Places: system 0, then per turn user, call, result, call, result: results 3, 5 | 8, 10 | 13, 15 | 18, 20.
    After turn 3 it sees 3 and 5: 5 is within 150, 3 passes it (200 > 150): 100 is not more than 100, nothing goes.
    After turn 4 it sees 3, 5, 8, 10: 8 passes (200): 8, 5 and 3 are 300 > 100 and go. Turn 5 is the first to see it.
    """
    turns = [step for turn in range(5) for step in (f"Task {turn}.", big(), big())]
    found = cleared("opencode-prune", conversation(*turns), protect=150, minimum=100)
    assert found[:8] == [[]] * 8
    assert found[8:] == [[3, 5, 8]] * 3


def test_opencode_stops_at_the_first_pruned_result_and_keeps_protected_tools() -> None:
    """Skill results do not count: results 3 (skill), 5 | 8, 10 | 13 …: after turn 4, 10 and 8 and 5 are 300: only 5 passes 250 and 100 > 50."""
    turns = [step for turn in range(5) for step in (f"Task {turn}.", big("skill" if turn == 0 else "bash"), big())]
    assert cleared("opencode-prune", conversation(*turns), protect=250, minimum=50)[-1] == [5]


def test_gemini_counts_all_older_outputs_and_wants_at_least_the_minimum() -> None:
    """Results of 1,002 characters at 3, 5, 7, 9, 11; protect 1,500, minimum 2,004; the newest message is not looked at.

    With 4 results in the context (call 4) it sees 3, 5, 7: 5 passes 1,500 (2,004), 5 and 3 are 2,004: both go.
    With 5 (call 5) it sees the unmasked 7 and 9: 7 passes, 1,002 is too little.
    """
    messages = conversation("Task.", *(big(size=1_000) for _ in range(6)))
    found = cleared("gemini-mask-tool-outputs", messages, protect=1_500, minimum=2_004)
    assert found == [[], [], [], [], [3, 5], [3, 5], [3, 5, 7, 9]]


def test_gemini_leaves_an_output_that_its_preview_would_not_shorten() -> None:
    messages = conversation("Task.", big(size=60), *(big(size=2_000) for _ in range(4)))
    found = cleared("gemini-mask-tool-outputs", messages, protect=10, minimum=10)
    assert found[-1] == [5, 7, 9]


def test_gemini_shows_both_ends_and_a_shell_by_lines() -> None:
    lines = "\n".join(f"{n:03}" * 20 for n in range(40))
    messages = conversation("Task.", ("read_file", {}, "a" * 300 + "b" * 700), ("run_shell_command", {}, lines), big(), big())
    result = replay(chat_thread(messages), "gemini-mask-tool-outputs", 10**9, protect=1, minimum=1)
    texts = [edit.text for edit in result.edits(4)]
    assert texts[0].startswith("<tool_output_masked>\n" + "a" * 250 + "\n... [TRUNCATED] ...\n" + "b" * 250 + "\n\n")
    assert "... [20 lines omitted] ..." in texts[1]


def test_microcompaction_waits_for_a_batch_of_its_own_size() -> None:
    """Results of 100 at 3, 5, …; protect 200, minimum 250: with n results, n - 2 may go (the third newest passes 200); 3 are 300 > 250."""
    messages = conversation("Task.", *(big() for _ in range(9)))
    found = cleared("claude-code-microcompact", messages, protect=200, minimum=250)
    assert found == [[], [], [], [], [], [3, 5, 7], [3, 5, 7], [3, 5, 7], [3, 5, 7, 9, 11, 13], [3, 5, 7, 9, 11, 13]]


def slow_batches(look: Callable[[Request], list[int]], protect: int, enough: Callable[[int], bool]) -> Callable[[Sequence[Request]], list[Request]]:
    """Walks back over the results that are looked at, newest first, until it meets one that is cleared already."""

    def slow(contexts: Sequence[Request]) -> list[Request]:
        gone: set[int] = set()
        made = []
        for context in contexts:
            total, batch = 0, []
            for index in reversed(look(context)):
                if index in gone:
                    break
                total += text_chars(context[index]["content"])
                if total > protect:
                    batch.append(index)
            if enough(sum(text_chars(context[index]["content"]) for index in batch)):
                gone |= set(batch)
            made.append([{**message, "content": CLEARED} if index in gone else message for index, message in enumerate(context)])
        return made

    return slow


@FEW
@given(requests(most=30), st.integers(0, 200), st.integers(0, 100))
def test_microcompaction_message_by_message(messages: Request, protect: int, minimum: int) -> None:
    slow = slow_batches(lambda context: [i for i, m in enumerate(context) if is_result(m)], protect, lambda size: size > minimum)
    agree(messages, "claude-code-microcompact", slow, protect=protect, minimum=minimum)


@FEW
@given(requests(most=30), st.integers(0, 200), st.integers(0, 100), st.integers(1, 3))
def test_opencode_message_by_message(messages: Request, protect: int, minimum: int, turns: int) -> None:
    """The walk at the end of each turn, done when the first call of the next turn comes."""

    def reach(context: Request) -> list[int]:
        users = [index for index, message in enumerate(context) if message["role"] == "user"][:-1]
        limit = users[-turns] if len(users) >= turns else 0
        skills = {call["id"] for m in context for call in m.get("tool_calls") or () if call["function"]["name"] == "skill"}
        return [i for i, m in enumerate(context[:limit]) if is_result(m) and m["tool_call_id"] not in skills]

    def slow(contexts: Sequence[Request]) -> list[Request]:
        """Every turn that ends is walked, also one in which no call was recorded: contexts are cut at each user message."""
        walk = slow_batches(reach, protect, lambda size: size > minimum)
        whole = contexts[-1] if contexts else []
        ends = [whole[: index + 1] for index, message in enumerate(whole) if message["role"] == "user"]
        order = sorted([*((len(c), 0, c) for c in ends), *((len(c), 1, c) for c in contexts)], key=lambda one: one[:2])
        return [made for (_, kind, _), made in zip(order, walk([c for _, _, c in order]), strict=True) if kind]

    agree(messages, "opencode-prune", slow, protect=protect, minimum=minimum, protected_turns=turns)


def slow_gemini(contexts: Sequence[Request], protect: int, minimum: int, preview: Callable[[str, str], str]) -> list[Request]:
    """Nothing is masked whose preview is not shorter, and such outputs are counted again at every walk."""
    gone: set[int] = set()
    made = []
    for context in contexts:
        last = len(context)
        while last and (context[last - 1]["role"] == "assistant") == (context[-1]["role"] == "assistant") and context[last - 1]["role"] != "system":
            last -= 1
        total, passed, batch = 0, False, []
        for index in reversed(range(last)):
            if is_result(context[index]) and index not in gone:
                total += text_chars(context[index]["content"])
                passed = passed or total > protect
                batch += [index] if passed else []
        if sum(text_chars(context[index]["content"]) for index in batch) >= minimum:
            gone |= {i for i in batch if text_chars(preview("", context[i]["content"])) < text_chars(context[i]["content"])}
        made.append([message for index, message in enumerate(context) if index not in gone])
    return made


@FEW
@given(requests(most=24), st.integers(0, 300), st.integers(0, 300))
def test_gemini_message_by_message(messages: Request, protect: int, minimum: int) -> None:
    """Only which outputs are masked; their previews have cases of their own."""
    messages = [{**m, "content": m["content"] * 12} if is_result(m) else m for m in messages]
    assume(any(m["role"] != "system" for m in messages))
    assume(not any(is_result(m) and 600 < text_chars(m["content"]) < 760 for m in messages))  # where the made-up file name decides
    result = replay(chat_thread(messages), "gemini-mask-tool-outputs", 10**9, protect=protect, minimum=minimum)
    thread = result.thread
    contexts = [[dict(thread.messages[i].wire[0]) for i in call.messages()] for call in thread.calls]

    def preview(tool: str, text: str) -> str:
        shown = text if len(text) <= 500 else text[:250] + "\n... [TRUNCATED] ...\n" + text[-250:]
        return f"<tool_output_masked>\n{shown}\n\nOutput too large. Full output available at: tool-outputs/{tool}_.txt\n</tool_output_masked>"

    for call, expected in enumerate(slow_gemini(contexts, protect, minimum, preview)):
        masked = {edit.message for edit in result.edits(call)}
        assert [message for index, message in enumerate(contexts[call]) if index not in masked] == expected


def slow_sticky(contexts: Sequence[Request], budget: int, trim_to: float) -> list[Request | None]:
    """The whole-unit rule down to the mark, once a request is over the budget; None where it is refused."""
    gone: set[int] = set()
    made: list[Request | None] = []
    for context in contexts:
        view = with_notice(context, gone)
        if request_chars(view, []) > budget:
            deeper = set(gone)
            for candidate in candidates(context):
                if request_chars(with_notice(context, deeper), []) <= max(int(budget * trim_to), 1):
                    break
                deeper |= set(candidate)
            view = with_notice(context, deeper)
            if request_chars(view, []) <= budget:
                gone = deeper
        made.append(view if request_chars(view, []) <= budget else None)
    return made


def with_notice(context: Request, gone: set[int]) -> Request:
    left = [message for index, message in enumerate(context) if index not in gone]
    return [notice_message(len(gone)), *left] if gone else left


def candidates(context: Request) -> list[list[int]]:
    """What goes, in order: before the first user message, each earlier turn, units of the current turn but the newest."""
    users = [index for index, message in enumerate(context) if message["role"] == "user"]
    loose = [index for index, message in enumerate(context) if message["role"] != "system"]
    units: list[list[int]] = []
    for index in loose:
        if is_result(context[index]):
            units[-1].append(index)
        else:
            units.append([index])
    if not users:
        return units[:-1]
    bounds = [0, *users]
    spans = [[i for i in loose if low <= i < high] for low, high in pairwise(bounds)]
    current = [unit for unit in units if unit[0] > users[-1]]
    return [span for span in spans if span] + current[:-1]


@FEW
@given(requests(most=24), st.integers(200, 2500), st.sampled_from([0.3, 0.7, 1.0]))
def test_the_low_water_mark_message_by_message(messages: Request, budget: int, trim_to: float) -> None:
    if not any(m["role"] != "system" for m in messages):
        return
    result = replay(chat_thread(messages), "whole-units-sticky", budget, trim_to=trim_to)
    thread = result.thread
    contexts = [[dict(thread.messages[i].wire[0]) for i in call.messages()] for call in thread.calls]
    for call, expected in enumerate(slow_sticky(contexts, budget, trim_to)):
        assert result.refused[call] == (expected is None)
        assert expected is None or sent(result, call) == expected


def test_what_was_dropped_stays_dropped_until_the_next_firing() -> None:
    """One turn of exchanges of equal size: the number of dropped messages moves in steps, and the prefix stays between them."""
    messages = conversation("Task.", *(big(size=300) for _ in range(30)))
    result = replay(chat_thread(messages), "whole-units-sticky", 4_000, trim_to=0.5)
    moved = [call for call in range(1, 31) if result.dropped_messages[call] != result.dropped_messages[call - 1]]
    stateless = replay(chat_thread(messages), "whole-units", 4_000)
    every = [call for call in range(1, 31) if stateless.dropped_messages[call] != stateless.dropped_messages[call - 1]]
    assert len(moved) < len(every) / 3
    assert max(result.after) <= 4_000


@pytest.mark.parametrize("trim_to", [0.0, 1.1])
def test_a_mark_outside_the_budget_is_refused(trim_to: float) -> None:
    with pytest.raises(InputError):
        make_policy("whole-units-sticky", trim_to=trim_to)


def test_an_exchange_without_an_answer_stays_if_asked() -> None:
    messages = conversation("Task.", *(big(size=300) for _ in range(12)))
    del messages[5]  # the result of the second call
    budget = 3_000
    loose = replay(chat_thread(messages), "whole-units-sticky", budget)
    held = replay(chat_thread(messages), "whole-units-sticky", budget, keep_open=True)
    last = len(held.thread.calls) - 1
    assert messages[4] not in sent(loose, last)
    assert messages[4] in sent(held, last)
