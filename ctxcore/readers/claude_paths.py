"""From the nodes of one agent to threads: which messages each call received, laid out so that the usual context is one range.

Source: format notes, 2.1. The newest leaf's path is the thread; what was taken back or ran beside it goes to a side thread that begins with the
messages both share.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from ctxcore.counted import count
from ctxcore.model import Event, ThreadKind
from ctxcore.readers.build import ThreadDraft
from ctxcore.readers.claude_calls import step_message
from ctxcore.readers.claude_layout import Layout
from ctxcore.readers.claude_lines import Node
from ctxcore.readers.values import seconds


def agent_threads(nodes: Sequence[Node], thread_id: str, kind: ThreadKind) -> tuple[list[ThreadDraft], Mapping[str, tuple[str, int]]]:
    """Threads of one agent: its own, and one for branches that its newest message does not stand on.

    Args:
        nodes: Of one lane, file order.
        thread_id: For its own thread.
        kind: Of its own thread.

    Returns:
        The threads, and for each tool call its thread and call.
    """
    link_restarts(nodes)
    _link_children(nodes)
    path = _path(_newest_leaf(nodes)) if nodes else []
    branches = _branches(nodes, path)
    rollbacks = list(_rollbacks(path, branches, thread_id)) if branches else []
    main = Layout(ThreadDraft(id=thread_id, kind=kind))
    main.walk(path)  # and lets go of the nodes: what is asked of them stands above
    asked = {call: (thread_id, index) for call, index in main.asked.items()}
    if not branches:
        return [main.draft], asked
    main.draft.events = sorted([*main.draft.events, *rollbacks], key=lambda event: event.call)
    side = _side_thread(main.draft, branches)
    asked |= {call: (side.draft.id, index) for call, index in side.asked.items() if call not in asked}
    return [main.draft, side.draft], asked


@dataclass(frozen=True, slots=True)
class _Branch:
    """What hangs off the newest path."""

    root: Node
    nodes: list[Node]
    """Each after its parent."""
    other: Node | None
    """The node of the newest path that follows the same parent."""
    concurrent: bool
    """It went on after the newest path had left it."""

    @classmethod
    def of(cls, root: Node, nodes: list[Node], other: Node | None) -> _Branch:
        return cls(root, nodes, other, other is None or other.seq < max(node.last for node in nodes))


def _link_children(nodes: Sequence[Node]) -> None:
    unlink(nodes)
    for node in nodes:
        if node.parent is not None:
            node.older_sibling, node.parent.newest_child = node.parent.newest_child, node


def unlink(nodes: Sequence[Node]) -> None:
    """Forget the children: a ring of references would keep a laid out session's lines until the collector runs."""
    for node in nodes:
        node.newest_child = node.older_sibling = None


def _newest_leaf(nodes: Sequence[Node]) -> Node:
    """The end of the conversation: the last line that a person, the model or a tool wrote, before loose notes."""
    leaves = [node for node in nodes if node.newest_child is None]
    return max(leaves, key=lambda n: (not _is_note(n), n.last, n.seq))


def _is_note(node: Node) -> bool:
    value = node.lines[0].value
    return value.get("type") == "attachment" or bool(value.get("isMeta"))


def _branches(nodes: Sequence[Node], path: Sequence[Node]) -> list[_Branch]:
    """Everything off the path that holds a call or a person's message."""
    if len(path) == len(nodes):
        return []
    on_path = set(map(id, path))
    follows = {id(node): other for node, other in pairwise(path)}
    found: list[_Branch] = []
    for node in nodes:
        if id(node) not in on_path and (node.parent is None or id(node.parent) in on_path):
            tree = list(_tree(node))
            if any(map(_matters, tree)):
                found.append(_Branch.of(node, tree, follows.get(id(node.parent))))
    return found


def link_restarts(nodes: Sequence[Node]) -> None:
    """Join conversations of one agent that follow each other: a first message that comes when all before it is over starts anew in the same thread.

    Where no line names a parent at all, the order of the file is the conversation.
    """
    told = any(node.told_parent for node in nodes)
    newest = -1
    previous: Node | None = None
    for node in nodes:
        if node.parent is None and previous is not None:
            if not told:
                node.parent = previous
            elif newest < node.seq and node.kind == "user":
                node.parent, node.restart = previous, True
        newest = max(newest, node.last)
        previous = node


def _path(leaf: Node) -> list[Node]:
    path: list[Node] = []
    node: Node | None = leaf
    while node is not None:
        path.append(node)
        node = node.parent
    return path[::-1]


def _matters(node: Node) -> bool:
    """True for a call or a person's message: a branch without either is only a loose end of the log."""
    return node.kind == "assistant" or (node.kind == "user" and step_message(node).is_real_user)


def _tree(root: Node) -> Iterator[Node]:
    """A branch, each node after its parent, the longest way first so that it lies in one piece."""
    sizes: dict[int, int] = defaultdict(int)
    order = [root]
    for node in order:
        order.extend(node.children)
    for node in reversed(order):
        sizes[id(node)] += 1
        if node is not root and node.parent is not None:
            sizes[id(node.parent)] += sizes[id(node)]
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(sorted(node.children, key=lambda child: sizes[id(child)]))


def _side_thread(main: ThreadDraft, branches: Sequence[_Branch]) -> Layout:
    """All branches in one thread, so that the messages they share with the newest path are held once."""
    shared = 0
    for branch in branches:
        parent = branch.root.parent
        if parent is not None and not branch.root.restart:
            shared = max([shared, *(stop for _, stop in (*parent.before, *parent.after))])
    draft = ThreadDraft(id=f"{main.id}-branches", kind="side", parent=main.id, title="Branches that were taken back or ran beside the newest one")
    draft.messages = main.messages[:shared]
    side = Layout(draft)
    for branch in branches:
        side.walk(branch.nodes, "concurrent" if branch.concurrent else "abandoned")
    return side


def _rollbacks(path: Sequence[Node], branches: Sequence[_Branch], thread_id: str) -> Iterator[Event]:
    """One event for each step back that the newest path took."""
    calls_before = dict(zip(map(id, path), accumulate((int(n.kind == "assistant") for n in path), initial=0), strict=False))
    for branch in branches:
        if branch.other is None or branch.concurrent:
            continue
        line = branch.other.lines[0]
        taken = sum(n.kind == "assistant" for n in branch.nodes)
        yield Event(
            kind="rollback",
            call=calls_before[id(branch.other)],
            at=seconds(line.value.get("timestamp")),
            source=line.source,
            note=f"{count(taken, 'call was', 'calls were')} taken back, now in the thread {thread_id}-branches.",
        )
