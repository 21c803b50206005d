"""SWE-agent trajectories: the exact query of each step where it is kept (1.x), else the history by the rule that shortened it (0.x).

Source: SWE-agent ``agent/history_processors.py``, ``agent/agents.py``, ``agent/models.py``; format notes 2.11.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from ctxcore.counted import count
from ctxcore.model import Call, Injected, Json, Level, Message, SourceRef
from ctxcore.readers.build import ThreadDraft
from ctxcore.readers.chat_message import chat_message, normal_form
from ctxcore.readers.document import Document, Record
from ctxcore.readers.marks import majority
from ctxcore.readers.protocol import SessionDraft
from ctxcore.readers.request_log import RequestLog
from ctxcore.readers.swe_agent_history import (
    KEPT_OBSERVATIONS,
    OLD_ENVIRONMENT_OUTPUT,
    OLD_OUTPUT,
    Agent,
    Task,
    kept_by_totals,
    wire_of,
)
from ctxcore.readers.values import items, mapping, natural, text, whole

NO_MODEL = frozenset({"replay", "human", "human_thought", "instant_empty_submit"})
"""Names that stand for a person or a recording. Source: SWE-agent ``agent/models.py``."""

DATA_SET_ROLES = {"ai": "assistant", "user": "user", "system": "system"}
"""Roles of the published data set of trajectories."""


class SWEAgent:
    """See the module."""

    name: ClassVar[str] = "swe-agent"
    family: ClassVar[str] = "agent logs"
    level: ClassVar[Level] = "full requests"
    detects: ClassVar[str] = "a trajectory of steps with action and observation, beside a history or info; or data set rows of its messages"

    def matches(self, document: Document, head: Sequence[Json]) -> bool:
        """See ``Reader.matches``."""
        return document.shape != "text" and majority(head, _is_trajectory)

    def read(self, documents: Sequence[Document]) -> list[SessionDraft]:
        """See ``Reader.read``."""
        return [draft for document in documents for draft in _read(document)]


def _is_trajectory(value: Json) -> bool:
    record = mapping(value)
    steps = items(record.get("trajectory"))
    if _is_data_set_row(record):
        return True
    return ("history" in record or "info" in record) and "trajectory" in record and majority(steps[:20], _is_step) is bool(steps)


def _is_step(value: Json) -> bool:
    step = mapping(value)
    return "action" in step and "observation" in step


def _is_data_set_row(record: Mapping[str, Json]) -> bool:
    steps = items(record.get("trajectory"))
    return "instance_id" in record and majority(steps[:20], _is_data_set_step)


def _is_data_set_step(value: Json) -> bool:
    step = mapping(value)
    return text(step.get("role")) in DATA_SET_ROLES and "text" in step


def _read(document: Document) -> Iterator[SessionDraft]:
    """One session for each trajectory of a file: one as a rule."""
    drafts: list[SessionDraft] = []
    others = 0
    for record in document.records():
        if _is_trajectory(record.value):
            drafts.append(_Trajectory(document, record).read())
        else:
            others += 1
    for draft in drafts:
        if others:
            draft.skipped["not a trajectory"] = others
        yield draft


class _Trajectory:
    """One trajectory while it is read."""

    def __init__(self, document: Document, record: Record) -> None:
        self.document, self.record, self.value = document, record, mapping(record.value)
        self.info = mapping(self.value.get("info"))
        self.config = _config(self.value.get("replay_config"))
        self.agent = mapping(self.config.get("agent"))
        self.model = text(mapping(self.agent.get("model")).get("name")) or text(self.value.get("model_name"))
        named = text(self.value.get("environment")) if self.config else ""
        self.draft = SessionDraft(id=named or text(self.value.get("instance_id")), level="message list only", used=1)
        self.draft.documents = (document,)

    def read(self) -> SessionDraft:
        """The session by the best that the file holds."""
        steps = [mapping(step) for step in items(self.value.get("trajectory"))]
        if _is_data_set_row(self.value):
            self._conversation([_data_set_message(step) for step in steps], "trajectory", None)
        elif self.model in NO_MODEL:
            self._replayed()
        elif all("query" in step or "messages" in step for step in steps) and steps:
            self._queries(steps)
        else:
            self._rebuilt(steps)
        self._finish()
        return self.draft

    def _source(self, path: str) -> SourceRef:
        return self.document.source(self.record, path)

    def _queries(self, steps: Sequence[Mapping[str, Json]]) -> None:
        """Every step holds the messages that were sent."""
        self.draft.level = "full requests"
        history = [entry for entry in items(self.value.get("history")) if isinstance(entry, dict)]
        queries = [_query(step) for step in steps]
        first_task = Task()
        log = RequestLog(lambda value, call: self._message(value, call.source, first_task), lambda value: normal_form(wire_of(value)))
        for number, (step, query) in enumerate(zip(steps, queries, strict=True)):
            later = queries[number + 1] if number + 1 < len(queries) else history
            reply = _reply(step, query, later)
            flags = () if _matches(reply, step) and step.get("action") else ("failed",)
            source = self._source(f"trajectory[{number}]")
            log.add(query, reply, Call(index=0, context=(), known="recorded", model=self.model, source=source, flags=flags))
        self.draft.threads = log.threads()

    def _message(self, value: Json, source: SourceRef, task: Callable[[Mapping[str, Json]], Injected]) -> Message:
        entry = mapping(value)
        made = chat_message(wire_of(entry), source, raw=value)
        return replace(made, injected=task(entry), flags=(*made.flags, "demonstration") if entry.get("is_demo") else made.flags)

    def _replayed(self) -> None:
        """A demonstration: its messages, and no call of a model."""
        thread = ThreadDraft(id="main")
        task = Task()
        for number, entry in enumerate(items(self.value.get("history"))):
            if isinstance(entry, dict):
                thread.add(self._message(entry, self._source(f"history[{number}]"), task))
        self.draft.threads = [thread]
        self.draft.notes.append(f"The steps come from '{self.model}', no model was asked: there are no calls.")

    def _rebuilt(self, steps: Sequence[Mapping[str, Json]]) -> None:
        """Only the history is kept, or only the steps."""
        history: list[Mapping[str, Json]] = [entry for entry in items(self.value.get("history")) if isinstance(entry, dict)]
        if not history:
            history = [entry for step in steps for entry in _step_messages(step)]
        keep = self._kept_observations(history)
        self._conversation(history, "history", keep)
        if keep is not None:
            what = f"Only the first and the last {keep} observations are taken as sent whole, older ones as one line"
            self.draft.notes.append(f"{what}: the {'configured' if self.config else 'default'} rule, by which contexts are rebuilt.")
        elif not self.config:
            self.draft.notes.append("The recorded totals say that the whole history was sent at each call; contexts are rebuilt by that.")

    def _kept_observations(self, history: Sequence[Mapping[str, Json]]) -> int | None:
        """How many observations stay whole beside the first; None for all."""
        if not self.config:
            return kept_by_totals(history, mapping(self.info.get("model_stats")), KEPT_OBSERVATIONS)
        for processor in map(mapping, items(self.agent.get("history_processors"))):
            if processor.get("type") == "last_n_observations":
                return natural(processor.get("n")) or None
        return None

    def _conversation(self, history: Sequence[Mapping[str, Json]], path: str, keep: int | None) -> None:
        """Every assistant entry that is no demonstration is a call; each agent has a history of its own."""
        agents: dict[str, Agent] = {}
        main = next((text(entry.get("agent")) for entry in history), "")
        wording = OLD_OUTPUT if not self.config else OLD_ENVIRONMENT_OUTPUT
        for number, entry in enumerate(history):
            name = text(entry.get("agent")) or main
            if name not in agents:
                parent = agents.get(main)
                thread = (
                    ThreadDraft(id=name or "main")
                    if parent is None
                    else ThreadDraft(
                        id=name,
                        kind="agent",
                        parent=parent.thread.id,
                        parent_call=len(parent.thread.calls) - 1 if parent.thread.calls else None,
                        title=name,
                    )
                )
                agents[name] = Agent(thread, keep, wording, self.model)
            agents[name].add(entry, self._message(entry, self._source(f"{path}[{number}]"), agents[name].task))
        self.draft.threads = [agent.thread for agent in agents.values()] or [ThreadDraft(id="main")]

    def _finish(self) -> None:
        draft = self.draft
        window = whole(mapping(self.agent.get("model")).get("max_input_tokens"))
        for thread in draft.threads:
            thread.window = window or None
        every = [message for thread in draft.threads for message in thread.messages]
        missing = [] if any(message.role == "system" for message in every) else ["system prompt"]
        calls = sum(len(thread.calls) for thread in draft.threads)
        with_tools = any(message.calls for message in every)
        draft.not_recorded = (
            (*missing, "tool definitions", "usage of single calls", "times") if with_tools else (*missing, "usage of single calls", "times")
        )
        self._totals(calls)

    def _totals(self, calls: int) -> None:
        """What the log counts for the whole run."""
        stats = mapping(self.info.get("model_stats"))
        sent, received, counted = (whole(stats.get(key)) for key in ("tokens_sent", "tokens_received", "api_calls"))
        if sent and calls:
            what = f"The log counts {sent:,} tokens sent and {received or 0:,} received in {counted or 0:,} calls, and none for a single call."
            self.draft.notes.append(what)
        if counted and calls and counted != calls:
            self.draft.notes.append(f"{count(counted, 'call is', 'calls are')} counted, {calls:,} in the log: re-queries are missing.")


def _config(value: Json) -> Mapping[str, Json]:
    """The configuration of a run, saved as JSON text or as an object."""
    if isinstance(value, str):
        try:
            return mapping(json.loads(value))
        except (ValueError, RecursionError):
            return {}
    return mapping(value)


def _query(step: Mapping[str, Json]) -> list[Json]:
    """The messages that a step sent; where it holds those after it, the last reply and what follows are left out."""
    if isinstance(step.get("query"), list):
        return [entry for entry in step["query"] if isinstance(entry, dict)]
    entries = [entry for entry in items(step.get("messages")) if isinstance(entry, dict)]
    last = max((n for n, entry in enumerate(entries) if entry.get("role") == "assistant"), default=len(entries))
    return entries[:last]


def _matches(entry: Mapping[str, Json], step: Mapping[str, Json]) -> bool:
    content = entry.get("content")
    return entry.get("role") == "assistant" and (content == step.get("response") or not isinstance(content, str))


def _reply(step: Mapping[str, Json], query: Sequence[Json], later: Sequence[Json]) -> Mapping[str, Json]:
    """The reply as the next query (or the history) repeats it, with its tool calls; else only its words."""
    if len(later) > len(query) and _matches(mapping(later[len(query)]), step):
        return mapping(later[len(query)])
    for entry in reversed(later[-3:]):
        if _matches(mapping(entry), step):
            return mapping(entry)
    return {"role": "assistant", "content": text(step.get("response"))}


def _step_messages(step: Mapping[str, Json]) -> list[Mapping[str, Json]]:
    """A step's reply and observation as history entries."""
    return [{"role": "assistant", "content": text(step.get("response"))}, {"role": "user", "content": text(step.get("observation"))}]


def _data_set_message(step: Mapping[str, Json]) -> Mapping[str, Json]:
    return {
        "role": DATA_SET_ROLES.get(text(step.get("role")), text(step.get("role"))),
        "content": text(step.get("text")) or text(step.get("system_prompt")),
    }
