"""Recorded compactions of real sessions: what is called lost, and what is left open. Each expectation was read in the file by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from ctxcore.measures.compaction_pair import pair_thread
from ctxcore.measures.compactions import RecordedCompaction, recorded_compactions
from ctxcore.readers.detect import read_sessions

LOG = "--- FAIL: TestShadowRevert (3.40s)\n" + "    hooks.go:209: stop hook copied the transcript to its folder\n" * 12


def judged(before: list[tuple[str, str]], after: list[tuple[str, str]]) -> RecordedCompaction:
    first, second = ([{"role": role, "content": text} for role, text in told] for told in (before, after))
    (one,) = recorded_compactions(pair_thread(first, second))
    return one


def of_corpus(shared: Path, file: str) -> list[RecordedCompaction]:
    path = shared / "corpus" / file
    if not path.exists():
        pytest.skip(f"{file} is not in this corpus")
    return [one for session in read_sessions(path) for thread in session.threads for one in recorded_compactions(thread)]


def test_a_budget_that_no_word_of_the_summary_has_is_a_fault() -> None:
    one = judged([("user", "The budget is 300 euros."), ("assistant", "Noted.")], [("user", "Summary: the user plans a trip.")])
    assert "CRITICAL_COMPRESSION_FAILURE" in one.codes
    assert [fault.level for fault in one.faults if fault.code == "CRITICAL_COMPRESSION_FAILURE"] == ["fault"]


@pytest.mark.parametrize("told", ["Budget: 2,000 CNY.", "预算两千。", "The limit is 2000."])
def test_a_budget_in_figures_stands_for_one_in_words(told: str) -> None:
    """两千 is 2,000."""
    one = judged(
        [("user", "预算不超过一千块。"), ("assistant", "好。"), ("user", "预算可以提高到两千。"), ("assistant", "好。")],
        [("user", f"Summary. {told}")],
    )
    assert "CRITICAL_COMPRESSION_FAILURE" not in one.codes


def test_other_words_are_no_failure_but_a_note() -> None:
    one = judged([("user", "Never push to the main branch."), ("assistant", "Understood.")], [("user", "Summary: pushes are done by hand.")])
    assert {fault.code: fault.level for fault in one.faults}["CORE_FIELD_NOT_FOUND"] == "note"
    assert "CRITICAL_COMPRESSION_FAILURE" not in one.codes


def test_what_the_agent_reports_is_no_core_field_of_the_user() -> None:
    """A failure that it reported on the way, and advice from a page it read, may go."""
    before = [
        ("user", "Make the tests pass."),
        ("assistant", "The focused test failed because it ran twice. Use technical reasoning, not defensiveness."),
    ]
    one = judged(before, [("user", "Summary: make the tests pass.")])
    assert not {"CRITICAL_COMPRESSION_FAILURE", "CORE_FIELD_NOT_FOUND"} & set(one.codes)


def test_a_pasted_log_is_there_where_its_test_is_named() -> None:
    before = [("user", "Fix it."), ("assistant", "Done."), ("user", LOG)]
    assert "LATEST_USER_INSTRUCTION_LOST" not in judged(before, [("user", "Summary: TestShadowRevert fails.")]).codes
    assert "LATEST_USER_INSTRUCTION_LOST" in judged(before, [("user", "Summary: all is well.")]).codes


def test_no_user_message_kept_is_a_note_with_a_lower_bound() -> None:
    one = judged([("user", "Paint the door green."), ("assistant", "Yes.")], [("user", "Summary: paint the door green.")])
    (note,) = [fault for fault in one.faults if fault.code == "NO_USER_MESSAGE_KEPT"]
    assert note.level == "note"
    assert note.text.endswith("Of their 1 sentences to act on, 1 or more are told in the summary.")


def test_claude_code_summaries_of_a_real_session_have_no_fault(shared: Path) -> None:
    """Its three summaries list all user messages in their own words; the second and third are summaries of summaries."""
    found = of_corpus(shared, "claude-code/entire_cd-95ad_3compact_6interrupts.jsonl")
    assert [[fault for fault in one.faults if fault.level == "fault"] for one in found] == [[], [], []]
    assert ["NESTED_SUMMARY" in one.codes for one in found] == [False, True, True]


def test_codex_summaries_are_not_in_its_log(shared: Path) -> None:
    """The records' message is empty and the new history holds the user's messages and instructions alone, though 23,278 tokens are left."""
    found = of_corpus(shared, "codex-cli/agentv_79-6ead_3compactions_4.1MB.jsonl")
    assert ["SUMMARY_NOT_RECORDED" in one.codes for one in found] == [True] * 3
    assert [one.user_messages for one in found] == [(2, 2), (3, 3), (9, 9)]
    assert not any(fault.level == "fault" for one in found for fault in one.faults)


def test_an_encrypted_block_beside_a_reply_is_opaque(shared: Path) -> None:
    """The reply is a story; the compaction beside it is encrypted."""
    (one,) = of_corpus(shared, "vcrpy_parsed_body/test_openai_responses_compact_stateful_mode.yaml")
    assert one.codes == ("OPAQUE", "NO_USER_MESSAGE_KEPT")
    assert one.table is None


def test_nothing_is_called_lost_where_no_call_follows(shared: Path) -> None:
    """Pi kept 105 messages beside the summary, but no call that got them is recorded."""
    (one,) = of_corpus(shared, "pi/pi-mono_session_947KB_thinking_compaction_glued.jsonl")
    assert one.codes == ("AFTER_NOT_RECORDED",)
