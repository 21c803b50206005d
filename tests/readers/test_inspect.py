"""Inspect logs: every model event of a sample is a recorded call, whatever the log's layout."""

from __future__ import annotations

import binascii
import io
import json
import struct
import zipfile
from pathlib import Path
from typing import Any

import pytest

from ctxcore import Session, read_session, read_sessions
from ctxcore.errors import UnreadableFile
from ctxcore.readers.detect import read_uploads

Value = dict[str, Any]


def zipped(files: dict[str, Any]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, value in files.items():
            archive.writestr(name, json.dumps(value))
    return buffer.getvalue()


def zstd_zipped(files: dict[str, Any]) -> bytes:
    """A zip by hand whose members have method 93. Source: PKWARE APPNOTE 4.3."""
    zstd = pytest.importorskip("backports.zstd")
    body, directory = b"", b""
    for name, value in files.items():
        data = json.dumps(value).encode()
        packed, label = zstd.compress(data), name.encode()
        fields = struct.pack("<HHHHHIIIHH", 20, 0, 93, 0, 0, binascii.crc32(data), len(packed), len(data), len(label), 0)
        directory += b"PK\x01\x02" + struct.pack("<H", 20) + fields + struct.pack("<HHHII", 0, 0, 0, 0, len(body)) + label
        body += b"PK\x03\x04" + fields + label + packed
    end = struct.pack("<HHHHIIH", 0, 0, len(files), len(files), len(directory), len(body), 0)
    return body + directory + b"PK\x05\x06" + end


HEADER = {"version": 2, "status": "success", "eval": {"task": "t", "model": "openai/m"}, "plan": {}, "results": {}, "stats": {}}


def said(role: str, content: Any, **more: Any) -> Value:
    return {"role": role, "content": content, **more}


def model(messages: list[Value], reply: Value | None, *, usage: Value | None = None, **more: Any) -> Value:
    output = {"model": "m-1", "choices": [{"message": reply, "stop_reason": "stop"}] if reply else [], **({"usage": usage} if usage else {})}
    return {"event": "model", "model": "openai/m", "timestamp": "2026-01-01T10:00:00Z", "input": messages, "tools": [], "output": output, **more}


def sample(events: list[Value], id: int = 1, **more: Any) -> Value:
    return {"id": id, "epoch": 1, "input": "q", "target": "a", "messages": [], "output": {}, "events": events, "attachments": {}, **more}


def log(*samples: Value) -> Value:
    return {**HEADER, "samples": list(samples)}


def read(*samples: Value) -> Session:
    return read_session(json.dumps(log(*samples)).encode(), "log.json")


def sent(session: Session, call: int, thread: int = 0) -> list[str]:
    found = session.threads[thread]
    return [found.messages[i].text for i in found.calls[call].messages()]


SYSTEM, TASK = said("system", "S", id="m0"), said("user", "Go", id="m1")
ASK = said(
    "assistant", "Look", id="m2", source="generate", tool_calls=[{"id": "c1", "function": "bash", "arguments": {"cmd": "ls"}, "type": "function"}]
)
SEEN = said("tool", "a.py", id="m3", tool_call_id="c1", function="bash")
DONE = said("assistant", "Done", id="m4")
TURNS = [model([SYSTEM, TASK], ASK), model([SYSTEM, TASK, ASK, SEEN], DONE)]


def test_model_events_are_recorded_calls_with_what_they_sent():
    session = read(sample(TURNS))
    (thread,) = session.threads
    assert session.format == "inspect"
    assert session.level == "full requests"
    assert [c.known for c in thread.calls] == ["recorded", "recorded"]
    assert sent(session, 1) == ["S", "Go", "Look", "a.py"]
    assert thread.messages[2].calls[0].arguments == '{"cmd":"ls"}'
    assert thread.messages[3].results[0].call_id == "c1"
    assert len(thread.messages) == 5
    assert thread.calls[0].at == 1_767_261_600


def test_a_reply_and_its_later_input_are_one_message_though_the_log_decorates_it():
    later = {**ASK, "id": "other", "model": "m", "tool_calls": [{**ASK["tool_calls"][0], "view": {"title": "bash"}}]}
    assert len(read(sample([TURNS[0], model([SYSTEM, TASK, later, SEEN], DONE)])).threads[0].messages) == 5


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        ({"input_tokens": 10, "output_tokens": 2, "total_tokens": 42, "input_tokens_cache_read": 30}, 40),
        ({"input_tokens": 40, "output_tokens": 2, "total_tokens": 42, "input_tokens_cache_read": 30}, 40),
        ({"input_tokens": 10, "output_tokens": 2, "total_tokens": 47, "input_tokens_cache_read": 30, "input_tokens_cache_write": 5}, 45),
    ],
)
def test_the_recorded_total_tells_whether_cached_tokens_are_in_the_input(usage: Value, tokens: int):
    assert read(sample([model([TASK], DONE, usage=usage)])).threads[0].calls[0].usage.input_tokens == tokens


def test_a_scorer_is_a_side_call_and_an_agent_a_thread_started_by_a_call():
    spans = [
        {"event": "span_begin", "id": "a", "type": "agent", "name": "main"},
        {"event": "span_begin", "id": "b", "type": "agent", "name": "helper", "parent_id": "a"},
        {"event": "span_begin", "id": "s", "type": "scorer", "name": "graded"},
    ]
    main = [{**turn, "span_id": "a"} for turn in TURNS]
    helper = model([said("user", "Sub task")], said("assistant", "Sub done"), span_id="b")
    grader = model([said("user", "Grade this")], said("assistant", "C"), span_id="s")
    session = read(sample([*spans, main[0], helper, main[1], grader]))
    assert [(t.kind, t.title, t.parent_call, len(t.calls)) for t in session.threads] == [
        ("main", "", None, 2),
        ("agent", "helper", 0, 1),
        ("side", "graded", None, 1),
    ]


def test_old_steps_tell_a_scorer_too():
    steps = [{"event": "step", "action": "begin", "type": "scorer", "name": "graded"}, model([said("user", "Grade")], DONE)]
    session = read(sample([*TURNS, *steps, {"event": "step", "action": "end", "type": "scorer", "name": "graded"}]))
    assert [(t.kind, t.title) for t in session.threads] == [("main", ""), ("side", "graded")]


def test_events_inside_a_tool_event_are_a_sub_agents():
    inner = {"event": "tool", "function": "research", "events": [model([said("user", "Find")], said("assistant", "Found"))]}
    session = read(sample([TURNS[0], inner, TURNS[1]]))
    assert [(t.kind, t.title, t.parent_call) for t in session.threads] == [("main", "", None), ("agent", "research", 0)]


def test_a_reply_from_the_cache_is_no_call_and_a_failed_one_is_flagged():
    failed = model([SYSTEM, TASK], None, error="overloaded", retries=2)
    session = read(sample([failed, *TURNS, {**TURNS[1], "cache": "read"}]))
    assert [c.flags for c in session.threads[0].calls] == [("failed", "retried", "no_reply"), (), ()]
    assert any("1 replies came from" in note for note in session.notes)


def test_a_failed_tool_call_sends_its_error():
    error = {**SEEN, "content": "", "error": {"type": "timeout", "message": "Timed out"}}
    session = read(sample([TURNS[0], model([SYSTEM, TASK, ASK, error], DONE)]))
    assert sent(session, 1)[3] == "Timed out"
    assert session.threads[0].messages[3].results[0].is_error is True


def test_a_recorded_compaction_is_an_event_of_the_next_call():
    compaction = {"event": "compaction", "type": "summary", "tokens_before": 900, "tokens_after": 100}
    session = read(sample([TURNS[0], compaction, model([SYSTEM, said("user", "Summary")], DONE)]))
    (event,) = [e for e in session.threads[0].events if e.kind == "compaction"]
    assert (event.call, event.before_tokens, event.after_tokens) == (1, 900, 100)


def test_images_and_reasoning_are_parts_not_text():
    parts = [{"type": "text", "text": "See"}, {"type": "image", "image": "data:image/png;base64,iVBORw0KGgo="}]
    reply = said("assistant", [{"type": "reasoning", "reasoning": "Hm"}, {"type": "text", "text": "Ok"}])
    (thread,) = read(sample([model([said("user", parts)], reply)])).threads
    assert [p.kind for m in thread.messages for p in m.parts] == ["text", "media", "reasoning", "text"]


def test_messages_without_model_events_are_a_conversation():
    session = read(sample([], messages=[SYSTEM, TASK, ASK, SEEN, DONE]))
    assert session.level == "message list only"
    assert [c.message_count for c in session.threads[0].calls] == [2, 4]


def test_a_list_of_messages_without_a_reply_shows_no_call():
    """What a sample keeps is no request: results at its end were not sent anywhere that the log tells of."""
    session = read(sample([], messages=[SYSTEM, TASK, ASK, SEEN]))
    assert [c.message_count for c in session.threads[0].calls] == [2]
    alone = read(sample([], messages=[SEEN, SEEN]))
    assert alone.threads[0].calls == ()
    assert any("no call to show" in note for note in alone.notes)


# Layouts of an archive: all give the same calls

POOL = [SYSTEM, TASK, ASK, SEEN]

LONG = said("user", "attachment://h1", id="m1")


def by_reference(event: Value, *ranges: list[int]) -> Value:
    return {**event, "input": [], "input_refs": list(ranges)}


REFERRED = [by_reference(TURNS[0], [0, 2]), by_reference(TURNS[1], [0, 2], [2, 4])]

PLAIN = {"header.json": HEADER, "samples/1_epoch_1.json": sample(TURNS), "summaries.json": [{"id": 1}]}
POOLED = {"header.json": HEADER, "samples/1_epoch_1.json": sample(REFERRED, message_pool=[SYSTEM, LONG, ASK, SEEN], attachments={"h1": "Go"})}
NEWER = {"header.json": HEADER, "samples/1_epoch_1.json": sample(REFERRED, events_data={"messages": POOL, "calls": []})}
UNFINISHED = {"_journal/start.json": {"version": 2, "eval": HEADER["eval"]}, "samples/1_epoch_1.json": sample(TURNS)}
CHUNKS = {
    "samples/1_epoch_1/events/stats.json": {"version": 1},
    "samples/1_epoch_1/messages/2.json": POOL[2:],
    "samples/1_epoch_1/events/1.json": REFERRED[1:],
    "header.json": HEADER,
    "samples/1_epoch_1/attachments/0.json": ["Go"],
    "samples/1_epoch_1/messages/0.json": [SYSTEM, {**TASK, "content": "attachment://0"}],
    "samples/1_epoch_1/events/0.json": REFERRED[:1],
    "samples/1_epoch_1/sample.json": {"id": 1, "epoch": 1},
}


@pytest.mark.parametrize("pack", [zipped, zstd_zipped], ids=["deflate", "zstd"])
@pytest.mark.parametrize("files", [PLAIN, POOLED, NEWER, UNFINISHED, CHUNKS], ids=["plain", "pooled", "newer", "unfinished", "chunks"])
def test_every_layout_gives_the_same_calls(files: Value, pack: Any):
    (session,) = read_sessions(pack(files), "a.eval")
    assert session.id == "1 epoch 1"
    assert [c.message_count for c in session.threads[0].calls] == [2, 4]
    assert sent(session, 1) == ["S", "Go", "Look", "a.py"]
    assert session.ledger.records == session.ledger.read + sum(n for _, n in session.ledger.skipped) == len(files)
    assert session.problems == ()


def test_every_sample_is_a_session_and_the_same_archive_twice_is_one():
    files = {"header.json": HEADER, **{f"samples/{n}_epoch_1.json": sample(TURNS, n) for n in (10, 2, 1)}}
    reading = read_uploads([("a.eval", zipped(files)), ("b.eval", zipped(files))])
    assert [s.id for s in reading.sessions] == ["1 epoch 1", "2 epoch 1", "10 epoch 1"]
    assert len({s.digest for s in reading.sessions}) == 3


def test_archives_in_a_zip_are_each_a_log():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as outer:
        outer.writestr("x/a.eval", zipped(PLAIN))
        outer.writestr("x/b.eval", zipped(CHUNKS))
        outer.writestr("chat.json", json.dumps({"messages": [said("user", "Hi"), said("assistant", "Yes")]}))
    sessions = read_sessions(buffer.getvalue(), "all.zip")
    assert sorted(s.format for s in sessions) == ["inspect", "inspect", "openai-chat"]


def test_a_damaged_member_is_named_and_the_others_are_read():
    data = bytearray(zstd_zipped({"header.json": HEADER, "samples/1_epoch_1.json": sample(TURNS), "samples/2_epoch_1.json": sample(TURNS, 2)}))
    place = data.rindex(b"samples/2_epoch_1.json", 0, data.index(b"PK\x01\x02")) + len("samples/2_epoch_1.json")
    data[place : place + 60] = bytes(60)
    (session,) = read_sessions(bytes(data), "a.eval")
    assert session.id == "1 epoch 1"
    assert any("2_epoch_1" in problem.what for problem in session.problems)


def test_a_log_without_samples_is_refused():
    with pytest.raises(UnreadableFile, match="no samples"):
        read_session(zipped({"header.json": HEADER, "_journal/start.json": {}}), "a.eval")
    with pytest.raises(UnreadableFile, match="no samples"):
        read()


@pytest.mark.parametrize(
    "bad",
    [
        None,
        3,
        {"event": "model"},
        {"event": "model", "input_refs": [[0]], "output": 5},
        {"event": "model", "input": [{}], "tools": [1]},
        {"event": "step"},
    ],
)
def test_odd_events_never_raise(bad: Any):
    session = read(sample([*TURNS, bad]))
    assert session.ledger.records == session.ledger.read == 2


# Real logs


def test_the_calls_of_real_samples_add_up_to_the_usage_that_the_log_counts(shared: Path):
    """sample.model_usage of every sample; 15 samples."""
    path = shared / "corpus" / "inspect" / "docent_agent_log.eval"
    with zipfile.ZipFile(path) as archive:
        samples = [json.loads(archive.read(name)) for name in archive.namelist() if name.startswith("samples/")]
    counted = {f"{s['id']} epoch {s['epoch']}": s["model_usage"]["openai/gpt-4o"] for s in samples}
    events = {f"{s['id']} epoch {s['epoch']}": sum(e["event"] == "model" for e in s["events"]) for s in samples}
    sessions = read_sessions(path)
    assert len(sessions) == len(counted) == 15
    for session in sessions:
        calls = [call for thread in session.threads for call in thread.calls]
        assert len(calls) == events[session.id]
        assert sum(c.usage.input_tokens for c in calls) == counted[session.id]["input_tokens"]
        assert all(call.known == "recorded" for call in calls)


def test_two_layouts_of_one_real_log_give_one_call_list(shared: Path):
    """9 calls of the agent and 1 of the scorer; model_usage: 8,066 input tokens beside 114,816 cached ones, 5,574 output."""
    folder = shared / "corpus" / "inspect"
    (one,) = read_sessions(folder / "tsmono_ais-decoder_zstd.eval")
    (two,) = read_sessions(folder / "tsmono_ais-decoder_chunked_zstd.eval")
    assert [len(t.calls) for t in one.threads] == [len(t.calls) for t in two.threads] == [9, 1]
    for thread, other in zip(one.threads, two.threads, strict=True):
        assert [[m.text for m in (t.messages[i] for i in c.messages())] for t in (thread,) for c in t.calls] == [
            [m.text for m in (t.messages[i] for i in c.messages())] for t in (other,) for c in t.calls
        ]
        assert [c.usage for c in thread.calls] == [c.usage for c in other.calls]
    calls = [call for thread in one.threads for call in thread.calls]
    assert sum(c.usage.input_tokens for c in calls) == 8_066 + 114_816
    assert sum(c.usage.output_tokens for c in calls) == 5_574
    assert not any("attachment://" in m.text for t in (*one.threads, *two.threads) for m in t.messages)


def test_events_that_only_refer_to_messages_have_their_inputs(shared: Path):
    """input_refs of the six events: [0, n] for n = 1, 3, … 11."""
    (session,) = read_sessions(shared / "corpus" / "inspect" / "inspect_msg_dedup.eval")
    assert [c.context for c in session.threads[0].calls] == [((0, n),) for n in (1, 3, 5, 7, 9, 11)]


def test_every_real_sample_of_a_graded_log_has_its_scorer_beside_it(shared: Path):
    sessions = read_sessions(shared / "corpus" / "inspect" / "scout_security-guide.eval")
    assert len(sessions) == 16
    assert all([(t.kind, len(t.calls)) for t in s.threads] == [("main", 1), ("side", 1)] for s in sessions)


def test_the_usage_of_a_real_older_log_holds_the_cached_tokens(shared: Path):
    """model_usage of the sample: 15,235 input tokens, 9,088 of them cached (each event's total is input and output)."""
    (session,) = read_sessions(shared / "corpus" / "inspect" / "inspect_browser_405KB.json")
    assert sum(c.usage.input_tokens for c in session.threads[0].calls) == 15_235
    assert [c.message_count for c in session.threads[0].calls] == [1, 3, 5, 7, 9]
