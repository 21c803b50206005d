"""Sessions of OpenClaw that started one another: by the keys that the spawning tool returns, the index of sessions, or the task's own words.

Source: format notes 2.7 (``sessions.json`` maps keys to sessionId, spawnedBy, label).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ctxcore.model import Json, ToolCall
from ctxcore.readers.build import ThreadDraft
from ctxcore.readers.marks import majority
from ctxcore.readers.protocol import SessionDraft
from ctxcore.readers.values import mapping, object_in, text

SPAWN_TOOL = "sessions_spawn"

AGENT_START = "[Subagent Context]"
"""First words that a sub-agent gets."""


def is_index(value: Json) -> bool:
    """True for the file that lists sessions by key."""
    entries = list(value.values())[:20] if isinstance(value, dict) else []
    return majority(entries, lambda v: isinstance(mapping(v).get("sessionId"), str) and ("sessionFile" in v or "updatedAt" in v))


@dataclass(slots=True)
class _Spawn:
    """A call that started a sub-agent."""

    draft: SessionDraft
    call: int
    task: str
    title: str
    key: str


def agent_sessions(drafts: Sequence[SessionDraft], indexes: Sequence[Json]) -> list[tuple[SessionDraft, list[SessionDraft]]]:
    """Sessions with all the sub-agents below them, each linked to the thread and call that started it (in ``parent`` and ``parent_call``)."""
    entries = {key: mapping(entry) for index in indexes for key, entry in mapping(index).items()}
    spawns = [spawn for draft in drafts for spawn in _spawns(draft)]
    parents: dict[int, SessionDraft] = {}
    taken: set[int] = set()
    for draft in drafts:
        spawn = _spawn_of(draft, spawns, entries, taken)
        if spawn is not None and spawn.draft is not draft and not _is_above(draft, spawn.draft, parents):
            taken.add(id(spawn))
            parents[id(draft)] = spawn.draft
            thread = draft.threads[0]
            thread.kind, thread.id, thread.title = "agent", draft.id or thread.id, spawn.title
            thread.parent, thread.parent_call = spawn.draft.id, spawn.call
    return [(draft, _below(draft, drafts, parents)) for draft in drafts if id(draft) not in parents]


def _is_above(draft: SessionDraft, other: SessionDraft, parents: Mapping[int, SessionDraft]) -> bool:
    above = parents.get(id(other))
    while above is not None:
        if above is draft:
            return True
        above = parents.get(id(above))
    return False


def _below(draft: SessionDraft, drafts: Sequence[SessionDraft], parents: Mapping[int, SessionDraft]) -> list[SessionDraft]:
    return [other for other in drafts if _is_above(draft, other, parents)]


def _spawns(draft: SessionDraft) -> list[_Spawn]:
    thread = draft.threads[0]
    results = {result.call_id: result.text for message in thread.messages for result in message.results if result.name == SPAWN_TOOL}
    found = []
    for call in thread.calls:
        asked = () if call.reply is None else thread.messages[call.reply].calls
        for tool in asked:
            if tool.name == SPAWN_TOOL:
                found.append(_spawn(draft, call.index, tool, results.get(tool.id, "")))
    return found


def _spawn(draft: SessionDraft, call: int, tool: ToolCall, result: str) -> _Spawn:
    given, answer = object_in(tool.arguments), object_in(result)
    title = text(given.get("label")) or text(given.get("taskName"))
    return _Spawn(draft, call, text(given.get("task")).strip(), title, text(answer.get("childSessionKey")))


def _spawn_of(draft: SessionDraft, spawns: Sequence[_Spawn], entries: Mapping[str, Mapping[str, Json]], taken: set[int]) -> _Spawn | None:
    """The call that started a session: by key, else by the task that its first message holds."""
    keys = {key for key, entry in entries.items() if entry.get("sessionId") == draft.id}
    by_key = next((spawn for spawn in spawns if spawn.key in keys), None)
    if by_key is not None:
        return by_key
    first = draft.threads[0].messages[0].text if draft.threads[0].messages else ""
    if not first.startswith(AGENT_START):
        return None
    return next((spawn for spawn in spawns if spawn.task and spawn.task in first and id(spawn) not in taken), None)


def link(main: SessionDraft, agents: Sequence[SessionDraft]) -> None:
    """Put the sub-agents' threads and records into the session that started them."""
    for agent in agents:
        thread: ThreadDraft = agent.threads[0]
        thread.parent = main.threads[0].id if thread.parent == main.id else thread.parent
        main.threads.append(thread)
        main.documents = (*main.documents, *agent.documents)
        main.used += agent.used
        main.skipped += agent.skipped
        main.problems += agent.problems
        main.notes += [note for note in agent.notes if note not in main.notes]
