"""OpenHands V1 (software agent SDK): events with a ``kind``, the prompt of each call rebuilt as the SDK builds it.

Source: OpenHands/software-agent-sdk ``sdk/event/base.py``, ``sdk/event/llm_convertible``, ``sdk/context/view``; format notes 2.13.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from ctxcore.model import Call, Event, Injected, Json, Message, SourceRef, Usage
from ctxcore.readers.build import ThreadDraft
from ctxcore.readers.chat_message import chat_message
from ctxcore.readers.chat_record import time_flag
from ctxcore.readers.context import Context, EventView
from ctxcore.readers.openhands_texts import command_result
from ctxcore.readers.openhands_usage import usage_of
from ctxcore.readers.protocol import SessionDraft
from ctxcore.readers.values import compact_json, items, mapping, seconds, text, tool_list, whole

FAILED: Final = "[An error occurred during execution.]\n"
"""Stands before a result that is an error."""

RESULTS: Final = frozenset({"ObservationEvent", "AgentErrorEvent", "UserRejectObservation"})

OTHER_KINDS: Final = frozenset({"Condensation", "CondensationRequest", "PauseEvent", "UserRejectObservation", "CondensationSummaryEvent"})
"""Kinds that do not end in ``Event``, or that also stand alone."""


def is_event(value: Json) -> bool:
    """True for an event of V1: its kind, an id, a time and who it is from."""
    record = mapping(value)
    kind = text(record.get("kind"))
    return (kind.endswith("Event") or kind in OTHER_KINDS) and all(key in record for key in ("id", "timestamp", "source"))


def is_state(value: Json) -> bool:
    """True for ``base_state.json``."""
    record = mapping(value)
    return "execution_status" in record and "kind" in mapping(record.get("agent"))


class Stats:
    """Usage by response id, and the model's window, from the state of a conversation."""

    def __init__(self, state: Mapping[str, Json]) -> None:
        """Take the counts of every use of a model."""
        self.usages: dict[str, Usage] = {}
        self.models: dict[str, str] = {}
        self.window: int | None = None
        for metrics in mapping(mapping(state.get("stats")).get("usage_to_metrics")).values():
            for record in map(mapping, items(mapping(metrics).get("token_usages"))):
                found, response_id = usage_of(record), text(record.get("response_id"))
                if found is not None and response_id:
                    self.usages[response_id], self.models[response_id] = found, text(record.get("model"))
                self.window = whole(record.get("context_window")) or self.window
        self.model = text(mapping(mapping(state.get("agent")).get("llm")).get("model"))


class Conversation:
    """Replays events of one conversation."""

    def __init__(self, draft: SessionDraft, stats: Stats) -> None:
        """Start without events."""
        self.draft, self.stats = draft, stats
        self.thread = ThreadDraft(id="main", window=stats.window)
        self.view = EventView(Context(self.thread))
        self.tools: list[list[Json]] = []
        self.open: tuple[int, str, list[str]] | None = None
        """Reply that the next action may belong to: message, response id, event ids."""
        self.waiting: dict[int, tuple[list[str], list[str]]] = {}
        """Replies with unanswered calls: call ids, event ids."""
        self.answers: dict[str, tuple[int, str]] = {}
        self.seen: dict[str, int] = {}
        self.condensers = 0
        draft.threads = [self.thread]

    def read(self, events: Iterable[tuple[Mapping[str, Json], SourceRef]]) -> None:
        """Replay events in their order."""
        for event, source in events:
            self._event(text(event.get("kind")), event, source)
        self._close()
        for index, (calls, ids) in list(self.waiting.items()):
            self._place(index, calls, ids)
        self.draft.tool_sets = self.tools

    def _event(self, kind: str, event: Mapping[str, Json], source: SourceRef) -> None:
        event_id = text(event.get("id"))
        if kind == "ActionEvent":
            self.view.event(event_id)
            self.draft.used += 1
            self._action(event, event_id, source)
            return
        self._close()
        self.draft.used += 1
        match kind:
            case "SystemPromptEvent" | "SystemPromptUpdateEvent":
                self.view.event(event_id)
                self._system(event, event_id, source, again=kind == "SystemPromptUpdateEvent")
            case "MessageEvent":
                self.view.event(event_id)
                self._message(event, event_id, source)
            case "CondensationSummaryEvent":
                self._say({"role": "user", "content": text(event.get("summary"))}, event, event_id, source, "summary")
            case "Condensation":
                self._condense(event, source)
            case _ if kind in RESULTS:
                self.view.event(event_id)
                self._result(kind, event, event_id, source)
            case _:
                self.draft.used -= 1
                self.draft.skipped[f"event {kind}, never part of a prompt"] += 1

    def _made(self, wire: Mapping[str, Json], event: Mapping[str, Json], source: SourceRef, injected: Injected = "") -> Message:
        made, at = chat_message(wire, source, raw=event), event.get("timestamp")
        odd = time_flag(at)
        return replace(made, at=seconds(at), id=text(event.get("id")), injected=injected, flags=(*made.flags, odd) if odd else made.flags)

    def _say(self, wire: Mapping[str, Json], event: Mapping[str, Json], event_id: str, source: SourceRef, injected: Injected = "") -> int:
        index = self.thread.add(self._made(wire, event, source, injected))
        self.view.place(index, event_id)
        return index

    def _system(self, event: Mapping[str, Json], event_id: str, source: SourceRef, *, again: bool) -> None:
        """The prompt and the tools; a later event changes the tools, and the prompt only where its text is another one."""
        tools = [tool for tool in tool_list(event.get("tools")) or () if isinstance(tool, dict)]
        if tools:
            self.tools.append(tools)
        parts = _content([event.get("system_prompt"), *([event["dynamic_context"]] if event.get("dynamic_context") else [])])
        message = self._made({"role": "system", "content": parts}, event, source)
        held = self.view.context.indexes()
        first = self.thread.messages[held[0]] if held and self.thread.messages[held[0]].role == "system" else None
        if again and first is not None:
            if first.parts != message.parts:
                self.view.replace_first(self.thread.add(message))
        else:
            self.view.place(self.thread.add(message), event_id)

    def _message(self, event: Mapping[str, Json], event_id: str, source: SourceRef) -> None:
        message = mapping(event.get("llm_message"))
        content = [*_listed(message.get("content")), *_listed(event.get("extended_content"))]
        wire = _wire(message, content)
        role = text(message.get("role")) or ("assistant" if event.get("source") == "agent" else "user")
        wire["role"] = role
        if role != "assistant":
            person = event.get("source") == "user"
            self._say(wire, event, event_id, source, "" if person else "meta")
            return
        made = self._made(wire, event, source)
        index = self.thread.add(made)
        self._call(text(event.get("llm_response_id")), index, made, source)
        if made.calls:
            self.waiting[index] = ([call.id for call in made.calls], [event_id])
        else:
            self.view.place(index, event_id)

    def _call(self, response_id: str, reply: int, message: Message, source: SourceRef) -> None:
        self.view.context.call(
            Call(
                index=0,
                context=(),
                reply=reply,
                known="reconstructed",
                tools=len(self.tools) - 1 if self.tools else None,
                model=self.stats.models.get(response_id, "") or self.stats.model,
                usage=self.stats.usages.get(response_id),
                at=message.at,
                id=response_id,
                source=source,
            )
        )

    def _action(self, event: Mapping[str, Json], event_id: str, source: SourceRef) -> None:
        """A tool call; neighbours with one response id are one reply."""
        response_id = text(event.get("llm_response_id"))
        call = _tool_call(event)
        if self.open is not None and response_id and self.open[1] == response_id:
            index, _, ids = self.open
            ids.append(event_id)
            made = self.thread.messages[index]
            wire = {**made.wire[0], "tool_calls": [*items(made.wire[0].get("tool_calls")), call]}
            both = self._made(wire, event, source)
            self.thread.messages[index] = replace(both, raw=[*_listed(made.raw), event], source=made.source, at=made.at, id=made.id)
            return
        self._close()
        wire = _wire(event, _listed(event.get("thought")))
        made = self._made({**wire, "role": "assistant", "tool_calls": [call]}, event, source)
        index = self.thread.add(replace(made, raw=[event]))
        if response_id not in self.seen or not response_id:
            self._call(response_id, index, made, source)
        self.seen[response_id] = index
        self.open = (index, response_id, [event_id])

    def _close(self) -> None:
        """The reply is complete: it joins the context with its results."""
        if self.open is not None:
            index, _, ids = self.open
            self.open = None
            self.waiting[index] = ([call.id for call in self.thread.messages[index].calls], ids)

    def _result(self, kind: str, event: Mapping[str, Json], event_id: str, source: SourceRef) -> None:
        call_id = text(event.get("tool_call_id"))
        content, failed = _result_content(kind, event)
        wire = {"role": "tool", "tool_call_id": call_id, "name": text(event.get("tool_name")), "content": content}
        made = self._made(wire, event, source)
        if failed is not None:
            made = replace(made, parts=tuple(replace(part, is_error=failed) if part.kind == "tool_result" else part for part in made.parts))
        self.answers[call_id] = (self.thread.add(made), event_id)
        for index, (calls, ids) in list(self.waiting.items()):
            if all(call in self.answers for call in calls):
                self._place(index, calls, ids)

    def _place(self, index: int, calls: Sequence[str], ids: Sequence[str]) -> None:
        del self.waiting[index]
        found = [self.answers[call] for call in dict.fromkeys(calls) if call in self.answers]
        if found:
            self.view.place(index, *ids)
            for answer, event_id in found:
                self.view.place(answer, event_id)

    def _condense(self, event: Mapping[str, Json], source: SourceRef) -> None:
        forgotten = [event_id for event_id in items(event.get("forgotten_event_ids")) if isinstance(event_id, str)]
        words = event.get("summary")
        summary = None
        if isinstance(words, str):
            summary = self.thread.add(self._made({"role": "user", "content": words}, event, source, "summary"))
        gone, stay = self.view.condense(forgotten, summary, whole(event.get("summary_offset")))
        self.condensers += 1
        note = f"{len(forgotten)} events forgotten: {gone} messages left, {stay} stay{'' if summary is None else ', the summary among them'}."
        at = seconds(event.get("timestamp"))
        self.thread.events.append(Event(kind="compaction", call=len(self.thread.calls), trigger="", summary=summary, at=at, source=source, note=note))


def _listed(value: Json) -> list[Json]:
    return list(value) if isinstance(value, list) else [] if value is None else [value]


def _content(parts: Iterable[Json]) -> list[Json]:
    """Content parts of the SDK as those of a chat message."""
    made: list[Json] = []
    for part in parts:
        record = mapping(part)
        if record.get("type") == "image":
            made += [{"type": "image_url", "image_url": {"url": url}} for url in items(record.get("image_urls")) if isinstance(url, str)]
        elif isinstance(part, str) or "text" in record:
            made.append({"type": "text", "text": part if isinstance(part, str) else text(record["text"])})
        elif record:
            made.append(part)
    return made


def _wire(record: Mapping[str, Json], content: Iterable[Json]) -> dict[str, Json]:
    """A message from what an event holds of it."""
    wire: dict[str, Json] = {"role": text(record.get("role")), "content": _content(content)}
    for key in ("tool_calls", "reasoning_content", "thinking_blocks"):
        if record.get(key):
            wire[key] = [_call_wire(call) for call in items(record[key])] if key == "tool_calls" else record[key]
    reasoning = mapping(record.get("responses_reasoning_item"))
    if reasoning and "reasoning_content" not in wire:
        wire["reasoning_content"] = "\n".join(part for part in items(reasoning.get("summary")) if isinstance(part, str))
    return wire


def _call_wire(value: Json) -> Json:
    call = mapping(value)
    if "function" in call:
        return value
    return {"id": text(call.get("id")), "type": "function", "function": {"name": text(call.get("name")), "arguments": text(call.get("arguments"))}}


def _tool_call(event: Mapping[str, Json]) -> Json:
    """The call of an action event, in the words of a chat message."""
    asked = mapping(event.get("tool_call"))
    if asked:
        return _call_wire(asked)
    arguments = {key: value for key, value in mapping(event.get("action")).items() if key != "kind"}
    function = {"name": text(event.get("tool_name")), "arguments": compact_json(arguments)}
    return {"id": text(event.get("tool_call_id")), "type": "function", "function": function}


def _result_content(kind: str, event: Mapping[str, Json]) -> tuple[list[Json], bool | None]:
    """Content of a result as the model reads it, and whether it failed."""
    if kind == "AgentErrorEvent":
        return [{"type": "text", "text": text(event.get("error"))}], True
    if kind == "UserRejectObservation":
        return [{"type": "text", "text": f"Action rejected: {text(event.get('rejection_reason'))}"}], True
    seen = mapping(event.get("observation"))
    failed = seen.get("is_error")
    parts = _content(_listed(seen.get("content")))
    if not parts and isinstance(seen.get("output"), str):
        parts = [{"type": "text", "text": seen["output"]}]
    metadata = mapping(seen.get("metadata"))
    if "exit_code" in metadata:
        words = "".join(text(mapping(part).get("text")) for part in parts)
        parts = [{"type": "text", "text": command_result(words, metadata)}]
    head = [{"type": "text", "text": FAILED}] if failed is True else []
    return [*head, *parts, *_content(_listed(event.get("extended_content")))], failed if isinstance(failed, bool) else None
