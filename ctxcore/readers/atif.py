"""Harbor trajectories (ATIF): steps of a user, a system and an agent; continuations and sub-agents in files of their own or embedded.

Source: Harbor's trajectory format, versions 1.2 to 1.7; terminus-2 for what follows a summarisation; format notes 2.14.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from ctxcore.model import Json, Level
from ctxcore.readers.atif_steps import Replay, references
from ctxcore.readers.document import Document, Record
from ctxcore.readers.marks import majority
from ctxcore.readers.protocol import SessionDraft
from ctxcore.readers.values import items, mapping, text, whole
from ctxcore.redaction.masking import masked_part


class ATIF:
    """See the module."""

    name: ClassVar[str] = "harbor-atif"
    family: ClassVar[str] = "agent logs"
    level: ClassVar[Level] = "message list only"
    detects: ClassVar[str] = "schema_version ATIF-v… beside steps"

    def matches(self, document: Document, head: Sequence[Json]) -> bool:
        """See ``Reader.matches``."""
        return document.shape != "text" and majority(head, _is_trajectory)

    def read(self, documents: Sequence[Document]) -> list[SessionDraft]:
        """See ``Reader.read``."""
        found = [one for document in documents for record in document.records() for one in _trajectories(document, record)]
        return [_session(root) for root in _roots(found)]


def _is_trajectory(value: Json) -> bool:
    record = mapping(value)
    return text(record.get("schema_version")).upper().startswith("ATIF") and isinstance(record.get("steps"), list)


@dataclass(slots=True)
class Trajectory:
    """One trajectory, and those that belong to it."""

    value: Mapping[str, Json]
    document: Document
    record: Record
    path: str = ""
    """Of an embedded one."""
    embedded: bool = False
    continued: list[Trajectory] = field(default_factory=list)
    children: list[Trajectory] = field(default_factory=list)

    @property
    def id(self) -> str:
        """The log's own id; several trajectories of a session may share it."""
        return text(self.value.get("session_id"))

    @property
    def extra(self) -> Mapping[str, Json]:
        """What its agent adds about itself."""
        return mapping(mapping(self.value.get("agent")).get("extra"))

    def all(self) -> Iterator[Trajectory]:
        """Itself and all that belong to it."""
        yield self
        for other in (*self.continued, *self.children):
            yield from other.all()


def _trajectories(document: Document, record: Record) -> Iterator[Trajectory]:
    if not _is_trajectory(record.value):
        document.lost(
            f"Line {record.line} is not a trajectory and was left out.", record.line, "not_a_record", masked_part(repr(record.value), 0, 80)
        )
        return
    yield _with_children(Trajectory(record.value, document, record))


def _with_children(parent: Trajectory) -> Trajectory:
    for number, value in enumerate(items(parent.value.get("subagent_trajectories"))):
        if isinstance(value, dict) and isinstance(value.get("steps"), list):
            child = Trajectory(value, parent.document, parent.record, f"{parent.path}subagent_trajectories[{number}].", embedded=True)
            parent.children.append(_with_children(child))
    return parent


def _roots(found: Sequence[Trajectory]) -> list[Trajectory]:
    """The trajectories that no other one of the upload continues into or started; the others are attached to theirs."""
    roots: list[Trajectory] = []
    for one in sorted(found, key=_continuation):
        owner = _continued_from(one, found)
        if owner is not None and not owner.continued:
            owner.continued.append(one)
        elif (parent := _started_by(one, found)) is not None:
            parent.children.append(one)
        else:
            roots.append(one)
    reached = {id(one) for root in roots for one in root.all()}
    for one in found:
        if id(one) not in reached:  # they name each other
            one.children, one.continued = [], []
            roots.append(one)
    place = {id(one): number for number, one in enumerate(found)}
    return sorted(roots, key=lambda root: place[id(root)])


def _continuation(one: Trajectory) -> int:
    """Its number among the continuations of a run; 0 for the beginning."""
    return whole(one.extra.get("continuation_index")) or 0


def _continued_from(one: Trajectory, found: Sequence[Trajectory]) -> Trajectory | None:
    """The trajectory that names this one as its continuation."""
    for other in found:
        if _continuation(other) < _continuation(one) and other.value.get("continued_trajectory_ref") and other.id == one.id and not other.continued:
            return other
    return None


def _started_by(one: Trajectory, found: Sequence[Trajectory]) -> Trajectory | None:
    """The trajectory that refers to this one as a sub-agent's; else the only one with the id that this one calls its parent."""
    for other in found:
        if other is not one and one.id and any(reference.get("session_id") == one.id for _, reference in references(other.value)):
            return other
    named = text(one.extra.get("parent_session_id"))
    parents = [other for other in found if other is not one and named and other.id == named and not other.extra.get("parent_session_id")]
    return parents[0] if len(parents) == 1 else None


def _session(root: Trajectory) -> SessionDraft:
    every = list(root.all())
    documents = list({id(one.document): one.document for one in every}.values())
    draft = SessionDraft(id=root.id, level=ATIF.level, documents=documents)
    draft.used = sum(not one.embedded for one in every)
    tools: list[list[Json]] = []
    _replay(root, draft, tools, parent=None)
    draft.tool_sets = tools
    _finish(draft, root)
    return draft


def _replay(one: Trajectory, draft: SessionDraft, tools: list[list[Json]], parent: tuple[str, int | None] | None) -> None:
    """A trajectory and its continuations as one thread, then its sub-agents."""
    parts = [one]
    while parts[-1].continued:
        parts += parts[-1].continued[:1]
    name = "main" if parent is None else (one.id or f"agent-{len(draft.threads)}")
    taken = {thread.id for thread in draft.threads}
    replay = Replay(name if name not in taken else f"{name}-{len(taken)}", one.value, tools)
    children = [child for part in parts for child in part.children]
    replay.handoffs = {child.id: child.value for child in children if child.id}
    if parent is not None:
        side = "summarization_index" in one.extra
        replay.belongs_to(*parent, side=side)
    draft.threads.append(replay.thread)
    for part in parts:
        replay.read(part.value, part.document, part.record, part.path)
    draft.notes += replay.notes
    for child in children:
        started = replay.started.get(child.id, len(replay.thread.calls) - 1 if replay.thread.calls else None)
        _replay(child, draft, tools, (replay.thread.id, started))


def _finish(draft: SessionDraft, root: Trajectory) -> None:
    every = [message for thread in draft.threads for message in thread.messages]
    missing = [] if any(message.role == "system" for message in every) else ["system prompt"]
    if not draft.tool_sets:
        missing.append("tool definitions")
    if not any(message.at is not None for message in every):
        missing.append("times")
    draft.not_recorded = tuple(missing)
    calls = [call for thread in draft.threads for call in thread.calls]
    if any(call.usage for call in calls):
        draft.notes.append("Recorded input tokens include the cached ones.")
    last = root
    while last.continued:
        last = last.continued[0]
    total = whole(mapping(last.value.get("final_metrics")).get("total_prompt_tokens"))
    found = sum((call.usage.input_tokens or 0) for call in calls if call.usage)
    if total and found and total != found:
        draft.notes.append(f"The log's own total is {total:,} input tokens, its calls here sum up to {found:,}: sub-agent files may be missing.")
    draft.notes[:] = dict.fromkeys(draft.notes)
