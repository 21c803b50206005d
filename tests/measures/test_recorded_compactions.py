"""Recorded compactions of real sessions: what is called lost, and what is left open. Each expectation was read in the file by hand."""

from __future__ import annotations

import json
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


@pytest.mark.parametrize(
    ("said", "summary", "code"),
    [
        ("Never write to src/vault/keys.py.", "Summary: some files are left alone.", "CRITICAL_COMPRESSION_FAILURE"),
        ("Never write to src/vault/keys.py.", "Summary: src/vault/keys.py is left alone.", ""),
        ("Never write to src/vault/keys.py or rename it later on.", "Summary: src/vault/keys.py was read.", "CORE_FIELD_NOT_FOUND"),
        ("Never write to @src/vault/keys.py or rename it later on.", "Summary: src/vault/keys.py was read.", "CORE_FIELD_NOT_FOUND"),
        ("Never use purple paint on any gate of the harbour.", "Summary: the boats were counted.", "CRITICAL_COMPRESSION_FAILURE"),
        ("Never use purple paint on any gate of the harbour.", "Summary: no purple gate.", "CORE_FIELD_NOT_FOUND"),
        ("Never use purple paint on any gate of the harbour.", "小结：船已数完。", "CORE_FIELD_NOT_FOUND"),
        ("不要把海港的任何一扇门刷成紫色。", "小结：船已数完。", "CRITICAL_COMPRESSION_FAILURE"),
    ],
)
def test_a_sentence_of_which_nothing_is_left_is_a_fault_and_one_that_may_be_told_otherwise_a_note(said: str, summary: str, code: str) -> None:
    """A summary in another language has none of its words, so there only exact values tell."""
    one = judged([("user", said), ("assistant", "Understood.")], [("user", summary)])
    assert {"CRITICAL_COMPRESSION_FAILURE", "CORE_FIELD_NOT_FOUND"} & set(one.codes) == ({code} if code else set())


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


def test_messages_that_a_summary_quotes_whole_are_counted() -> None:
    before = [("user", "Paint the door\n green."), ("assistant", "Yes."), ("user", "And the gate."), ("assistant", "Yes.")]
    one = judged(before, [("user", "The user said: Paint the door green. Then something about a gate.")])
    (note,) = [fault for fault in one.faults if fault.code == "NO_USER_MESSAGE_KEPT"]
    assert note.text.startswith("None of 2 user messages stayed as a message of its own; 1 of them stands whole in the summary.")


def with_step(title: str, kept: str, *, standing: str = "") -> RecordedCompaction:
    """A plan with one open step, after which only these texts are left."""
    todos = json.dumps({"todos": [{"content": title, "status": "pending", "activeForm": title}]})
    call = {"id": "t", "type": "function", "function": {"name": "TodoWrite", "arguments": todos}}
    rules = [{"role": "developer", "content": standing}] if standing else []
    before = [
        *rules,
        {"role": "user", "content": "Mend it."},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "t", "content": "ok"},
    ]
    (one,) = recorded_compactions(pair_thread(before, [*rules, {"role": "user", "content": kept}]))
    return one


STEP = "Run relevant checks and final review"


@pytest.mark.parametrize(
    ("title", "kept", "found"),
    [
        (STEP, "Still to do: the relevant checks, then a final review.", 1),
        (
            STEP,
            "The run took long. A relevant remark on doors.\n" + "Paint dries.\n" * 9 + "Checks of locks. The final coat. A review of colours.",
            0,
        ),
        ("Phase 7: Rédaction du rapport final", "La tâche en attente est la rédaction du « rapport attendu ».", 1),
    ],
    ids=["told in one line", "words scattered over other matters", "without its number"],
)
def test_a_plan_step_is_kept_where_its_words_stand_together(title: str, kept: str, found: int) -> None:
    one = with_step(title, kept)
    assert one.table is not None
    assert one.table["plan"].kept == found
    assert ("OPEN_PLAN_STEPS_LOST" in one.codes) == (not found)


def test_instructions_that_stand_at_any_time_tell_no_plan_step() -> None:
    """They were there before the plan was."""
    rules = "Before a change is complete, run relevant checks first and a final review after."
    assert "OPEN_PLAN_STEPS_LOST" in with_step(STEP, "Summary: it is being mended.", standing=rules).codes
    assert "OPEN_PLAN_STEPS_LOST" not in with_step(STEP, "Summary: run checks, final review.", standing=rules).codes


def test_a_sentence_of_the_user_may_be_told_over_three_lines() -> None:
    asked = "Paint the garden door green before winter comes."
    told = "- garden door\n- paint: green\n- before winter\n"
    far = "- garden\n" + "- dry\n" * 5 + "- paint: green\n" + "- dry\n" * 5 + "- winter: door\n"
    rows = [judged([("user", asked), ("assistant", "Yes.")], [("user", text)]).table for text in (told, far)]
    assert [row["user_instruction"].kept for row in rows if row is not None] == [1, 0]


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
    assert totals(found, "plan") == [(0, 1)] * 3, "no replacement history has a word of the plan"


def test_an_encrypted_block_beside_a_reply_is_opaque(shared: Path) -> None:
    """The reply is a story; the compaction beside it is encrypted."""
    (one,) = of_corpus(shared, "vcrpy_parsed_body/test_openai_responses_compact_stateful_mode.yaml")
    assert one.codes == ("OPAQUE", "NO_USER_MESSAGE_KEPT")
    assert one.table is None


def test_nothing_is_called_lost_where_no_call_follows(shared: Path) -> None:
    """Pi kept 105 messages beside the summary, but no call that got them is recorded."""
    (one,) = of_corpus(shared, "pi/pi-mono_session_947KB_thinking_compaction_glued.jsonl")
    assert one.codes == ("AFTER_NOT_RECORDED",)


def totals(found: list[RecordedCompaction], kind: str) -> list[tuple[int, int]]:
    """Kept and total of one row of each survival table."""
    rows = [one.table[kind] for one in found if one.table is not None]  # type: ignore[index]
    return [(row.kept, row.total) for row in rows]


def test_the_tables_of_a_claude_code_session_are_those_counted_in_its_lines(shared: Path) -> None:
    """Between the lines marked isCompactSummary: 48, 69 and 83 distinct tool_use_id of results; 0, 14 and 18 distinct first lines of Bash commands.

    No id and no command line stands in any of the three summaries.
    """
    found = of_corpus(shared, "claude-code/entire_cd-95ad_3compact_6interrupts.jsonl")
    assert totals(found, "tool_result") == [(0, 48), (0, 69), (0, 83)]
    assert totals(found[1:], "command") == [(0, 14), (0, 18)]
    assert "command" not in (found[0].table or {})


def test_the_tables_of_a_codex_session_are_those_counted_in_its_lines(shared: Path) -> None:
    """Outputs of functions, custom tools and tool searches before the lines 671, 1183 and 1774 (``compacted``): 152 + 13 + 2, 103 + 9 + 1, 109 + 16.

    Distinct first lines of commands are 121, 51 and 79, of which the new history (instructions that name commands) has 5, 3 and 3.
    """
    found = of_corpus(shared, "codex-cli/agentv_79-6ead_3compactions_4.1MB.jsonl")
    assert totals(found, "tool_result") == [(0, 167), (0, 113), (0, 125)]
    assert totals(found, "command") == [(5, 121), (3, 51), (3, 79)]


def test_an_openhands_condensation_is_judged(tmp_path: Path) -> None:
    """Events 1 and 2 are forgotten; the summary at offset 1 names the file of the first and no budget. No corpus file has a condensation."""
    events = [
        {"id": 0, "timestamp": "2025-05-01T10:00:00", "source": "user", "action": "message", "args": {"content": "The budget is 300 euros."}},
        {
            "id": 1,
            "timestamp": "2025-05-01T10:00:01",
            "source": "user",
            "action": "message",
            "args": {"content": "Food below 250 euros."},
        },
        {"id": 2, "timestamp": "2025-05-01T10:00:02", "source": "agent", "action": "message", "args": {"content": "Noted in plans/trip.md."}},
        {
            "id": 3,
            "timestamp": "2025-05-01T10:00:03",
            "source": "agent",
            "action": "condensation",
            "args": {"forgotten_event_ids": [1, 2], "summary": "Notes are in plans/trip.md.", "summary_offset": 1},
        },
        {"id": 4, "timestamp": "2025-05-01T10:00:04", "source": "user", "action": "message", "args": {"content": "Go on."}},
        {"id": 5, "timestamp": "2025-05-01T10:00:05", "source": "agent", "action": "message", "args": {"content": "Booked."}},
    ]
    path = tmp_path / "events.json"
    path.write_text(json.dumps(events))
    (one,) = recorded_compactions(read_sessions(path)[0].threads[0])
    assert one.table is not None
    assert (one.table["path"].kept, one.table["path"].total) == (1, 1)
    assert one.table["user_instruction"].lost == ("Food below 250 euros.",)
    assert one.user_messages == (1, 2)
    assert "LATEST_USER_INSTRUCTION_LOST" in one.codes
