"""Runs that ctxscope's own runtime recorded: every request as it was sent, and between them what happened to the plan.

One line per call or event; lines of several runs may alternate. Each run is a session with one thread, in which a new conversation (a step, a
checkpoint) is no changed history.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

from ctxcore.model import JournalEntry, Json, Level, SourceRef
from ctxcore.readers.bodies import Pair, call_of, messages_of, provider_of, reply_in, tools_in
from ctxcore.readers.body_log import not_recorded
from ctxcore.readers.build import NO_ID, ThreadDraft, without_made_ids
from ctxcore.readers.document import Document, Record
from ctxcore.readers.marks import majority
from ctxcore.readers.protocol import SessionDraft
from ctxcore.readers.request_log import RequestLog
from ctxcore.readers.said import make_message, provider_of_message, shared_form
from ctxcore.readers.values import mapping, seconds, text

MARK = "ctxscope_run"
"""Key of the version of a line."""


def is_run_line(value: Json) -> bool:
    """True for a whole line of a run: a call or an event; the time stands at its end."""
    record = mapping(value)
    is_marked = isinstance(record.get(MARK), int) and isinstance(record.get("run"), str) and "ts" in record
    return is_marked and (record.get("event") is not None or "request" in record)


class RunLog:
    """See the module."""

    name: ClassVar[str] = "ctxscope-run"
    family: ClassVar[str] = "agent logs"
    level: ClassVar[Level] = "full requests"
    detects: ClassVar[str] = "lines with ctxscope_run, run and ts, each an event or a request"

    def matches(self, document: Document, head: Sequence[Json]) -> bool:
        """See ``Reader.matches``."""
        return document.shape != "text" and majority(head, is_run_line)

    def read(self, documents: Sequence[Document]) -> list[SessionDraft]:
        """See ``Reader.read``."""
        return [draft for document in documents for draft in _read(document)]


def _read(document: Document) -> list[SessionDraft]:
    """A draft for each run, in order of their first lines."""
    runs: dict[str, _Run] = {}
    others = 0
    for record in document.records():
        if is_run_line(record.value):
            runs.setdefault(record.value["run"], _Run(record.value["run"])).add(document, record)
        else:
            others += 1
    drafts = [run.draft(document) for run in runs.values()]
    if drafts and others:
        drafts[0].skipped["no line of a run"] += others
    return drafts


@dataclass(slots=True)
class _Run:
    """One run while it is read."""

    name: str
    log: RequestLog = field(default_factory=lambda: RequestLog(make_message, shared_form, shape=provider_of_message))
    journal: list[JournalEntry] = field(default_factory=list)
    begins: set[int] = field(default_factory=set)
    """Calls that begin a conversation."""
    conversation: str | None = None
    newest: str = ""
    calls: int = 0
    replies: int = 0
    lines: int = 0

    def add(self, document: Document, record: Record) -> None:
        """A line of the run."""
        self.lines += 1
        value = record.value
        source = document.source(record)
        if "request" in value:
            self._add_call(value, source)
        else:
            at = seconds(value.get("ts"))
            self.journal.append(
                JournalEntry(event=text(value.get("event")), call=self.calls, at=at, facts=mapping(value.get("facts")), source=source)
            )

    def _add_call(self, value: Json, source: SourceRef) -> None:
        pair = Pair(request=value.get("request"), answer=value.get("response"), source=source, at=seconds(value.get("ts")))
        request, answer, provider = mapping(pair.request), mapping(pair.answer), provider_of(pair)
        call = call_of(provider, pair)
        call = replace(call, id=call.id or f"{NO_ID}{self.calls}", tools=self.log.tools(tools_in(provider, request)))
        reply = None if "failed" in call.flags else reply_in(provider, answer)
        if value.get("conversation") != self.conversation:
            self.begins.add(self.calls)
        self.log.add(messages_of(provider, request), reply, call, after=self.newest)
        self.conversation, self.newest = value.get("conversation"), call.id
        self.calls += 1
        self.replies += reply is not None

    def draft(self, document: Document) -> SessionDraft:
        """The run as a session."""
        (thread,) = self.log.threads() or [ThreadDraft(id="main")]
        thread.journal = self.journal
        thread.calls = [
            replace(call, flags=tuple(flag for flag in call.flags if flag != "history_changed" or call.index not in self.begins))
            for call in without_made_ids(thread.calls)
        ]
        thread.events = [event for event in thread.events if event.kind != "history_changed" or event.call not in self.begins]
        return SessionDraft(
            id=self.name,
            level="full requests" if self.replies else "requests only",
            threads=[thread],
            tool_sets=self.log.tool_sets,
            not_recorded=not_recorded([thread], self.log.tool_sets),
            used=self.lines,
            documents=(document,),
        )
