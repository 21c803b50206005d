"""Lines of one Claude Code session as a forest of nodes: what was sent or answered, by the parent chain of the log.

Source: format notes, 2.1. A node is one assistant message with all its lines and results, one other user line, or a boundary of compaction.
Lines of other kinds (progress, hooks, snapshots) only carry the chain on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from ctxcore.frozen import Later
from ctxcore.model import Json, Problem, SourceRef
from ctxcore.readers.claude_attachments import attached_message
from ctxcore.readers.values import items, mapping, text
from ctxcore.redaction.masking import masked_part

MAIN = "main"
"""Lane of the main agent."""

SYNTHETIC = "<synthetic>"
"""Model name of assistant lines that no model wrote."""

AGENT_TOOLS = frozenset({"Task", "Agent"})
"""Tools that start a sub-agent."""

NodeKind = Literal["assistant", "user", "synthetic", "compaction", "microcompaction"]


@dataclass(slots=True, eq=False)
class Line:
    """A recorded line that became part of a node."""

    raw: Json | Later
    """As recorded, as its message keeps it."""
    message: Mapping[str, Json]
    """``{role, content}`` as sent; empty for a boundary."""
    source: SourceRef
    """Where it stands."""
    seq: int
    """Position in the session."""
    node: Node | None = None
    """What it is a line of, while parent links are resolved."""
    _value: Mapping[str, Json] | None = None

    @property
    def value(self) -> Mapping[str, Json]:
        """As recorded; kept once it is asked for, until ``let_go``."""
        if self._value is None:
            self._value = self.raw.value() if isinstance(self.raw, Later) else self.raw
        return self._value

    def let_go(self) -> None:
        """Keep no decoded value: a log of small lines takes four times its size when it is decoded."""
        self._value = None


@dataclass(slots=True, eq=False)
class Node:
    """One step of the conversation."""

    kind: NodeKind
    lane: str
    """Main agent or sub-agent."""
    last: int
    """Of its last line, results included."""
    lines: list[Line] | tuple[Line, ...]
    """Of the message itself; a list from the second on, nothing once it is let go."""
    parent: Node | None = None
    entry: Line | None = None
    """The parent's line that this node follows."""
    results: list[Line] | tuple[()] = ()
    """User lines that answer its tool calls, and notes tied to them."""
    restart: bool = False
    """The context starts anew here."""
    told_parent: bool = True
    """False where file order stands in for a parent."""
    newest_child: Node | None = None
    """Last of the nodes that follow it, while they are linked."""
    older_sibling: Node | None = None
    """The node before it that follows the same parent, while they are linked."""
    before: tuple[tuple[int, int], ...] = ()
    """Context in front of it, once laid out."""
    after: tuple[tuple[int, int], ...] = ()
    """Context behind it, once laid out."""

    @property
    def seq(self) -> int:
        """Of its first line."""
        return self.lines[0].seq

    @property
    def children(self) -> list[Node]:
        """The nodes that follow it, in the order of the log."""
        found: list[Node] = []
        node = self.newest_child
        while node is not None:
            found.append(node)
            node = node.older_sibling
        return found[::-1]

    def let_go(self) -> None:
        """Keep nothing but its place: it is written, and all that follows it has begun."""
        self.before = self.after = self.lines = self.results = ()
        self.entry = None


Parent = Line | Literal["root", "lost"]
"""What a parent link leads to: a line with its node; root for no link, lost for one to a line that is not in the log."""


@dataclass(slots=True)
class SessionLines:
    """Everything of one session, added line by line in file order."""

    ids: Counter[str] = field(default_factory=Counter)
    """Session ids met, with their lines."""
    nodes: list[Node] = field(default_factory=list)
    used: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    problems: list[Problem] = field(default_factory=list)
    owner: dict[str, Parent] = field(default_factory=dict)
    """Per uuid: its line; for a line that only carries the chain on, what it follows."""
    tail: dict[str, Node] = field(default_factory=dict)
    """Newest node of each lane."""
    started_by: dict[str, str] = field(default_factory=dict)
    """Sub-agent id -> id of the tool call that started it."""
    prompts: dict[str, list[str]] = field(default_factory=dict)
    """Prompt of a sub-agent -> ids of the tool calls that gave it."""
    titles: dict[str, str] = field(default_factory=dict)
    """Tool call id -> what its sub-agent is for."""
    lost_parents: list[tuple[Node, SourceRef, str]] = field(default_factory=list)
    """Nodes whose parent no line above them is, each with its place and the uuid it names."""
    circles: list[SourceRef] = field(default_factory=list)
    """Places of those that follow what follows them."""
    early: list[SourceRef] = field(default_factory=list)
    """Places of those that follow a line that comes later."""
    absent: list[SourceRef] = field(default_factory=list)
    """Places of those whose parent is not in the log."""
    _message: dict[str, dict[str, Node]] = field(default_factory=dict)
    """Per lane and id: assistant messages."""
    _asked: dict[str, Node] = field(default_factory=dict)
    _answered: set[str] = field(default_factory=set)
    _seq: int = 0
    _raw: Json | Later = None
    """Of the line that is taken in."""
    _side_lanes: int = 0

    def add(self, value: Mapping[str, Json], source: SourceRef, raw: Json | Later = None) -> None:
        """Take one line in.

        Args:
            value: Decoded.
            source: Where it stands.
            raw: What its message keeps of it, where that is not the value.
        """
        self._seq += 1
        self._raw = value if raw is None else raw
        uuid = text(value.get("uuid"))
        if uuid in self.owner and self._is_repeat(value, uuid):
            self.skipped["repeated line"] += 1
            return
        kind = text(value.get("type"))
        if kind in ("assistant", "user") and isinstance(value.get("message"), dict):
            took = self._assistant(value, source, uuid) if kind == "assistant" else self._user(value, source, uuid)
        elif kind == "system" and value.get("subtype") in ("compact_boundary", "microcompact_boundary"):
            took = self._boundary(value, source, uuid)
        elif kind == "attachment":
            took = self._attachment(value, source, uuid)
        else:
            took = self._carry(value, uuid)
        self.used += took

    def close(self) -> None:
        """All lines are in: tell apart the links that lead nowhere, and forget what only links needed, rings of references included."""
        self._sort_lost()
        for line in self.owner.values():
            if isinstance(line, Line):
                line.node = None
        self.owner.clear()
        self._message.clear()
        self._asked.clear()
        self._answered.clear()

    def _sort_lost(self) -> None:
        """A link that no line above answers leads down, in a circle if what it leads to goes back to its own line, or out of the log."""
        roots: dict[int, Node] = {}
        for node in self.nodes if self.lost_parents else ():
            roots[id(node)] = roots[id(node.parent)] if node.told_parent and node.parent else node
        for node, source, link in self.lost_parents:
            target = self.owner.get(link)
            known = isinstance(target, Line)
            circular = isinstance(target, Line) and target.node is not None and roots[id(target.node)] is node
            (self.circles if circular else self.early if known else self.absent).append(source)
        self.lost_parents.clear()

    def _is_repeat(self, value: Mapping[str, Json], uuid: str) -> bool:
        known = self.owner[uuid]
        return not isinstance(known, Line) or known.value.get("message") == value.get("message")

    def _carry(self, value: Mapping[str, Json], uuid: str, reason: str = "") -> bool:
        """A line that is not sent itself: keep its place in the chain."""
        if uuid:
            self.owner.setdefault(uuid, self._follows(value))
        data = mapping(value.get("data"))
        if data.get("type") == "agent_progress" and text(data.get("agentId")) and text(value.get("parentToolUseID")):
            self.started_by.setdefault(data["agentId"], value["parentToolUseID"])
        detail = text(value.get("subtype")) or text(data.get("type"))
        kind = text(value.get("type")) or "no type"
        self.skipped[reason or (f"{kind} ({detail})" if detail else kind)] += 1
        return False

    def _assistant(self, value: Mapping[str, Json], source: SourceRef, uuid: str) -> bool:
        message = value["message"]
        synthetic = message.get("model") == SYNTHETIC
        if value.get("isApiErrorMessage") and synthetic:
            what = f"Line {source.line} is a notice of a failed request, not a model call."
            self.problems.append(Problem(what=what, kind="api_error", source=source, excerpt=_excerpt(message)))
            return self._carry(value, uuid, "API error notice")
        line = self._line({"role": "assistant", "content": message.get("content")}, source)
        lane, parent = self._lane(value)
        known = self._message.setdefault(lane, {})
        key = text(message.get("id")) or text(value.get("requestId")) or uuid
        node = None if synthetic else known.get(key)
        if node is None:
            node = known[key] = self._node("synthetic" if synthetic else "assistant", line, lane, parent, _link(value))
        else:
            node.lines = [*node.lines] if isinstance(node.lines, tuple) else node.lines
            node.lines.append(line)
            node.last = self._seq
        self._own(uuid, node, line)
        for block in items(message.get("content")):
            if mapping(block).get("type") == "tool_use":
                self._ask(block, node)
        return True

    def _ask(self, block: Mapping[str, Json], node: Node) -> None:
        call_id = text(block.get("id"))
        self._asked.setdefault(call_id, node)
        if text(block.get("name")) in AGENT_TOOLS:
            given = mapping(block.get("input"))
            self.prompts.setdefault(text(given.get("prompt")).strip(), []).append(call_id)
            self.titles[call_id] = text(given.get("description"))

    def _user(self, value: Mapping[str, Json], source: SourceRef, uuid: str) -> bool:
        message = value["message"]
        plain = len(message) == 2 and text(message.get("role")) and "content" in message  # then it is what was sent, and no copy is kept
        sent = message if plain else {"role": text(message.get("role")) or "user", "content": message.get("content")}
        line = self._line(sent, source)
        ids = [text(b.get("tool_use_id")) for b in items(message.get("content")) if isinstance(b, dict) and b.get("type") == "tool_result"]
        self._link_agent(value, ids)
        home = next((self._asked[i] for i in ids if i in self._asked and i not in self._answered), None)
        if home is None and value.get("isMeta") and not ids:
            home = self._asked.get(text(value.get("sourceToolUseID")))
        if home is not None:
            self._answered.update(ids)
            home.results = home.results or []
            home.results.append(line)
            home.last = self._seq
            self._own(uuid, home, line)
            return True
        lane, parent = self._lane(value)
        node = self._node("user", line, lane, parent, _link(value))
        node.restart = bool(value.get("isCompactSummary")) and (node.parent is None or node.parent.kind != "compaction")
        self._own(uuid, node, line)
        return True

    def _link_agent(self, value: Mapping[str, Json], ids: list[str]) -> None:
        agent = text(mapping(value.get("toolUseResult")).get("agentId"))
        if agent and ids:
            self.started_by[agent] = ids[0]

    def _boundary(self, value: Mapping[str, Json], source: SourceRef, uuid: str) -> bool:
        compaction = value["subtype"] == "compact_boundary"
        line = self._line({}, source)
        lane, parent = self._lane(value)
        node = self._node("compaction" if compaction else "microcompaction", line, lane, parent, _link(value))
        node.restart = compaction
        self._own(uuid, node, line)
        return True

    def _attachment(self, value: Mapping[str, Json], source: SourceRef, uuid: str) -> bool:
        message = attached_message(mapping(value.get("attachment")))
        if message is None:
            kind = text(mapping(value.get("attachment")).get("type"))
            return self._carry(value, uuid, f"attachment ({kind})")
        line = self._line(message, source)
        lane, parent = self._lane(value)
        self._own(uuid, self._node("user", line, lane, parent, _link(value)), line)
        return True

    def _line(self, message: Mapping[str, Json], source: SourceRef) -> Line:
        """A line that is part of a node."""
        return Line(self._raw, message, source, self._seq)

    def _own(self, uuid: str, node: Node, line: Line) -> None:
        if uuid and self.owner.setdefault(uuid, line) is line:
            line.node = node

    def _follows(self, value: Mapping[str, Json]) -> Parent:
        """What a line follows; only lines above it count, so links never run in a circle."""
        link = _link(value)
        return self.owner.get(link, "lost") if link else "root"

    def _lane(self, value: Mapping[str, Json]) -> tuple[str, Parent]:
        """Which agent a line belongs to, and what it follows there."""
        parent = self._follows(value)
        home = parent.node.lane if isinstance(parent, Line) and parent.node is not None else ""
        lane = MAIN
        if value.get("isSidechain"):
            lane = text(value.get("agentId")) or (home if home != MAIN else "") or self._new_lane()
        return lane, parent if home in ("", lane) else "root"

    def _new_lane(self) -> str:
        self._side_lanes += 1
        return f"agent-{self._side_lanes}"

    def _node(self, kind: NodeKind, line: Line, lane: str, parent: Parent, link: str) -> Node:
        """A new node in its place; where the parent is not in the log, file order stands in."""
        node = Node(kind, lane, self._seq, (line,), told_parent=isinstance(parent, Line))
        if isinstance(parent, Line):
            node.parent, node.entry = parent.node, parent
        elif parent == "lost" or kind != "user":
            node.parent = self.tail.get(lane)
        if parent == "lost":
            self.lost_parents.append((node, line.source, link))
        self.nodes.append(node)
        self.tail[lane] = node
        return node


def _link(value: Mapping[str, Json]) -> str:
    """The uuid of the line that a line says it follows."""
    return text(value.get("logicalParentUuid")) or text(value.get("parentUuid"))


def _excerpt(message: Mapping[str, Json]) -> str:
    content = message.get("content")
    return masked_part(content if isinstance(content, str) else " ".join(text(mapping(b).get("text")) for b in items(content)), 0, 80)
