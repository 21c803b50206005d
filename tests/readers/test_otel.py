"""Traces of OpenTelemetry: where content stands, what repeats, what recorders lose, and who started whom."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ctxcore import Session, read_session
from ctxcore.errors import UnreadableFile
from ctxcore.model import Usage
from ctxcore.readers.detect import read_sessions
from ctxcore.readers.spans import any_value as decode
from tests.readers.otlp import any_value, chat, data, log_record, log_request, request, said, span

CASES = Path(__file__).parent.parent / "data" / "cases"


def texts(session: Session, call: int, thread: int = 0) -> list[str]:
    found = session.threads[thread]
    return [found.messages[i].text for i in found.calls[call].messages()]


def usages(session: Session) -> list[tuple[int | None, int | None]]:
    return [(c.usage.input_tokens, c.usage.output_tokens) for t in session.threads for c in t.calls if c.usage]


def sums_up(session: Session) -> bool:
    return session.ledger.records == session.ledger.read + sum(count for _, count in session.ledger.skipped)


# Values and detection


@pytest.mark.parametrize("value", ["a", 7, -3, True, 1.5, ["a", {"b": [1, 2]}], {"a": {"b": "c"}}])
def test_a_value_survives_its_wrapping(value: Any):
    assert decode(any_value(value)) == value


def test_the_snake_case_twin_is_a_value_too():
    assert decode({"array_value": {"values": [{"string_value": "a"}, {"int_value": "9"}]}}) == ["a", 9]


@pytest.mark.parametrize(
    ("values", "format"),
    [
        ([request(span("a", chat([said("user", "Hi")])))], "otel-genai"),
        ([[request(span("a", chat([said("user", "Hi")])))]], "otel-genai"),
        ([request(span("a", chat([said("user", "Hi")]))), request(span("b", {}))], "otel-genai"),
        ([request(span("a", {"openinference.span.kind": "LLM", "input.value": "Hi"}))], "openinference"),
        ([{"context": {"trace_id": "t", "span_id": "a"}, "name": "x", "span_kind": "LLM", "attributes": {"input.value": "Hi"}}], "spans"),
    ],
)
def test_each_container_is_known(values: list[Any], format: str):
    session = read_session(data(*values))
    assert session.format == format
    assert texts(session, 0) == ["Hi"]
    assert sums_up(session)


@pytest.mark.parametrize("value", [{"resourceSpans": []}, {"resourceSpans": [{"resource": {}}]}, {"context": {"trace_id": "t"}}])
def test_one_mark_alone_is_no_trace(value: Any):
    with pytest.raises(Exception, match="no known session format"):
        read_session(data(value))


# Where content stands

ASK, ANSWER = {"role": "user", "content": "Two and two?"}, {"role": "assistant", "content": "Four."}
SCHEMA = {"type": "function", "function": {"name": "add", "parameters": {"type": "object"}}}


def flat(prefix: str, messages: list[dict[str, str]], middle: str = "") -> dict[str, str]:
    return {f"{prefix}.{n}{middle}.{key}": text for n, message in enumerate(messages) for key, text in message.items()}


def event(name: str, values: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "attributes": [{"key": key, "value": any_value(item)} for key, item in values.items()]}


PLACES: dict[str, tuple[dict[str, Any], list[dict[str, Any]]]] = {
    "new attributes": (chat([said("user", "Two and two?")], said("assistant", "Four."), gen_ai__tool__definitions=json.dumps([SCHEMA])), []),
    "new attributes as values": (
        {
            "gen_ai.operation.name": "chat",
            "gen_ai.input.messages": [said("user", "Two and two?")],
            "gen_ai.output.messages": [said("assistant", "Four.")],
            "gen_ai.tool.definitions": [SCHEMA],
        },
        [],
    ),
    "one event with all": (
        {"gen_ai.operation.name": "chat"},
        [
            event(
                "gen_ai.client.inference.operation.details",
                {
                    "gen_ai.input.messages": [said("user", "Two and two?")],
                    "gen_ai.output.messages": [said("assistant", "Four.")],
                    "gen_ai.tool.definitions": [SCHEMA],
                },
            )
        ],
    ),
    "an event for each message": (
        {"gen_ai.operation.name": "chat", "gen_ai.tool.definitions": json.dumps([SCHEMA])},
        [
            event("gen_ai.user.message", {"gen_ai.system": "x", "content": "Two and two?"}),
            event("gen_ai.choice", {"index": 0, "message": {"role": "assistant", "content": "Four."}}),
        ],
    ),
    "a list of events": (
        {
            "gen_ai.operation.name": "chat",
            "gen_ai.tool.definitions": json.dumps([SCHEMA]),
            "events": json.dumps(
                [
                    {"event.name": "gen_ai.user.message", "gen_ai.message.index": 0, **ASK},
                    {"event.name": "gen_ai.choice", "index": 0, "message": ANSWER},
                ]
            ),
        },
        [],
    ),
    "numbered prompts": (
        {
            "llm.request.type": "chat",
            **flat("gen_ai.prompt", [ASK]),
            **flat("gen_ai.completion", [ANSWER]),
            "llm.request.functions.0.name": "add",
            "llm.request.functions.0.parameters": '{"type": "object"}',
        },
        [],
    ),
    "numbered messages": (
        {
            "openinference.span.kind": "LLM",
            **flat("llm.input_messages", [ASK], ".message"),
            **flat("llm.output_messages", [ANSWER], ".message"),
            "llm.tools.0.tool.json_schema": json.dumps(SCHEMA),
        },
        [],
    ),
    "old events": (
        {"gen_ai.operation.name": "chat", "tools": json.dumps([SCHEMA])},
        [
            event("gen_ai.content.prompt", {"gen_ai.prompt": json.dumps([ASK])}),
            event("gen_ai.content.completion", {"gen_ai.completion": json.dumps([ANSWER])}),
        ],
    ),
    "AI SDK": (
        {
            "ai.operationId": "ai.generateText.doGenerate",
            "ai.prompt.messages": json.dumps([{"role": "user", "content": [{"type": "text", "text": "Two and two?"}]}]),
            "ai.response.text": "Four.",
            "ai.prompt.tools": [json.dumps(SCHEMA)],
        },
        [],
    ),
    "whole request and response": (
        {
            "openinference.span.kind": "LLM",
            "input.value": json.dumps({"messages": [ASK], "tools": [SCHEMA]}),
            "output.value": json.dumps({"id": "r1", "choices": [{"message": ANSWER}]}),
        },
        [],
    ),
}
"""Attributes and events of the same call in each place that recorders use."""


@pytest.mark.parametrize("place", PLACES)
def test_the_same_call_is_read_from_every_place(place: str):
    values, events = PLACES[place]
    session = read_session(data(request(span("a", values, events=events))))
    (thread,) = session.threads
    (call,) = thread.calls
    assert [(m.role, m.text) for m in thread.messages] == [("user", "Two and two?"), ("assistant", "Four.")]
    assert (call.messages(), call.reply, call.known, call.tools) == ((0,), 1, "recorded", 0)
    assert thread.tool_sets[0][0]["function"]["name"] == "add"
    assert session.level == "full requests"
    assert session.not_recorded == ("system prompt",)


def test_system_instructions_stand_in_front_once():
    """A recorder may give them as a message too."""
    rules = json.dumps([{"type": "text", "content": "Be brief."}])
    apart = read_session(data(request(span("a", chat([said("user", "Hi")], gen_ai__system_instructions=rules)))))
    both = read_session(data(request(span("a", chat([said("system", "Be brief."), said("user", "Hi")], gen_ai__system_instructions=rules)))))
    assert texts(apart, 0) == texts(both, 0) == ["Be brief.", "Hi"]


def test_results_under_the_user_role_are_results_one_by_one():
    """One message of a user with two results and a question is three messages."""
    asked = {"role": "assistant", "parts": [{"type": "tool_call", "id": f"c{n}", "name": "add", "arguments": {"n": n}} for n in (1, 2)]}
    results = [{"type": "tool_call_response", "id": "c1", "response": "one"}, {"type": "tool_call_response", "id": "c2", "result": {"n": 2}}]
    given = {"role": "user", "parts": [*results, {"type": "text", "content": "So?"}]}
    (thread,) = read_session(data(request(span("a", chat([said("user", "Add."), asked, given]))))).threads
    assert [m.role for m in thread.messages] == ["user", "assistant", "tool", "tool", "user"]
    assert [(r.call_id, r.text) for m in thread.messages for r in m.results] == [("c1", "one"), ("c2", '{"n":2}')]


@pytest.mark.parametrize(
    "blob",
    [
        {"type": "blob", "mime_type": "image/png", "modality": "image", "content": "iVBORw0KGgo" * 400},
        {"type": "binary", "media_type": "image/png", "content": "iVBORw0KGgo" * 400},
        {"type": "uri", "uri": "https://example.org/iVBORw0KGgo.png"},
        {"type": "image-url", "url": "https://example.org/iVBORw0KGgo.png"},
    ],
    ids=lambda part: part["type"],
)
def test_an_image_is_media_and_never_text(blob: dict[str, Any]):
    (thread,) = read_session(data(request(span("a", chat([{"role": "user", "parts": [{"type": "text", "content": "See"}, blob]}]))))).threads
    assert [p.kind for p in thread.messages[0].parts] == ["text", "media"]
    assert "iVBOR" not in thread.messages[0].text


def test_a_note_of_the_program_is_no_person_s_message():
    note = said("user", "<system-reminder>The file changed.</system-reminder>")
    (thread,) = read_session(data(request(span("a", chat([said("user", "Hi"), note]))))).threads
    assert [m.injected for m in thread.messages] == ["", "reminder"]
    assert thread.calls[0].turn == 1


def test_log_records_of_a_span_are_its_messages():
    values = {"gen_ai.operation.name": "chat", "gen_ai.response.id": "r1"}
    records = [
        log_record("gen_ai.user.message", {"content": "Add."}, span_id="a"),
        log_record("gen_ai.assistant.message", {"tool_calls": [{"id": "c1", "function": {"name": "add", "arguments": "{}"}}]}, span_id="a"),
        log_record("gen_ai.tool.message", {"id": "c1", "content": "3"}, span_id="a"),
        log_record("gen_ai.choice", {"index": 0, "message": {"role": "assistant", "content": "Three."}}, span_id="a"),
    ]
    session = read_session(data(request(span("a", values)), log_request(*records)))
    (thread,) = session.threads
    assert [m.role for m in thread.messages] == ["user", "assistant", "tool", "assistant"]
    assert thread.messages[2].results[0].call_id == thread.messages[1].calls[0].id == "c1"
    assert (session.ledger.records, session.ledger.read) == (5, 5)


# Usage


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"input_tokens": 100, "output_tokens": 9, "cache_read.input_tokens": 80}, Usage(input_tokens=100, output_tokens=9, cache_read_tokens=80)),
        ({"prompt_tokens": 100, "completion_tokens": 9}, Usage(input_tokens=100, output_tokens=9)),
        (
            {"input_tokens": 6, "output_tokens": 9, "cache_read_input_tokens": 80, "cache_creation_input_tokens": 4},
            Usage(input_tokens=90, output_tokens=9, cache_read_tokens=80, cache_write_tokens=4),
        ),
        ({"input_tokens": 0, "output_tokens": 0}, None),
    ],
)
def test_counts_have_one_meaning(given: dict[str, int], expected: Usage | None):
    """Input holds the cached tokens: more cached than given shows that they were left out; zeros stand for nothing recorded."""
    values = chat([said("user", "Hi")], **{f"gen_ai__usage__{key.replace('.', '__')}": n for key, n in given.items()})
    session = read_session(data(request(span("a", values))))
    assert session.threads[0].calls[0].usage == expected


def test_leaves_are_counted_and_the_root_is_compared():
    """COUNT-16: 40+6 and 52+8; the root's 92 and 14 are the same tokens again, and so are those of the tool around the second call."""
    session = read_session(CASES / "COUNT-16.json")
    assert sorted(usages(session)) == [(40, 6), (52, 8)]
    assert any("92 tokens in and 14 out, which agrees with the 92 and 14 of the 2 calls" in note for note in session.notes)
    assert session.ledger.records == 4
    assert sums_up(session)


def test_a_root_that_counts_something_else_is_said_to_differ():
    root = span("r", {"gen_ai.operation.name": "invoke_agent", "gen_ai.usage.input_tokens": 50, "gen_ai.usage.output_tokens": 5})
    call = span("a", chat([said("user", "Hi")], gen_ai__usage__input_tokens=40, gen_ai__usage__output_tokens=5), parent="r")
    session = read_session(data(request(root, call)))
    assert any("differs from the 40 and 5" in note for note in session.notes)


# Calls told twice


def test_a_call_that_two_recorders_tell_of_is_one():
    """The framework's span holds the client's in time, not as its child: same trace, same messages."""
    outer = span("a", {"openinference.span.kind": "LLM", **flat("llm.input_messages", [ASK], ".message"), "llm.token_count.prompt": 7}, seconds=2)
    inner = span("b", {"openinference.span.kind": "LLM", **flat("llm.input_messages", [ASK], ".message")}, start=0.5)
    session = read_session(data(request(outer, scope="framework"), request(inner, scope="client")))
    (thread,) = session.threads
    assert [(c.id, c.usage.input_tokens if c.usage else None) for c in thread.calls] == [("b", 7)]
    assert dict(session.ledger.skipped) == {"span that repeats the call in it": 1}


def test_the_same_question_asked_twice_is_two_calls():
    calls = [span(key, {"openinference.span.kind": "LLM", **flat("llm.input_messages", [ASK], ".message")}, start=n) for n, key in enumerate("ab")]
    assert len(read_session(data(request(*calls))).threads[0].calls) == 2


def test_a_wrapper_over_several_calls_is_none():
    wrapper = span("w", {"gen_ai.operation.name": "chat"}, seconds=9)
    calls = [span(f"c{n}", chat([said("user", f"Question {n}")]), parent="w", start=n) for n in range(2)]
    session = read_session(data(request(wrapper, *calls)))
    assert sum(len(t.calls) for t in session.threads) == 2


# Threads and conversations


def agent(id: str, parent: str = "", **more: Any) -> dict[str, Any]:
    return span(id, {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": id}, parent=parent, **more)


def test_an_agent_inside_an_agent_is_a_thread_of_its_own_linked_to_the_call_that_started_it():
    first, second = [said("user", "Plan a trip.")], [said("user", "Plan a trip."), said("assistant", "I ask the guide."), said("user", "Go on.")]
    session = read_session(
        data(
            request(
                agent("planner", seconds=9),
                span("p1", chat(first, said("assistant", "I ask the guide.")), parent="planner", start=1),
                agent("guide", "planner", start=3),
                span("g1", chat([said("user", "What is in Rome?")], said("assistant", "Much.")), parent="guide", start=3),
                span("p2", chat(second, said("assistant", "Done.")), parent="planner", start=5),
            )
        )
    )
    assert [(t.kind, t.title, len(t.calls)) for t in session.threads] == [("main", "", 2), ("agent", "guide", 1)]
    assert (session.threads[1].parent, session.threads[1].parent_call) == (session.threads[0].id, 0)


def test_traces_of_one_conversation_are_one_session_and_others_are_not():
    def turn(trace: str, conversation: str, *questions: str) -> dict[str, Any]:
        values = chat([said("user", q) for q in questions], gen_ai__conversation__id=conversation)
        return request(span(trace, values, trace=trace, start=len(questions)))

    sessions = read_sessions(data(turn("t1", "one", "a"), turn("t2", "two", "x"), turn("t3", "one", "a", "b")))
    assert [(s.id, [len(t.calls) for t in s.threads]) for s in sessions] == [("one", [2]), ("two", [1])]
    assert all(map(sums_up, sessions))


def test_a_circle_of_parents_ends():
    session = read_session(data(request(span("a", chat([said("user", "Hi")]), parent="b"), span("b", {}, parent="c"), span("c", {}, parent="b"))))
    assert len(session.threads[0].calls) == 1


# Loss


def conversation(rounds: int) -> list[dict[str, Any]]:
    """Numbered attributes of each call of a growing conversation with tools, oldest attribute first as the recorder wrote them."""
    history: list[dict[str, Any]] = [{"role": "system", "content": "Be exact."}, {"role": "user", "content": "Count the files."}]
    calls: list[dict[str, Any]] = []
    for number in range(rounds):
        asked = [(f"c{number}-{n}", json.dumps({"path": f"folder {number}/{n}"})) for n in range(3)]
        values: dict[str, Any] = {"llm.tools.0.tool.json_schema": json.dumps(SCHEMA)}
        for place, message in enumerate(history):
            values |= {f"llm.input_messages.{place}.message.{key}": text for key, text in message.items()}
        reply = {"role": "assistant"}
        for n, (key, arguments) in enumerate(asked):
            before = f"tool_calls.{n}.tool_call"
            reply |= {f"{before}.id": key, f"{before}.function.name": "list", f"{before}.function.arguments": arguments}
        values |= {f"llm.output_messages.0.message.{key}": text for key, text in reply.items()}
        calls.append({**values, "openinference.span.kind": "LLM"})
        history = [*history, reply, *({"role": "tool", "tool_call_id": key, "content": f"{key}: 7 files"} for key, _ in asked)]
    return calls


def recorded(calls: list[dict[str, Any]], limit: int) -> Session:
    """The calls as a recorder with a limit keeps them: the newest attributes of each."""
    spans = []
    for number, values in enumerate(calls):
        kept = dict(list(values.items())[-limit:])
        spans.append(span(f"s{number}", kept, start=number, droppedAttributesCount=len(values) - len(kept)))
    return read_session(data(request(*spans)))


@pytest.mark.parametrize("limit", [40, 41, 42, 43, 44, 45, 50, 64])
def test_what_a_recorder_dropped_is_put_back_from_the_call_before(limit: int):
    """Whatever attribute the cut falls on, every context equals that of the trace without a limit."""
    calls = conversation(8)
    whole, cut = recorded(calls, 10**6), recorded(calls, limit)
    assert [texts(cut, n) for n in range(8)] == [texts(whole, n) for n in range(8)]
    assert [[m.calls for m in t.messages] for t in cut.threads] == [[m.calls for m in t.messages] for t in whole.threads]
    lost = [len(values) > limit for values in calls]
    assert [call.known for call in cut.threads[0].calls] == ["reconstructed" if n else "recorded" for n in lost]
    assert {call.tools for call in cut.threads[0].calls} == {0}
    assert any("OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT" in note for note in cut.notes)


def test_what_cannot_be_put_back_is_said():
    """The first call of the trace lost its beginning: nothing before it holds it."""
    values = {f"llm.input_messages.{n}.message.{key}": text for n in (4, 5) for key, text in ASK.items()}
    session = read_session(data(request(span("a", {**values, "openinference.span.kind": "LLM"}, droppedAttributesCount=12))))
    (call,) = session.threads[0].calls
    assert "messages_lost" in call.flags
    assert call.known == "reconstructed"
    assert any("for 1 nothing could be put back" in note for note in session.notes)


def test_a_history_that_contradicts_what_is_left_is_not_used():
    """33 attributes reach back to message 5 of the third call, which the second call holds too: with another text it is not the same history."""
    calls = conversation(3)
    assert "messages_lost" not in recorded(calls, 33).threads[-1].calls[-1].flags
    calls[2] = {**calls[2], "llm.input_messages.5.message.content": "someone else's"}
    session = recorded(calls, 33)
    lost = [call for thread in session.threads for call in thread.calls if "messages_lost" in call.flags]
    assert [call.message_count for call in lost] == [5]


def test_calls_without_content_are_listed_with_the_switch_that_keeps_it():
    values = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m-1"}
    session = read_session(data(request(*(span(f"s{n}", values, start=n) for n in range(3)))))
    (thread,) = session.threads
    assert [(c.message_count, c.known) for c in thread.calls] == [(0, "reconstructed")] * 3
    assert session.not_recorded == ("messages", "system prompt", "tool definitions")
    assert session.level == "message list only"
    assert any("CAPTURE_MESSAGE_CONTENT" in note for note in session.notes)


def test_a_trace_without_a_model_call_is_refused_with_what_was_looked_for():
    with pytest.raises(UnreadableFile, match=r"no span of the trace is a model call.*gen_ai\.operation\.name=chat"):
        read_session(data(request(agent("helper"), span("t", {"gen_ai.operation.name": "execute_tool"}, parent="helper"))))


BROKEN = [None, 7, "x", [], {}, {"key": 1}, [None], {"values": 3}]


@pytest.mark.parametrize("key", ["resource", "scopeSpans", "spans", "attributes", "events", "traceId", "spanId", "startTimeUnixNano", "status"])
@pytest.mark.parametrize("value", BROKEN, ids=str)
def test_a_value_of_the_wrong_kind_never_raises_anything_else(key: str, value: Any):
    """Every field of a span in turn holds what it should not."""

    def broken(entry: Any) -> Any:
        if isinstance(entry, dict):
            return {k: value if k == key else broken(v) for k, v in entry.items()}
        return [broken(v) for v in entry] if isinstance(entry, list) else entry

    good = request(span("b", chat([said("user", "Hi")])))
    bad = broken(request(span("a", chat([said("user", "Hi")], said("assistant", "Ho")), events=[event("gen_ai.choice", {})], status={"code": 2})))
    session = read_session(data(good, bad))
    assert sums_up(session)


# Real files


def test_a_session_that_two_recorders_wrote_down_has_three_calls(shared: Path):
    """29 spans, 3 of the client (ChatCompletion) and 3 of the framework (ChatOpenAI); the client's requests hold 2, 4 and 6 messages."""
    values = json.loads((shared / "corpus/openinference_otlp/quo_tav_agent.otlp.json").read_text())
    names = [s["name"] for v in values for r in v["resourceSpans"] for g in r["scopeSpans"] for s in g["spans"]]
    assert (len(names), names.count("ChatCompletion"), names.count("ChatOpenAI")) == (29, 3, 3)
    session = read_session(shared / "corpus/openinference_otlp/quo_tav_agent.otlp.json")
    (thread,) = session.threads
    assert [c.message_count for c in thread.calls] == [2, 4, 6]
    assert [c.reply for c in thread.calls] == [2, 4, 6]
    assert all(len(c.id) > 20 and c.id.startswith("chatcmpl-") for c in thread.calls)
    assert len(thread.tool_sets[0]) == 2
    assert sums_up(session)


def test_calls_told_by_a_framework_and_by_its_client_inside_are_counted_once(shared: Path):
    """17 spans, 4 of kind inference.framework with content and counts, each around one without."""
    path = shared / "corpus/otel_genai/monocle_web_research_ev_battery.json"
    spans = [s for s in json.loads(path.read_text()) if s["attributes"].get("span.type") == "inference.framework"]
    counts = [next(e["attributes"] for e in s["events"] if e["name"] == "metadata") for s in spans]
    session = read_session(path)
    assert usages(session) == [(c["prompt_tokens"], c["completion_tokens"]) for c in counts]
    assert [c.message_count for c in session.threads[0].calls] == [2, 4, 8, 11]
    assert len(session.threads) == 1


def test_spans_of_tools_alone_are_refused(shared: Path):
    with pytest.raises(UnreadableFile, match="no span of the trace is a model call"):
        read_session(shared / "corpus/otel_genai/vs_copilot_sample-1.otlp.jsonl")


@pytest.mark.parametrize("name", ["openinference_otlp/gen_openinference_chat.otlp.json", "otel_genai/gen_openllmetry_old_chat.otlp.json"])
def test_twelve_of_fourteen_real_calls_lost_attributes_and_are_marked(shared: Path, name: str):
    value = json.loads((shared / "corpus" / name).read_text())
    dropped = [s.get("droppedAttributesCount", 0) for r in value["resourceSpans"] for g in r["scopeSpans"] for s in g["spans"]]
    assert sum(n > 0 for n in dropped) == 12
    (thread,) = read_session(shared / "corpus" / name).threads
    assert [c.known for c in thread.calls] == ["recorded"] * 2 + ["reconstructed"] * 12
