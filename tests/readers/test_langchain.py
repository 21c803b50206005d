"""LangChain dumps and the states of LangGraph: one call for each reply of a model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ctxcore import Session, read_session
from ctxcore.model import Usage
from ctxcore.readers.detect import read_sessions

COUNTED = {"input_tokens": 90, "output_tokens": 5, "input_token_details": {"cache_read": 80}}
ANSWERED = {"model_name": "m-1", "id": "r1"}


def as_dict(kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": kind, "data": {"type": kind, **fields}}


def as_constructor(kind: str, **fields: Any) -> dict[str, Any]:
    names = {"human": "HumanMessage", "ai": "AIMessage", "system": "SystemMessage", "tool": "ToolMessage"}
    return {"lc": 1, "type": "constructor", "id": ["langchain_core", "messages", kind, names[kind]], "kwargs": fields}


def as_flat(kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": kind, "additional_kwargs": {}, "response_metadata": {}, **fields}


DUMPS = {"dict": as_dict, "constructor": as_constructor, "flat": as_flat}


def talk(make: Any) -> list[dict[str, Any]]:
    return [
        make("system", content="Be brief."),
        make("human", content=[{"type": "text", "text": "Files?"}]),
        make("ai", content="", tool_calls=[{"name": "list", "args": {"path": "."}, "id": "c1"}], usage_metadata=COUNTED, response_metadata=ANSWERED),
        make("tool", content="a.txt", tool_call_id="c1", name="list", status="error"),
        make("ai", content="One.", response_metadata={"token_usage": {"prompt_tokens": 9, "completion_tokens": 1}}),
    ]


def read(value: Any) -> Session:
    return read_session(json.dumps(value).encode())


@pytest.mark.parametrize("dump", DUMPS)
@pytest.mark.parametrize("holder", ["list", "object", "lines"])
def test_every_dump_gives_the_same_calls(dump: str, holder: str):
    messages = talk(DUMPS[dump])
    content = "\n".join(map(json.dumps, messages)) if holder == "lines" else json.dumps({"messages": messages} if holder == "object" else messages)
    session = read_session(content.encode())
    (thread,) = session.threads
    assert session.format == "langchain"
    assert [m.role for m in thread.messages] == ["system", "user", "assistant", "tool", "assistant"]
    assert [m.text for m in thread.messages] == ["Be brief.", "Files?", "", "a.txt", "One."]
    assert [(c.message_count, c.reply, c.known, c.usage) for c in thread.calls] == [
        (2, 2, "reconstructed", Usage(input_tokens=90, output_tokens=5, cache_read_tokens=80)),
        (4, 4, "reconstructed", Usage(input_tokens=9, output_tokens=1)),
    ]
    assert thread.calls[0].model == "m-1"
    assert [(c.id, c.name, c.arguments) for c in thread.messages[2].calls] == [("c1", "list", '{"path":"."}')]
    assert [(r.call_id, r.is_error) for r in thread.messages[3].results] == [("c1", True)]
    assert session.not_recorded == ("tool definitions",)


def test_calls_that_could_not_be_parsed_and_thinking_are_kept():
    broken = as_dict(
        "ai", content="", invalid_tool_calls=[{"name": "list", "args": '{"path": ', "id": "c1"}], additional_kwargs={"reasoning_content": "Hm."}
    )
    (thread,) = read([as_dict("human", content="Files?"), broken]).threads
    assert [p.kind for p in thread.messages[1].parts] == ["reasoning", "tool_call"]
    assert "arguments_not_json" in thread.messages[1].flags


def test_blocks_that_repeat_the_calls_are_not_counted_twice():
    """A provider's own blocks hold the call that ``tool_calls`` holds too."""
    blocks = [{"type": "text", "text": "I look."}, {"type": "tool_use", "id": "c1", "name": "list", "input": {}}]
    (thread,) = read([as_dict("human", content="?"), as_dict("ai", content=blocks, tool_calls=[{"name": "list", "args": {}, "id": "c1"}])]).threads
    assert [p.kind for p in thread.messages[1].parts] == ["text", "tool_call"]


def remove(id: str, dump: Any = as_dict) -> dict[str, Any]:
    return dump("remove", id=id, content="")


def lists(thread: Any) -> list[list[str]]:
    """What each call received."""
    return [[thread.messages[index].text for index in call.messages()] for call in thread.calls]


@pytest.mark.parametrize(
    "removal", [remove("__remove_all__"), remove("__remove_all__", as_flat), {"type": "remove", "data": {"id": "__remove_all__"}}]
)
def test_a_list_that_was_emptied_goes_on_with_its_summary(removal: dict[str, Any]):
    """Source: format notes 2.9. Two messages went; the summary and the new question are what the second call received."""
    talk = [as_dict("human", content="a"), as_dict("ai", content="A"), removal]
    session = read([*talk, as_dict("system", content="sum"), as_dict("human", content="x"), as_dict("ai", content="X")])
    (thread,) = session.threads
    assert lists(thread) == [["a"], ["sum", "x"]]
    (event,) = thread.events
    assert (event.kind, event.call, event.summary, thread.messages[2].injected) == ("compaction", 1, 2, "summary")
    assert event.note == "2 messages (0, 1) were removed; a summary stands in their place."
    assert (session.ledger.records, session.ledger.read, session.ledger.skipped) == (6, 6, ())


def test_messages_are_removed_by_their_ids():
    """The first question and its answer go before the third question; the second stays."""
    said = [as_dict(kind, content=word, id=word) for kind, word in (("human", "a"), ("ai", "A"), ("human", "b"), ("ai", "B"))]
    session = read([*said, remove("a"), remove("A"), remove("unknown"), as_dict("human", content="c", id="c"), as_dict("ai", content="C", id="C")])
    (thread,) = session.threads
    assert lists(thread) == [["a"], ["a", "A", "b"], ["b", "B", "c"]]
    assert [(e.kind, e.call, e.summary, e.note) for e in thread.events] == [("compaction", 2, None, "2 messages (0, 1) were removed.")]


def test_a_question_that_was_removed_is_not_asked():
    """The list ends with the removal of its last message: no request waits for a reply."""
    said = [as_dict(kind, content=word, id=word) for kind, word in (("human", "a"), ("ai", "A"), ("human", "b"))]
    assert lists(read(said).threads[0]) == [["a"], ["a", "A", "b"]]
    assert lists(read([*said, remove("b")]).threads[0]) == [["a"]]


# LangGraph


def state(messages: list[dict[str, Any]], step: int, thread: str = "t", namespace: str = "") -> dict[str, Any]:
    place = {"configurable": {"thread_id": thread, "checkpoint_ns": namespace, "checkpoint_id": f"{step}"}}
    stamp = f"2026-01-01T00:00:{step:02}+00:00"
    return {"values": {"messages": messages}, "next": [], "config": place, "metadata": {"step": step}, "created_at": stamp}


def human(id: str, text: str, **more: Any) -> dict[str, Any]:
    return as_flat("human", id=id, content=text, **more)


def ai(id: str, text: str) -> dict[str, Any]:
    return {**as_flat("ai", id=f"run-{id}", content=text), "response_metadata": ANSWERED | {"id": f"r-{id}"}}


def test_a_history_is_read_oldest_first_and_each_reply_once():
    first = [human("1", "a"), ai("1", "A")]
    second = [*first, human("2", "b"), ai("2", "B")]
    session = read([state(second, 3), state(second[:3], 2), state(first, 1)])
    (thread,) = session.threads
    assert [(c.message_count, c.id) for c in thread.calls] == [(1, "r-1"), (3, "r-2")]
    assert [c.at for c in thread.calls] == [1_767_225_601, 1_767_225_603]
    assert (session.id, session.ledger.records, session.ledger.read) == ("t", 3, 3)


def test_a_summary_in_place_of_messages_is_a_compaction():
    """The third state holds a summary and the last question: what the next call got, and what the two calls before did not lose."""
    old = [human("1", "a"), ai("1", "A"), human("2", "b"), ai("2", "B")]
    summary = human("s", "Here is a summary of the conversation to date: a, A, b, B.")
    session = read([state(old, 1), state([summary, human("3", "c"), ai("3", "C")], 2)])
    (thread,) = session.threads
    (event,) = thread.events
    assert (event.kind, event.call, thread.messages[event.summary or 0].injected) == ("compaction", 2, "summary")
    assert [[thread.messages[i].text for i in c.messages()] for c in thread.calls] == [["a"], ["a", "A", "b"], [summary["content"], "c"]]


def test_a_system_text_in_place_of_several_messages_is_a_compaction():
    old = [human("1", "a"), ai("1", "A"), human("2", "b"), ai("2", "B")]
    session = read([state(old, 1), state([as_flat("system", id="s", content="sum"), human("3", "c"), ai("3", "C")], 2)])
    (event,) = session.threads[0].events
    assert (event.kind, session.threads[0].messages[event.summary or 0].text) == ("compaction", "sum")


@pytest.mark.parametrize(
    ("kept", "note"),
    [
        ([], "4 messages (0, 1, 2, 3) were in the list before and left it; what took them out is not recorded."),
        ([human("2", "b"), ai("2", "B")], "2 messages (0, 1) were in the list before and left it; what took them out is not recorded."),
    ],
    ids=["emptied", "the oldest"],
)
def test_messages_that_left_the_list_are_named(kept: list[dict[str, Any]], note: str):
    old = [human("1", "a"), ai("1", "A"), human("2", "b"), ai("2", "B")]
    (thread,) = read([state(old, 1), state(kept, 2), state([*kept, human("3", "c"), ai("3", "C")], 3)]).threads
    assert [(e.kind, e.call, e.summary, e.note) for e in thread.events] == [("compaction", 2, None, note)]
    assert lists(thread)[2] == [*(m["content"] for m in kept), "c"]


@pytest.mark.parametrize(
    "after",
    [
        [human("1", "a"), ai("1", "A"), human("9", "another"), ai("3", "C")],
        [human("1", "edited"), ai("1", "A"), human("2", "b"), ai("2", "B"), human("3", "c"), ai("3", "C")],
    ],
    ids=["taken back to an earlier place", "a message replaced"],
)
def test_a_branch_or_an_edit_is_no_compaction(after: list[dict[str, Any]]):
    old = [human("1", "a"), ai("1", "A"), human("2", "b"), ai("2", "B")]
    (thread,) = read([state(old, 1), state(after, 2)]).threads
    assert [e.kind for e in thread.events] == ["history_changed"]


def test_an_answer_that_the_application_wrote_is_no_call():
    """It names neither model nor run, while others do; the next call gets it all the same."""
    written = as_flat("ai", id="x", content="Which one?")
    (thread,) = read(state([human("1", "a"), ai("1", "A"), written, human("2", "b"), ai("2", "B")], 1)).threads
    assert [(c.message_count, c.id) for c in thread.calls] == [(1, "r-1"), (4, "r-2")]


def test_threads_are_sessions_and_graphs_inside_are_threads():
    values = [
        state([human("1", "a"), ai("1", "A")], 1),
        state([human("2", "b"), ai("2", "B")], 2, "other"),
        state([human("3", "c"), ai("3", "C")], 3, "t", "guide:1"),
    ]
    sessions = read_sessions(json.dumps(values).encode())
    assert [(s.id, [(t.id, t.kind, t.title) for t in s.threads]) for s in sessions] == [
        ("t", [("main", "main", ""), ("guide:1", "agent", "guide")]),
        ("other", [("main", "main", "")]),
    ]
    assert [s.ledger.records for s in sessions] == [3, 3]


REAL = ["deerflow_4f3e55ee_thread.json", "deerflow_90040b36_thread.json", "deerflow_ad76c455_thread.json"]


@pytest.mark.parametrize("name", REAL)
def test_real_states_have_a_call_for_each_reply_with_a_run(shared: Path, name: str):
    """Counted in the file: messages of type ai whose id is that of a run; each got all that stands before it."""
    path = shared / "corpus/langgraph_state" / name
    messages = json.loads(path.read_text())["values"]["messages"]
    replies = [number for number, m in enumerate(messages) if m["type"] == "ai" and m["id"].startswith("lc_run-")]
    session = read_session(path)
    (thread,) = session.threads
    assert [c.message_count for c in thread.calls] == replies
    assert {c.model for c in thread.calls} == {"deepseek-v3-2-251201"}
    assert session.id == json.loads(path.read_text())["checkpoint"]["thread_id"]
