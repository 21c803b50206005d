"""Recorded calls of any provider, in the order of their requests, collected into one session."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from ctxcore.model import Event, Json, Level, Problem, SourceRef, Text
from ctxcore.readers.anthropic_edits import apply_edits, has_server_state
from ctxcore.readers.bodies import (
    Pair,
    call_of,
    is_token_count,
    lost_entries,
    messages_of,
    provider_of,
    reply_in,
    tools_in,
)
from ctxcore.readers.build import ThreadDraft
from ctxcore.readers.protocol import SessionDraft
from ctxcore.readers.request_log import RequestLog
from ctxcore.readers.responses_log import ResponsesLog, answers_thread, history_notes
from ctxcore.readers.retold import retells
from ctxcore.readers.said import make_message, provider_of_message, shared_form
from ctxcore.readers.values import items, mapping, object_in, text

NO_CALL = "no model call"
TOKEN_COUNT = "count of tokens, no model call"  # noqa: S105 - tokens of a model

WINDOW = 16
"""Calls held back to put those that ran side by side into the order of their requests. Source: format notes, 2.0.7."""

TELLING_CHARS = 24
"""A shorter argument may stand in a first message by chance."""

T = TypeVar("T")


def in_order(values: Iterable[T], start: Callable[[T], float | None]) -> Iterator[T]:
    """The values by their start within a window of ``WINDOW``; those without a time keep their place."""
    waiting: list[tuple[float, int, T]] = []
    newest = 0.0
    for number, value in enumerate(values):
        newest = start(value) or newest
        heapq.heappush(waiting, (newest, number, value))
        if len(waiting) > WINDOW:
            yield heapq.heappop(waiting)[2]
    while waiting:
        yield heapq.heappop(waiting)[2]


@dataclass(slots=True)
class BodyLog:
    """A session under construction."""

    log: RequestLog = field(default_factory=lambda: RequestLog(make_message, shared_form, shape=provider_of_message, retells=retells))
    responses: ResponsesLog = field(init=False)
    edited: dict[str, Mapping[str, Json]] = field(default_factory=dict)
    """Answers by call id in which the provider changed the context."""
    alone: list[tuple[Mapping[str, Json], SourceRef]] = field(default_factory=list)
    """Answers of Responses without their request."""
    requests: int = 0
    replies: int = 0
    bad: int = 0
    """Entries of message lists that are no objects."""
    bare: str = ""
    """Id of the newest call of which only counts are known."""

    def __post_init__(self) -> None:
        self.responses = ResponsesLog(log=self.log)

    def add(self, pair: Pair) -> str:
        """One call; why it was not used, or an empty string."""
        if is_token_count(pair.answer):
            return TOKEN_COUNT
        provider = provider_of(pair)
        request, answer = mapping(pair.request), mapping(pair.answer)
        if not provider:
            if answer.get("object") == "conversation" and not answer.get("deleted"):
                self.responses.start(text(answer.get("id")), items(request.get("items")))
            return NO_CALL
        self.requests += bool(request)
        if provider == "responses":
            self._add_response(pair, request, answer)
            return ""
        call = replace(call_of(provider, pair), tools=self.log.tools(tools_in(provider, request)))
        reply = None if "failed" in call.flags else reply_in(provider, answer)
        self.replies += reply is not None
        self.bad += lost_entries(request)
        if has_server_state(answer):
            self.edited[call.id] = answer
        self.log.add(messages_of(provider, request), reply, call)
        return ""

    def add_bare(self, pair: Pair) -> None:
        """A call of which neither messages nor an answer are known; all such are one thread."""
        call = call_of("", pair)
        self.log.add([], None, call, after=self.bare)
        self.bare = call.id or self.bare

    def _add_response(self, pair: Pair, request: Mapping[str, Json], answer: Mapping[str, Json]) -> None:
        if not request:
            self.alone.append((answer, pair.source))
            return
        known = answer if answer.get("output") is not None or answer.get("status") else {}
        flags = tuple(word for word, holds in (("failed", pair.failed or (bool(pair.answer) and not known)), ("incomplete", pair.cut)) if holds)
        self.bad += self.responses.add(request, known, pair.source, pair.at, flags=flags)

    def threads(self) -> list[ThreadDraft]:
        """The threads, main first; those that a tool call of another one started are linked to it."""
        threads = self.log.threads()
        if self.alone:
            threads.append(answers_thread(self.alone, self.log))
            threads[-1].kind = "side" if len(threads) > 1 else "main"
        link_started(threads)
        return threads or [ThreadDraft(id="main")]

    def finish(self, draft: SessionDraft) -> SessionDraft:
        """Threads, level, what is missing and why, put into the draft."""
        draft.threads = self.threads()
        draft.tool_sets = self.log.tool_sets
        edits = [apply_edits(thread, self.edited) for thread in draft.threads]
        for thread in draft.threads:
            note_models(thread)
        draft.level = self._level(server_state=any(edits) or self.responses.at_provider)
        draft.not_recorded = (*not_recorded(draft.threads, self.log.tool_sets), *self._lost_parts())
        draft.notes += history_notes(self.responses)
        if self.alone:
            draft.notes.append(f"{len(self.alone)} answers stand without their request; their recorded input tokens are the true size.")
        if self.bad:
            draft.problems.append(Problem(what=f"{self.bad} entries of message lists are not objects and were left out.", kind="not_an_object"))
        return draft

    def _level(self, *, server_state: bool) -> Level:
        if server_state:
            return "server-side state"
        if self.requests:
            return "full requests" if self.replies + self.responses.answered else "requests only"
        return "message list only"

    def _lost_parts(self) -> Iterator[str]:
        if self.responses.lost:
            yield "earlier messages"
        if self.alone:
            yield "input"


def not_recorded(threads: Sequence[ThreadDraft], tool_sets: Sequence[Sequence[Json]]) -> tuple[str, ...]:
    """Parts of a request that no message and no tool set shows."""
    has_system = any(message.role in ("system", "developer") for thread in threads for message in thread.messages)
    return tuple(word for word, known in (("system prompt", has_system), ("tool definitions", bool(tool_sets))) if not known)


def note_models(thread: ThreadDraft) -> None:
    """An event wherever a thread goes on with another model."""
    before = ""
    for number, call in enumerate(thread.calls):
        if call.model and before and call.model != before:
            thread.events.append(Event(kind="model_changed", call=number, at=call.at, source=call.source, note=f"From {before} to {call.model}."))
        before = call.model or before
    thread.events.sort(key=lambda event: event.call)


def link_started(threads: Sequence[ThreadDraft]) -> None:
    """Mark threads whose first message from the user is an argument of another thread's tool call: that call started an agent."""
    if len(threads) < 2:
        return
    asked = _asked(threads)
    for thread in threads[1:]:
        opening = next((message for message in thread.messages if message.role == "user"), None)
        words = [part.text.strip() for part in opening.parts if isinstance(part, Text)] if opening else []
        found = next((asked[word] for word in reversed(words) if word in asked), None)
        if found is None or found[0] is thread:
            continue
        parent, call, title = found
        thread.kind, thread.parent, thread.parent_call, thread.title = "agent", parent.id, call, thread.title or title


def _asked(threads: Sequence[ThreadDraft]) -> dict[str, tuple[ThreadDraft, int, str]]:
    """Long texts that a model gave a tool: the thread, the call, and what the tool call calls itself."""
    found: dict[str, tuple[ThreadDraft, int, str]] = {}
    for thread in threads:
        for number, call in enumerate(thread.calls):
            for asked in thread.messages[call.reply].calls if call.reply is not None else ():
                arguments = object_in(asked.arguments)
                title = text(arguments.get("description")) or text(arguments.get("subagent_type")) or asked.name
                for value in arguments.values():
                    if isinstance(value, str) and len(value.strip()) >= TELLING_CHARS:
                        found.setdefault(value.strip(), (thread, number, title))
    return found
