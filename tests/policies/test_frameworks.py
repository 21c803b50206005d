"""Rules of agent frameworks on conversations of a few messages; what stays is derived by hand from the notes on policies."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ctxcore import read_session, replay
from ctxcore.errors import InputError
from ctxcore.keep import Keep
from ctxcore.measures.prefix import prefix
from ctxcore.measures.references import references
from ctxcore.measures.validity import validity
from ctxcore.policies import make_policy
from ctxcore.sizes.characters import json_chars
from tests.policies.short import FREE, chats, sent, thread_of

EACH = json_chars(chats("u")[0]) + 1
"""Characters of a user message in these conversations, with its separator."""


class TestAutogen:
    def test_results_at_the_front_of_the_buffer_go(self) -> None:
        """u c r a u, last 3: r a u, and r goes."""
        assert sent("u c r a u", "autogen-buffered", buffer_size=3)[-1] == [3, 4]

    def test_all_results_of_an_exchange_are_one_message(self) -> None:
        """u c (r r r) u are four messages, of which the last two are (r r r) u; the results go together."""
        assert sent("u c3 r r r u", "autogen-buffered", buffer_size=2)[-1] == [5]
        assert sent("u c3 r r r u", "autogen-buffered", buffer_size=3)[-1] == [1, 2, 3, 4, 5]

    def test_the_system_text_stands_outside_the_buffer(self) -> None:
        assert sent("s u a u a u", "autogen-buffered", buffer_size=2)[-1] == [0, 4, 5]

    def test_the_notice_says_four_where_six_are_gone(self) -> None:
        """Of u c r c r c r u the head is u c without c, the tail r u without r; 8 - 2 - 2 = 4 are called skipped."""
        assert sent("u c r c r c r u", "autogen-head-and-tail", head_size=2, tail_size=2)[-1] == [0, "Skipped 4 messages.", 7]

    def test_head_and_tail_that_meet_change_nothing(self) -> None:
        assert sent("u c r u", "autogen-head-and-tail", head_size=2, tail_size=2)[-1] == [0, 1, 2, 3]

    def test_the_middle_goes_and_tears_a_pair(self) -> None:
        """Of five messages the middle one (2) goes, then the one at 4 // 2 (3): the call at 1 has lost its result."""
        thread = thread_of(chats("u c r a u"))
        room = sum(json_chars(thread.messages[place].wire[0]) + 1 for place in (0, 1, 4))
        assert sent("u c r a u", "autogen-token-limited", token_limit=room)[-1] == [0, 1, 4]
        assert sent("u c r a u", "autogen-token-limited", token_limit=room - 1)[-1] == [0, 4]

    def test_nothing_is_left_where_nothing_fits(self) -> None:
        assert sent("s u a u", "autogen-token-limited", token_limit=0)[-1] == [0]

    @pytest.mark.parametrize(
        ("name", "settings"),
        [("autogen-buffered", {"buffer_size": 0}), ("autogen-head-and-tail", {"tail_size": 0}), ("autogen-head-and-tail", {"head_size": 0})],
    )
    def test_a_buffer_of_nothing_is_refused(self, name: str, settings: dict[str, int]) -> None:
        with pytest.raises(InputError, match="at least 1"):
            make_policy(name, **settings)


class TestAdk:
    def test_the_last_invocations_stay(self) -> None:
        """u a | u c r a | u: three invocations; with 2 kept the cut is at the second."""
        assert sent("u a u c r a u", "adk-context-filter", num_invocations_to_keep=2)[-1] == [2, 3, 4, 5, 6]

    def test_user_messages_in_a_row_begin_one_invocation(self) -> None:
        assert sent("u u a u", "adk-context-filter", num_invocations_to_keep=1)[-1] == [3]
        assert sent("u a u u", "adk-context-filter", num_invocations_to_keep=1)[-1] == [2, 3]

    def test_it_waits_until_there_are_more(self) -> None:
        """With 1 kept and 2 to remove at once it acts from three invocations on."""
        assert sent("u a u a u", "adk-context-filter", num_invocations_to_keep=1, remove_amount=2) == [[0], [0, 1, 2], [4]]

    def test_the_cut_moves_back_to_the_call_of_a_late_result(self) -> None:
        """Behind the cut at 3 stands the second result of the call at 1, so all from 1 on is sent."""
        assert sent("u c2 r0 u r1 a u", "adk-context-filter", num_invocations_to_keep=2)[-1] == [1, 2, 3, 4, 5, 6]

    def test_a_result_without_a_call_stops_it(self) -> None:
        assert sent("u a u o a u", "adk-context-filter", num_invocations_to_keep=2)[-1] == [0, 1, 2, 3, 4, 5]
        assert sent("u o a u a u", "adk-context-filter", num_invocations_to_keep=1)[-1] == [5]

    def test_none_are_kept_means_all(self) -> None:
        assert sent("u a u a u", "adk-context-filter", num_invocations_to_keep=0)[-1] == [0, 1, 2, 3, 4]


class TestSemanticKernel:
    def test_the_system_message_takes_a_place(self) -> None:
        """6 > 3; the system message would go, so 2 others stay: a u."""
        assert sent("s u c r a u", "semantic-kernel-truncation", target_count=3, threshold_count=0)[-1] == [0, 4, 5]

    def test_the_cut_moves_back_to_the_call(self) -> None:
        """5 - 2 = 3 is the result; one before it is the call, and before that a user message."""
        assert sent("s u c r u", "semantic-kernel-truncation", target_count=3, threshold_count=0)[-1] == [0, 2, 3, 4]

    def test_the_cut_goes_back_to_a_user_message_within_the_threshold(self) -> None:
        """7 > 3 + 2; 7 - 3 = 4 is the assistant; a user message stands at 3, and the threshold reaches to 2."""
        assert sent("u a a u a a u", "semantic-kernel-truncation", target_count=3, threshold_count=2)[-1] == [3, 4, 5, 6]

    def test_the_system_text_alone_is_left_of_a_target_of_one(self) -> None:
        assert sent("s u a u", "semantic-kernel-truncation", target_count=1, threshold_count=0)[-1] == [0]

    def test_what_is_cut_stays_cut(self) -> None:
        """Of 7 messages (7 > 2 + 4) the user message at 4 is the newest that is not past 7 - 2; then nothing is cut until there are 7 again."""
        rows = sent("u a u a u a u a u a u", "semantic-kernel-truncation", target_count=2, threshold_count=4)
        assert rows == [[0], [0, 1, 2], [0, 1, 2, 3, 4], [4, 5, 6], [4, 5, 6, 7, 8], [8, 9, 10]]


class TestAgentFramework:
    def test_groups_go_whole(self) -> None:
        """Groups: s | u | c r r | a | u. The newest 2 are a | u; then c r r too."""
        assert sent("s u c2 r r a u", "agent-framework-sliding-window", keep_last_groups=2)[-1] == [0, 5, 6]
        assert sent("s u c2 r r a u", "agent-framework-sliding-window", keep_last_groups=3)[-1] == [0, 2, 3, 4, 5, 6]

    def test_a_late_result_goes_with_its_call(self) -> None:
        """The second result of the call at 1 stands behind a user message; the group is 1, 2 and 4."""
        assert sent("u c2 r0 u r1 a u", "agent-framework-tool-calls", keep_last_tool_call_groups=0)[-1] == [0, 3, 5, 6]

    def test_truncation_makes_room_for_later(self) -> None:
        """More than 4 messages are cut to 2; the next cut comes at 5 again."""
        rows = sent("u a u a u a u a u", "agent-framework-truncation", max_messages=4, compact_to_messages=2)
        assert rows == [[0], [0, 1, 2], [3, 4], [3, 4, 5, 6], [7, 8]]

    def test_the_newest_group_stays_though_it_does_not_fit(self) -> None:
        assert sent("s u a u", "agent-framework-truncation", max_size=1)[-1] == [0, 3]

    def test_the_first_user_message_can_be_protected(self) -> None:
        found = sent("s u a u a u", "agent-framework-truncation", max_messages=4, compact_to_messages=3, preserve_first_user_group=True)
        assert found[-1] == [0, 1, 5]

    def test_older_calls_become_a_line(self) -> None:
        line = "[Tool results: " + "; ".join(f"read: {chats('u')[0]['content']}" for _ in range(2)) + "]"
        assert sent("u c2 r r c r u", "agent-framework-tool-results")[-1] == [0, line, 4, 5, 6]

    def test_a_long_line_ends_in_a_mark_at_4096_characters(self) -> None:
        messages = chats("u c r c r u")
        messages[2]["content"] = "word " * 1200
        result = replay(thread_of(messages), "agent-framework-tool-results", FREE)
        text = result.inserts(len(result.after) - 1)[0].text
        assert len(text) <= 4096
        assert text.endswith("word... [truncated]]")

    def test_the_window_first_shortens_calls_then_drops(self) -> None:
        """The room is the budget less an eighth. Over half of it calls become lines, over four fifths groups go until half is filled."""
        words = "u " + "c r " * 12 + "u"
        size = sum(json_chars(message) + 1 for message in chats(words))
        rows = sent(words, "agent-framework-context-window", 2 * size, keep_last_tool_call_groups=4)
        assert any(isinstance(one, str) for one in rows[-1])
        assert rows[-1][0] == 0
        tight = sent(words, "agent-framework-context-window", size // 2, keep_last_tool_call_groups=4)
        assert 0 not in tight[-1]
        assert tight[-1][-1] == len(chats(words)) - 1

    def test_the_composed_rule_drops_even_the_system_text_in_the_end(self) -> None:
        assert sent("s u a u", "agent-framework-composed", size_of("s u a u") - 3 * EACH + 5, steps=[])[-1] == [3]

    def test_unknown_steps_are_refused(self) -> None:
        with pytest.raises(InputError, match="tool_results, tool_calls or sliding_window"):
            make_policy("agent-framework-composed", steps=["summary"])


class TestStrands:
    def test_the_window_is_cut_after_a_turn(self) -> None:
        """Within the turn all is sent. Before the next user message 6 > 3 are cut: 6 - 3 = 3 is no user message, and there is none behind, so the
        cut is at the next call with results, 3."""
        rows = sent("u c r c r a u a u", "strands-sliding-window", window_size=3)
        assert rows[2] == [0, 1, 2, 3, 4]
        assert rows[3] == [3, 4, 5, 6]

    def test_an_overflow_clips_the_oldest_results_first(self) -> None:
        messages = chats("u c2 r r c r u")
        for place in (2, 3, 5):
            messages[place]["content"] = "x" * 300 + "y" * 300
        thread = thread_of(messages)
        result = replay(thread, "strands-sliding-window", int(thread.chars.message.sum()))
        last = len(thread.calls) - 1
        assert [(edit.action, edit.message) for edit in result.edits(last)] == [("clip", 2), ("clip", 3)]
        assert result.edits(last)[0].text == "x" * 200 + "...\n\n... [truncated: 200 chars removed] ...\n\n..." + "y" * 200

    def test_then_two_or_more_of_the_oldest_go(self) -> None:
        """Nothing can be clipped; the cut goes from 2 on to the next user message, 2."""
        rows = sent("u a u a u", "strands-sliding-window", 4 * EACH)
        assert rows[-1] == [2, 3, 4]

    def test_an_overflow_without_a_place_to_cut_is_refused(self) -> None:
        """Behind index 2 is neither a user message nor a call: nothing goes."""
        thread = thread_of(chats("u a a a"))
        result = replay(thread, "strands-sliding-window", 2 * EACH)
        assert result.refused[-1]
        assert result.dropped_messages[-1] == 0

    def test_pinned_messages_stay(self) -> None:
        """Before the third turn u a u a are cut at 4 - 2 = 2, and the first stays; before the fourth u u a u a at 5 - 2 = 3."""
        rows = sent("u a u a u a u", "strands-sliding-window", window_size=2, pin_first=1)
        assert rows == [[0], [0, 1, 2], [0, 2, 3, 4], [0, 4, 5, 6]]


def thinking_request() -> dict[str, Any]:
    """Two turns; thinking before each call and before the answer of the first."""
    block = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
    messages: list[dict[str, Any]] = []
    for turn in range(2):
        messages.append({"role": "user", "content": f"Task {turn}"})
        for step in range(2):
            key = f"toolu_{turn}_{step}"
            messages.append({"role": "assistant", "content": [block, {"type": "tool_use", "id": key, "name": "read", "input": {"path": "a"}}]})
            messages.append({"role": "user", "content": [{"type": "tool_result", "tool_use_id": key, "content": "text"}]})
        messages.append({"role": "assistant", "content": [block, {"type": "text", "text": "Done."}]})
    return {"model": "claude-sonnet-4-5", "max_tokens": 100, "messages": messages[:-1]}


class TestServers:
    def test_thinking_of_older_turns_goes_and_that_of_the_running_loop_stays(self) -> None:
        thread = read_session(json.dumps(thinking_request()).encode(), "r.json").threads[0]
        result = replay(thread, "anthropic-clear-thinking", FREE)
        assert [edit.message for edit in result.edits(len(thread.calls) - 1)] == [1, 3, 5]
        assert not replay(thread, make_policy("anthropic-clear-thinking", keep_turns=2), FREE).edited.any()

    def test_a_new_turn_without_thinking_does_not_count(self) -> None:
        """At the first call of the second turn only one turn has thinking, so it keeps it."""
        thread = read_session(json.dumps(thinking_request()).encode(), "r.json").threads[0]
        assert [len(replay(thread, "anthropic-clear-thinking", FREE).edits(call.index)) for call in thread.calls] == [0, 0, 0, 0, 3, 3]

    def test_tool_results_are_cleared_over_the_trigger_but_the_newest(self) -> None:
        assert cleared("u c r c r c r c r u", trigger=1, keep_tool_uses=3)[-1] == [2]
        assert cleared("u c r c r c r c r u", trigger_tool_uses=4, keep_tool_uses=3)[-1] == []
        assert cleared("u c r c r c r c r u", trigger_tool_uses=3, keep_tool_uses=0)[-1] == [2, 4, 6, 8]

    def test_the_minimum_is_a_gate(self) -> None:
        """Where less would be freed, nothing is cleared at all; LangChain's own edit clears anyway."""
        assert cleared("u c r c r u", trigger=1, keep_tool_uses=1, placeholder="", clear_at_least=1000)[-1] == []
        assert cleared("u c r c r u", trigger=1, keep_tool_uses=1, placeholder="", clear_at_least=45)[-1] == [2]

    def test_excluded_tools_and_arguments(self) -> None:
        thread = thread_of(chats("u c r c r u"))
        result = replay(thread, make_policy("anthropic-clear-tool-uses", trigger=1, keep_tool_uses=1, clear_tool_inputs=True, placeholder="-"), FREE)
        assert [(edit.action, edit.message, edit.text) for edit in result.edits(len(thread.calls) - 1)] == [("mask", 2, "-"), ("clear", 1, "{}")]
        assert cleared("u c r c r u", trigger=1, keep_tool_uses=0, exclude_tools=["read"])[-1] == []

    def test_a_server_that_remembers_clears_in_batches(self) -> None:
        """Stateless: each request over the trigger is cleared anew, so one more result goes at every call. Stateful: what is cleared keeps later
        requests under the trigger until five whole results stand there again."""
        messages = chats("u " + "c r " * 12 + "u")
        for message in messages:
            message["content"] = message["content"] and message["content"] * 40
        trigger = sum(json_chars(message) + 1 for message in messages[:11]) + 100  # five exchanges
        rows = [cleared_in(messages, trigger=trigger, keep_tool_uses=2, stateful=stateful) for stateful in (False, True)]
        assert [len(row) for row in rows[0]] == [0, 0, 0, 0, 0, 0, 4, 5, 6, 7, 8, 9, 10]
        assert [len(row) for row in rows[1]] == [0, 0, 0, 0, 0, 0, 4, 4, 4, 7, 7, 7, 10]

    def test_the_oldest_items_go_and_results_of_lost_calls_with_them(self) -> None:
        """The system text stays. Room for all but the first two others: u and c go, and so do both results of c."""
        messages, room = chats("s u c2 r r a u"), size_of("s u c2 r r a u")
        gone = sum(json_chars(messages[place]) + 1 for place in (1, 2))
        assert sent("s u c2 r r a u", "openai-truncation", room - gone)[-1] == [0, 5, 6]

    def test_the_reserve_for_the_output_comes_off_the_window(self) -> None:
        size = size_of("u a u")
        assert sent("u a u", "openai-truncation", size)[-1] == [0, 1, 2]
        assert sent("u a u", "openai-truncation", size, max_output=EACH)[-1] == [1, 2]

    def test_long_outputs_of_older_turns_become_a_preview(self) -> None:
        messages = chats("u c r u c r u")
        messages[2]["content"] = messages[5]["content"] = "z" * 501
        thread = thread_of(messages)
        result = replay(thread, "agents-tool-output-trimmer", FREE)
        edits = result.edits(len(thread.calls) - 1)
        assert [(edit.message, edit.text) for edit in edits] == [(2, "[Trimmed: read output — 501 chars → 200 char preview]\n" + "z" * 200 + "...")]
        assert not replay(thread, "agents-tool-output-trimmer", FREE, max_output_chars=501).edited.any()
        assert not replay(thread, "agents-tool-output-trimmer", FREE, recent_turns=4).edited.any()


class TestVercel:
    def test_calls_and_results_before_the_last_messages_go(self) -> None:
        """u c (r) c (r) u: the last two are (r) u. The call of that result stays, for its id is in the kept part."""
        assert sent("u c r c r u", "vercel-prune", tool_calls="before-last-2-messages")[-1] == [0, 3, 4, 5]

    def test_all_goes_without_leaving_one_side(self) -> None:
        assert sent("u c2 r r u", "vercel-prune", tool_calls="all")[-1] == [0, 4]

    def test_before_last_nought_prunes_nothing(self) -> None:
        """A slice of the last 0 messages is the whole list upstream, so every id is kept."""
        assert sent("u c r u", "vercel-prune", tool_calls="before-last-0-messages")[-1] == [0, 1, 2, 3]

    def test_only_named_tools_go(self) -> None:
        assert sent("u c r u", "vercel-prune", tool_calls="all", tools=["write"])[-1] == [0, 1, 2, 3]

    def test_reasoning_goes_with_the_calls_that_it_led_to(self) -> None:
        """With the rule for reasoning off, thinking in front of a call goes once the call does; that in front of a text stays."""
        thread = read_session(json.dumps(thinking_request()).encode(), "r.json").threads[0]
        result = replay(thread, "vercel-prune", FREE, reasoning="none", tool_calls="before-last-message")
        assert [(edit.action, edit.message) for edit in result.edits(len(thread.calls) - 1)] == [("drop", place) for place in (1, 2, 3, 4, 7, 8)]

    def test_a_word_that_is_no_rule_is_refused(self) -> None:
        with pytest.raises(InputError, match="before-last-N-messages"):
            make_policy("vercel-prune", tool_calls="before-last-many-messages")


def size_of(words: str) -> int:
    """Characters of the last request of a conversation, its brackets included."""
    return int(replay(thread_of(chats(words)), "none", FREE).before[-1])


def cleared(words: str, **settings: Any) -> list[list[int]]:
    """Per call: messages whose result has a placeholder."""
    return cleared_in(chats(words), **settings)


def cleared_in(messages: list[dict[str, Any]], **settings: Any) -> list[list[int]]:
    """As ``cleared``, for messages in chat form."""
    thread = thread_of(messages)
    result = replay(thread, make_policy("anthropic-clear-tool-uses", **settings), FREE)
    return [[edit.message for edit in result.edits(call.index) if edit.action == "mask"] for call in thread.calls]


class TestLinesInPlaceOfCalls:
    def test_measures_see_the_lines(self) -> None:
        """A path in an old result stands in its line, so a later call that uses it has lost nothing; the request begins with the user's message."""
        messages = chats("u c r c r c r u")
        messages[2]["content"] = "see /srv/data/ledger-2024.csv"
        messages[5]["tool_calls"][0]["function"]["arguments"] = json.dumps({"path": "/srv/data/ledger-2024.csv"})
        thread = thread_of(messages)
        dropped, line = (replay(thread, f"agent-framework-tool-{name}", FREE) for name in ("calls", "results"))
        assert references(dropped).lost.sum() >= 1
        assert references(line).lost.sum() == 0
        assert not validity(line).rejected.any()

    def test_the_cache_holds_up_to_the_newest_line(self) -> None:
        """At each call one more exchange becomes a line, so the prefix before that exchange stays: u, then one line more each time."""
        thread = thread_of(chats("u c r c r c r c r"))
        result = replay(thread, "agent-framework-tool-results", FREE)
        line = result.inserts(4)[0].size
        frame = int(result.timelines[0].history.fixed[0])
        assert prefix(result).shared.tolist()[2:] == [frame + EACH, frame + EACH + line, frame + EACH + 2 * line]

    def test_a_unit_that_is_kept_has_no_line(self) -> None:
        thread = thread_of(chats("u c r c r u"))
        result = replay(thread, "agent-framework-tool-results", FREE, keep=Keep(units=(1,)))
        assert result.inserts(len(thread.calls) - 1) == ()
        assert (result.after == result.before).all()
