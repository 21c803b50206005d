"""Codex rollouts: what a call is, what it received, and what its usage was."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from ctxcore import read_session, replay
from ctxcore.errors import FormatNotRecognized
from ctxcore.model import ToolCall, ToolResult
from ctxcore.readers.detect import read_uploads
from tests.readers.rollout import answers, asks, count, event, item, line, meta, said, session, texts, usage

CASES = Path(__file__).parent.parent / "data" / "cases"

ROLLOUTS = (
    "agentv_1f-4427-0_websearch_compact",
    "agentv_3c-162d_modelswitch",
    "agentv_79-6ead_3compactions_4.1MB",
    "agentv_88-8ba8_aborted_missing_output",
    "agentv_a8-54a7_prefix_A",
    "agentv_a8-54a7_prefix_B",
    "jerome_20260219_partial_export",
)


def one(name: str):
    return read_session(CASES / name).threads[0]


class TextOnly:
    """C1: code points of text, names, arguments, results and thinking; nothing else."""

    def size(self, message):
        content = message["content"]
        return len(content) if isinstance(content, str) else sum(len(part["text"]) for part in content)


# The case table


def test_count_05_input_includes_the_cached_tokens():
    """One call: input 900, of which 640 cached, output 50."""
    (call,) = one("COUNT-05.jsonl").calls
    assert call.usage is not None
    assert (call.usage.input_tokens, call.usage.cache_read_tokens, call.usage.output_tokens) == (900, 640, 50)
    assert call.reply == 1
    assert any("include the cached" in note for note in read_session(CASES / "COUNT-05.jsonl").notes)


def test_count_08_a_repeated_count_is_no_call():
    """Three counts and one record are two calls, 440 and 500 tokens."""
    calls = one("COUNT-08.jsonl").calls
    assert [c.usage.input_tokens + c.usage.output_tokens for c in calls] == [440, 500]
    assert calls[0].reply == 1
    assert calls[1].id == "resp_2"


def test_unknown_line_types_are_listed_and_not_fatal():
    read = session(meta(), said("user", "Hi"), line("token_usage_record", usage=usage(1, 1)), line("weather", x=1), said("assistant", "Yes"))
    assert len(read.threads[0].calls) == 1
    assert any("weather" in reason for reason, _ in read.ledger.skipped)


def test_comp_07_an_opaque_summary_has_no_text():
    """The history becomes one developer message and one opaque item; no user message is kept."""
    thread = one("COMP-07.jsonl")
    (compaction,) = thread.events
    new = [thread.messages[i] for i in thread.calls[1].messages()]
    assert [m.role for m in new] == ["developer", "user"]
    assert new[1].injected == "summary"
    assert new[1].text == ""
    assert compaction.summary == thread.calls[1].messages()[1]
    assert "0 of 2" in compaction.note
    assert "opaque" in compaction.note


def test_comp_08_one_compaction_is_one_event():
    """Started, compacted, completed and announced are one event, with the summary of the compacted line."""
    thread = one("COMP-08.jsonl")
    (compaction,) = thread.events
    assert compaction.kind == "compaction"
    assert thread.messages[compaction.summary].text == "Summary: user wants a denser layout."


def test_comp_12_the_replacement_history_is_the_new_history():
    """The last prompt is three replaced items and the new message, 74 characters of text; three turns, three replies."""
    thread = one("COMP-12.jsonl")
    assert texts(thread, 2) == ["Bring chairs.", "Bring lamps.", "Six chairs and two lamps were brought.", "Bring rugs."]
    assert replay(thread, "none", 10**6, unit=TextOnly()).before[2] == 74
    assert sum(m.is_real_user for m in thread.messages) == 3
    assert [c.reply is not None for c in thread.calls] == [True, True, True]
    assert [e.kind for e in thread.events] == ["compaction"]
    assert "2 of 2" in thread.events[0].note


# Calls and their ends


def test_the_items_of_one_reply_are_one_message_and_each_result_is_one():
    thread = session(
        meta(base_instructions={"text": "Be brief."}),
        said("user", "List"),
        item("reasoning", summary=[{"type": "summary_text", "text": "Think."}], encrypted_content="b3BhcXVl"),
        said("assistant", "Looking."),
        asks("a"),
        asks("b"),
        answers("b"),
        answers("a"),
        count((10, 5), (10, 5)),
        said("assistant", "Done."),
        count((30, 6), (20, 1)),
    ).threads[0]
    assert [m.role for m in thread.messages] == ["system", "user", "assistant", "tool", "tool", "assistant"]
    assert [item["type"] for item in thread.messages[2].wire] == ["reasoning", "message", "function_call", "function_call"]
    assert [part.kind for part in thread.messages[2].parts] == ["reasoning", "text", "tool_call", "tool_call"]
    assert [c.context for c in thread.calls] == [((0, 2),), ((0, 5),)]
    assert [c.usage.input_tokens for c in thread.calls] == [10, 20]
    assert [bool(x) for x in thread.epochs[-1].units.exchange] == [False, False, True]
    assert thread.epochs[-1].units.flags == ()


def test_without_counts_a_call_ends_where_something_else_begins():
    thread = session(
        meta(), said("user", "Hi"), asks("a"), answers("a"), said("assistant", "Done."), said("user", "More"), said("assistant", "Yes.")
    ).threads[0]
    assert [c.context for c in thread.calls] == [((0, 1),), ((0, 3),), ((0, 5),)]
    assert all(c.usage is None for c in thread.calls)


def test_counts_twice_a_call_and_without_info_add_nothing():
    lines = [meta(), said("user", "Hi"), event("token_count", info=None), asks("a"), count((10, 5), (10, 5)), answers("a"), count((10, 5), (10, 5))]
    thread = session(*lines, said("assistant", "Done."), count((40, 6), (30, 1)), count((40, 6), (30, 1))).threads[0]
    assert [c.usage.input_tokens for c in thread.calls] == [10, 30]
    assert [c.flags for c in thread.calls] == [(), ()]


def test_counts_with_the_numbers_taken_out_leave_usage_unknown():
    hidden = event("token_count", info={"total_token_usage": "[REDACTED]", "last_token_usage": "[REDACTED]", "model_context_window": 500})
    read = session(meta(base_instructions="[REDACTED]"), said("user", "Hi"), asks("a"), hidden, answers("a"), hidden, said("assistant", "Ok"), hidden)
    thread = read.threads[0]
    assert [c.usage for c in thread.calls] == [None, None]
    assert thread.window == 500
    assert read.not_recorded == ("system prompt", "tool definitions")
    assert any("unknown" in note for note in read.notes)


def test_a_reply_that_broke_off_is_a_failed_call_and_stays_in_the_history():
    """A count with the same total while a reply is open: the next request has begun."""
    thread = session(
        meta(),
        said("user", "Hi"),
        said("assistant", "One."),
        count((10, 5), (10, 5)),
        said("user", "Go on"),
        item("reasoning", summary=[]),
        count((10, 5), (10, 5)),
        said("assistant", "Two."),
        count((40, 6), (30, 1)),
    ).threads[0]
    assert [c.flags for c in thread.calls] == [(), ("failed",), ()]
    assert thread.calls[2].context == ((0, 4),)
    assert [c.usage and c.usage.input_tokens for c in thread.calls] == [10, None, 30]


def test_an_aborted_call_gets_what_the_total_grew_beyond_the_next_call():
    """Totals 15, then 96 with a last call of 50 tokens: the call between used 31."""
    thread = session(
        meta(),
        said("user", "Hi"),
        said("assistant", "One."),
        count((10, 5), (10, 5)),
        said("user", "Go"),
        asks("a"),
        answers("a", "aborted by user"),
        said("user", "<turn_aborted>\nThe user interrupted.\n</turn_aborted>"),
        event("turn_aborted", reason="interrupted"),
        said("user", "Again"),
        said("assistant", "Two."),
        count((80, 16), (45, 5)),
    ).threads[0]
    assert [c.usage.input_tokens + c.usage.output_tokens for c in thread.calls] == [15, 31, 50]
    assert thread.calls[1].flags == ("aborted", "usage_from_totals")
    assert [m.injected for m in thread.messages if m.injected] == ["interruption"]


def test_a_model_change_is_an_event_and_each_call_has_its_model():
    thread = session(
        meta(),
        line("turn_context", model="m-1", cwd="/"),
        said("user", "Hi"),
        said("assistant", "A"),
        line("turn_context", model="m-2", cwd="/"),
        said("user", "B"),
        said("assistant", "C"),
    ).threads[0]
    assert [c.model for c in thread.calls] == ["m-1", "m-2"]
    assert [(e.kind, e.call) for e in thread.events] == [("model_changed", 1)]


def test_a_search_that_the_provider_ran_leaves_no_open_call():
    thread = session(
        meta(),
        said("user", "Search"),
        item("web_search_call", status="completed", action={"type": "search", "query": "q"}),
        said("assistant", "Found."),
        said("user", "Ok"),
        said("assistant", "Bye"),
    ).threads[0]
    reply = thread.messages[1]
    assert [type(p) for p in reply.parts[:2]] == [ToolCall, ToolResult]
    assert reply.calls[0].name == "web_search"
    assert thread.epochs[0].units.flags == ()


# What replaces or cuts the history


def test_a_compaction_with_only_a_summary_keeps_the_opening_and_what_people_said():
    """Source: openai/codex, ``build_compacted_history``: initial context, user messages, summary."""
    opening = "# AGENTS.md instructions for /demo\n\n<INSTRUCTIONS>\nBe kind.\n</INSTRUCTIONS>"
    thread = session(
        meta(base_instructions={"text": "System."}),
        said("developer", "Rules"),
        said("user", opening, "<environment_context>\n</environment_context>"),
        said("user", "First"),
        asks("a"),
        answers("a"),
        said("assistant", "Done first."),
        said("user", "Second"),
        line("compacted", message="Summary."),
        said("assistant", "Done second."),
    ).threads[0]
    last = thread.calls[-1]
    assert [thread.messages[i].role for i in last.messages()] == ["system", "developer", "user", "user", "user", "user"]
    assert texts(thread, -1)[3:] == ["First", "Second", "Summary."]
    assert [thread.messages[i].injected for i in last.messages()] == ["", "", "meta", "", "", "summary"]
    assert thread.events[0].call == last.index
    assert thread.messages[thread.events[0].summary].text == "Summary."


def test_a_message_that_survives_a_compaction_is_the_same_message():
    kept = {"role": "user", "type": "message", "content": [{"text": "First", "type": "input_text"}]}
    thread = session(
        meta(),
        said("user", "First"),
        said("assistant", "One"),
        line("compacted", message="", replacement_history=[kept]),
        said("user", "Second"),
        said("assistant", "Two"),
    ).threads[0]
    assert thread.calls[1].context == ((0, 1), (2, 3))
    assert len(thread.messages) == 4


def test_a_count_after_a_compaction_tells_the_size_before_and_after():
    thread = session(
        meta(),
        said("user", "First"),
        said("assistant", "One"),
        count((900, 50), (900, 50)),
        line("compacted", message="", replacement_history=[]),
        event("token_count", info={"total_token_usage": usage(900, 50), "last_token_usage": {**usage(0, 0), "total_tokens": 120}}),
        event("context_compacted"),
        said("assistant", "Two"),
        count((1000, 60), (100, 10)),
    ).threads[0]
    (compaction,) = thread.events
    assert (compaction.before_tokens, compaction.after_tokens) == (950, 120)
    assert [c.message_count for c in thread.calls] == [1, 0]


def test_a_rollback_takes_the_newest_user_turns_and_leaves_the_opening():
    turns = [line for n in (1, 2, 3) for line in (said("user", f"Ask {n}"), said("assistant", f"Reply {n}"))]
    after = (said("user", "Other"), said("assistant", "Sure"))
    two = session(meta(), said("developer", "Rules"), *turns, event("thread_rolled_back", num_turns=2), *after).threads[0]
    assert texts(two, -1) == ["Rules", "Ask 1", "Reply 1", "Other"]
    many = session(meta(), said("developer", "Rules"), *turns, event("thread_rolled_back", num_turns=9), *after).threads[0]
    assert texts(many, -1) == ["Rules", "Other"]
    assert [e.kind for e in many.events] == ["rollback"]


# Files that are not whole


def test_a_fork_is_one_session_under_its_first_head():
    read = session(
        meta(base_instructions={"text": "Mine."}),
        line("session_meta", id="parent", cwd="/", base_instructions={"text": "Theirs."}),
        said("user", "Hi"),
        said("assistant", "Yes"),
    )
    assert read.id == "s-1"
    assert texts(read.threads[0], 0) == ["Mine.", "Hi"]
    assert any("twice" in note for note in read.notes)


def test_a_sub_agent_names_its_parent():
    thread = session(
        meta(source={"subagent": {"thread_spawn": {"parent_thread_id": "p-1", "depth": 1}}}), said("user", "Hi"), said("assistant", "Yes")
    ).threads[0]
    assert (thread.kind, thread.parent) == ("agent", "p-1")


def lines(*records: dict[str, Any]) -> bytes:
    return "\n".join(map(json.dumps, records)).encode()


def agent(id: str, parent: str, *records: dict[str, Any]) -> bytes:
    """The file of a sub-agent."""
    head = meta(source={"subagent": {"thread_spawn": {"parent_thread_id": parent, "depth": 1}}})
    head["payload"]["id"] = id
    return lines(head, *records)


def test_a_session_and_its_agents_are_one():
    """The main one starts c-1, which starts c-2; c-3 names a session that is not there."""
    turn = [said("user", "Hi"), said("assistant", "Sure")]
    main = lines(meta(), *turn, said("user", "Count"), asks("a", "spawn_agent"), answers("a", '{"agent_id":"c-1"}'), said("assistant", "3"))
    copied = line("session_meta", id="s-1", cwd="/", originator="codex-tui")
    first = agent("c-1", "s-1", copied, *turn, said("user", "Count them"), asks("b", "spawn_agent"), answers("b", '{"agent_id":"c-2"}'))
    second, stray = (agent(own, parent, said("user", "Go"), said("assistant", "Gone")) for own, parent in (("c-2", "c-1"), ("c-3", "x")))
    one, other = read_uploads([("d.jsonl", stray), ("c.jsonl", second), ("b.jsonl", first), ("a.jsonl", main)]).sessions
    if one.id != "s-1":
        one, other = other, one
    assert [(t.id, t.kind, t.parent, t.parent_call, len(t.calls)) for t in one.threads] == [
        ("main", "main", "", None, 3),
        ("c-1", "agent", "main", 1, 1),
        ("c-2", "agent", "c-1", 0, 1),
    ]
    assert texts(one.threads[1], 0) == ["Hi", "Sure", "Count them"]
    assert any("begins with 1 call " in note for note in one.notes)
    assert not any("twice" in note for note in one.notes)
    assert (other.id, other.threads[0].parent) == ("c-3", "x")
    for read in (one, other):
        assert read.ledger.records == read.ledger.read + sum(number for _, number in read.ledger.skipped)


def test_agents_that_name_each_other_are_still_read():
    said_go = [said("user", "Go"), said("assistant", "Gone")]
    sessions = read_uploads(
        [("a.jsonl", agent("a", "b", *said_go)), ("b.jsonl", agent("b", "a", *said_go)), ("c.jsonl", agent("c", "c", *said_go))]
    ).sessions
    assert sorted(session.id for session in sessions) == ["a", "b", "c"]


def test_an_old_rollout_has_bare_items():
    head = {"id": "old", "timestamp": "2025-05-07T10:00:00.000Z", "instructions": "Be kind.", "git": {}}
    state = {"record_type": "state"}
    bare = [said("user", "Hi")["payload"], state, asks("a")["payload"], answers("a")["payload"], said("assistant", "Done")["payload"], state]
    read = session(head, *bare)
    assert read.id == "old"
    assert texts(read.threads[0], 1)[:2] == ["Be kind.", "Hi"]
    assert len(read.threads[0].calls) == 2
    told = session(head, said("user", "<user_instructions>\n\nBe kind.\n\n</user_instructions>")["payload"], *bare)
    assert texts(told.threads[0], 0) == ["<user_instructions>\n\nBe kind.\n\n</user_instructions>", "Hi"]


@pytest.mark.parametrize(
    "bad",
    ["[1, 2]", '"text"', "{}", '{"type": 3}', "{broken", '{"type":"response_item","payload":7}', '{"timestamp":[],"type":"compacted","payload":{}}'],
)
def test_a_bad_line_is_reported_and_the_rest_is_read(bad):
    read = session(meta(), said("user", "Hi"), bad, said("assistant", "Yes"))
    assert read.threads[0].messages[read.threads[0].calls[-1].reply].text == "Yes"
    assert read.ledger.read + sum(n for _, n in read.ledger.skipped) == read.ledger.records


ODD = [None, 7, "x", [], {}, [[]], {"type": []}]


@pytest.mark.parametrize("odd", ODD, ids=repr)
def test_odd_values_never_raise(odd):
    lines = [
        line(kind, type=inner, **{key: odd})
        for kind in ("response_item", "event_msg", "compacted", "session_meta", "turn_context")
        for inner in KINDS
        for key in KEYS
    ]
    assert session(meta(), said("user", "Hi"), *lines, said("assistant", "Yes")).threads


KINDS = [
    "message",
    "reasoning",
    "function_call",
    "function_call_output",
    "web_search_call",
    "mcp_call",
    "token_count",
    "thread_rolled_back",
    "image_generation_call",
    "new_thing",
]
KEYS = [
    "content",
    "role",
    "summary",
    "output",
    "arguments",
    "call_id",
    "id",
    "info",
    "num_turns",
    "replacement_history",
    "message",
    "base_instructions",
    "source",
    "model",
    "result",
]


@pytest.mark.parametrize(
    "text",
    [
        '{"type":"response_item","payload":{}}',
        '{"timestamp":"t","type":"event_msg","payload":{"type":"x"}}',
    ],
)
def test_one_mark_is_not_enough(text):
    with pytest.raises(FormatNotRecognized):
        read_session((text + "\n" + text).encode(), "x.jsonl")


# Real files


def read_lines(path: Path) -> list[dict]:
    return [json.loads(text) for text in path.read_text().splitlines()]


@pytest.mark.parametrize("name", ROLLOUTS)
def test_calls_with_usage_are_the_counts_with_a_new_total(name, shared):
    """Counted by hand: a new total is a call, and the newest total is the sum of all."""
    path = shared / "corpus" / "codex-cli" / f"{name}.jsonl"
    payloads = [value["payload"] for value in read_lines(path)]
    totals = [p["info"]["total_token_usage"]["total_tokens"] for p in payloads if p.get("type") == "token_count" and p["info"]]
    calls = read_session(path).threads[0].calls
    counted = [c for c in calls if c.usage and "usage_from_totals" not in c.flags]
    assert len(counted) == len(set(totals))
    assert sum(c.usage.input_tokens + c.usage.output_tokens for c in calls if c.usage) == totals[-1]
    rest = [c for c in calls if c.usage is None]
    assert all({"failed", "aborted"} & set(c.flags) or c is calls[-1] for c in rest)


@pytest.mark.parametrize("name", ROLLOUTS)
def test_every_item_is_in_the_thread_once(name, shared):
    path = shared / "corpus" / "codex-cli" / f"{name}.jsonl"
    payloads = [value["payload"] for value in read_lines(path) if value["type"] == "response_item"]
    thread = read_session(path).threads[0]
    sent_again = {i for i, m in enumerate(thread.messages) if m.role == "system" or m.source.path}
    wire = [item for i, m in enumerate(thread.messages) if i not in sent_again for item in m.wire]
    assert Counter(p["type"] for p in payloads) == Counter(item["type"] for item in wire)
    calls = sum(p["type"] in ("function_call", "custom_tool_call", "tool_search_call", "web_search_call") for p in payloads)
    assert sum(len(m.calls) for m in thread.messages) == calls


# Notes of the collection: three compactions; two models; 66 of 93 calls without result; token_count twice a call
@pytest.mark.parametrize(
    ("name", "calls", "compactions", "models", "unanswered"),
    [
        ("agentv_79-6ead_3compactions_4.1MB", 327, 3, 1, 0),
        ("agentv_3c-162d_modelswitch", 134, 0, 2, 1),
        ("agentv_88-8ba8_aborted_missing_output", 142, 1, 1, 1),
        ("agentv_a8-54a7_prefix_A", 22, 0, 1, 1),
        ("jerome_20260219_partial_export", 96, 0, 1, 66),
        ("jerome_20260213_desktop_redacted", 71, 0, 1, 1),
    ],
)
def test_the_notes_of_the_collection_hold(name, calls, compactions, models, unanswered, shared):
    thread = read_session(shared / "corpus" / "codex-cli" / f"{name}.jsonl").threads[0]
    asked = {call.id for m in thread.messages for call in m.calls if call.id}
    answered = {result.call_id for m in thread.messages for result in m.results}
    assert len(thread.calls) == calls
    assert sum(e.kind == "compaction" and not e.inferred for e in thread.events) == compactions
    assert len({c.model for c in thread.calls}) == models
    assert len(asked - answered) == unanswered
    assert thread.window == 258400


def test_a_redacted_rollout_has_a_call_for_each_turn_context(shared):
    """That version wrote one before every request."""
    path = shared / "corpus" / "codex-cli" / "jerome_20260213_desktop_redacted.jsonl"
    assert len(read_session(path).threads[0].calls) == sum(value["type"] == "turn_context" for value in read_lines(path))


def test_contexts_are_few_ranges(shared):
    """Memory is linear: a compaction adds ranges, a call does not."""
    thread = read_session(shared / "corpus" / "codex-cli" / "agentv_79-6ead_3compactions_4.1MB.jsonl").threads[0]
    assert len(thread.epochs) == 4
    assert max(len(c.context) for c in thread.calls) <= 12
