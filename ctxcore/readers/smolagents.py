"""smolagents memory: full steps hold what each call sent; steps without it are told again as the library would.

Calls and observations go to the model as text, in the roles assistant and user. Source: smolagents ``memory.py`` (``to_messages`` of each step);
format notes, 2.12.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from ctxcore.model import Call, Json, Level, Message, SourceRef
from ctxcore.readers.body_log import not_recorded
from ctxcore.readers.build import ThreadDraft
from ctxcore.readers.chat_message import chat_message
from ctxcore.readers.document import Document
from ctxcore.readers.protocol import SessionDraft
from ctxcore.readers.request_log import RequestLog
from ctxcore.readers.values import items, mapping, seconds, text, usage

Step = Mapping[str, Json]

ROLES = {"tool-call": "assistant", "tool-response": "user"}
"""Recorded role -> the role in which it is sent."""

GO_ON = "Now proceed and carry out this plan."
"""What the library says after a plan."""

RETRY = "Now let's retry: take care not to repeat previous errors! If you have retried several times, try a completely different approach.\n"
"""What it says after an error."""

LAST_ASKED = "last_question_not_recorded"
"""Flag of the call that asks for an answer when no step is left: the library puts words of its own around the memory."""


class SmolAgents:
    """See the module."""

    name: ClassVar[str] = "smolagents"
    family: ClassVar[str] = "agent logs"
    level: ClassVar[Level] = "full requests"
    detects: ClassVar[str] = "steps with step_number and timing"

    def matches(self, document: Document, head: Sequence[Json]) -> bool:
        """See ``Reader.matches``."""
        values = _steps(head[0]) if document.shape == "json" else head
        return any(map(is_action, values[:20])) and all(isinstance(value, dict) for value in values[:20])

    def read(self, documents: Sequence[Document]) -> list[SessionDraft]:
        """See ``Reader.read``."""
        return [_read(document) for document in documents]


def _steps(value: Json) -> Sequence[Json]:
    if isinstance(value, list):
        return value
    steps = mapping(value).get("steps")
    return steps if isinstance(steps, list) else [value]


def is_action(value: Json) -> bool:
    """True for a step that called the model."""
    record = mapping(value)
    return "step_number" in record and "timing" in record and ("model_output" in record or "tool_calls" in record or "observations" in record)


def _read(document: Document) -> SessionDraft:
    draft = SessionDraft(id="", level="message list only", documents=(document,))
    memory: list[Json] = []
    places: dict[int, SourceRef] = {}
    log = RequestLog(lambda value, call: _make(value, call, places.get(id(value), call.source)))
    for record in document.records():
        steps = _steps(record.value)
        document.record_count += len(steps) - 1
        memory += _system(mapping(record.value).get("system_prompt")) if steps and steps[0] is not record.value else []
        for number, step in enumerate(steps):
            path = "" if steps[0] is record.value else f"[{number}]" if steps is record.value else f"steps[{number}]"
            source, held = document.source(record, path), len(memory)
            _use(draft, log, memory, mapping(step), source)
            places.update((id(said), source) for said in memory[held:])
    draft.threads, draft.tool_sets = log.threads() or [ThreadDraft(id="main")], log.tool_sets
    draft.not_recorded = not_recorded(draft.threads, log.tool_sets)
    if draft.tool_sets == []:
        draft.notes.append("Tools stand as text in the system prompt.")
    return draft


def _use(draft: SessionDraft, log: RequestLog, memory: list[Json], step: Step, source: SourceRef) -> None:
    """One step: its call, where it made one, then what the library remembers of it."""
    known = bool(step) and (is_action(step) or any(key in step for key in ("task", "plan", "system_prompt")))
    if not known:
        draft.skipped["not a step"] += 1
        return
    draft.used += 1
    if is_action(step) or "plan" in step:
        _call(draft, log, memory, step, source)
    memory += _remembered(step)


def _call(draft: SessionDraft, log: RequestLog, memory: Sequence[Json], step: Step, source: SourceRef) -> None:
    sent = [_bare(message) for message in items(step.get("model_input_messages")) if isinstance(message, dict)]
    out_of_steps = "MaxSteps" in text(mapping(step.get("error")).get("type"))
    words = step.get("action_output") if out_of_steps else step.get("model_output") or step.get("plan")
    came = mapping(step.get("model_output_message")) or {"role": "assistant", "content": words if isinstance(words, str) else None}
    reply = _bare(came) if came.get("content") or came.get("tool_calls") else None
    if sent:
        draft.level = "full requests"
    counted = usage(step.get("token_usage"), cache_in_input=True)
    at = seconds(mapping(step.get("timing")).get("start_time"))
    flags = (LAST_ASKED,) if out_of_steps else ("failed",) if step.get("error") and reply is None else ()
    call = Call(index=0, context=(), known="recorded" if sent else "reconstructed", usage=counted, at=at, source=source, flags=flags)
    log.add(sent or list(memory), reply, call)


def _bare(message: Step) -> Json:
    """A message without what the library adds to it."""
    return {key: value for key, value in message.items() if key not in ("raw", "token_usage") and value is not None}


def _make(value: Json, call: Call, source: SourceRef) -> Message:
    role = text(value.get("role"))
    message = chat_message({**value, "role": ROLES.get(role, role)}, source, raw=value)
    return replace(message, at=call.at, injected="meta" if role == "tool-response" else "")


def _say(role: str, words: str) -> Json:
    return {"role": role, "content": [{"type": "text", "text": words}]}


def _system(value: Json) -> list[Json]:
    words = value if isinstance(value, str) else text(mapping(value).get("system_prompt"))
    return [_say("system", words)] if words else []


def _remembered(step: Step) -> Iterable[Json]:
    """Messages that later requests hold of a step. Source: ``to_messages`` of each kind of step."""
    if not is_action(step):
        yield from _system(step.get("system_prompt"))
        if "task" in step:
            yield _say("user", f"New task:\n{text(step.get('task'))}")
        if "plan" in step:
            yield _say("assistant", text(step.get("plan")).strip())
            yield _say("user", GO_ON)
        return
    if text(step.get("model_output")):
        yield _say("assistant", step["model_output"].strip())
    if items(step.get("tool_calls")):
        yield _say("tool-call", f"Calling tools:\n{step['tool_calls']}")
    if text(step.get("observations")):
        yield _say("tool-response", f"Observation:\n{step['observations']}")
    if step.get("error"):
        yield _say("tool-response", _error(step))


def _error(step: Step) -> str:
    """The library's words after a failed step."""
    words = text(mapping(step.get("error")).get("message")) or text(step.get("error"))
    first = next(iter(items(step.get("tool_calls"))), None)
    head = f"Call id: {text(mapping(first).get('id'))}\n" if first else ""
    return f"{head}Error:\n{words}\n{RETRY}"
