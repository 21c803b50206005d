"""Codex rollouts that were uploaded together: a session and the agents that it started become one, each agent a thread.

Source: format notes 2.2: the file of a sub-agent can begin with a copy of its parent's history, whose calls count once. openai/codex
``SubAgentSource``: the head of an agent's file names the session that started it, and the result of the tool that did names the agent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ctxcore.counted import count
from ctxcore.readers.build import ThreadDraft
from ctxcore.readers.protocol import SessionDraft

COUNTED_TWICE = "The file repeats the session it was forked from; reading both counts those calls twice."

LOOK_CHARS = 2_000
"""Of a tool result, for the id of an agent."""


def families(drafts: Sequence[SessionDraft]) -> list[SessionDraft]:
    """Sessions with the agents that they started, directly or through others; agents whose parent is not there stay by themselves.

    Args:
        drafts: One for each file, its first thread that of the session.
    """
    by_id = {draft.id: draft for draft in reversed(drafts) if draft.id}
    children: dict[int, list[SessionDraft]] = {}
    kept: list[SessionDraft] = []
    for draft in drafts:
        above = _above(draft, by_id)
        if above is None:
            kept.append(draft)
        else:
            children.setdefault(id(above), []).append(draft)
    for home in kept:
        waiting = [home]
        while waiting:
            parent = waiting.pop(0)
            for child in children.pop(id(parent), ()):
                _adopt(home, parent, child)
                waiting.append(child)
    return [*kept, *(child for circle in children.values() for child in circle)]


def _above(draft: SessionDraft, by_id: dict[str, SessionDraft]) -> SessionDraft | None:
    thread = draft.threads[0]
    parent = by_id.get(thread.parent) if thread.kind == "agent" else None
    return None if parent is draft else parent


def _adopt(home: SessionDraft, parent: SessionDraft, child: SessionDraft) -> None:
    """The thread of an agent goes to the session that started it."""
    thread, above = child.threads[0], parent.threads[0]
    repeated = _repeated(thread, above)
    if repeated:
        thread.calls = thread.calls[repeated:]
        thread.events = [replace(event, call=event.call - repeated) for event in thread.events if event.call >= repeated]
        home.notes.append(f"The file of the agent {child.id} begins with {count(repeated, 'call')} of the session that started it, counted once.")
    thread.id, thread.parent, thread.parent_call = child.id, above.id, _starting_call(above, child.id)
    home.threads.append(thread)
    home.documents = (*home.documents, *child.documents)
    home.used += child.used
    home.skipped += child.skipped
    home.problems += child.problems
    home.notes += [note for note in child.notes if note not in home.notes and note != COUNTED_TWICE]


def _repeated(thread: ThreadDraft, parent: ThreadDraft) -> int:
    """How many calls at the beginning of a thread are calls of its parent: the same replies, one after the other."""
    own, others = ([t.messages[call.reply].wire if call.reply is not None else None for call in t.calls] for t in (thread, parent))
    start = next((place for place, wire in enumerate(others) if own and own[0] is not None and wire == own[0]), None)
    if start is None:
        return 0
    count = 0
    while count < len(own) and start + count < len(others) and own[count] == others[start + count]:
        count += 1
    return count


def _starting_call(parent: ThreadDraft, agent: str) -> int | None:
    """The call whose tool result is the first to name the agent."""
    asked = next((r.call_id for message in parent.messages for r in message.results if agent in r.text[:LOOK_CHARS]), None)
    if asked is None:
        return None
    replies = ((number, parent.messages[call.reply]) for number, call in enumerate(parent.calls) if call.reply is not None)
    return next((number for number, message in replies if any(call.id == asked for call in message.calls)), None)
