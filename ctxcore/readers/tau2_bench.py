"""tau2-bench results: simulations in which an agent and a simulated user talk; two models, two inputs, one list.

Source: tau2-bench ``agent/llm_agent.py``, ``user/user_simulator.py``, ``orchestrator``; format notes 2.16.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from ctxcore.errors import UnreadableFile
from ctxcore.model import Call, Injected, Json, Level, Message, SourceRef, Usage
from ctxcore.readers.build import ThreadDraft
from ctxcore.readers.chat_message import chat_message
from ctxcore.readers.chat_record import time_flag
from ctxcore.readers.context import Context
from ctxcore.readers.document import Document, Record
from ctxcore.readers.marks import majority
from ctxcore.readers.protocol import SessionDraft
from ctxcore.readers.values import compact_json, items, mapping, seconds, text, usage

Side = Literal["assistant", "user"]


class Tau2Bench:
    """See the module."""

    name: ClassVar[str] = "tau2-bench"
    family: ClassVar[str] = "agent logs"
    level: ClassVar[Level] = "message list only"
    detects: ClassVar[str] = "simulations beside tasks, info or domain; or one simulation_run beside its task"

    def matches(self, document: Document, head: Sequence[Json]) -> bool:
        """See ``Reader.matches``."""
        return document.shape == "json" and bool(_simulations(head[0]))

    def read(self, documents: Sequence[Document]) -> list[SessionDraft]:
        """See ``Reader.read``.

        Raises:
            UnreadableFile: No simulation has messages.
        """
        drafts = [draft for document in documents for draft in _read(document)]
        if not drafts:
            what = "none of the simulations holds messages (voice runs record ticks of sound)"
            raise UnreadableFile(documents[0].name, what, advice="choose the results of a text run")
        return drafts


def _simulations(value: Json) -> list[tuple[str, Mapping[str, Json]]]:
    """The simulations of a result, with their places."""
    result = mapping(value)
    one = mapping(result.get("simulation_run"))
    if one and "task" in result:
        return [("simulation_run", one)]
    runs = items(result.get("simulations"))
    if not any(key in result for key in ("tasks", "info", "domain")) or not majority(runs[:20], _is_simulation):
        return []
    return [(f"simulations[{number}]", mapping(run)) for number, run in enumerate(runs)]


def _is_simulation(value: Json) -> bool:
    run = mapping(value)
    return "task_id" in run and ("messages" in run or "ticks" in run)


def _read(document: Document) -> Iterator[SessionDraft]:
    """A session for each simulation; each is a record, and the head of the result one more."""
    for record in document.records():
        runs = _simulations(record.value)
        document.record_count = len(runs) + 1
        told = [(path, run) for path, run in runs if any(isinstance(entry, dict) for entry in items(run.get("messages")))]
        for path, run in told:
            draft = _Simulation(document, record, path, run).read()
            draft.documents, draft.used = (document,), 2
            draft.skipped.update({"simulation without messages": len(runs) - len(told)} if len(told) < len(runs) else {})
            yield draft


@dataclass(slots=True)
class _Party:
    """One of the two models."""

    thread: ThreadDraft
    context: Context
    model: str
    begun: bool = False


class _Simulation:
    """One simulation while it is read."""

    def __init__(self, document: Document, record: Record, path: str, run: Mapping[str, Json]) -> None:
        self.document, self.record, self.path, self.run = document, record, path, run
        self.result = mapping(record.value)
        self.info = mapping(self.result.get("info"))
        self.parties: dict[Side, _Party] = {
            "assistant": self._party("main", "agent_info"),
            "user": self._party("user-simulator", "user_info"),
        }
        self.draft = SessionDraft(id=text(run.get("id")) or f"task {run.get('task_id')}", level=Tau2Bench.level)

    def _party(self, name: str, info: str) -> _Party:
        thread = ThreadDraft(id=name) if name == "main" else ThreadDraft(id=name, kind="agent", title="simulated user")
        named = text(mapping(self.info.get(info)).get("llm")) or (text(self.result.get("model")) if name == "main" else "")
        return _Party(thread, Context(thread), named)

    def read(self) -> SessionDraft:
        """The session: what each model received, in its own view."""
        self._prompts()
        entries = list(_entries(self.run["messages"]))
        counted = any(_usage(entry) for _, entry in entries)
        for position, (place, entry) in enumerate(entries):
            source = self.document.source(self.record, f"{self.path}.messages[{place}]")
            self._entry(entry, source, greeting=position == 0 and (not counted or _usage(entry) is None))
        self._finish(counted=counted)
        return self.draft

    def _prompts(self) -> None:
        """What the log holds of the two system prompts."""
        policy = text(mapping(self.info.get("environment_info")).get("policy")) or text(self.run.get("policy"))
        place = self.document.source(self.record, f"{self.path}.policy" if self.run.get("policy") else "info.environment_info.policy")
        if policy:
            self.parties["assistant"].context.add(chat_message({"role": "system", "content": policy}, place))
        guidelines = text(mapping(self.info.get("user_info")).get("global_simulation_guidelines"))
        scenario = self._scenario()
        if guidelines or scenario:
            words = "\n\n".join(part for part in (guidelines, scenario) if part)
            place = self.document.source(self.record, "info.user_info.global_simulation_guidelines")
            self.parties["user"].context.add(chat_message({"role": "system", "content": words}, place))
        definitions = [tool for tool in items(mapping(self.info.get("environment_info")).get("tool_defs")) if isinstance(tool, dict)]
        self.draft.tool_sets = [definitions] if definitions else []

    def _scenario(self) -> str:
        """What the simulated user is told about itself."""
        tasks = [mapping(task) for task in (*items(self.result.get("tasks")), self.result.get("task"))]
        task = next((task for task in tasks if task and task.get("id") == self.run.get("task_id")), {})
        scenario = mapping(task).get("user_scenario")
        return scenario if isinstance(scenario, str) else compact_json(scenario) if scenario else ""

    def _entry(self, entry: Mapping[str, Json], source: SourceRef, *, greeting: bool) -> None:
        """A message goes to whom it concerns: tools to their caller, words to both, each in its own roles."""
        role = entry.get("role")
        if role == "tool":
            side: Side = "user" if entry.get("requestor") == "user" else "assistant"
            self.parties[side].context.add(_tool_result(entry, source))
        elif role in ("assistant", "user"):
            own: Side = "assistant" if role == "assistant" else "user"
            self._said(own, entry, source, greeting=greeting and own == "assistant")
        else:
            self.parties["assistant"].context.add(_message({"role": text(role), "content": text(entry.get("content"))}, entry, source))

    def _said(self, own: Side, entry: Mapping[str, Json], source: SourceRef, *, greeting: bool) -> None:
        """One of the two spoke or asked for a tool."""
        party, other = self.parties[own], self.parties["user" if own == "assistant" else "assistant"]
        calls = [_tool_call(mapping(call)) for call in items(entry.get("tool_calls"))]
        wire: dict[str, Json] = {"role": "assistant", "content": text(entry.get("content"))}
        if text(entry.get("reasoning")):
            wire["reasoning_content"] = entry["reasoning"]
        message = _message({**wire, "tool_calls": calls} if calls else wire, entry, source)
        if not greeting:
            self._call(own, party, message, entry)
        party.context.add(message)
        if not calls:
            injected: Injected = "meta" if own == "assistant" else ""
            other.context.add(_message({"role": "user", "content": wire["content"]}, entry, source, injected))

    def _call(self, own: Side, party: _Party, message: Message, entry: Mapping[str, Json]) -> None:
        raw = mapping(entry.get("raw_data"))
        party.context.call(
            Call(
                index=0,
                context=(),
                reply=len(party.thread.messages),
                known="reconstructed",
                tools=0 if own == "assistant" and self.draft.tool_sets else None,
                model=text(raw.get("model")) or party.model,
                usage=_usage(entry),
                at=message.at,
                id=text(raw.get("id")),
                source=message.source,
            )
        )

    def _finish(self, *, counted: bool) -> None:
        draft, agent, simulated = self.draft, self.parties["assistant"], self.parties["user"]
        draft.threads = [agent.thread, *([simulated.thread] if simulated.thread.calls else [])]
        has_policy = any(message.role == "system" for message in agent.thread.messages)
        missing = ["fixed words of the system prompts" if has_policy else "system prompt", *([] if draft.tool_sets else ["tool definitions"])]
        draft.not_recorded = tuple(missing if counted else [*missing, "usage"])
        draft.notes.append("Two models talk in this log: the agent is the main thread, the simulated user a thread of its own.")
        ended = text(self.run.get("termination_reason"))
        if ended and ended not in ("user_stop", "agent_stop"):
            draft.notes.append(f"The simulation ended by {ended}.")


def _entries(messages: Json) -> Iterator[tuple[int, Mapping[str, Json]]]:
    """Messages with their places; several tool results in one entry are opened."""
    for number, entry in enumerate(items(messages)):
        if isinstance(entry, dict):
            inner = [result for result in items(entry.get("tool_messages")) if isinstance(result, dict)]
            for one in inner or [entry]:
                yield number, one


def _usage(entry: Mapping[str, Json]) -> Usage | None:
    """The raw reply's usage, which has the cached tokens, or the short one."""
    raw = usage(mapping(entry.get("raw_data")).get("usage"), cache_in_input=True)
    return raw or usage(entry.get("usage"), cache_in_input=True)


def _message(wire: Mapping[str, Json], entry: Mapping[str, Json], source: SourceRef, injected: Injected = "") -> Message:
    at = entry.get("timestamp")
    made = chat_message(wire, source, raw=entry)
    odd = time_flag(at)
    return replace(made, at=seconds(at), injected=injected, flags=(*made.flags, odd) if odd else made.flags)


def _tool_call(call: Mapping[str, Json]) -> Json:
    asked = call.get("arguments")
    words = asked if isinstance(asked, str) else compact_json({} if asked is None else asked)
    return {"id": text(call.get("id")), "type": "function", "function": {"name": text(call.get("name")), "arguments": words}}


def _tool_result(entry: Mapping[str, Json], source: SourceRef) -> Message:
    wire = {"role": "tool", "tool_call_id": text(entry.get("id")), "content": text(entry.get("content"))}
    made = _message(wire, entry, source)
    if not isinstance(entry.get("error"), bool):
        return made
    return replace(made, parts=tuple(replace(part, is_error=entry["error"]) if part.kind == "tool_result" else part for part in made.parts))
