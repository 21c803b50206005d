"""From the nodes of one agent to threads: which messages each call received, laid out so that the usual context is one range.

Source: format notes, 2.1. The newest leaf's path is the thread; what was taken back or ran beside it goes to a side thread that begins with the
messages both share.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

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
    for node in nodes:
        node.children = []
    for node in nodes:
        if node.parent is not None:
            node.parent.children.append(node)
    main = Layout(ThreadDraft(id=thread_id, kind=kind))
    path = _path(max(nodes, key=lambda n: (n.last, n.seq))) if nodes else []
    on_path = set(map(id, path))
    branches = [n for n in nodes if id(n) not in on_path and (n.parent is None or id(n.parent) in on_path)]
    trees = [list(_tree(branch)) for branch in branches]
    heavy = [(branch, tree) for branch, tree in zip(branches, trees, strict=True) if any(map(_matters, tree))]
    main.walk(path)
    main.draft.events = _with_rollbacks(main.draft, path, heavy)
    asked = {call: (thread_id, index) for call, index in main.asked.items()}
    if not heavy:
        return [main.draft], asked
    side = _side_thread(main.draft, heavy, on_path)
    asked |= {call: (side.draft.id, index) for call, index in side.asked.items() if call not in asked}
    return [main.draft, side.draft], asked


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


def _side_thread(main: ThreadDraft, branches: Sequence[tuple[Node, list[Node]]], on_path: set[int]) -> Layout:
    shared = 0
    for branch, _ in branches:
        if branch.parent is not None and not branch.restart:
            shared = max([shared, *(stop for _, stop in (*branch.parent.before, *branch.parent.after))])
    draft = ThreadDraft(id=f"{main.id}-branches", kind="side", parent=main.id, title="Branches that were taken back or ran beside the newest one")
    draft.messages = main.messages[:shared]
    side = Layout(draft)
    for branch, tree in branches:
        side.walk(tree, "concurrent" if _is_concurrent(branch, tree, on_path) else "abandoned")
    return side


def _successor(branch: Node, on_path: set[int]) -> Node | None:
    """The node of the newest path that follows the same parent."""
    siblings = branch.parent.children if branch.parent is not None else []
    return next((n for n in siblings if id(n) in on_path), None)


def _is_concurrent(branch: Node, tree: Sequence[Node], on_path: set[int]) -> bool:
    """True if the branch went on after the newest path had left it."""
    other = _successor(branch, on_path)
    return other is None or other.seq < max(node.last for node in tree)


def _with_rollbacks(draft: ThreadDraft, path: Sequence[Node], branches: Sequence[tuple[Node, list[Node]]]) -> list[Event]:
    """The events, and one for each step back that the newest path took."""
    on_path = set(map(id, path))
    calls_before: dict[int, int] = {}
    count = 0
    for node in path:
        calls_before[id(node)] = count
        count += node.kind == "assistant"
    events = list(draft.events)
    for branch, tree in branches:
        other = _successor(branch, on_path)
        if other is None or _is_concurrent(branch, tree, on_path):
            continue
        events.append(
            Event(
                kind="rollback",
                call=calls_before[id(other)],
                at=seconds(other.lines[0].value.get("timestamp")),
                source=other.lines[0].source,
                note=f"{sum(n.kind == 'assistant' for n in tree)} calls were taken back; they stand in the thread {draft.id}-branches.",
            )
        )
    return sorted(events, key=lambda event: event.call)
