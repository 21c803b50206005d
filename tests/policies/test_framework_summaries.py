"""Summarising rules of agent frameworks and servers: which messages a summary stands for, derived by hand; the summaries have a size of 0 here."""

from __future__ import annotations

from typing import Any

import pytest

from ctxcore import replay
from ctxcore.policies import make_policy
from ctxcore.sizes.characters import json_chars
from tests.policies.short import FREE, chats, sent, thread_of

EACH = json_chars(chats("u")[0]) + 1
"""Characters of a user message in these conversations, with its separator."""

NO_TEXT: dict[str, Any] = {"summary": "opaque", "ratio": 0.0}


def size_of(words: str) -> int:
    """Characters of the last request of a conversation."""
    return int(replay(thread_of(chats(words)), "none", FREE).before[-1])


class TestStrands:
    def test_a_share_of_the_oldest_goes(self) -> None:
        """Room for 4. Half of the 5 messages of the third call are 2. The fourth has a summary and 5 messages: half of 6 are the summary and 2."""
        budget = size_of("u a u a u a u") - 3 * EACH
        rows = sent("u a u a u a u", "strands-summarizing", budget, summary_ratio=0.5, preserve_recent_messages=2, **NO_TEXT)
        assert rows == [[0], [0, 1, 2], [2, 3, 4], [4, 5, 6]]

    def test_the_cut_moves_on_behind_results(self) -> None:
        """Half of 5 messages ends at the result, which may not come first."""
        budget = size_of("u c r a u") - 2 * EACH
        assert sent("u c r a u", "strands-summarizing", budget, summary_ratio=0.5, preserve_recent_messages=1, **NO_TEXT)[-1] == [3, 4]

    def test_too_few_messages_are_refused(self) -> None:
        result = replay(thread_of(chats("u a u")), "strands-summarizing", EACH)
        assert result.refused[-1]


class TestSemanticKernel:
    def test_the_summary_stands_behind_the_system_message(self) -> None:
        thread = thread_of(chats("s u a u a u"))
        result = replay(thread, "semantic-kernel-summarization", FREE, target_count=3, threshold_count=0)
        last = len(thread.calls) - 1
        assert [edit.message for edit in result.edits(last)] == [1, 2, 3]
        assert [(one.role, one.place) for one in result.inserts(last)] == [("assistant", 1)]

    def test_calls_and_results_alone_are_no_reason(self) -> None:
        """Of s c r c r u the last 2 beside the system text would stay; what goes are calls and results."""
        settings = {"target_count": 3, "threshold_count": 0, **NO_TEXT}
        assert sent("s c r a u", "semantic-kernel-summarization", **settings)[-1] == [0, 1, 2, 3, 4]
        found = sent("s c r a u", "semantic-kernel-summarization", include_function_content_in_summary=True, **settings)
        assert found[-1] == [0, 3, 4]


class TestAgentFramework:
    def test_whole_groups_go_until_about_the_target_stays(self) -> None:
        """6 > 2 + 1; from the end u and a are 2 messages, so u, a and c r become the summary."""
        assert sent("u a c r a u", "agent-framework-summarization", target_count=2, threshold=1, **NO_TEXT)[-1] == [4, 5]

    def test_a_first_group_that_is_too_large_stays(self) -> None:
        """7 > 2 + 4; u a stay at the end. The summarizer takes a u a (79 + 74 + 79 characters) and no more; the first message is over 300 alone."""
        messages = chats("u a u a u a u")
        messages[0]["content"] = "long " * 100
        thread = thread_of(messages)
        policy = make_policy("agent-framework-summarization", target_count=2, threshold=4, max_summary_input=300, **NO_TEXT)
        result = replay(thread, policy, FREE)
        assert [edit.message for edit in result.edits(len(thread.calls) - 1)] == [1, 2, 3]


class TestAdk:
    def test_it_acts_one_call_late(self) -> None:
        """The prompt of the third call is the first over the threshold; it goes out whole, and the fourth has a summary."""
        threshold = size_of("u a u a u")
        rows = sent("u a u a u a u a u", "adk-compaction", token_threshold=threshold, event_retention_size=2, **NO_TEXT)
        assert rows[2] == [0, 1, 2, 3, 4]
        assert rows[3] == [4, 5, 6]

    def test_kept_results_keep_their_call(self) -> None:
        """The newest event alone would be the result; the cut moves back to the call. The first prompt, c's, is over the threshold."""
        rows = sent("u a u c r c r", "adk-compaction", token_threshold=1, event_retention_size=1, **NO_TEXT)
        assert rows[-1] == [5, 6]


class TestServers:
    def test_anthropic_summarises_the_task_too(self) -> None:
        rows = sent("s u a u a u", "anthropic-compaction", trigger=size_of("s u a u"), **NO_TEXT)
        assert rows == [[0, 1], [0], [0, 4, 5]]

    def test_a_client_may_keep_the_newest_turns(self) -> None:
        """At the third call s and the three kept messages reach the trigger again."""
        rows = sent("s u a u a u", "anthropic-compaction", trigger=size_of("s u a u"), keep_turns=1, **NO_TEXT)
        assert rows == [[0, 1], [0, 3], [0, 5]]

    def test_openai_keeps_what_the_user_said_in_front_of_the_item(self) -> None:
        thread = thread_of(chats("s u c r u a u"))
        result = replay(thread, "openai-compaction", FREE, compact_threshold=size_of("s u c r u") - 1)
        last = 2
        assert [edit.message for edit in result.edits(last)] == [2, 3]
        assert [(one.place, one.text, one.source) for one in result.inserts(last)] == [(5, "", "opaque")]
        assert len(result.assumed) == 2


@pytest.mark.parametrize(
    "name",
    [
        "strands-summarizing",
        "semantic-kernel-summarization",
        "agent-framework-summarization",
        "adk-compaction",
        "anthropic-compaction",
        "openai-compaction",
    ],
)
def test_nothing_happens_to_a_list_that_is_short_and_fits(name: str) -> None:
    assert sent("u", name)[-1] == [0]
    assert sent("s u a u", name)[-1] == [0, 1, 2, 3]
