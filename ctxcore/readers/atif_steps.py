"""Steps of a Harbor trajectory as messages and calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ctxcore.counted import count
from ctxcore.model import Call, Event, Injected, Json, Message, Part, SourceRef, Usage
from ctxcore.readers.build import ThreadDraft
from ctxcore.readers.chat_message import chat_message
from ctxcore.readers.chat_record import time_flag
from ctxcore.readers.context import Context
from ctxcore.readers.document import Document, Record
from ctxcore.readers.values import compact_json, items, mapping, seconds, text, usage, whole
from ctxcore.redaction.masking import masked_part

ROLES = {"user": "user", "system": "system", "agent": "assistant"}


def references(value: Mapping[str, Json]) -> Iterator[tuple[int, Mapping[str, Json]]]:
    """Step number and reference of every sub-agent that a trajectory names."""
    for number, step in enumerate(items(value.get("steps"))):
        for result in items(mapping(mapping(step).get("observation")).get("results")):
            found = mapping(result).get("subagent_trajectory_ref")
            for reference in found if isinstance(found, list) else (found,):
                if isinstance(reference, dict):
                    yield number, reference


class Replay:
    """A trajectory, with its continuations, as one thread."""

    def __init__(self, name: str, value: Mapping[str, Json], tools: list[list[Json]]) -> None:
        """Start without steps; ``tools`` collects the tool sets of the session."""
        agent = mapping(value.get("agent"))
        self.thread = ThreadDraft(id=name, title=text(agent.get("name")) if name != "main" else "")
        self.context = Context(self.thread)
        self.handoffs: Mapping[str, Mapping[str, Json]] = {}
        """Sub-agents that belong to it, by their id."""
        self.started: dict[str, int | None] = {}
        """Call that started a sub-agent, by the sub-agent's id."""
        self.notes: list[str] = []
        self._tools = tools
        self._model = text(agent.get("model_name"))
        self._known: dict[tuple[str, tuple[Part, ...]], int] = {}
        self._set: int | None = None
        self._compacted = self._counted = False

    def belongs_to(self, parent: str, call: int | None, *, side: bool) -> None:
        """It is a sub-agent, or a side call."""
        self.thread.kind, self.thread.parent, self.thread.parent_call = "side" if side else "agent", parent, call

    def read(self, value: Mapping[str, Json], document: Document, record: Record, path: str) -> None:
        """Replay the steps of the trajectory, or of its continuation."""
        definitions = [tool for tool in items(mapping(value.get("agent")).get("tool_definitions")) if isinstance(tool, dict)]
        if definitions and definitions not in self._tools:
            self._tools.append(definitions)
        self._set = self._tools.index(definitions) if definitions else None
        steps = [step for step in items(value.get("steps")) if isinstance(step, dict)]
        self._counted = any(_counts(step) for step in steps)
        if self.thread.calls and any(step.get("is_copied_context") for step in steps):
            self.context.become([])
        for number, step in enumerate(steps):
            self._step(step, document.source(record, f"{path}steps[{number}]"))

    def _step(self, step: Mapping[str, Json], source: SourceRef) -> None:
        kind = text(step.get("source"))
        started = [reference for _, reference in references({"steps": [step]})]
        for reference in started:
            self.started[text(reference.get("session_id"))] = len(self.thread.calls) - 1 if self.thread.calls else None
        if kind != "agent" and (started or _is_compaction(step)):
            self._compact(step, source, started)
            return
        message = self._message(step, source)
        if kind == "agent" and self._is_call(step):
            self._call(step, message)
        self._include(message, copied=bool(step.get("is_copied_context")))
        for answer in _answers(step, message, source):
            self._include(answer, copied=bool(step.get("is_copied_context")))
        if kind == "agent":
            self._compacted = False

    def _include(self, message: Message, *, copied: bool) -> None:
        """The message joins the context; a copy of one that the thread has is that one."""
        known = self._known.get((message.role, message.parts)) if copied else None
        if known is not None:
            self.context.include(known)
        else:
            self._known.setdefault((message.role, message.parts), self.context.add(message))

    def _message(self, step: Mapping[str, Json], source: SourceRef) -> Message:
        kind = text(step.get("source"))
        wire: dict[str, Json] = {"role": ROLES.get(kind, kind), "content": _content(step.get("message"))}
        if text(step.get("reasoning_content")):
            wire["reasoning_content"] = step["reasoning_content"]
        calls = [_tool_call(mapping(call)) for call in items(step.get("tool_calls"))]
        if calls:
            wire["tool_calls"] = calls
        at = step.get("timestamp")
        made = chat_message(wire, source, raw=step)
        odd = time_flag(at)
        flags = (*made.flags, odd) if odd else made.flags
        return replace(made, at=seconds(at), id=str(step.get("step_id", "")), injected=self._injected(kind), flags=flags)

    def _injected(self, kind: str) -> Injected:
        """What the program says for a person between a summarisation and the next reply is the summary."""
        return "summary" if kind == "user" and self._compacted and self.context.ranges else ""

    def _is_call(self, step: Mapping[str, Json]) -> bool:
        """Source: format notes 2.14: an agent's step with counts that is no copy."""
        if step.get("is_copied_context") or step.get("llm_call_count") == 0:
            return False
        return _counts(step) or not self._counted

    def _call(self, step: Mapping[str, Json], message: Message) -> None:
        several = whole(step.get("llm_call_count")) or 1
        if several > 1:
            self.notes.append("Some steps stand for several requests; their counts are those of all of them.")
        self.context.call(
            Call(
                index=0,
                context=(),
                reply=len(self.thread.messages),
                known="reconstructed",
                tools=self._set,
                model=text(step.get("model_name")) or self._model,
                usage=_usage(step),
                at=message.at,
                source=message.source,
                flags=("several_requests",) if several > 1 else (),
            )
        )

    def _compact(self, step: Mapping[str, Json], source: SourceRef, started: Sequence[Mapping[str, Json]]) -> None:
        """A summarisation: the history is replaced by its first messages, the next agent's questions, and what the program says next.

        Source: terminus-2, ``_summarize``; in a linear history the continuation holds the same messages as copies.
        """
        held = self.context.indexes()
        first = next((n for n, index in enumerate(held) if self.thread.messages[index].role == "user"), -1)
        self.context.become(held[: first + 1])
        self._compacted = True
        for reference in started:
            other = mapping(self.handoffs.get(text(reference.get("session_id"))))
            if text(mapping(other.get("agent")).get("name")).endswith("questions"):
                for number, value in enumerate(s for s in items(other.get("steps")) if isinstance(s, dict)):
                    self._include(
                        self._message(value, replace(source, path=f"{source.path} {reference.get('session_id')} steps[{number}]")), copied=True
                    )
        gone = len(set(held).difference(self.context.indexes()))
        note = f"{text(step.get('message')) or 'The history was summarised.'} {count(gone, 'message was', 'messages were')} replaced."
        self.thread.events.append(
            Event(kind="compaction", call=len(self.thread.calls), at=seconds(step.get("timestamp")), source=source, note=masked_part(note, 0, 300))
        )


def _counts(step: Mapping[str, Json]) -> bool:
    return bool(mapping(step.get("metrics")) or mapping(step.get("usage")) or whole(step.get("llm_call_count")))


def _is_compaction(step: Mapping[str, Json]) -> bool:
    return mapping(mapping(step.get("extra")).get("context_management")).get("type") == "compaction"


def _usage(step: Mapping[str, Json]) -> Usage | None:
    """Counts of a step; two recorders write ``usage`` for ``metrics``."""
    record = mapping(step.get("metrics")) or mapping(step.get("usage"))
    found = usage(record, cache_in_input=True)
    cached = whole(record.get("cached_tokens")) if "cached_tokens" in record else whole(record.get("cache_tokens"))
    return found if found is None or cached is None else replace(found, cache_read_tokens=cached)


def _content(value: Json) -> Json:
    """A step's text, or its parts as those of a chat message; an image is named by its path."""
    if not isinstance(value, list):
        return text(value)
    return [_part(mapping(part)) for part in value]


def _part(part: Mapping[str, Json]) -> Json:
    source = mapping(part.get("source"))
    if part.get("type") == "image" and source:
        return {"type": "image_url", "image_url": {"url": text(source.get("path")) or text(source.get("url"))}}
    return part


def _tool_call(call: Mapping[str, Json]) -> Json:
    asked = call.get("arguments")
    function = {
        "name": text(call.get("function_name")),
        "arguments": asked if isinstance(asked, str) else compact_json(asked if asked is not None else {}),
    }
    return {"id": text(call.get("tool_call_id")), "type": "function", "function": function}


def _answers(step: Mapping[str, Json], message: Message, source: SourceRef) -> Iterator[Message]:
    """Results of a step: each for the call that it names, or for the call in its place; without calls, what the program says next."""
    calls = [call.id for call in message.calls]
    for number, result in enumerate(map(mapping, items(mapping(step.get("observation")).get("results")))):
        if "content" not in result or (result.get("content") is None and not calls):
            continue
        call = text(result.get("source_call_id")) or (calls[number] if number < len(calls) else "")
        wire: dict[str, Json] = {"role": "tool" if call else "user", "content": _content(result.get("content"))}
        if call:
            wire["tool_call_id"] = call
        place = replace(source, path=f"{source.path}.observation.results[{number}]")
        yield replace(chat_message(wire, place, raw=result), at=message.at, injected="" if call else "meta")
