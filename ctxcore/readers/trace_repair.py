"""Calls whose input a trace does not hold as a whole: put together from the call before, and said so.

A recorder that keeps 128 attributes a span loses the first messages of long calls; another keeps no content for some calls at all.
Source: format notes, 2.7 (loss of attributes) and 2.8.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ctxcore.model import Json
from ctxcore.readers.dialects import chat_form, normal_form
from ctxcore.readers.part_forms import arguments_text, as_text
from ctxcore.readers.trace_call import TraceCall, TraceNode
from ctxcore.readers.values import items, mapping

RECENT = 64
"""Earlier calls that may hold what a call lost."""


def repair(calls: Sequence[TraceCall], owners: Mapping[str, str], nodes: Sequence[TraceNode]) -> None:
    """Complete the input of every call that lost some, in order of time.

    Args:
        calls: Of one session, in order.
        owners: Key of the agent or tool that each call ran in.
        nodes: Everything else of the session.
    """
    for number, call in enumerate(calls):
        earlier = calls[max(0, number - RECENT) : number]
        if call.rebuilt:
            _restore(call, earlier)
        elif call.messages is None:
            before = next((other for other in reversed(earlier) if owners[other.key] == owners[call.key] and other.messages), None)
            _go_on(call, before, nodes)
        if call.tools is None and "attributes_lost" in call.flags:
            call.tools = next((other.tools for other in reversed(earlier) if other.tools and owners[other.key] == owners[call.key]), None)


def _restore(call: TraceCall, earlier: Sequence[TraceCall]) -> None:
    """Put the lost first messages of a call back from the earlier call whose end overlaps with what is left."""
    left = call.messages or []
    best: tuple[int, list[Json]] | None = None
    for other in reversed(earlier):
        history = [*(other.messages or ()), *([other.reply] if other.reply is not None else ())]
        overlap = _overlap(call, left, history)
        if overlap is not None and (best is None or overlap > best[0]):
            best = overlap, history
    if best is None:
        call.flags = (*call.flags, "messages_lost")
        return
    covered, history = best
    call.messages = [*history[: call.first + covered], *left[covered:]]


def _overlap(call: TraceCall, left: Sequence[Json], history: Sequence[Json]) -> int | None:
    """How many of the messages that are left the history holds too, at their places; None where it contradicts them or ends before them."""
    shared = history[call.first :]
    if len(history) < call.first or (call.parts_of_first and not shared):
        return None
    for number, (one, other) in enumerate(zip(left, shared, strict=False)):
        same = _is_part(one, other) if number == 0 and call.parts_of_first else normal_form(one) == normal_form(other)
        if not same:
            return None
    return min(len(left), len(shared))


def _is_part(left: Json, whole: Json) -> bool:
    """True if nothing that is left of a message contradicts the whole one."""
    one, other = chat_form(left), chat_form(whole)
    if one.get("role") and one["role"] != other.get("role"):
        return False
    if one.get("content") and one["content"] != other.get("content"):
        return False
    known = [mapping(mapping(call).get("function")) for call in items(other.get("tool_calls"))]
    asked = [mapping(mapping(call).get("function")) for call in items(one.get("tool_calls"))]
    return all(any(_same_call(call, candidate) for candidate in known) for call in asked)


def _same_call(left: Mapping[str, Json], whole: Mapping[str, Json]) -> bool:
    return all(not left.get(key) or left[key] == whole.get(key) for key in ("name", "arguments"))


def _go_on(call: TraceCall, before: TraceCall | None, nodes: Sequence[TraceNode]) -> None:
    """A call without recorded input goes on from the one before: its messages, its reply, and what the tools between them gave back."""
    call.flags = (*call.flags, "input_not_recorded")
    call.rebuilt = True
    if before is None:
        call.messages = []
        return
    ran = [node for node in nodes if node.kind == "tool" and node.trace == call.trace and _between(node, before, call)]
    if ran and before.reply is not None and not chat_form(before.reply).get("tool_calls"):
        before.reply = {**chat_form(before.reply), "tool_calls": [_asked(node) for node in ran]}
    results = [{"role": "tool", "tool_call_id": node.call_id, "content": as_text(node.result)} for node in ran]
    call.messages = [*(before.messages or ()), *([before.reply] if before.reply is not None else ()), *results]


def _asked(node: TraceNode) -> Json:
    return {"id": node.call_id, "type": "function", "function": {"name": node.name, "arguments": arguments_text(node.arguments)}}


def _between(node: TraceNode, before: TraceCall, call: TraceCall) -> bool:
    return node.start is not None and before.start is not None and call.start is not None and before.start <= node.start <= call.start
