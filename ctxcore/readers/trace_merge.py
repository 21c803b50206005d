"""Model calls that a trace holds more than once, counted once: a wrapper over one call, a wrapper over several, two recorders of one call.

Source: format notes, 2.0.6 ("do not sum parents").
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from ctxcore.model import Usage
from ctxcore.readers.dialects import chat_form
from ctxcore.readers.trace_call import Trace, TraceCall, TraceNode
from ctxcore.readers.values import text

NEAR = 8
"""Calls before one that may be the same call, told by another recorder."""

SLACK_SECONDS = 0.005
"""By how much clocks of two recorders may differ."""


def merge(trace: Trace) -> None:
    """Keep each call once; the others become nodes of kind ``wrapper``, so that what runs in them is still found."""
    _nested(trace)
    _twice(trace)


def _nested(trace: Trace) -> None:
    by_key = {call.key: call for call in trace.calls}
    parents = {node.key: node.parent for node in trace.nodes} | {call.key: call.parent for call in trace.calls}
    inside: dict[str, list[TraceCall]] = defaultdict(list)
    for call in trace.calls:
        above = next((key for key in ancestors(call.parent, parents) if key in by_key), "")
        if above:
            inside[above].append(call)
    for key, inner in inside.items():
        if len(inner) == 1:
            _complete(inner[0], by_key[key])
        last = max(inner, key=lambda call: call.start or 0.0)
        last.reply = by_key[key].reply if last.reply is None else last.reply
    _demote(trace, [by_key[key] for key in inside])


def ancestors(key: str, parents: Mapping[str, str]) -> list[str]:
    """The key and all above it, nearest first; a circle ends where it closes."""
    found: dict[str, None] = {}
    while key and key not in found:
        found[key] = None
        key = parents.get(key, "")
    return list(found)


def _demote(trace: Trace, calls: Sequence[TraceCall]) -> None:
    gone = {id(call) for call in calls}
    trace.calls = [call for call in trace.calls if id(call) not in gone]
    trace.nodes += [TraceNode(c.key, c.trace, c.parent, "", "wrapper", c.start, c.end, records=c.records) for c in calls]


def _complete(call: TraceCall, other: TraceCall) -> None:
    """Take over what only the other tells."""
    if call.messages is None or (call.rebuilt and not other.rebuilt and other.messages is not None):
        call.messages, call.rebuilt, call.first = other.messages, other.rebuilt, other.first
    call.reply = other.reply if call.reply is None else call.reply
    call.tools = call.tools or other.tools
    call.model = call.model or other.model
    call.usage = _fuller(call.usage, other.usage)
    call.id = call.id or other.id
    call.session = call.session or other.session


def _fuller(one: Usage | None, other: Usage | None) -> Usage | None:
    return one or other


def _twice(trace: Trace) -> None:
    """Two recorders in one program: each tells of the same call, the outer one begins first and ends last."""
    recent: dict[str, list[TraceCall]] = defaultdict(list)
    doubles: list[TraceCall] = []
    for call in sorted(trace.calls, key=lambda c: (c.start or 0.0, -(c.end or 0.0))):
        outer = next((other for other in recent[call.trace][-NEAR:] if _is_same(other, call)), None)
        if outer is not None:
            _complete(call, outer)
            doubles.append(outer)
            recent[call.trace].remove(outer)
        recent[call.trace].append(call)
    _demote(trace, doubles)


def _is_same(outer: TraceCall, call: TraceCall) -> bool:
    if outer.scope == call.scope or not outer.messages or not call.messages or len(outer.messages) != len(call.messages):
        return False
    if outer.start is None or outer.end is None or call.start is None or call.end is None:
        return False
    if call.start < outer.start - SLACK_SECONDS or call.end > outer.end + SLACK_SECONDS:
        return False
    return [_gist(m) for m in outer.messages] == [_gist(m) for m in call.messages]


def _gist(message: object) -> tuple[str, str]:
    form = chat_form(message)
    return text(form.get("role")), text(form.get("content"))
