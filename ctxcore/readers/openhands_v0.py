"""OpenHands V0: a list of events, the prompt of each call rebuilt as OpenHands builds it.

Source: OpenHands ``memory/conversation_memory.py``, ``memory/view.py``, ``events/observation`` (0.20 to 1.0); format notes 2.13.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from ctxcore.counted import count
from ctxcore.model import Call, Event, Injected, Json, Message, SourceRef, Usage
from ctxcore.readers.build import ThreadDraft
from ctxcore.readers.chat_message import chat_message
from ctxcore.readers.chat_record import time_flag
from ctxcore.readers.context import Context, EventView
from ctxcore.readers.openhands_texts import MAX_MESSAGE_CHARS, action_call, observation_text, recall_text
from ctxcore.readers.openhands_usage import RunningTotal, usage_of
from ctxcore.readers.protocol import SessionDraft
from ctxcore.readers.values import items, mapping, natural, seconds, text, tool_list

NOT_IN_HISTORY: Final = frozenset({"null", "change_agent_state", "agent_state_changed"})
"""Events that the agent's state leaves out. Source: OpenHands, history filter of the agent controller."""

WITHOUT_MESSAGE: Final = frozenset({"recall", "condensation_request", "loop_recovery", "pause", "resume", "stop", "send_pr", "push"})
"""Actions that stay in the history but give no message."""

IN_TEXT: Final = frozenset({"message", "finish", "reject", "system"})
"""Actions that ask for no tool."""


def is_event(value: Json) -> bool:
    """True for an event of V0: an action or an observation, with who it is from."""
    record = mapping(value)
    named = isinstance(record.get("action"), str) or isinstance(record.get("observation"), str)
    return named and "source" in record and ("args" in record or "content" in record or "extras" in record)


@dataclass(slots=True)
class _Pending:
    """A reply whose tool calls are not all answered: it joins the context together with its results."""

    index: int
    wanted: list[str]
    events: list[Json]
    results: dict[str, tuple[int, Json]] = field(default_factory=dict)


@dataclass(slots=True)
class _Agent:
    """An agent with a history of its own."""

    thread: ThreadDraft
    view: EventView
    pending: dict[str, _Pending] = field(default_factory=dict)
    delegated: Json = None
    """Id of the event that started it."""
    deferred: tuple[Message, Json] | None = None
    """The form in which a finishing reply stands in later prompts, and its event."""
    system: bool = False

    @classmethod
    def new(cls, id: str, **fields: Json) -> _Agent:
        """An agent without history."""
        thread = ThreadDraft(id=id, **fields)
        return cls(thread, EventView(Context(thread)))


class History:
    """Replays events."""

    def __init__(self, draft: SessionDraft, *, max_message_chars: int | None = None, usages: Mapping[str, Usage] | None = None) -> None:
        """Start without events.

        Args:
            draft: Gets the threads, tool sets and counts.
            max_message_chars: Longest observation in a prompt, where the log says it; else OpenHands' default is taken.
            usages: Usage by response id, where the log lists it apart from the events.
        """
        self.draft = draft
        self.max_chars = max_message_chars or MAX_MESSAGE_CHARS
        self.usages = dict(usages or {})
        self.agents = [_Agent.new("main")]
        self.draft.threads = [self.agents[0].thread]
        self.tools: list[list[Json]] = []
        self.model = ""
        self.total = RunningTotal()

    @property
    def agent(self) -> _Agent:
        """Who acts now."""
        return self.agents[-1]

    def read(self, events: Iterable[tuple[Mapping[str, Json], SourceRef]]) -> None:
        """Replay events in their order."""
        for number, (event, source) in enumerate(events):
            given = event.get("id")
            self._event(event, given if isinstance(given, (int, str)) else f"#{number}", source)
        for agent in self.agents:
            for pending in agent.pending.values():
                self._place(agent, pending)

    def _event(self, event: Mapping[str, Json], event_id: Json, source: SourceRef) -> None:
        kind = text(event.get("action")) or text(event.get("observation"))
        if kind in NOT_IN_HISTORY:
            self.draft.skipped[f"event {kind}, never part of a prompt"] += 1
            return
        self.agent.view.event(event_id)
        if "action" in event:
            self._action(kind, event, event_id, source)
        else:
            self._observation(kind, event, event_id, source)

    def _skip(self, kind: str) -> None:
        self.draft.skipped[f"event {kind or 'without a type'}, gives no message"] += 1

    def _action(self, kind: str, event: Mapping[str, Json], event_id: Json, source: SourceRef) -> None:
        args = mapping(event.get("args"))
        if kind in WITHOUT_MESSAGE:
            self._skip(kind)
            return
        self.draft.used += 1
        if kind == "condensation":
            self._condense(args, event, source)
        elif kind == "system":
            self._system(args, event, event_id, source)
        elif event.get("source") != "agent":
            self._user(kind, args, event, event_id, source)
        else:
            self._reply(kind, args, event, event_id, source)

    def _system(self, args: Mapping[str, Json], event: Mapping[str, Json], event_id: Json, source: SourceRef) -> None:
        tools = [tool for tool in tool_list(args.get("tools")) or () if isinstance(tool, dict)]
        if tools and tools not in self.tools:
            self.tools.append(tools)
        self.agent.system = True
        self._say({"role": "system", "content": text(args.get("content"))}, event, event_id, source)

    def _say(self, wire: Mapping[str, Json], event: Mapping[str, Json], event_id: Json, source: SourceRef, injected: Injected = "") -> None:
        """A message that is part of the context from here on."""
        self._settle()
        message = self._message(wire, event, source, injected)
        self.agent.view.place(self.agent.thread.add(message), event_id)

    def _message(self, wire: Mapping[str, Json], event: Mapping[str, Json], source: SourceRef, injected: Injected = "") -> Message:
        at = event.get("timestamp")
        made = chat_message(wire, source, raw=event)
        odd = time_flag(at)
        flags = (*made.flags, odd) if odd else made.flags
        return replace(made, at=seconds(at), id=str(event.get("id", "")), injected=injected, flags=flags)

    def _user(self, kind: str, args: Mapping[str, Json], event: Mapping[str, Json], event_id: Json, source: SourceRef) -> None:
        """Something that a person (or the program for one) did."""
        if kind == "message":
            content: list[Json] = [{"type": "text", "text": text(args.get("content"))}]
            addresses = [url for url in items(args.get("image_urls")) if isinstance(url, str)]
            for number, url in enumerate(addresses, 1):
                content += [{"type": "text", "text": f"Image {number}:"}, {"type": "image_url", "image_url": {"url": url}}]
            self._say({"role": "user", "content": content if addresses else content[0]["text"]}, event, event_id, source)
        elif kind == "run":
            words = f"User executed the command:\n{text(args.get('command'))}"
            self._say({"role": "user", "content": words}, event, event_id, source, "meta")
        elif kind == "finish":
            self._say({"role": "user", "content": text(args.get("thought"))}, event, event_id, source, "meta")
        else:
            words = f"{text(event.get('message')) or kind}: {action_call(kind, args)[1]}"
            self._say({"role": "user", "content": words}, event, event_id, source, "meta")

    def _reply(self, kind: str, args: Mapping[str, Json], event: Mapping[str, Json], event_id: Json, source: SourceRef) -> None:
        """The model asked for a tool, wrote, or finished."""
        metadata = mapping(event.get("tool_call_metadata"))
        response = mapping(metadata.get("model_response"))
        response_id = text(response.get("id"))
        known = self.agent.pending.get(response_id) if response_id else None
        if known is not None:
            known.events.append(event_id)
        else:
            self._settle()
            self._new_call(kind, args, event, event_id, source, response)
        if kind == "delegate":
            self._delegate(args, event_id)

    def _new_call(
        self, kind: str, args: Mapping[str, Json], event: Mapping[str, Json], event_id: Json, source: SourceRef, response: Mapping[str, Json]
    ) -> None:
        wire = self._reply_wire(kind, args, event_id, response)
        message = self._message(wire, event, source)
        index = self.agent.thread.add(message)
        self._call(event, response, index, message, source)
        if kind == "finish":
            words = text(args.get("thought")) or text(mapping(wire).get("content"))
            self.agent.deferred = (self._message({"role": "assistant", "content": words}, event, source), event_id)
        elif message.calls:
            pending = _Pending(index, [call.id for call in message.calls], [event_id])
            self.agent.pending[text(response.get("id")) or f"event {event_id}"] = pending
        else:
            self.agent.view.place(index, event_id)

    def _reply_wire(self, kind: str, args: Mapping[str, Json], event_id: Json, response: Mapping[str, Json]) -> Mapping[str, Json]:
        """The reply as the model gave it, or rebuilt from the action where it is not kept."""
        for choice in items(response.get("choices")):
            message = mapping(mapping(choice).get("message"))
            if message:
                return {key: value for key, value in message.items() if value is not None or key == "content"}
        thought = mapping(args.get("thought")).get("text") or args.get("thought")
        words = text(args.get("content")) if kind == "message" else text(thought)
        wire: dict[str, Json] = {"role": "assistant", "content": words}
        if kind not in IN_TEXT:
            name, arguments = action_call(kind, args)
            wire["tool_calls"] = [{"id": f"event-{event_id}", "type": "function", "function": {"name": name, "arguments": arguments}}]
        return wire

    def _call(self, event: Mapping[str, Json], response: Mapping[str, Json], reply: int, message: Message, source: SourceRef) -> None:
        response_id = text(response.get("id"))
        grown = self.total.grown_by(event)
        self.agent.thread.window = self.total.window() or self.agent.thread.window
        listed = usage_of(mapping(response.get("usage"))) or self.usages.get(response_id)
        self.agent.view.context.call(
            Call(
                index=0,
                context=(),
                reply=reply,
                known="reconstructed",
                tools=len(self.tools) - 1 if self.tools and self.agent.system else None,
                model=text(response.get("model")) or self.model,
                usage=listed or grown,
                at=message.at,
                id=response_id,
                source=source,
                flags=("usage_from_totals",) if grown and not listed else (),
            )
        )

    def _observation(self, kind: str, event: Mapping[str, Json], event_id: Json, source: SourceRef) -> None:
        if kind == "delegate":
            self._return(event)
        metadata = mapping(event.get("tool_call_metadata"))
        call_id = text(metadata.get("tool_call_id")) or self._asked_by(event)
        if kind == "recall":
            words = recall_text(mapping(event.get("extras")))
            if not words:
                self._skip("recall without content")
                return
            self.draft.used += 1
            self._say({"role": "user", "content": words}, event, event_id, source, "meta")
            return
        words = observation_text(kind, event, asked=bool(call_id), limit=self.max_chars)
        self.draft.used += 1
        if not call_id:
            injected: Injected = "summary" if kind == "condense" else "meta"
            self._say({"role": "user", "content": words}, event, event_id, source, injected)
            return
        wire = {"role": "tool", "tool_call_id": call_id, "name": text(metadata.get("function_name")) or kind, "content": words}
        self._answer(call_id, self._message(wire, event, source), event_id)

    def _asked_by(self, event: Mapping[str, Json]) -> str:
        """The made-up id of the call that an observation without metadata answers, by the event that caused it or by order."""
        for key in (f"event {event.get('cause')}", *([] if event.get("cause") is not None else list(self.agent.pending)[:1])):
            if key in self.agent.pending:
                return self.agent.pending[key].wanted[0]
        return ""

    def _answer(self, call_id: str, message: Message, event_id: Json) -> None:
        agent = self.agent
        key = next((key for key, pending in agent.pending.items() if call_id in pending.wanted), None)
        index = agent.thread.add(self._with_error(message))
        if key is None:
            agent.view.place(index, event_id)
            return
        pending = agent.pending[key]
        pending.results[call_id] = (index, event_id)
        if len(pending.results) == len(set(pending.wanted)):
            del agent.pending[key]
            self._place(agent, pending)

    def _with_error(self, message: Message) -> Message:
        """The result marked as failed where the log says so."""
        event = mapping(message.raw)
        failed = event.get("observation") == "error" or event.get("success") is False
        if not failed and "success" not in event:
            return message
        return replace(message, parts=tuple(replace(part, is_error=failed) if part.kind == "tool_result" else part for part in message.parts))

    def _place(self, agent: _Agent, pending: _Pending) -> None:
        """The reply and its results join the context, in the order of the calls."""
        if not pending.results:
            return
        agent.view.place(pending.index, *pending.events)
        for call_id in dict.fromkeys(pending.wanted):
            if call_id in pending.results:
                agent.view.place(*pending.results[call_id])

    def _settle(self) -> None:
        """What a finished reply left for later prompts joins the context."""
        if self.agent.deferred is not None:
            message, event_id = self.agent.deferred
            self.agent.deferred = None
            self.agent.view.place(self.agent.thread.add(message), event_id)

    def _delegate(self, args: Mapping[str, Json], event_id: Json) -> None:
        parent = self.agent.thread
        agent = _Agent.new(
            f"agent-{len(self.draft.threads)}",
            kind="agent",
            parent=parent.id,
            parent_call=len(parent.calls) - 1,
            title=text(args.get("agent")),
        )
        agent.delegated = event_id
        self.agents.append(agent)
        self.draft.threads.append(agent.thread)
        task = mapping(args.get("inputs")).get("task")
        if isinstance(task, str):
            source = parent.calls[-1].source
            agent.view.place(agent.thread.add(chat_message({"role": "user", "content": task}, source)), event_id)

    def _return(self, event: Mapping[str, Json]) -> None:
        """A sub-agent is done: its caller acts again."""
        if len(self.agents) > 1:
            agent = self.agents.pop()
            if isinstance(event.get("id"), int):
                self.agent.view.event(event["id"])
            for pending in agent.pending.values():
                self._place(agent, pending)

    def _condense(self, args: Mapping[str, Json], event: Mapping[str, Json], source: SourceRef) -> None:
        self._settle()
        agent = self.agent
        first, last = natural(args.get("forgotten_events_start_id")), natural(args.get("forgotten_events_end_id"))
        listed = [event_id for event_id in items(args.get("forgotten_event_ids")) if isinstance(event_id, (int, str))]
        forgotten = [*listed, *(range(first, min(last, first + 10**6) + 1) if first is not None and last is not None else ())]
        words = args.get("summary")
        summary = None
        if isinstance(words, str):
            summary = agent.thread.add(self._message({"role": "user", "content": words}, event, source, "summary"))
        gone, stay = agent.view.condense(forgotten, summary, natural(args.get("summary_offset")))
        self.total.shared = True
        left = f"{count(len(forgotten), 'event')} forgotten: {count(gone, 'message')} left"
        note = f"{left}, {stay} stay{'' if summary is None else ', the summary among them'}."
        agent.thread.events.append(
            Event(kind="compaction", call=len(agent.thread.calls), summary=summary, at=seconds(event.get("timestamp")), source=source, note=note)
        )
