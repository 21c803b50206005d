"""Cline and Roo Code: a task's two files together or alone, condensings, tools in text, and sessions of the SDK."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from ctxcore import Session, read_session
from ctxcore.errors import UnreadableFile
from ctxcore.readers.detect import read_uploads

DETAILS = {"type": "text", "text": "<environment_details>\n# Current Mode\n<model>m-1</model>\n</environment_details>"}


def user(*texts: str, ts: int | None = None, **more: Any) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "user", "content": [*({"type": "text", "text": t} for t in texts), DETAILS], **more}
    return message if ts is None else {**message, "ts": ts}


def model(words: str, *blocks: dict[str, Any], ts: int | None = None, **more: Any) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": [{"type": "text", "text": words}, *blocks], **more}
    return message if ts is None else {**message, "ts": ts}


def started(ts: int, request: str = "x", *, index: int | None = None, deleted: list[int] | None = None, **told: Any) -> dict[str, Any]:
    counts = {"tokensIn": 10, "tokensOut": 3, "cacheReads": 70, "cacheWrites": 20, **told}
    entry: dict[str, Any] = {"ts": ts, "type": "say", "say": "api_req_started", "text": json.dumps({"request": request, **counts})}
    entry |= {} if index is None else {"conversationHistoryIndex": index}
    return entry if deleted is None else {**entry, "conversationHistoryDeletedRange": deleted}


def say(ts: int, word: str, words: str = "", **more: Any) -> dict[str, Any]:
    return {"ts": ts, "type": "say", "say": word, "text": words, **more}


T = 1_759_331_561_000
TASK = say(T, "text", "Do it")


def packed(**files: Any) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, value in files.items():
            archive.writestr(f"task-1/{name}.json", json.dumps(value))
    return buffer.getvalue()


def task(api: Any, ui: Any) -> Session:
    return read_session(packed(api_conversation_history=api, ui_messages=ui), "task.zip")


def test_a_zipped_folder_is_one_session_with_the_usage_of_the_screen():
    api = [
        user("<task>\nDo it\n</task>", ts=T),
        model("Reading.\n<read_file>\n<path>a</path>\n</read_file>", ts=T + 2000),
        user("[read_file for 'a'] Result:", "content of a", ts=T + 2100),
        model("<attempt_completion>\n<result>ok", ts=T + 4000),
    ]
    session = task(api, [TASK, started(T + 10, apiProtocol="openai", tokensIn=100), started(T + 2200)])
    (thread,) = session.threads
    assert (session.format, session.id) == ("roo-code", "task-1")
    assert [c.messages() for c in thread.calls] == [(0,), (0, 1, 2)]
    assert [c.usage.input_tokens if c.usage else 0 for c in thread.calls] == [100, 100]
    assert [c.model for c in thread.calls] == ["m-1", "m-1"]
    assert [c.name for c in thread.messages[1].calls] == ["read_file"]
    assert thread.messages[2].results[0].text.endswith("content of a")
    assert [m.is_real_user for m in thread.messages] == [True, False, False, False]
    assert (session.ledger.records, session.ledger.read) == (2, 2)
    assert not session.problems


def test_results_as_text_answer_the_tool_blocks_before_them():
    use = {"type": "tool_use", "id": "t1", "name": "read_file", "input": {"path": "a"}}
    session = read_session(json.dumps([user("<task>Go</task>"), model("", use), user("[read_file for 'a'] Result:\nA"), model("Done")]).encode())
    (thread,) = session.threads
    assert session.format == "cline"
    assert [r.call_id for r in thread.messages[2].results] == ["t1"]
    assert not session.problems


def test_messages_of_the_program_alone_are_no_tasks():
    session = read_session(json.dumps([user("<task>Go</task>"), model("Hm"), user("[ERROR] You did not use a tool"), model("Ok")]).encode())
    assert [m.injected for m in session.threads[0].messages] == ["", "", "reminder", ""]


def test_a_call_that_left_no_reply_is_a_failed_one():
    api = [user("<task>Do it</task>", ts=T), model("Done", ts=T + 9000)]
    ui = [TASK, started(T + 10, cancelReason="streaming_failed", tokensIn=0, tokensOut=0, cacheReads=0, cacheWrites=0), started(T + 5000)]
    calls = task(api, ui).threads[0].calls
    assert [(c.flags, c.usage is None, c.messages()) for c in calls] == [(("failed", "no_reply"), True, (0,)), ((), False, (0,))]


def test_the_range_that_cline_deletes_is_not_sent():
    api = [user("<task>Do it</task>"), model("1", modelInfo={"modelId": "m-1"}), user("b"), model("2"), user("c"), model("3")]
    ui = [TASK | {"conversationHistoryIndex": -1}, started(T + 1, index=-1), started(T + 2, index=1), started(T + 3, index=3, deleted=[2, 3])]
    (thread,) = task(api, ui).threads
    assert [c.messages() for c in thread.calls] == [(0,), (0, 1, 2), (0, 1, 4)]
    assert [(e.kind, e.call) for e in thread.events] == [("compaction", 2)]


def test_calls_before_an_old_condensing_are_rebuilt_from_the_screen():
    """The history begins with the task, the summary, then what was kept; the two calls before are only on the screen."""
    api = [
        user("<task>Do it</task>", ts=T),
        {"role": "assistant", "content": "Summary of all.", "ts": T + 3000, "isSummary": True},
        user("[read_file for 'b'] Result:\nB", ts=T + 3000),
        model("Second", ts=T + 4000),
        user("Next", ts=T + 5000),
        model("Third", ts=T + 9000),
    ]
    condensed = {
        "ts": T + 6000,
        "type": "say",
        "say": "condense_context",
        "contextCondense": {"summary": "S", "prevContextTokens": 90, "newContextTokens": 9},
    }
    ui = [
        TASK,
        started(T + 10, "<task>Do it</task>"),
        say(T + 100, "text", "First"),
        {"ts": T + 110, "type": "ask", "ask": "tool", "text": '{"tool":"readFile"}'},
        started(T + 3100, "[read_file for 'b'] Result:\nB"),
        started(T + 5100, "Next"),
        condensed,
    ]
    session = task(api, ui)
    (thread,) = session.threads
    assert [c.flags for c in thread.calls] == [("rebuilt_from_screen",), ("rebuilt_from_screen",), ()]
    sent = [[thread.messages[i].text for i in c.messages()] for c in thread.calls]
    assert sent[0] == ["<task>Do it</task>"]
    assert sent[1] == ["<task>Do it</task>", "First", "[read_file for 'b'] Result:\nB"]
    assert [words.partition("\n")[0] for words in sent[2]] == [
        "<task>Do it</task>",
        "Summary of all.",
        "[read_file for 'b'] Result:",
        "Second",
        "Next",
    ]
    (event,) = thread.events
    assert (event.kind, event.call, event.before_tokens, event.after_tokens) == ("compaction", 2, 90, 9)
    assert thread.messages[event.summary or 0].injected == "summary"


def test_messages_that_a_later_summary_or_truncation_replaced_were_sent_before_it():
    api = [
        user("<task>Do it</task>", ts=1, condenseParent="k"),
        model("1", ts=2, condenseParent="k"),
        user("b", ts=3, condenseParent="k"),
        model("2", ts=4, condenseParent="k"),
        {"role": "user", "content": [{"type": "text", "text": "All so far."}], "ts": 5, "isSummary": True, "condenseId": "k"},
        user("c", ts=6, truncationParent="q"),
        model("3", ts=7, truncationParent="q"),
        {"role": "user", "content": "[truncated]", "ts": 8, "isTruncationMarker": True, "truncationId": "q"},
        user("d", ts=9),
        model("4", ts=10),
    ]
    (thread,) = read_session(json.dumps(api).encode()).threads
    assert [c.messages() for c in thread.calls] == [(0,), (0, 1, 2), (4, 5), (4, 7, 8)]
    assert [(e.kind, e.call, e.summary) for e in thread.events] == [("compaction", 2, 4), ("compaction", 3, None)]


def test_the_sidecar_alone_is_no_session():
    with pytest.raises(UnreadableFile):
        read_session(json.dumps({"files_in_context": [], "model_usage": []}).encode())


def test_entries_that_are_no_messages_are_never_fatal():
    api = [user("<task>Do it</task>"), 7, {"role": "assistant", "content": None}, {"role": None}, model("x")]
    ui = [TASK, {"ts": T, "type": "say", "say": "api_req_started", "text": "not json"}, started(T + 1)]
    session = read_session(packed(api_conversation_history=api, ui_messages=ui, task_metadata={"files_in_context": []}), "t.zip")
    assert session.ledger.records == session.ledger.read + sum(n for _, n in session.ledger.skipped)


def sdk(*messages: dict[str, Any]) -> Session:
    head = {"version": 1, "updated_at": "2026-07-16T23:40:16Z", "sessionId": "s", "system_prompt": "Be good."}
    return read_session(json.dumps({**head, "messages": list(messages)}).encode())


def test_a_session_of_the_sdk_has_its_system_prompt_and_input_with_the_cache():
    metrics = {"inputTokens": 50, "outputTokens": 4, "cacheReadTokens": 40, "cacheWriteTokens": 0}
    session = sdk(user("Hi"), model("Yo", metrics=metrics, modelInfo={"id": "m"}, id="a"))
    (call,) = session.threads[0].calls
    assert call.usage is not None
    assert (call.usage.input_tokens, call.message_count, call.model) == (50, 2, "m")
    assert session.not_recorded == ("tool definitions",)


def test_compactions_of_the_sdk():
    summary = user("Context summary: all", metadata={"kind": "compaction_summary", "tokensBefore": 900})
    (thread,) = sdk(summary, user("Hi"), model("Yo")).threads
    assert [(e.inferred, e.before_tokens, e.summary) for e in thread.events] == [(False, 900, 1)]
    (thread,) = sdk(user("a"), user("b"), user("c"), model("Yo")).threads
    assert [(e.inferred, e.call) for e in thread.events] == [(True, 0)]


# Real files


def folder(shared: Path, name: str) -> Session:
    files = sorted((shared / "corpus" / name).iterdir())
    (session,) = read_uploads([(f"{name}/{path.name}", path) for path in files]).sessions
    return session


def told(shared: Path, name: str) -> list[dict[str, Any]]:
    entries = json.loads((shared / "corpus" / name / "ui_messages.json").read_text())
    return [json.loads(e["text"]) for e in entries if e.get("say") == "api_req_started"]


@pytest.mark.parametrize(
    ("name", "calls", "rebuilt"),
    [
        ("cline/task_1769053680585", 47, 0),
        ("roo-code/natural-already-condensed", 32, 19),
        ("roo-code/natural-mini-uncondensed", 10, 0),
        ("roo-code/roocode_6a716972", 1, 0),
    ],
)
def test_every_call_on_the_screen_is_one_call(shared: Path, name: str, calls: int, rebuilt: int):
    """Calls are the api_req_started entries. The condensed task was condensed for its 20th call (the condensing is told while that one waits)."""
    entries = told(shared, name)
    (thread,) = folder(shared, name).threads
    assert len(thread.calls) == len(entries) == calls
    assert sum("rebuilt_from_screen" in c.flags for c in thread.calls) == rebuilt
    with_cache = any(e.get("apiProtocol") == "openai" for e in entries)
    keys = ("tokensIn",) if with_cache else ("tokensIn", "cacheReads", "cacheWrites")
    assert sum(c.usage.input_tokens or 0 for c in thread.calls if c.usage) == sum(e.get(k) or 0 for e in entries for k in keys)


def test_the_condensed_task(shared: Path):
    """One condensing from 124,669 to 57,960 tokens; the 20th call then holds task, summary, two kept messages and the new prompt;
    the 24th has a reply and no counts."""
    (thread,) = folder(shared, "roo-code/natural-already-condensed").threads
    (event,) = [e for e in thread.events if e.kind == "compaction"]
    assert (event.call, event.before_tokens, event.after_tokens) == (19, 124_669, 57_960)
    assert thread.calls[19].message_count == 5
    assert [i for i, c in enumerate(thread.calls) if c.usage is None] == [23]


def test_both_files_of_a_cline_task_agree(shared: Path):
    """The counts beside the replies and those on the screen are of the same calls: 47 with the same input and output."""
    alone = [read_session(shared / f"corpus/cline/task_1769053680585/{name}.json").threads[0] for name in ("api_conversation_history", "ui_messages")]
    first, second = ([(c.usage.input_tokens, c.usage.output_tokens) for c in t.calls if c.usage] for t in alone)
    assert first == second
    assert len(first) == 47
    together = folder(shared, "cline/task_1769053680585").threads[0]
    results = sum(len(m.results) for m in together.messages)
    assert results == 46


def test_real_sessions_of_the_sdk(shared: Path):
    """16, 4 and 1 assistant messages; the compacted ones say so."""
    names = ("clinesdk_session.messages", "clinesdk_basic.compaction_36KB", "clinesdk_agentic.compaction")
    threads = [read_session(shared / f"corpus/cline/{name}.json").threads[0] for name in names]
    assert [len(t.calls) for t in threads] == [16, 4, 1]
    assert [[e.inferred for e in t.events if e.kind == "compaction"] for t in threads] == [[], [True], [False]]
