"""Claude Code sessions: what a call is, what it received, which thread it belongs to, and what its usage was."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxcore.errors import FormatNotRecognized
from ctxcore.model import Session, Text, ToolCall
from ctxcore.readers.claude_code import ClaudeCode
from ctxcore.readers.detect import read_sessions
from ctxcore.readers.shape import make_document
from tests.readers.claude_session import ask, context, line, raw_values, reply, result, said, session, sessions, text, user

CASES = Path(__file__).parent.parent / "data" / "cases"


def case(name: str) -> Session:
    return read_sessions(CASES / name)[0]


@dataclass(frozen=True)
class Expected:
    """What a small case holds, by its own sheet."""

    id: str
    messages: dict[str, int]
    """Per thread."""
    calls: dict[str, int]
    """Per thread."""
    tokens: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Input with cache, output; per thread."""
    turns: int | None = None
    """Of the main thread."""


TABLE = [
    Expected("COUNT-01", {"main": 4}, {"main": 2}, {"main": (3210 + 3354, 150)}, 1),
    Expected("COUNT-03.a", {"main": 4}, {"main": 2}, {"main": (14, 6)}, 2),
    Expected("COUNT-03.b", {"main": 6}, {"main": 3}, {"main": (27, 9)}, 3),
    Expected("COUNT-18", {"main": 3}, {"main": 1}, {"main": (20, 4)}, 2),
    Expected("COUNT-19", {"main": 4}, {"main": 2}, {"main": (2400 + 2650, 152)}, 2),
    Expected("COMP-01", {"main": 5}, {"main": 2}, turns=2),
    Expected("COMP-02", {"main": 8}, {"main": 4}, turns=1),
    Expected("COMP-10", {"main": 5}, {"main": 2}, turns=2),
    Expected("THREAD-01", {"main": 4, "ag1": 4}, {"main": 2, "ag1": 2}, {"main": (130, 17), "ag1": (74, 9)}, 1),
    Expected("THREAD-03.b", {"agX": 3}, {"agX": 2}),
    Expected("THREAD-04", {"main": 4, "main-branches": 4}, {"main": 2, "main-branches": 1}, turns=2),
    Expected("PLAN-13", {"main": 6, "agP": 3}, {"main": 3, "agP": 1}),
    Expected("FILE-01", {"main": 3}, {"main": 1}, turns=2),
    Expected("FILE-02", {"main": 3}, {"main": 1}, turns=2),
    Expected("FILE-08", {"main": 2}, {"main": 1}),
    Expected("FILE-10", {"main": 2}, {"main": 1}),
    Expected("FILE-11", {"main": 4}, {"main": 2}),
]


@pytest.mark.parametrize("expected", TABLE, ids=lambda e: e.id)
def test_a_small_case_holds_what_its_sheet_says(expected: Expected):
    read = case(f"{expected.id}.jsonl")
    assert (read.format, read.level) == ("claude-code", "message list only")
    assert read.not_recorded == ("system prompt", "tool definitions", "CLAUDE.md and reminders")
    assert {t.id: len(t.messages) for t in read.threads} == expected.messages
    assert {t.id: len(t.calls) for t in read.threads} == expected.calls
    assert all(c.known == "reconstructed" for t in read.threads for c in t.calls)
    for thread, tokens in expected.tokens.items():
        used = [c.usage for c in read.thread(thread).calls]
        assert (sum(u.input_tokens for u in used), sum(u.output_tokens for u in used)) == tokens
    if expected.turns is not None:
        assert sum(m.is_real_user for m in read.threads[0].messages) == expected.turns


# Calls and usage


def test_count_01_three_lines_are_one_message_with_three_blocks():
    """Thinking, text and tool call of one message id: one call of 3,210 tokens, of which 3,000 were read from the cache."""
    thread = case("COUNT-01.jsonl").threads[0]
    call = thread.calls[0]
    assert [p.kind for p in thread.messages[1].parts] == ["reasoning", "text", "tool_call"]
    assert (call.usage.input_tokens, call.usage.cache_read_tokens, call.usage.cache_write_tokens) == (3210, 3000, 200)
    assert [row["uuid"] for row in thread.messages[1].raw] == ["u-1111-002", "u-1111-003", "u-1111-004"]
    assert thread.messages[1].wire[0]["role"] == "assistant"
    assert set(thread.messages[1].wire[0]) == {"role", "content"}


def test_count_03_two_uploads_share_the_calls_they_repeat():
    """Both together: three different calls, 27 tokens in and 9 out."""
    a, b = case("COUNT-03.a.jsonl"), case("COUNT-03.b.jsonl")
    together = {**a.seen_calls, **b.seen_calls}
    assert sorted(together) == ["msg_c1", "msg_c2", "msg_c3"]
    assert sum(u.input_tokens for u in together.values()) == 27
    assert sum(u.output_tokens for u in together.values()) == 9
    assert a.id != b.id


def test_count_18_a_failed_request_is_a_notice_and_no_call():
    read = case("COUNT-18.jsonl")
    (problem,) = read.problems
    assert (problem.kind, problem.source.line) == ("api_error", 2)
    assert "API Error" in problem.excerpt
    assert {c.model for c in read.threads[0].calls} == {"demo-model"}
    assert context(read.threads[0], 0) == ["Weigh it.", "Try again."]


LONG = "word " * 200


@pytest.mark.parametrize(
    ("stop", "tokens", "known"),
    [(None, 3, None), (None, 200, 200), ("end_turn", 3, 3)],
    ids=["placeholder", "plausible", "finished"],
)
def test_an_output_count_written_when_the_stream_began_is_unknown(stop, tokens, known):
    """A thousand characters cannot be 3 tokens; a finished message is taken at its word."""
    read = session(user("a", None, "Go."), reply("b", "a", "msg_1", text(LONG), stop=stop, tokens=tokens))
    (call,) = read.threads[0].calls
    assert call.usage.output_tokens == known
    assert ("output_not_recorded" in call.flags) is (known is None)
    assert call.usage.input_tokens == 10


def test_a_message_that_no_model_wrote_is_context_but_no_call():
    synthetic = reply("b", "a", "x", text("No response requested."))
    synthetic["message"]["model"] = "<synthetic>"
    read = session(user("a", None, "Go."), synthetic, user("c", "b", "On."), reply("d", "c", "msg_1", text("Yes.")))
    (call,) = read.threads[0].calls
    assert context(read.threads[0], call.index) == ["Go.", "No response requested.", "On."]


# The chain


def test_blocks_of_one_message_need_not_be_neighbours():
    """Tool use, its result, a second tool use of the same message, its result: one call, results after the whole message."""
    read = session(
        user("a", None, "Go."),
        reply("b", "a", "msg_1", ask("t1")),
        result("c", "b", "t1", "one"),
        reply("d", "c", "msg_1", ask("t2")),
        result("e", "d", "t2", "two"),
        reply("f", "e", "msg_2", text("Done.")),
    )
    (thread,) = read.threads
    assert [c.id for c in thread.calls] == ["msg_1", "msg_2"]
    assert context(thread, 1) == ["Go.", "t1+t2", "one", "two"]
    assert thread.calls[1].context == ((0, 4),)


def test_parallel_results_off_the_chain_are_in_the_context():
    """The next line's parent is the last result only; the other results were sent too."""
    read = session(
        user("a", None, "Go."),
        reply("b", "a", "msg_1", ask("t1")),
        reply("c", "b", "msg_1", ask("t2")),
        reply("d", "c", "msg_1", ask("t3")),
        result("e", "b", "t1", "one"),
        result("f", "d", "t3", "three"),
        result("g", "c", "t2", "two"),
        reply("h", "f", "msg_2", text("Done.")),
    )
    assert context(read.threads[0], 1) == ["Go.", "t1+t2+t3", "one", "three", "two"]
    assert len(read.threads) == 1


def test_progress_between_lines_is_no_branch():
    hook = line("progress", "p", "b", data={"type": "hook_progress"})
    read = session(
        user("a", None, "Go."), reply("b", "a", "msg_1", ask("t1")), hook, result("c", "b", "t1", "one"), user("d", "p", "More."),
        reply("e", "d", "msg_2", text("Done.")),
    )  # fmt: skip
    assert context(read.threads[0], 1) == ["Go.", "t1", "one", "More."]
    assert len(read.threads) == 1


def test_thread_04_what_was_taken_back_is_kept_beside_the_thread():
    """The last call does not see the red sign; the red sign's call is kept, flagged and counted."""
    read = case("THREAD-04.jsonl")
    main, side = read.threads
    assert [said(main, i) for i in range(4)] == ["Draft a sign.", "CLOSED", "Make it green.", "Green sign."]
    (taken_back,) = side.calls
    assert "abandoned" in taken_back.flags
    assert context(side, 0) == ["Draft a sign.", "CLOSED", "Make it red."]
    assert (side.kind, side.parent) == ("side", "main")
    assert [(e.kind, e.call) for e in main.events] == [("rollback", 1)]


def test_two_live_loops_each_see_their_own_past():
    """A person went on while a reply was still being written: that loop saw only the part written before, the other never saw the person's line."""
    read = session(
        user("a", None, "Go."),
        reply("b", "a", "msg_1", text("Looking.")),
        reply("c", "b", "msg_1", ask("t1")),
        user("d", "b", "continue"),
        reply("e", "d", "msg_2", text("On it.")),
        result("f", "c", "t1", "late"),
        reply("g", "f", "msg_3", text("Back.")),
        user("h", "e", "And?"),
        reply("i", "h", "msg_4", text("Done.")),
    )
    main, side = read.threads
    assert [c.id for c in main.calls] == ["msg_1", "msg_2", "msg_4"]
    assert context(main, 2) == ["Go.", "Looking.", "continue", "On it.", "And?"]
    assert main.messages[main.calls[2].messages()[1]].calls == ()
    assert [(c.id, c.flags) for c in side.calls] == [("msg_3", ("concurrent",))]
    assert context(side, 0) == ["Go.", "Looking.", "late"]


def test_a_result_that_comes_last_does_not_end_the_thread_where_it_was_asked():
    """A background tool answers after the person has gone on: the thread still ends with the newest reply."""
    read = session(
        user("a", None, "Go."), reply("b", "a", "msg_1", text("Looking.")), reply("c", "b", "msg_1", ask("t1")), user("d", "b", "continue"),
        reply("e", "d", "msg_2", text("On it.")), result("f", "c", "t1", "late"),
    )  # fmt: skip
    (thread,) = read.threads
    assert [c.id for c in thread.calls] == ["msg_1", "msg_2"]
    assert context(thread, 1) == ["Go.", "Looking.", "continue"]


def test_a_loose_note_does_not_end_the_thread_early():
    note = line("attachment", "n", "a", attachment={"type": "nested_memory", "content": {"content": "Use tabs."}})
    read = session(user("a", None, "Go."), reply("b", "a", "msg_1", text("1")), user("c", "b", "On."), reply("d", "c", "msg_2", text("2")), note)
    (thread,) = read.threads
    assert context(thread, 1) == ["Go.", "1", "On."]


def test_another_model_from_one_call_on_is_an_event():
    changed = reply("d", "c", "msg_2", text("2"))
    changed["message"]["model"] = "demo-other"
    read = session(user("a", None, "Go."), reply("b", "a", "msg_1", text("1")), user("c", "b", "On."), changed)
    assert [(e.kind, e.call, e.note) for e in read.threads[0].events] == [("model_changed", 1, "From demo-model to demo-other.")]


def test_a_thousand_steps_back_cost_no_more_than_their_lines():
    """Each reply is asked for twice: the first 1,000 answers stand in one side thread of at most two ranges a call."""
    rows: list[dict] = [user("u0", None, "Q")]
    for number in range(1000):
        rows += [reply(f"x{number}", f"u{number}", f"msg_x{number}", text("A")), reply(f"a{number}", f"u{number}", f"msg_a{number}", text("A"))]
        rows += [user(f"u{number + 1}", f"a{number}", "Q")]
    main, side = session(*rows).threads
    assert (len(main.calls), len(side.calls)) == (1000, 1000)
    assert (len(main.messages), len(side.messages)) == (2001, 1999 + 1000)
    assert max(len(c.context) for c in side.calls) <= 2


def test_a_conversation_after_clear_starts_anew_in_the_same_thread():
    read = session(
        user("a", None, "One."), reply("b", "a", "msg_1", text("1")), line("progress", "p", None, data={"type": "hook_progress"}),
        user("c", "p", "Two."), reply("d", "c", "msg_2", text("2")),
    )  # fmt: skip
    (thread,) = read.threads
    assert context(thread, 0) == ["One."]
    assert context(thread, 1) == ["Two."]


def test_links_in_a_circle_or_to_a_later_line_are_named_as_what_they_are():
    """The first line follows the last of its own answers; a reply follows itself; the fifth line follows the sixth, which follows the fourth."""
    read = session(
        user("a", "c", "One."), reply("b", "a", "msg_1", text("1")), user("c", "b", "Two."), reply("d", "d", "msg_2", text("2")),
        user("e", "f", "Three."), reply("f", "d", "msg_3", text("3")),
    )  # fmt: skip
    assert [(p.kind, p.what) for p in read.problems if "link" in p.what] == [
        ("late_parent", "1 line follows a line that comes after it (first: line 5); file order stands in for the link."),
        ("circular_parents", "2 links are part of a circle that leads back to the same line (first: line 1); file order stands in for the link."),
    ]


def test_file_02_a_lost_parent_is_said_once_and_the_order_of_the_file_stands_in():
    read = case("FILE-02.jsonl")
    assert [(p.kind, p.source.line) for p in read.problems] == [("unreadable_line", 2), ("missing_parent", 3)]
    assert context(read.threads[0], 0) == ["Open the log.", "Close it."]


def test_lines_without_any_parent_are_a_conversation_in_the_order_of_the_file():
    read = session(user("a", None, "One."), reply("b", None, "msg_1", text("1")), user("c", None, "Two."), reply("d", None, "msg_2", text("2")))
    assert context(read.threads[0], 1) == ["One.", "1", "Two."]


def test_a_circle_of_parents_is_read_to_its_end():
    loop = [line("progress", "p", "q", data={}), line("progress", "q", "p", data={})]
    read = session(user("a", "a", "One."), *loop, reply("b", "q", "msg_1", text("1")))
    assert context(read.threads[0], 0) == ["One."]


def test_a_long_chain_does_not_recurse_and_stays_one_range():
    """6,000 lines, each the child of the one before."""
    rows: list[dict] = []
    for number in range(3_000):
        rows += [user(f"u{number}", f"a{number - 1}" if number else None, "Q"), reply(f"a{number}", f"u{number}", f"msg_{number}", text("A"))]
    (thread,) = session(*rows).threads
    assert len(thread.calls) == 3_000
    assert {len(c.context) for c in thread.calls} == {1}
    assert len(thread.epochs) == 1


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 10**6), st.booleans(), st.integers(0, 9)), min_size=2, max_size=40))
def test_any_forest_gives_each_call_its_ancestors(steps):
    """However lines branch, a call's context is the chain of its parents, and every call is in exactly one thread."""
    rows = [user("n0", None, "n0"), reply("n1", "n0", "msg_n1", text("n1"))]
    parents: dict[str, str | None] = {"n0": None, "n1": "n0"}
    for number, (pick, is_reply, root) in enumerate(steps, start=2):
        name = f"n{number}"
        parents[name] = f"n{pick % number}" if is_reply or root else None
        rows.append(reply(name, parents[name], f"msg_{name}", text(name)) if is_reply else user(name, parents[name], name))
    found: dict[str, list[str]] = {}
    for thread in session(*rows).threads:
        for call in thread.calls:
            assert call.id not in found
            found[call.id] = context(thread, call.index)
    for row in rows:
        if row["type"] == "assistant":
            above: list[str] = []
            step = parents[row["uuid"]]
            while step is not None:
                above.insert(0, step)
                step = parents[step]
            assert found.pop(row["message"]["id"]) == above
    assert not found


# Compaction


def test_comp_10_after_a_compaction_the_context_is_the_summary_and_what_follows():
    thread = case("COMP-10.jsonl").threads[0]
    (event,) = thread.events
    assert (event.kind, event.call, event.trigger, event.before_tokens, event.after_tokens) == ("compaction", 1, "manual", 5000, 400)
    assert [m.text for m in thread.messages[:2]] == ["Label jars.", "12 jars."]
    assert context(thread, 1) == ["This continues an earlier talk. Summary: 12 jars labelled.", "Label lids."]
    assert thread.messages[event.summary].injected == "summary"


def test_comp_02_three_compactions_are_three_events():
    events = case("COMP-02.jsonl").threads[0].events
    assert [(e.before_tokens, e.after_tokens, e.call) for e in events] == [(9800, 9700, 1), (9750, 9690, 2), (9740, 9700, 3)]


def test_cleared_results_read_as_their_placeholder_from_then_on():
    """A microcompaction changes what later calls receive, not what earlier ones did; the recorded text is kept."""
    micro = line(
        "system", "m", "c", subtype="microcompact_boundary",
        microcompactMetadata={"trigger": "auto", "preTokens": 900, "tokensSaved": 300, "compactedToolIds": ["t1"]},
    )  # fmt: skip
    read = session(
        user("a", None, "Go."), reply("b", "a", "msg_1", ask("t1")), result("c", "b", "t1", "long text"), micro,
        reply("d", "m", "msg_2", ask("t2")), result("e", "d", "t2", "two"), reply("f", "e", "msg_3", text("Done.")),
    )  # fmt: skip
    (thread,) = read.threads
    assert context(thread, 1) == ["Go.", "t1", "[Old tool result content cleared]"]
    assert context(thread, 2) == ["Go.", "t1", "[Old tool result content cleared]", "t2", "two"]
    cleared = thread.messages[thread.calls[1].messages()[2]]
    assert "cleared" in cleared.flags
    assert cleared.wire[0]["content"][0]["content"] == "[Old tool result content cleared]"
    assert cleared.raw["message"]["content"][0]["content"] == "long text"
    (event,) = thread.events
    assert (event.kind, event.call, event.before_tokens, event.after_tokens) == ("microcompaction", 1, 900, 600)


# Threads and sessions


def test_a_result_whose_call_id_is_no_text_is_read_beside_cleared_ones():
    cleared = line("system", "e", "d", subtype="microcompact_boundary", microcompactMetadata={"compactedToolIds": ["t1"]})
    results = [{"type": "tool_result", "tool_use_id": call, "content": "x"} for call in ("t1", ["t"], {"a": 1})]
    made = session(user("a", None, "q"), reply("b", "a", "m1", ask("t1")), user("d", "b", results), cleared, reply("f", "e", "m2", text("z")))
    assert [call.reply is not None for call in made.threads[0].calls] == [True, True]


def test_thread_01_a_sub_agent_is_linked_to_the_call_that_started_it():
    read = case("THREAD-01.jsonl")
    agent = read.thread("ag1")
    assert (agent.kind, agent.parent, agent.parent_call, agent.title) == ("agent", "main", 0, "count")


def test_thread_03_an_agent_file_joins_its_session_and_is_not_linked():
    """Uploaded together: one session, the main thread as it was, and a side chain that no call started."""
    documents = [make_document(n, (CASES / n).read_bytes()) for n in ("THREAD-03.a.jsonl", "THREAD-03.b.jsonl")]
    (draft,) = ClaudeCode().read(documents)
    main, agent = draft.threads
    assert (len(main.messages), len(main.calls)) == (2, 1)
    assert (agent.id, len(agent.messages), len(agent.calls)) == ("agX", 3, 2)
    assert (agent.kind, agent.parent, agent.parent_call) == ("agent", "", None)
    assert agent.messages[2].source.file == "THREAD-03.b.jsonl"


def test_thread_07_two_interleaved_sessions_are_two():
    e, f = read_sessions(CASES / "THREAD-07.jsonl")
    assert [len(e.threads[0].messages), len(f.threads[0].messages)] == [4, 2]
    assert all("Session F" not in m.text for m in e.threads[0].messages)
    assert (e.ledger.read, f.ledger.read) == (4, 2)
    assert e.ledger.read + sum(n for _, n in e.ledger.skipped) == e.ledger.records == 6
    assert e.digest != f.digest


def test_a_resumed_session_that_goes_on_from_the_other_id_is_one():
    read = session(
        user("a", None, "One.", sessionId="old"), reply("b", "a", "msg_1", text("1")), user("c", "b", "Two."), reply("d", "c", "msg_2", text("2"))
    )
    assert context(read.threads[0], 1) == ["One.", "1", "Two."]
    assert any("2 session ids" in note for note in read.notes)


def test_the_same_file_twice_in_one_upload_is_read_once():
    documents = [make_document(n, (CASES / "COUNT-01.jsonl").read_bytes()) for n in ("x.jsonl", "y.jsonl")]
    (draft,) = ClaudeCode().read(documents)
    assert len(draft.threads[0].calls) == 2
    assert draft.skipped["repeated line"] == 6


def test_an_agents_progress_copies_are_not_counted_twice():
    """The main file repeats a sub-agent's messages as progress; they only tell which call started it."""
    copy = line(
        "progress",
        "p",
        "b",
        data={"type": "agent_progress", "agentId": "ag9", "message": reply("x", None, "msg_ag", text("hm"))},
        parentToolUseID="t1",
    )
    side = {"isSidechain": True, "agentId": "ag9"}
    read = session(
        user("a", None, "Go."), reply("b", "a", "msg_1", ask("t1", "Task", prompt="Look.", description="look")), copy,
        user("s", None, "Look!", **side), reply("t", "s", "msg_ag", text("hm"), **side), result("c", "b", "t1", "hm"),
    )  # fmt: skip
    assert {t.id: len(t.calls) for t in read.threads} == {"main": 1, "ag9": 1}
    assert read.thread("ag9").parent_call == 0


# What a person did not write


@pytest.mark.parametrize(
    ("content", "more", "injected"),
    [
        ("Fix it.", {}, ""),
        ("Fix it.", {"isMeta": True}, "meta"),
        ([text("[Request interrupted by user for tool use]")], {}, "interruption"),
        ("<system-reminder>Be brief.</system-reminder>", {}, "reminder"),
        ([text("<system-reminder>Be brief.</system-reminder>"), text("Fix it.")], {}, ""),
        ("<local-command-stdout>ok</local-command-stdout>", {}, "meta"),
        ("So far.", {"isCompactSummary": True}, "summary"),
    ],
)
def test_only_a_persons_words_start_a_turn(content, more, injected):
    read = session(user("a", None, content, **more), reply("b", "a", "msg_1", text("Yes.")))
    message = read.threads[0].messages[0]
    assert message.injected == injected
    assert message.is_real_user is (injected == "")


def test_a_slash_command_that_ran_locally_starts_no_turn():
    read = session(
        user("a", None, "Go."), user("b", "a", "<command-name>/cost</command-name>"), user("c", "b", "<local-command-stdout>1"),
        user("d", "c", "<command-name>/review</command-name>"), reply("e", "d", "msg_1", text("Fine.")),
    )  # fmt: skip
    assert [m.is_real_user for m in read.threads[0].messages[:4]] == [True, False, False, True]


def test_a_queued_prompt_and_an_attached_file_are_in_the_context():
    queued = line("attachment", "q", "b", attachment={"type": "queued_command", "prompt": "Also this.", "commandMode": "prompt"})
    memory = line("attachment", "m", "q", attachment={"type": "nested_memory", "content": {"content": "Use tabs."}})
    other = line("attachment", "o", "m", attachment={"type": "auto_mode"})
    read = session(user("a", None, "Go."), reply("b", "a", "msg_1", text("1")), queued, memory, other, reply("c", "o", "msg_2", text("2")))
    (thread,) = read.threads
    assert context(thread, 1) == ["Go.", "1", "Also this.", "Use tabs."]
    assert [thread.messages[i].injected for i in thread.calls[1].messages()] == ["", "", "", "reminder"]
    assert dict(read.ledger.skipped)["attachment (auto_mode)"] == 1


def test_an_image_in_a_result_is_media_and_keeps_its_bytes_in_the_wire():
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}
    read = session(user("a", None, "Go."), reply("b", "a", "msg_1", ask("t1")), result("c", "b", "t1", [text("seen"), picture]))
    (found,) = read.threads[0].messages[2].results
    assert (found.text, found.media[0].media_type, found.media[0].payload_chars) == ("seen", "image/png", 4)


# Odd input


def test_file_08_words_that_json_has_no_number_for_are_kept():
    read = case("FILE-08.jsonl")
    (call,) = read.threads[0].messages[1].calls
    assert json.loads(call.arguments) == {"values": ["NaN", "Infinity", "-Infinity"]}


def test_file_10_an_emoji_is_one_code_point():
    (part,) = case("FILE-10.jsonl").threads[0].messages[1].parts
    assert isinstance(part, Text)
    assert len(part.text) == 9


def test_file_11_an_impossible_count_is_unknown():
    first, second = case("FILE-11.jsonl").threads[0].calls
    assert first.usage is None or first.usage.input_tokens is None
    assert second.usage.input_tokens == 10


@pytest.mark.parametrize(
    "broken",
    [
        {"message": None},
        {"message": {"role": "user", "content": 7}},
        {"message": {}},
        {"uuid": 5},
        {"parentUuid": ["x"]},
        {"type": {}},
        {"timestamp": {}},
    ],
)
def test_a_malformed_line_never_raises_and_loses_no_other_line(broken):
    read = session(user("a", None, "One."), {**user("b", "a", "?"), **broken}, reply("c", "a", "msg_1", text("1")))
    assert len(read.threads[0].calls) == 1
    assert read.ledger.read + sum(n for _, n in read.ledger.skipped) == read.ledger.records == 3


def test_lines_of_another_program_are_not_called_claude_code():
    """Same envelope, but message ids of another model and no request id; and lines that only look alike."""
    other = reply("b", "a", "response-1", text("1"))
    del other["requestId"]
    for rows in ([user("a", None, "One."), other], [{"type": "user", "text": "x"}, {"type": "assistant", "tool": "Bash", "text": None}]):
        with pytest.raises(FormatNotRecognized):
            sessions(*rows)


# Real files

REAL = {
    "agentv_1e-d266-0_v2.1.62": 0,
    "entire_63-095c_opus46_tasks": 1,
    "entire_8c-fa91-0_badlines": 0,
    "entire_8c-fa91-5_two_sessionids": 0,
    "entire_b0-dc55_2microcompact_1compact": 1,
    "entire_cd-95ad_3compact_6interrupts": 3,
    "entire_fc-99c9_userimage_taskcreate": 1,
    "kimuson_1af7fc5e_small": 0,
    "kimuson_fe5e1c67_infile_sidechains": 0,
    "llmbuilds/agent-a2a2b48": 0,
    "llmbuilds/agent-a87bf71": 0,
    "llmbuilds/agent-a9b4b48": 0,
    "llmbuilds/b17ac696-fc76-4d37-875f-cc67d55b179f": 0,
}
"""Real sessions and their compactions."""


@pytest.fixture(params=list(REAL))
def real(request, shared: Path) -> tuple[str, Path, Session]:
    path = shared / "corpus" / "claude-code" / f"{request.param}.jsonl"
    (read,) = read_sessions(path)
    return request.param, path, read


def test_a_real_file_agrees_with_a_naive_count(real):
    """Calls by message id, input by the last line of each, every tool call with the results that the file holds, every line accounted for."""
    name, path, read = real
    last: dict[str, dict] = {}
    asked: set[str] = set()
    answered: set[str] = set()
    for row in raw_values(path):
        message = row.get("message")
        if row["type"] == "assistant" and row.get("requestId") and message["model"] != "<synthetic>":
            last[message["id"]] = message["usage"]
        if row["type"] in ("assistant", "user") and isinstance(message["content"], list):
            asked |= {b["id"] for b in message["content"] if b["type"] == "tool_use"}
            answered |= {b["tool_use_id"] for b in message["content"] if b["type"] == "tool_result"}
    calls = [c for t in read.threads for c in t.calls]
    assert sorted(c.id for c in calls) == sorted(last)
    naive = sum(u["input_tokens"] + u["cache_read_input_tokens"] + u["cache_creation_input_tokens"] for u in last.values())
    assert sum(c.usage.input_tokens for c in calls) == naive
    assert sum(e.kind == "compaction" and not e.inferred for t in read.threads for e in t.events) == REAL[name]
    assert {c.id for t in read.threads for m in t.messages for c in m.calls} == asked
    flags = {(word, t.id) for t in read.threads for e in t.epochs for _, word in e.units.flags}
    assert not any(word in ("orphan_result", "duplicate_result") for word, _ in flags)
    assert not (any(word == "open" for word, _ in flags) and asked <= answered)
    assert read.ledger.read + sum(n for _, n in read.ledger.skipped) >= read.ledger.records


def test_results_stand_right_after_the_message_that_asked(real):
    """Every result that the log holds follows its whole assistant message, with nothing but results between."""
    *_, read = real
    for thread in read.threads:
        held = {r.call_id for m in thread.messages for r in m.results}
        for call in thread.calls:
            due = {c.id for c in thread.messages[call.reply].calls} & held
            place = call.reply + 1
            while due and place < len(thread.messages) and thread.messages[place].results:
                due -= {r.call_id for r in thread.messages[place].results}
                place += 1
            assert not due


def test_recorded_input_falls_only_where_the_context_did(shared: Path):
    """In a session with two microcompactions and a compaction, input drops by a fifth or more only there."""
    read = read_sessions(shared / "corpus" / "claude-code" / "entire_b0-dc55_2microcompact_1compact.jsonl")[0]
    (thread,) = read.threads
    changes = {e.call for e in thread.events if not e.inferred}
    assert [e.kind for e in thread.events if not e.inferred] == ["microcompaction", "microcompaction", "compaction"]
    assert all("input_fell" in {p.kind for p in read.problems} for e in thread.events if e.inferred)
    sizes = [c.usage.input_tokens for c in thread.calls]
    fell = [i for i in range(1, len(sizes)) if sizes[i] < 0.82 * sizes[i - 1]]
    assert set(fell) <= changes | {i for i in fell if thread.calls[i].turn != thread.calls[i - 1].turn}
    assert changes <= {i for i in range(len(sizes)) if sizes[i] < sizes[i - 1]}


def test_placeholder_counts_of_a_real_file_are_unknown(shared: Path):
    """131 calls whose recorded output sums to 391 tokens: not one is taken at its word."""
    read = read_sessions(shared / "corpus" / "claude-code" / "entire_b0-dc55_2microcompact_1compact.jsonl")[0]
    counts = [c.usage.output_tokens for c in read.threads[0].calls]
    assert len(counts) == 131
    assert all(n is None for n in counts)


def test_finished_counts_of_a_real_file_are_known(shared: Path):
    read = read_sessions(shared / "corpus" / "claude-code" / "agentv_1e-d266-0_v2.1.62.jsonl")[0]
    assert all(c.usage.output_tokens is not None for c in read.threads[0].calls)


def test_sub_agents_in_the_main_file_are_linked_to_their_calls(shared: Path):
    """Five Task calls, five agents, 405 side lines."""
    read = read_sessions(shared / "corpus" / "claude-code" / "kimuson_fe5e1c67_infile_sidechains.jsonl")[0]
    main, *agents = read.threads
    assert [a.kind for a in agents] == ["agent"] * 5
    for agent in agents:
        asked = main.messages[main.calls[agent.parent_call].reply].calls
        assert any(isinstance(c, ToolCall) and json.loads(c.arguments)["prompt"].strip() == agent.messages[0].text.strip() for c in asked)


def test_agent_files_beside_their_main_session_are_its_threads(shared: Path):
    """The main session and two of its agents' files in one upload."""
    folder = shared / "corpus" / "claude-code" / "llmbuilds"
    names = ("b17ac696-fc76-4d37-875f-cc67d55b179f.jsonl", "agent-a2a2b48.jsonl", "agent-a9b4b48.jsonl", "agent-a87bf71.jsonl")
    (draft,) = ClaudeCode().read([make_document(n, (folder / n).read_bytes()) for n in names])
    threads = {t.id: t for t in draft.threads}
    assert set(threads) == {"main", "main-branches", "a2a2b48", "a9b4b48", "a87bf71"}
    assert threads["a2a2b48"].parent == threads["a9b4b48"].parent == "main"
    assert (threads["a87bf71"].parent, len(threads["a87bf71"].calls)) == ("", 1)
    assert {f for c in threads["main-branches"].calls for f in c.flags if f in ("abandoned", "concurrent")} == {"concurrent"}


@pytest.mark.parametrize("name", ["NOT-claude_llmbuilds_session-build"])
def test_files_that_only_look_alike_are_refused(name, shared: Path):
    with pytest.raises(FormatNotRecognized):
        read_sessions(shared / "corpus" / "claude-code" / f"{name}.jsonl")


def test_a_file_with_every_line_type_reads_without_an_unreadable_line(shared: Path):
    read = read_sessions(shared / "corpus" / "claude-code" / "jazzy_FIXTURE_every_line_type_v2.1.80.jsonl")[0]
    assert read.format == "claude-code"
    assert read.ledger.records == 89
    assert all(t.parent != t.id for t in read.threads)
    assert not [p for p in read.problems if p.kind == "unreadable_line"]


def test_sub_agents_whose_files_are_not_in_the_upload_are_named():
    """Two were started; the lines of one are there."""
    lines = [
        user("u1", None, "Look for two things."),
        reply("a1", "u1", "msg_1", ask("t1", "Task", prompt="One"), ask("t2", "Task", prompt="Two"), stop="tool_use"),
        result("r1", "a1", "t1", toolUseResult={"agentId": "ag1"}),
        result("r2", "r1", "t2", toolUseResult={"agentId": "ag2"}),
        user("s1", None, "One", isSidechain=True, agentId="ag1"),
        reply("s2", "s1", "msg_s", text("Found."), isSidechain=True, agentId="ag1"),
    ]
    (note,) = [note for note in session(*lines).notes if "not in the upload" in note]
    assert note.startswith("1 sub-agent that this session started is not in the upload")
    assert "add agent-ag2.jsonl, from the folder" in note
    whole = session(*lines, user("w1", None, "Two", isSidechain=True, agentId="ag2"))
    assert not any("not in the upload" in note for note in whole.notes)
