"""Claude Code sessions: JSON lines with a parent chain, one content block a line.

Source: format notes, 2.1 and 3.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import ClassVar

from ctxcore.counted import count
from ctxcore.model import Json, Level, Problem
from ctxcore.readers.build import ThreadDraft
from ctxcore.readers.claude_lines import MAIN, Node, SessionLines
from ctxcore.readers.claude_paths import agent_threads, unlink
from ctxcore.readers.document import Document
from ctxcore.readers.protocol import SessionDraft
from ctxcore.readers.values import items, mapping, text, whole
from ctxcore.redaction.masking import masked_part

NOT_RECORDED = ("system prompt", "tool definitions", "CLAUDE.md and reminders")
"""Parts of every request that no session file holds."""

FOREIGN_ID = "response-"
"""Start of message ids of a program that writes the same lines but asks other models (iFlow)."""

MAJORITY = 0.6
"""Part of the first lines that must have a type, as all lines of a session do."""

REPEATED = ("type", "sessionId", "cwd", "version", "gitBranch", "userType", "entrypoint", "slug")
"""Keys of a line whose words are the same on line after line."""

REPEATED_INSIDE = ("type", "role", "model", "name")
"""Such keys of a message and of its blocks."""

OUTPUTS = "/tool-results/"
"""Folder of outputs that were too long: what was sent of each stands in the session."""

BESIDE = re.compile(r"/(?:subagents/agent-|tool-results/)")
"""What stands in the folder of a session."""

LISTED_AGENTS = 5
"""Files of missing sub-agents that a note names; the rest is counted."""

TITLE_CHARS = 80
"""Of a sub-agent's prompt, where the log has no description."""


class ClaudeCode:
    """See the module."""

    name: ClassVar[str] = "claude-code"
    family: ClassVar[str] = "agent logs"
    level: ClassVar[Level] = "message list only"
    detects: ClassVar[str] = (
        "user and assistant lines with uuid, parentUuid, sessionId and isSidechain; and an assistant line with a requestId, a msg_ id, "
        "<synthetic> or Anthropic usage"
    )

    def matches(self, document: Document, head: Sequence[Json]) -> bool:
        """See ``Reader.matches``."""
        del document
        typed = sum(1 for value in head if isinstance(mapping(value).get("type"), str))
        lines = [value for value in head if _is_envelope(value)]
        if not lines or typed < MAJORITY * len(head):
            return False
        answers = [value for value in lines if value["type"] == "assistant"]
        if answers:
            return any(map(_is_claude_answer, answers))
        return any("version" in value and "userType" in value for value in lines)

    def roots(self, names: Sequence[str]) -> Sequence[str]:
        """See ``ArchiveReader.roots``: the folder beside a session's file, with its agents and the outputs that were too long to send."""
        folders = {name.removesuffix(".jsonl") + "/" for name in names if name.endswith(".jsonl")}
        beside = {name[: found.start() + 1] for name in names if (found := BESIDE.search(name))}
        return sorted(folders & beside)

    def read(self, documents: Sequence[Document]) -> list[SessionDraft]:
        """See ``Reader.read``."""
        drafts = [_draft(lines) for lines in _collect(documents)]
        totals = [draft.used + draft.skipped.total() for draft in drafts]
        for draft, own in zip(drafts, totals, strict=True):
            if sum(totals) > own:
                draft.skipped["line of another session of the same upload"] += sum(totals) - own
                draft.notes.append(f"The upload holds {len(drafts)} sessions; this is one of them.")
        return drafts


def _is_envelope(value: Json) -> bool:
    record = mapping(value)
    kind = record.get("type")
    return (
        kind in ("user", "assistant")
        and isinstance(record.get("message"), dict)
        and all(key in record for key in ("uuid", "parentUuid", "sessionId", "isSidechain"))
    )


def _is_claude_answer(value: Mapping[str, Json]) -> bool:
    message = value["message"]
    own_id = text(message.get("id"))
    if text(value.get("requestId")) or own_id.startswith("msg_") or message.get("model") == "<synthetic>":
        return True
    counted = mapping(message.get("usage"))
    return bool(own_id) and not own_id.startswith(FOREIGN_ID) and whole(counted.get("input_tokens")) is not None


def _collect(documents: Sequence[Document]) -> list[SessionLines]:
    """The sessions of all files together; lines that follow a line of another session id belong to that session."""
    sessions: dict[str, SessionLines] = {}
    loose: Counter[str] = Counter()
    shared: dict[str, str] = {}
    for document in documents:
        newest: SessionLines | None = None
        if OUTPUTS in document.name or document.shape == "text":
            document.record_count = 1
            loose["output of a tool, kept beside the session" if OUTPUTS in document.name else "text beside the session"] += 1
            continue
        for record in document.records():
            value = record.value
            if not isinstance(value, dict) or not isinstance(value.get("type"), str):
                loose["not a session line"] += 1
                continue
            _share(value, shared)
            own_id = text(value.get("sessionId"))
            if own_id and own_id not in sessions:
                follows = newest is not None and text(value.get("parentUuid")) in newest.owner
                sessions[own_id] = newest if newest is not None and follows else SessionLines()
            lines = sessions.get(own_id) if own_id else newest
            if lines is None:
                loose[value["type"]] += 1
                continue
            if own_id:
                lines.ids[own_id] += 1
            lines.add(value, document.source(record), document.raw(record))
            newest = lines
    return _closed(list({id(lines): lines for lines in sessions.values()}.values()), loose)


def _closed(found: list[SessionLines], loose: Counter[str]) -> list[SessionLines]:
    """Sessions with messages, or the first; what no session took is counted with the first."""
    for lines in found:
        lines.close()
    kept = [lines for lines in found if lines.nodes] or found[:1] or [SessionLines()]
    for lines in found:
        if not lines.nodes and lines is not kept[0]:
            loose.update(lines.skipped)
    kept[0].skipped.update(loose)
    return kept


def _share(line: dict[str, Json], shared: dict[str, str]) -> None:
    """Keep words that every line repeats once in memory: a tenth of the memory of a log of small lines."""
    _share_keys(line, REPEATED, shared)
    message = line.get("message")
    if type(message) is dict:
        _share_keys(message, REPEATED_INSIDE, shared)
        for block in items(message.get("content")):
            if type(block) is dict:
                _share_keys(block, REPEATED_INSIDE, shared)


def _share_keys(record: dict[str, Json], keys: Sequence[str], shared: dict[str, str]) -> None:
    for key in keys:
        value = record.get(key)
        if type(value) is str:
            record[key] = shared.setdefault(value, value)


def _draft(lines: SessionLines) -> SessionDraft:
    draft = SessionDraft(id=max(lines.ids, key=lambda i: lines.ids[i], default=""), level=ClaudeCode.level, not_recorded=NOT_RECORDED)
    draft.used, draft.skipped, draft.problems = lines.used, lines.skipped, [*lines.problems, *_lost(lines)]
    if len(lines.ids) > 1:
        draft.notes.append(f"Its lines name {len(lines.ids)} session ids and follow each other; they are read as one session.")
    draft.threads = _threads(lines)
    unlink(lines.nodes)
    draft.notes += _missing_agents(lines)
    if draft.threads[0].kind == "agent":
        draft.notes.append("Only sub-agents are in the upload; add the main session's file to see what started them.")
    return draft


def _missing_agents(lines: SessionLines) -> list[str]:
    """A sentence about sub-agents that the session started and whose own files are not in the upload."""
    there = {node.lane for node in lines.nodes}
    missing = [agent for agent in lines.started_by if agent not in there]
    if not missing:
        return []
    names = ", ".join(f"agent-{agent}.jsonl" for agent in missing[:LISTED_AGENTS])
    more = f" and {len(missing) - LISTED_AGENTS:,} more" if len(missing) > LISTED_AGENTS else ""
    are = "1 sub-agent that this session started is" if len(missing) == 1 else f"{len(missing):,} sub-agents that this session started are"
    where = "from the folder of the session's file or its subagents folder, as one zip with it"
    return [f"{are} not in the upload, and what they asked a model is not counted: add {names}{more}, {where}."]


def _lost(lines: SessionLines) -> list[Problem]:
    """One problem for each way in which links lead nowhere."""
    ways = (
        ("missing_parent", lines.absent, "line follows", "lines follow", "a line that is not in the log"),
        ("late_parent", lines.early, "line follows", "lines follow", "a line that comes after it"),
        ("circular_parents", lines.circles, "link is", "links are", "part of a circle that leads back to the same line"),
    )
    return [
        Problem(
            what=f"{count(len(places), one, several)} {where} (first: line {places[0].line}); file order stands in for the link.",
            kind=kind,
            source=places[0],
        )
        for kind, places, one, several, where in ways
        if places
    ]


def _threads(lines: SessionLines) -> list[ThreadDraft]:
    """Main agent first, then its branches, then sub-agents in order of start, each linked to the call that started it."""
    lanes: dict[str, list[Node]] = {MAIN: []} if any(n.lane == MAIN for n in lines.nodes) or not lines.nodes else {}
    for node in lines.nodes:
        lanes.setdefault(node.lane, []).append(node)
    threads: list[ThreadDraft] = []
    asked: dict[str, tuple[str, int]] = {}
    for lane, nodes in lanes.items():
        drafts, calls = agent_threads(nodes, lane, "main" if lane == MAIN else "agent")
        threads += drafts
        asked |= calls
    claimed = set(lines.started_by.values())
    for thread in threads:
        if thread.kind == "agent":
            _link(thread, lines, asked, claimed)
    return threads


def _link(thread: ThreadDraft, lines: SessionLines, asked: Mapping[str, tuple[str, int]], claimed: set[str]) -> None:
    """Find the call that started a sub-agent: by its id, else by its prompt, each call once."""
    prompt = thread.messages[0].text if thread.messages else ""
    call = lines.started_by.get(thread.id) or next((i for i in lines.prompts.get(prompt.strip(), ()) if i not in claimed), "")
    if call:
        claimed.add(call)
    thread.title = lines.titles.get(call) or masked_part(prompt.strip().partition("\n")[0], 0, TITLE_CHARS)
    if call in asked and asked[call][0] != thread.id:
        thread.parent, thread.parent_call = asked[call]
