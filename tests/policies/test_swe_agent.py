"""SWE-agent's processors, mini-swe-agent's and smolagents' clips: cases by hand, and the rules once more, message by message."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxcore import InputError, read_session, replay, sweep
from ctxcore.policies import make_policy
from ctxcore.sending import sent_messages as sent
from tests.hostile import ENDLESS, ENDLESS_ON
from tests.policies.conversations import FEW, Request, agree, chat_thread, is_result, requests

Value = dict[str, Any]


def trajectory(*observations: str, demonstration: bool = False) -> bytes:
    """A 1.x run of text actions without history processors: prompt, perhaps a demonstration, task, then replies and observations."""
    history: list[Value] = [{"role": "system", "content": "Be an engineer.", "agent": "main"}]
    if demonstration:
        history += [
            {"role": "user", "content": "1:demo\n", "agent": "main", "is_demo": True},
            {"role": "assistant", "content": "I show it.", "agent": "main", "is_demo": True},
        ]
    history.append({"role": "user", "content": "Fix it.", "agent": "main"})
    steps = []
    for number, observation in enumerate(observations):
        steps.append({"action": "ls", "observation": observation, "response": f"I look {number}", "thought": "", "state": "{}"})
        history += [{"role": "assistant", "content": f"I look {number}", "agent": "main"}, {"role": "user", "content": observation, "agent": "main"}]
    history.append({"role": "assistant", "content": "Done.", "agent": "main"})
    steps.append({"action": "submit", "observation": "", "response": "Done.", "thought": "", "state": "{}"})
    config = json.dumps({"agent": {"history_processors": []}})
    return json.dumps({"environment": "x", "trajectory": steps, "history": history, "info": {}, "replay_config": config}).encode()


def last_request(data: bytes, policy: str, **settings: Any) -> list[str]:
    """Texts of the last call's request after the policy."""
    thread = read_session(data, "run.traj").threads[0]
    return [message["content"] for message in sent(replay(thread, policy, 10**9, **settings), len(thread.calls) - 1)]


def test_all_but_the_last_observations_become_a_line_and_the_task_stays() -> None:
    """6 observations and the task: 7 in all, last = 7 - 5 = 2, so observations[1:2] goes: the first one after the task."""
    texts = [f"a{n}\nb{n}" for n in range(6)]
    found = last_request(trajectory(*texts), "swe-agent-last-observations")
    assert found[1] == "Fix it."
    assert found[3::2] == ["Old environment output: (2 lines omitted)", *texts[1:]]


def test_polling_moves_the_cut_only_every_so_many_observations() -> None:
    """n=2, polling=3: with the task, 3 to 5 observations are 3 → last 1 → nothing; 6 are 6 → last 4 → observations[1:4] go."""
    texts = [f"a{n}" for n in range(5)]
    thread = read_session(trajectory(*texts), "run.traj").threads[0]
    result = replay(thread, "swe-agent-last-observations", 10**9, n=2, polling=3)
    assert [len(result.edits(call)) for call in range(6)] == [0, 0, 0, 0, 0, 3]


def test_demonstrations_are_no_observations() -> None:
    texts = ["a", "b"]
    found = last_request(trajectory(*texts, demonstration=True), "swe-agent-last-observations", n=1)
    assert found[1:4] == ["1:demo\n", "I show it.", "Fix it."]
    assert found[5::2] == ["Old environment output: (1 lines omitted)", "b"]


@pytest.mark.parametrize("settings", [{"n": 0}, {"polling": 0}])
def test_numbers_that_the_original_refuses_are_refused(settings: dict[str, int]) -> None:
    with pytest.raises(InputError):
        make_policy("swe-agent-last-observations", **settings)


def window(name: str, *numbers: int) -> str:
    return f"[File: {name} (9 lines total)]\n(1 more lines above)\n" + "".join(f"{n}:line {n}\n" for n in numbers) + "(2 more lines below)"


def test_an_older_window_of_a_file_loses_its_lines_once_the_file_is_shown_again() -> None:
    found = last_request(trajectory(window("a.py", 1, 2), window("b.py", 1), "ok", window("a.py", 3)), "swe-agent-closed-window")
    assert found[3] == "[File: a.py (9 lines total)]\n(1 more lines above)\nOutdated window with 2 lines omitted...\n(2 more lines below)"
    assert found[5::2] == [window("b.py", 1), "ok", window("a.py", 3)]


def test_a_message_with_numbered_lines_and_no_head_is_left_out() -> None:
    """The slip of the original: such an entry is skipped before it is added. A demonstration stays."""
    found = last_request(trajectory("1:import os\n", "ok", demonstration=True), "swe-agent-closed-window")
    assert found == ["Be an engineer.", "1:demo\n", "I show it.", "Fix it.", "I look 0", "I look 1", "ok"]


def test_a_greedy_pattern_takes_all_from_its_first_to_its_last_match() -> None:
    found = last_request(trajectory("a<diff>1\n</diff>b<diff>2</diff>c", "plain"), "swe-agent-remove-regex")
    assert found[3::2] == ["ac", "plain"]


def test_the_last_messages_keep_what_matches() -> None:
    """The last call's context ends with the observation: it is the newest message, and the only one kept as it is."""
    found = last_request(trajectory("<diff>1</diff>", "<diff>2</diff>"), "swe-agent-remove-regex", keep_last=1)
    assert found[3::2] == ["", "<diff>2</diff>"]


def test_a_pattern_that_is_none_is_refused() -> None:
    with pytest.raises(InputError):
        make_policy("swe-agent-remove-regex", remove=("(",))


PATTERNS = (("a" * 501,), ("a",) * 21, ("(" * 400 + ")" * 100,), ("a{99999999999999999999}",))
"""Too long, too many, never closed, and a count that no engine takes."""


@pytest.mark.parametrize("patterns", PATTERNS, ids=("long", "many", "open", "huge"))
def test_a_pattern_that_is_too_much_is_told(patterns: tuple[str, ...]) -> None:
    with pytest.raises(InputError, match=r"at most|no regular expression"):
        make_policy("swe-agent-remove-regex", remove=patterns)


def test_a_pattern_without_an_end_is_stopped_and_edits_nothing() -> None:
    """The first text matches and the second takes forever; after the time is over neither is edited, at no budget."""
    thread = read_session(trajectory("baa", ENDLESS_ON), "run.traj").threads[0]
    found = replay(thread, "swe-agent-remove-regex", 10**6, remove=(ENDLESS,))
    again = sweep(thread, range(1_000, 101_000, 1_000), "swe-agent-remove-regex", remove=(ENDLESS,))
    assert found.after.tolist() == found.before.tolist()
    assert not found.edited.any()
    assert not again.edited.any()
    assert found.assumed == ("The pattern '(a|aa)+$' takes longer than 2 s on these texts: nothing is removed.",)


def test_an_output_of_the_limit_is_cut_and_a_shorter_one_is_not() -> None:
    """10,000 characters are not fewer than 10,000: head and tail are the whole of it, and 0 are elided. 10,007 lose 7."""
    texts = ["x" * 9_999, "a" * 5_000 + "b" * 5_000, "a" * 5_000 + "-------" + "b" * 5_000]
    found = last_request(trajectory(*texts), "mini-swe-agent-clip")
    assert found[3] == texts[0]
    assert found[5] == "a" * 5_000 + "\n0 characters elided\n" + "b" * 5_000
    assert found[7] == "a" * 5_000 + "\n7 characters elided\n" + "b" * 5_000


def test_a_value_longer_than_the_limit_keeps_half_of_it_at_each_end() -> None:
    found = last_request(trajectory("a" * 6, "a" * 5 + "bbb"), "smolagents-clip", max_length=6)
    assert found[3] == "a" * 6
    assert found[5] == "aaa\n..._This content has been truncated to stay below 6 characters_...\nbbb"


def slow_last(contexts: Sequence[Request], n: int, polling: int) -> list[Request]:
    made = []
    for context in contexts:
        first = next((index for index, message in enumerate(context) if message["role"] == "user" and message["content"].strip()), None)
        seen = sorted([index for index, message in enumerate(context) if is_result(message)] + ([] if first is None else [first]))
        gone = seen[1 : max(0, len(seen) // polling * polling - n)]
        made.append(
            [
                {**message, "content": f"Old environment output: ({len(message['content'].splitlines())} lines omitted)"}
                if index in gone
                else message
                for index, message in enumerate(context)
            ]
        )
    return made


@FEW
@given(requests(), st.integers(1, 4), st.integers(1, 4))
def test_last_observations_message_by_message(messages: Request, n: int, polling: int) -> None:
    agree(messages, "swe-agent-last-observations", lambda contexts: slow_last(contexts, n, polling), n=n, polling=polling)


@FEW
@given(requests(), st.integers(0, 4))
def test_remove_regex_message_by_message(messages: Request, keep_last: int) -> None:
    patterns = ("<diff>.*</diff>", "x{3}")

    def clean(text: str) -> str:
        return re.sub(patterns[1], "", re.sub(patterns[0], "", text, flags=re.DOTALL))

    def slow(contexts: Sequence[Request]) -> list[Request]:
        return [
            [
                {**message, "content": clean(message["content"])} if message["content"] and index < len(context) - keep_last else message
                for index, message in enumerate(context)
            ]
            for context in contexts
        ]

    agree(messages, "swe-agent-remove-regex", slow, remove=patterns, keep_last=keep_last)


def slow_windows(contexts: Sequence[Request]) -> list[Request]:
    """From the newest message back, as the original goes; tool results are looked at too."""
    made = []
    for context in contexts:
        seen: set[str] = set()
        kept: Request = []
        for message in reversed(context):
            lines = list(re.finditer(r"^(\d+)\:.*?(\n|$)", message["content"] or "", re.MULTILINE))
            if message["role"] not in ("user", "tool") or not lines:
                kept.append(message)
                continue
            head = re.search(r"\[File: (\S+) \(", message["content"])
            if head is None:
                continue
            text = message["content"]
            if head.group(1) in seen:
                text = text[: lines[0].start()] + f"Outdated window with {len(lines)} lines omitted...\n" + text[lines[-1].end() :]
            seen.add(head.group(1))
            kept.append({**message, "content": text})
        made.append(kept[::-1])
    return made


@FEW
@given(
    st.lists(
        st.sampled_from(["plain", "1:x", window("a.py", 1, 2), window("a.py", 3), window("b.py", 4), "\n1:y\n[File: b.py (2 lines total)]"]),
        max_size=9,
    )
)
def test_closed_windows_message_by_message(texts: list[str]) -> None:
    messages: Request = [{"role": "user", "content": "Task."}]
    for number, text in enumerate(texts):
        call = {"id": f"c{number}", "type": "function", "function": {"name": "open", "arguments": "{}"}}
        messages += [{"role": "assistant", "content": None, "tool_calls": [call]}, {"role": "tool", "tool_call_id": f"c{number}", "content": text}]
    agree(messages, "swe-agent-closed-window", slow_windows, tool_results=True)


def test_an_empty_conversation_and_one_message_stay_as_they_are() -> None:
    for name in ("swe-agent-last-observations", "swe-agent-closed-window", "swe-agent-remove-regex", "mini-swe-agent-clip", "smolagents-clip"):
        thread = chat_thread([{"role": "user", "content": "Hello."}])
        assert replay(thread, name, 10**6).edits(0) == ()
