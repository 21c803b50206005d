"""The request of one call, as recorded or as a policy would send it, in OpenAI Chat or Anthropic Messages form.

Where the log already has that form, its messages go out as they stand. Else they are written anew from their parts, and what the other form has no
place for is named, never dropped in silence.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from ctxcore.errors import InputError
from ctxcore.measures.validity import REFUSED_BY, WORDS, Fault, FaultKind, call_faults
from ctxcore.model import Json, Message, Reasoning, Text, ToolCall, ToolResult
from ctxcore.policies.edits import Edit
from ctxcore.replay import Replay
from ctxcore.report.request_anthropic import anthropic_body, is_anthropic
from ctxcore.report.request_checks import body_faults
from ctxcore.report.request_openai import is_chat, openai_body
from ctxcore.report.request_parts import Carried, Notes, carried
from ctxcore.report.request_tools import same_tools, tools_as
from ctxcore.sending import sent_messages
from ctxcore.sizes.provider import provider_of

Form = Literal["openai", "anthropic"]

FORMS: tuple[Form, ...] = ("openai", "anthropic")
"""Forms that a request can be written in."""

MAX_TOKENS = 4096
"""Stands in for the limit of the reply, which Anthropic's API wants and logs seldom hold."""


@dataclass(frozen=True, kw_only=True)
class Written:
    """One request."""

    form: Form
    """As whose API takes it."""
    verbatim: bool
    """The messages stand as the log has them, edits of the policy aside."""
    body: dict[str, Json]
    """What would be posted."""
    not_carried: tuple[str, ...]
    """What the form has no place for, or what had to be made up; sentences."""
    faults: tuple[str, ...]
    """For which a provider of this form would refuse it, and what the policy lost; sentences."""


def written_request(replay: Replay, call: int, form: Form) -> Written:
    """The request of a call after a policy.

    Args:
        replay: The policy over the call's thread.
        call: Index of the call.
        form: To write it in.

    Raises:
        InputError: No such call, the call is refused, or the policy puts in a text of which only the size is known.
    """
    calls = replay.thread.calls
    if form not in FORMS:
        raise InputError(f"No form {form!r}. Use openai or anthropic.")
    if not 0 <= call < len(calls):
        raise InputError(f"No call {call:,} in this thread. It has {len(calls):,}, counted from 0.")
    if replay.refused[call]:
        raise InputError(f"Call {call:,} is refused, nothing would be sent. {replay.needs(call)}")
    if any(insert.source == "opaque" for insert in replay.inserts(call)):
        raise InputError(f"Policy {replay.policy.name} puts in a text of which only the size is known: choose another kind of summary.")
    notes = Notes()
    body, verbatim = _body(replay, call, form, notes)
    return Written(form=form, verbatim=verbatim, body=body, not_carried=tuple(notes.sentences), faults=_faults(replay, call, form, body))


def _body(replay: Replay, call: int, form: Form, notes: Notes) -> tuple[dict[str, Json], bool]:
    one, thread = replay.thread.calls[call], replay.thread
    sent = [dict(message) for message in sent_messages(replay, call)]
    fits = is_chat if form == "openai" else is_anthropic
    verbatim = all(map(fits, sent))
    carried_over = [] if verbatim else _carried(replay, call, notes)
    make = openai_body if form == "openai" else anthropic_body
    body: dict[str, Any] = {"model": one.model or "model-not-recorded", **make(sent if verbatim else None, carried_over, notes)}
    if provider_of(one.model) not in (None, form):
        notes.add(f"The recorded model {one.model!r} is not served by this API: name another one.")
    if form == "anthropic":
        body["max_tokens"] = MAX_TOKENS
        notes.add(f"max_tokens is needed and not recorded: {MAX_TOKENS:,} stands in for it.")
    definitions = () if one.tools is None else thread.tool_sets[one.tools]
    if definitions:
        body["tools"] = list(definitions) if same_tools(definitions, form) else tools_as(definitions, form, notes)
    notes.add("Settings of the request (temperature, tool choice, format of the reply) are not kept: set them again.")
    return body, verbatim


def _carried(replay: Replay, call: int, notes: Notes) -> list[Carried]:
    """The messages after the policy, from their parts."""
    thread, edits = replay.thread, replay.edits(call)
    dropped = {edit.message for edit in edits if edit.action == "drop"}
    inside: dict[int, list[Edit]] = defaultdict(list)
    for edit in edits:
        if edit.action != "drop":
            inside[edit.message].append(edit)
    inserts, found = list(replay.inserts(call)), list[Carried]()
    for place, number in enumerate((*thread.calls[call].messages(), None)):
        while inserts and (number is None or inserts[0].place <= place):
            one = inserts.pop(0)
            found.append(Carried(role=one.role, parts=(Text(text=one.text),), number=-1))
        if number is not None and number not in dropped:
            found.append(carried(_edited(thread.messages[number], inside[number]), number, {e.part for e in inside[number]}, notes))
    return found


def _edited(message: Message, edits: list[Edit]) -> Message:
    """A message whose parts are as the policy leaves them; stripped ones become empty texts, so that places stay."""
    parts = list(message.parts)
    for edit in edits:
        match parts[edit.part]:
            case _ if edit.action == "strip":
                parts[edit.part] = Text(text="")
            case ToolCall() as one:
                parts[edit.part] = replace(one, arguments=edit.text)
            case ToolResult() as one:
                parts[edit.part] = replace(one, text=edit.text, media=())
            case Text() as one:
                parts[edit.part] = replace(one, text=edit.text)
            case Reasoning() as one:
                parts[edit.part] = replace(one, text=edit.text)
            case _:
                parts[edit.part] = Text(text=edit.text)
    return replace(message, parts=tuple(parts), raw=None)


def _faults(replay: Replay, call: int, form: Form, body: Mapping[str, Json]) -> tuple[str, ...]:
    """Faults of the body itself, and those of the policy that no body shows."""
    kinds: list[FaultKind] = [*body_faults(body, form), *(fault.kind for fault in call_faults(replay, call) if _hidden(fault))]
    told = []
    for kind in dict.fromkeys(kinds):
        refused = form in REFUSED_BY.get(kind, ())
        told.append(f"{WORDS[kind]}{': the API refuses such a request' if refused else ''}.")
    return tuple(told)


def _hidden(fault: Fault) -> bool:
    return fault.kind in ("thinking_edited", "system_lost", "task_lost")
