"""Writes the nodes of one agent into a thread: each call gets its context as ranges over the thread's messages.

Source: format notes, 2.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ctxcore.model import Event
from ctxcore.readers.build import ThreadDraft
from ctxcore.readers.claude_calls import call_of, cleared, reply_message, step_message, user_message
from ctxcore.readers.claude_lines import Line, Node
from ctxcore.readers.values import items, mapping, seconds, text, whole
from ctxcore.units import Ranges, merge_ranges


@dataclass(slots=True)
class Layout:
    """Writes nodes into one thread."""

    draft: ThreadDraft
    asked: dict[str, int] = field(default_factory=dict)
    """Tool call id -> index of the call whose reply asked."""
    _boundary: Node | None = None
    """A compaction whose summary has not come yet."""

    def walk(self, nodes: Sequence[Node], flag: str = "") -> None:
        """Write nodes, each after its parent.

        Args:
            nodes: In the order of the conversation.
            flag: For every call among them.
        """
        for node in nodes:
            node.before = self._start(node)
            _forget(node.parent, followed_by=node)
            self._write(node, flag)
            for line in (*node.lines, *node.results):
                line.let_go()

    def _start(self, node: Node) -> Ranges:
        parent = node.parent
        if node.restart or parent is None:
            return ()
        kept = _kept_lines(node, parent)
        if kept is None:
            return parent.after
        where = self.draft.add(reply_message(kept, flags=("partial",)))
        return _extend(parent.before, where, where + 1)

    def _write(self, node: Node, flag: str) -> None:
        start = len(self.draft.messages)
        match node.kind:
            case "assistant":
                self._call(node, flag)
                for line in node.results:
                    self.draft.add(user_message(line))
            case "synthetic":
                self.draft.add(reply_message(node.lines, flags=("synthetic",)))
            case "user":
                self.draft.add(step_message(node))
                self._mark_summary(node, start)
            case "compaction":
                self._boundary = node
                self._compacted(node, None)
            case "microcompaction":
                node.after = self._clear(node)
                return
        node.after = _extend(node.before, start, len(self.draft.messages))

    def _call(self, node: Node, flag: str) -> None:
        message = reply_message(node.lines)
        index = len(self.draft.calls)
        reply = self.draft.add(message)
        call = call_of(node, message, index=index, context=node.before, reply=reply, turn=self.draft.people, flag=flag)
        before = self.draft.calls[-1].model if self.draft.calls else call.model
        if call.model != before:
            self.draft.events.append(Event(kind="model_changed", call=index, at=call.at, source=call.source, note=f"From {before} to {call.model}."))
        self.draft.calls.append(call)
        self._boundary = None
        for part in message.calls:
            self.asked.setdefault(part.id, index)

    def _mark_summary(self, node: Node, index: int) -> None:
        if not node.lines[0].value.get("isCompactSummary"):
            return
        if self._boundary is not None:
            self.draft.events[-1] = replace(self.draft.events[-1], summary=index)
        elif node.restart:
            self._compacted(node, index)
        self._boundary = None

    def _compacted(self, node: Node, summary: int | None) -> None:
        line = node.lines[0]
        record = mapping(line.value.get("compactMetadata"))
        self.draft.events.append(
            Event(
                kind="compaction",
                call=len(self.draft.calls),
                trigger=text(record.get("trigger")),
                before_tokens=whole(record.get("preTokens")),
                after_tokens=whole(record.get("postTokens")),
                summary=summary,
                at=seconds(line.value.get("timestamp")),
                source=line.source,
                note="" if node.told_parent else "What stood before it is taken from the order of the file; its link leads out of the log.",
            )
        )

    def _clear(self, node: Node) -> Ranges:
        """The context with the results that a microcompaction cleared replaced by their placeholder."""
        line = node.lines[0]
        record = mapping(line.value.get("microcompactMetadata"))
        gone = {text(i) for i in items(record.get("compactedToolIds"))}
        before, saved = whole(record.get("preTokens")), whole(record.get("tokensSaved"))
        positions = [i for start, stop in node.before for i in range(start, stop)]
        count = 0
        for place, index in enumerate(positions):
            message = self.draft.messages[index]
            if any(r.call_id in gone for r in message.results) and "cleared" not in message.flags:
                positions[place] = self.draft.add(cleared(message, gone))
                count += 1
        self.draft.events.append(
            Event(
                kind="microcompaction",
                call=len(self.draft.calls),
                trigger=text(record.get("trigger")),
                before_tokens=before,
                after_tokens=before - saved if before is not None and saved is not None and saved <= before else None,
                at=seconds(line.value.get("timestamp")),
                source=line.source,
                note=f"{count} earlier tool results were cleared; their text is rebuilt as the placeholder.",
            )
        )
        return merge_ranges(positions)


def _forget(parent: Node | None, *, followed_by: Node) -> None:
    """Let a node go that nothing else follows: of a long chain, lines and contexts would stand beside the messages made of them."""
    if parent is not None and parent.newest_child is followed_by and followed_by.older_sibling is None:
        parent.let_go()


def _extend(ranges: Ranges, start: int, stop: int) -> Ranges:
    if start == stop:
        return ranges
    if ranges and ranges[-1][1] == start:
        return (*ranges[:-1], (ranges[-1][0], stop))
    return (*ranges, (start, stop))


def _kept_lines(node: Node, parent: Node) -> list[Line] | None:
    """The part of an assistant message that a person's message followed before the rest came; None for all of it."""
    if parent.kind != "assistant" or node.kind != "user" or node.entry is None or node.entry is parent.lines[-1] or node.lines[0].value.get("isMeta"):
        return None
    return [line for line in parent.lines if line.seq <= node.entry.seq] if node.entry in parent.lines else None
