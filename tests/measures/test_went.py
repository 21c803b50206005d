"""What went at a compaction is what the two requests around it differ by, and what the log itself lists where it lists it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from ctxcore.measures.went import NOTHING, went_at
from ctxcore.model import Call, Event, Thread, ToolResult
from ctxcore.readers.detect import read_sessions
from ctxcore.views.events import events_json, went

CASES = Path(__file__).parent.parent / "data" / "cases"

RANGES = st.lists(st.tuples(st.integers(0, 30), st.integers(1, 8)).map(lambda pair: (pair[0], pair[0] + pair[1])), max_size=6)


def indexes(ranges: list[tuple[int, int]] | tuple[tuple[int, int], ...]) -> list[int]:
    return [index for start, stop in ranges for index in range(start, stop)]


def results_gone(thread: Thread, event: Event) -> list[str]:
    """Ids of the tool results among the messages that went."""
    gone = indexes(went_at(thread, event).gone)
    return [part.call_id for i in gone for part in thread.messages[i].parts if isinstance(part, ToolResult)]


@given(before=RANGES, after=RANGES, reply=st.none() | st.integers(0, 39))
def test_what_went_and_what_came_are_set_differences(before: list[tuple[int, int]], after: list[tuple[int, int]], reply: int | None) -> None:
    calls = (
        Call(index=0, context=tuple(before), reply=reply, known="recorded"),
        Call(index=1, context=tuple(after), known="recorded"),
    )
    thread = replace(read_sessions(CASES / "COMP-12.jsonl")[0].threads[0], calls=calls, events=(Event(kind="compaction", call=1),))
    found = went_at(thread, thread.events[0])
    held = {*indexes(before), *(() if reply is None else (reply,))}
    behind = max(held, default=-1) + 1
    next_came = min((index for index in indexes(after) if index >= behind), default=behind)
    assert indexes(found.gone) == sorted((held - set(indexes(after))) | set(range(behind, next_came)))
    assert indexes(found.came) == sorted(set(indexes(after)) - held)
    assert (found.gone_count, found.came_count) == (len(indexes(found.gone)), len(indexes(found.came)))


def test_a_result_that_no_request_held_goes_with_the_call_it_answers() -> None:
    """A run of terminus-2: the task, a call and its result, a summarisation: two messages went, one of them unsent, as the note says."""
    asked = {"tool_call_id": "k1", "function_name": "look", "arguments": {}}
    found = {"results": [{"source_call_id": "k1", "content": "Mat."}]}
    compacted = {"context_management": {"type": "compaction"}}
    steps = [
        {"step_id": 1, "source": "user", "message": "Find the key."},
        {
            "step_id": 2,
            "source": "agent",
            "message": "",
            "tool_calls": [asked],
            "observation": found,
        },
        {"step_id": 3, "source": "system", "message": "Performed context summarization.", "extra": compacted},
        {"step_id": 4, "source": "user", "message": "You looked; go on."},
        {"step_id": 5, "source": "agent", "message": "Under the mat."},
    ]
    agent = {"name": "terminus-2", "version": "2", "model_name": "m"}
    log = {"schema_version": "ATIF-v1.4", "session_id": "s", "agent": agent, "steps": steps}
    (thread,) = read_sessions(json.dumps(log).encode(), "run.json")[0].threads
    (event,) = thread.events
    assert [thread.messages[i].role for i in indexes(went_at(thread, event).gone)] == ["assistant", "tool"]
    assert event.note.endswith("2 messages were replaced.")


def test_codex_keeps_its_users_words_and_lets_the_replies_go() -> None:
    """COMP-12: both replies are gone; the replacement has the two user messages and the summary."""
    thread = read_sessions(CASES / "COMP-12.jsonl")[0].threads[0]
    found = went_at(thread, thread.events[0])
    assert [thread.messages[i].role for i in indexes(found.gone)].count("assistant") == 2
    assert not any("Six chairs." in str(thread.messages[i].wire) for i in indexes(found.came) if thread.messages[i].role == "assistant")


def test_nothing_is_known_to_go_where_no_call_stands_on_one_side() -> None:
    thread = read_sessions(CASES / "COMP-12.jsonl")[0].threads[0]
    for call in (0, len(thread.calls)):
        assert went_at(thread, Event(kind="compaction", call=call)) == NOTHING
        assert went(thread, Event(kind="compaction", call=call)) == ""


def test_a_microcompaction_lets_go_of_the_results_that_the_log_lists(shared: Path) -> None:
    """Claude Code writes the ids of the cleared results beside each microcompaction: 9 and 18."""
    path = shared / "corpus" / "claude-code" / "entire_b0-dc55_2microcompact_1compact.jsonl"
    listed = [
        record["microcompactMetadata"]["compactedToolIds"]
        for record in map(json.loads, path.read_text(encoding="utf-8").splitlines())
        if record.get("subtype") == "microcompact_boundary"
    ]
    thread = read_sessions(path)[0].threads[0]
    events = [event for event in thread.events if event.kind == "microcompaction"]
    gone = [
        [part.call_id for i in indexes(went_at(thread, e).gone) for part in thread.messages[i].parts if isinstance(part, ToolResult)] for e in events
    ]
    assert list(map(len, listed)) == [9, 18] == [told["gone_messages"] for told in events_json(thread) if told["kind"] == "microcompaction"]
    assert list(map(sorted, gone)) == list(map(sorted, listed))


def test_a_compaction_of_everything_is_told_as_one_stretch(shared: Path) -> None:
    thread = read_sessions(shared / "corpus" / "claude-code" / "entire_cd-95ad_3compact_6interrupts.jsonl")[0].threads[0]
    first = next(event for event in thread.events if not event.inferred)
    told = events_json(thread)[thread.events.index(first)]
    assert (told["gone_messages"], told["gone_ranges"]) == (116, [[0, 116]])
    assert went(thread, first) == "116 messages (#0–#115)"
