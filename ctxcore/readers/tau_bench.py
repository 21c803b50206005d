"""tau-bench results: a list of runs, each with its conversation as OpenAI Chat messages.

Source: tau-bench ``agents/*.py``, ``envs/base.py``; format notes 2.16.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from ctxcore.model import Json, Level, Message, ToolCall, ToolResult
from ctxcore.readers.build import ThreadDraft, conversation_calls
from ctxcore.readers.chat_message import chat_message
from ctxcore.readers.document import Document, Record
from ctxcore.readers.marks import majority
from ctxcore.readers.protocol import SessionDraft
from ctxcore.readers.values import items, mapping, text

LOOK_RUNS = 20
"""Runs that detection looks at."""

API_OUTPUT = "API output:"
"""How the text agents (act, react) begin what a tool gave back, in the user's role. Source: tau-bench ``agents/chat_react_agent.py``."""


class TauBench:
    """See the module."""

    name: ClassVar[str] = "tau-bench"
    family: ClassVar[str] = "agent logs"
    level: ClassVar[Level] = "message list only"
    detects: ClassVar[str] = "runs with task_id, reward and traj"

    def matches(self, document: Document, head: Sequence[Json]) -> bool:
        """See ``Reader.matches``."""
        if document.shape == "text" or not head:
            return False
        return majority(head[0][:LOOK_RUNS] if isinstance(head[0], list) else head, _is_run)

    def read(self, documents: Sequence[Document]) -> list[SessionDraft]:
        """See ``Reader.read``."""
        return [draft for document in documents for draft in _runs(document)]


def _is_run(value: Json) -> bool:
    run = mapping(value)
    return "task_id" in run and "reward" in run and isinstance(run.get("traj"), list)


def _runs(document: Document) -> list[SessionDraft]:
    """A session for each run; each is a record."""
    drafts: list[SessionDraft] = []
    others = count = 0
    for record in document.records():
        listed = isinstance(record.value, list)
        for number, value in enumerate(record.value if listed else [record.value]):
            count += 1
            if _is_run(value):
                drafts.append(_run(document, record, value, f"[{number}].traj" if listed else "traj"))
            else:
                others += 1
    for draft in drafts:
        draft.skipped.update({"not a run": others} if others else {})
    document.record_count = count + document.unreadable.total()
    return drafts


def _run(document: Document, record: Record, run: Mapping[str, Json], path: str) -> SessionDraft:
    thread = ThreadDraft(id="main")
    draft = SessionDraft(
        id=f"task {run['task_id']} trial {run.get('trial', 0)}", level=TauBench.level, threads=[thread], used=1, documents=(document,)
    )
    named = _unique_calls([entry for entry in items(run["traj"]) if isinstance(entry, dict)])
    for number, (entry, suffix) in enumerate(named):
        thread.add(_message(chat_message(entry, document.source(record, f"{path}[{number}]")), suffix))
    thread.calls = conversation_calls(thread.messages, asks=False)
    missing = [] if any(message.role == "system" for message in thread.messages) else ["system prompt"]
    draft.not_recorded = (*missing, "tool definitions", "usage", "times", "model")
    return draft


def _message(message: Message, suffix: str) -> Message:
    """The message with the ids of its calls made unique, and what a tool gave back in the user's role marked."""
    if message.role == "user" and message.text.startswith(API_OUTPUT):
        return replace(message, injected="meta")
    return message if not suffix else replace(message, parts=tuple(_renamed(part, suffix) for part in message.parts))


def _renamed(part: Json, suffix: str) -> Json:
    if isinstance(part, ToolCall) and part.id:
        return replace(part, id=part.id + suffix)
    if isinstance(part, ToolResult) and part.call_id:
        return replace(part, call_id=part.call_id + suffix)
    return part


def _unique_calls(entries: Sequence[Mapping[str, Json]]) -> Iterator[tuple[Mapping[str, Json], str]]:
    """Entries with what makes their call ids unique: a model may use one id again in a run, where the newest call is meant."""
    used: Counter[str] = Counter()
    for entry in entries:
        calls = [text(mapping(call).get("id")) for call in items(entry.get("tool_calls"))]
        used.update(set(calls))
        ids = calls or [text(entry.get("tool_call_id"))]
        times = max(used[call] for call in ids) if any(ids) else 0
        yield entry, f" (use {times})" if times > 1 else ""
