"""LangGraph: the state of a thread, or the history of its states; each new reply in a state is one call.

A message with the id of an earlier one replaces it, and a summary replaces what it sums up, so a call's input is the list of the state
that its reply first stands in. Source: format notes, 2.9.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

from ctxcore.model import Call, Event, JournalEntry, Json, Level, SourceRef
from ctxcore.readers.build import NO_ID, ThreadDraft, without_made_ids
from ctxcore.readers.dialects import normal_form, traced_message
from ctxcore.readers.document import Document
from ctxcore.readers.langchain import about, has_run
from ctxcore.readers.langchain_message import langchain_fields
from ctxcore.readers.marks import majority
from ctxcore.readers.protocol import SessionDraft
from ctxcore.readers.removals import summary_in, went
from ctxcore.readers.request_log import RequestLog
from ctxcore.readers.values import items, mapping, natural, seconds, text

PLAN_CHANNELS = ("todos", "plan", "past_steps", "input", "objective")
"""Channels of LangChain's todo middleware and of the plan-and-execute graphs; the first two make a plan."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A message of a state's list; the same message in the list of another state is equal to it."""

    value: Json
    source: SourceRef = field(compare=False)

    @property
    def fields(self) -> Mapping[str, Json]:
        """The message's own fields."""
        return mapping(langchain_fields(self.value))


def listed(values: Json, source: SourceRef) -> list[Listed]:
    """The messages of a list, each with its place in it.

    Args:
        values: The list, as recorded.
        source: Of the list.
    """
    return [
        Listed(value, replace(source, path=f"{source.path}[{number}]"))
        for number, value in enumerate(items(values))
        if langchain_fields(value) is not None
    ]


@dataclass(slots=True)
class State:
    """One recorded state."""

    thread: str
    namespace: str
    """Of the graph inside the graph; empty for the outermost."""
    step: float
    at: float | None
    messages: list[Listed]
    model: str
    source: SourceRef
    plan: Mapping[str, Json]
    """Channels of it that hold a plan."""


def plan_channels(values: Mapping[str, Json]) -> Mapping[str, Json]:
    """What a state says about a plan: the todo list that a tool keeps, or a plan with what is done of it."""
    found = {key: values[key] for key in PLAN_CHANNELS if values.get(key)}
    return found if any(key in found for key in PLAN_CHANNELS[:2]) else {}


def is_state(value: Json) -> bool:
    """True for a state: values and what is next, with its checkpoint or configuration."""
    record = mapping(value)
    return isinstance(record.get("values"), dict) and "next" in record and any(key in record for key in ("checkpoint", "config", "metadata"))


class LangGraph:
    """See the module."""

    name: ClassVar[str] = "langgraph"
    family: ClassVar[str] = "traces"
    level: ClassVar[Level] = "message list only"
    detects: ClassVar[str] = "values with messages and next, beside a checkpoint or config"

    def matches(self, document: Document, head: Sequence[Json]) -> bool:
        """See ``Reader.matches``."""
        if document.shape == "json" and isinstance(head[0], list):
            head = head[0][:200]
        return majority(head, is_state)

    def read(self, documents: Sequence[Document]) -> list[SessionDraft]:
        """See ``Reader.read``."""
        states: dict[str, list[State]] = defaultdict(list)
        files: dict[str, list[Document]] = defaultdict(list)
        for document in documents:
            _read(document, states, files)
        return [state_session(name, listed, files[name]) for name, listed in states.items()]


def _read(document: Document, states: dict[str, list[State]], files: dict[str, list[Document]]) -> None:
    count, lost, names = 0, 0, []
    for record in document.records():
        listed = isinstance(record.value, list)
        for number, value in enumerate(record.value if listed else [record.value]):
            count += 1
            if not is_state(value):
                lost += 1
                document.lost("An entry that is no state was left out.", record.line, "not_a_state", repr(value))
                continue
            state = _state(value, document.source(record, f"[{number}]" if listed else ""), count)
            states[state.thread].append(state)
            names.append(state.thread)
    for name in dict.fromkeys(names):
        files[name].append(document)
    document.record_count = count + document.unreadable.total() - lost


def _state(value: Mapping[str, Json], source: SourceRef, number: int) -> State:
    about_it = mapping(value.get("metadata"))
    place = mapping(mapping(value.get("config")).get("configurable")) or mapping(value.get("checkpoint"))
    step = natural(about_it.get("step"))
    return State(
        thread=text(place.get("thread_id")) or text(about_it.get("thread_id")) or text(value.get("thread_id")),
        namespace=text(place.get("checkpoint_ns")),
        step=float(step) if step is not None else -float(number),
        at=seconds(value.get("created_at")),
        messages=listed(mapping(value["values"]).get("messages"), replace(source, path=f"{source.path}.values.messages".lstrip("."))),
        model=text(about_it.get("model_name")),
        source=source,
        plan=plan_channels(mapping(value["values"])),
    )


def state_session(name: str, states: Sequence[State], documents: Sequence[Document]) -> SessionDraft:
    """The session of one thread of a graph: its own list of messages, and one for each graph inside it."""
    draft = SessionDraft(id=name, level="message list only", documents=documents)
    spaces: dict[str, list[State]] = defaultdict(list)
    for state in sorted(states, key=lambda s: (s.at or 0.0, s.step)):
        spaces[state.namespace].append(state)
    for space in sorted(spaces, key=lambda n: (n != "", n)):
        thread = _thread(spaces[space])
        thread.id = space or "main"
        thread.kind = "agent" if space else "main"
        thread.title = space.partition(":")[0]
        thread.parent = "main" if space and "" in spaces else ""
        draft.threads.append(thread)
    every = [message for thread in draft.threads for message in thread.messages]
    has_system = any(message.role == "system" for message in every[:1])
    draft.not_recorded = ("tool definitions",) if has_system else ("system prompt", "tool definitions")
    draft.used = len(states)
    return draft


def _thread(states: Sequence[State]) -> ThreadDraft:
    """Calls of the replies in the order they appear, each with the list that it first stands in."""
    log = RequestLog(lambda message, _: traced_message(message.value, message.source), lambda message: normal_form(message.value))
    seen: set[str] = set()
    last = ""
    plan: Mapping[str, Json] = {}
    journal: list[JournalEntry] = []
    for state in states:
        named = any(has_run(message.fields) for message in state.messages if message.fields.get("type") == "ai")
        for number, message in enumerate(state.messages):
            fields = message.fields
            key = text(fields.get("id")) or f"{number}"
            if fields.get("type") != "ai" or key in seen or (named and not has_run(fields)):
                continue
            seen.add(key)
            said = about(message.value)
            newest = number >= len(state.messages) - 1 - _results_after(state.messages, number)
            call = Call(
                index=0,
                context=(),
                known="reconstructed",
                model=said.model or state.model,
                usage=said.usage,
                at=state.at if newest else None,
                id=said.id or f"{NO_ID}{message.source}",
                source=message.source,
            )
            log.add(state.messages[:number], message, call, after=last)
            last = call.id
        if state.plan and state.plan != plan:
            plan = state.plan
            journal.append(JournalEntry(event="plan_state", call=len(seen), facts=plan, at=state.at, source=state.source))
    thread = _compactions(log.threads()[0]) if log.threads() else _without_calls(states)
    thread.journal = journal
    return thread


def _without_calls(states: Sequence[State]) -> ThreadDraft:
    thread = ThreadDraft(id="main")
    thread.messages = [traced_message(message.value, message.source) for message in states[-1].messages]
    return thread


def _results_after(messages: Sequence[Listed], number: int) -> int:
    """How many results follow a reply directly."""
    count = 0
    for message in messages[number + 1 :]:
        if message.fields.get("type") != "tool":
            break
        count += 1
    return count


def _compactions(thread: ThreadDraft) -> ThreadDraft:
    """A changed history is a compaction where a new message stands in place of several, or where some left the list and none took their place."""
    thread.events = [_named(thread, event) for event in thread.events]
    thread.calls = without_made_ids(thread.calls)
    return thread


def _named(thread: ThreadDraft, event: Event) -> Event:
    last = thread.calls[event.call - 1]
    before = [*last.messages(), *(() if last.reply is None else (last.reply,))]
    after = thread.calls[event.call].messages()
    gone = [index for index in before if index not in set(after)]
    new = [index for index in after if index not in set(before)]
    summary = summary_in(thread.messages, gone, new[0] if new else None)
    if summary is not None:
        thread.messages[summary] = replace(thread.messages[summary], injected="summary")
        return replace(event, kind="compaction", summary=summary, note=f"{len(gone):,} messages gave way to a summary.")
    kept = [index for index in before if index not in set(gone)]
    end_only = before[len(kept) :] == gone and bool(kept)
    if gone and not end_only and list(after) == [*kept, *new]:
        return replace(event, kind="compaction", note=f"{went(gone)} in the list before and left it; what took them out is not recorded.")
    return event
