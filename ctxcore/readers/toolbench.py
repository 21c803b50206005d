"""ToolBench answers: a search tree whose every node that ends a model's reply is one call; the chosen chain holds what was sent.

The chain (``train_messages``) has each request with its reply. The other calls are told again from the tree: what stands above them. Where a node
was tried before, the search also showed the model its earlier tries in words that only the chain keeps.
Source: format notes, 2.13; ToolBench ``DFS_tree_search``: a node with an expansion number ends a reply, so that their count is ``query_count``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

from ctxcore.model import Call, Json, Level, Message, SourceRef
from ctxcore.readers.body_log import not_recorded
from ctxcore.readers.build import ThreadDraft
from ctxcore.readers.chat_message import chat_message
from ctxcore.readers.document import Document
from ctxcore.readers.protocol import SessionDraft
from ctxcore.readers.request_log import RequestLog
from ctxcore.readers.values import items, mapping, natural, text, tool_list, whole

Node = Mapping[str, Json]

MAX_NODES = 100_000
"""Of one tree."""

TRIES_NOT_SHOWN = "earlier_tries_not_recorded"
"""Flag of a call that was shown earlier tries in words the file does not keep."""


class ToolBench:
    """See the module."""

    name: ClassVar[str] = "toolbench"
    family: ClassVar[str] = "data sets"
    level: ClassVar[Level] = "full requests"
    detects: ClassVar[str] = "answer_generation beside tree"

    def matches(self, document: Document, head: Sequence[Json]) -> bool:
        """See ``Reader.matches``."""
        return document.shape != "text" and all(map(is_answer, head))

    def read(self, documents: Sequence[Document]) -> list[SessionDraft]:
        """See ``Reader.read``: one session for each answer."""
        return [draft for document in documents for draft in _read(document)]


def is_answer(value: Json) -> bool:
    """True for the record of one search."""
    record = mapping(value)
    return "train_messages" in mapping(record.get("answer_generation")) and isinstance(record.get("tree"), dict)


def _read(document: Document) -> list[SessionDraft]:
    drafts, others = [], 0
    for record in document.records():
        if is_answer(record.value):
            drafts.append(_answer(mapping(record.value), document, document.source(record)))
        else:
            others += 1
    if drafts and others:
        drafts[0].skipped["not an answer"] += others
    return drafts


@dataclass(frozen=True, slots=True)
class _Step:
    """One reply of the tree: its nodes from the first below the last reply to the one that ends it."""

    number: int
    """Place in the order of the search, from 0."""
    reply: Node
    """As an assistant message."""
    result: Node | None
    """As a function message, where the reply called one."""
    place: int
    """Among the tries from the same state, from 0."""
    above: tuple[_Step, ...] = field(repr=False)


def _answer(value: Node, document: Document, source: SourceRef) -> SessionDraft:
    answer = mapping(value["answer_generation"])
    draft = SessionDraft(id="", level="full requests", documents=(document,), used=1)
    log = RequestLog(_make)
    functions = answer.get("function")
    tools = log.tools(tool_list(functions))
    chain = [[m for m in items(messages) if isinstance(m, dict)] for messages in items(answer.get("train_messages"))]
    for number, messages in enumerate(part for part in chain if part and part[-1].get("role") == "assistant"):
        place = replace(source, path=f"answer_generation.train_messages[{number}]")
        log.add(messages[:-1], messages[-1], Call(index=0, context=(), known="recorded", tools=tools, source=place))
    draft.threads, draft.tool_sets = log.threads()[:1] or [ThreadDraft(id="main")], log.tool_sets
    opening = [m for m in (chain[0] if chain else ()) if m.get("role") in ("system", "user")][:2]
    steps = sorted(_steps(mapping(mapping(value["tree"]).get("tree"))), key=lambda step: step.number)
    draft.threads += _branches(steps, chain, opening, source, tools)
    draft.not_recorded = (*not_recorded(draft.threads, draft.tool_sets), "usage")
    total = whole(answer.get("total_tokens"))
    if total:
        draft.notes.append(f"All calls together took {total:,} tokens; no call has a count of its own.")
    return draft


def _make(value: Json, call: Call) -> Message:
    message = chat_message(value, call.source)
    return replace(message, injected="meta") if value.get("valid") is False and message.role == "user" else message


def _steps(root: Node) -> Iterator[_Step]:
    """Every reply of the tree, parents first."""
    waiting: list[tuple[Node, tuple[Node, ...], tuple[_Step, ...], int]] = [(child, (), (), n) for n, child in enumerate(_children(root))]
    seen = 0
    while waiting and seen < MAX_NODES:
        node, nodes, above, place = waiting.pop()
        seen += 1
        nodes = (*nodes, node)
        if not natural(node.get("expand_num")):
            waiting += [(child, nodes, above, place) for child in _children(node)]
            continue
        step = _Step(node["expand_num"], _reply(nodes), _result(nodes), place, above)
        yield step
        waiting += [(child, (), (*above, step), n) for n, child in enumerate(_children(node))]


def _children(node: Node) -> list[Node]:
    return [child for child in items(node.get("children")) if isinstance(child, dict)]


def _told(nodes: Sequence[Node], kind: str) -> str:
    return next((text(node.get("description")) for node in nodes if node.get("node_type") == kind), "")


def _reply(nodes: Sequence[Node]) -> Node:
    """The assistant message that the library made of a reply: a thought, a call, or both."""
    message: dict[str, Json] = {"role": "assistant", "content": _told(nodes, "Thought") or None}
    if name := _told(nodes, "Action"):
        message["function_call"] = {"name": name, "arguments": _told(nodes, "Action Input")}
    return message


def _result(nodes: Sequence[Node]) -> Node | None:
    name = _told(nodes, "Action")
    return {"role": "function", "name": name, "content": text(nodes[-1].get("observation"))} if name else None


def _asked(message: Node) -> tuple[str, str, str]:
    function = mapping(message.get("function_call"))
    return text(message.get("content")), text(function.get("name")), text(function.get("arguments"))


def _on_chain(step: _Step, chain: Sequence[Sequence[Node]]) -> bool:
    """True if the step's own path is that of the chain's request of the same length."""
    path = [_asked(s.reply) for s in (*step.above, step)]
    return any(len(messages) > 1 and [_asked(m) for m in messages if m.get("role") == "assistant"] == path for messages in chain)


def _branches(
    steps: Sequence[_Step], chain: Sequence[Sequence[Node]], opening: Sequence[Node], source: SourceRef, tools: int | None
) -> Iterator[ThreadDraft]:
    """A thread for each path that the chain does not take; a call that several paths share stands in the first of them."""
    taken = {step.number for step in steps if _on_chain(step, chain)}
    parents = {step.above[-1].number for step in steps if step.above}
    for leaf in steps:
        if leaf.number in parents or leaf.number in taken:
            continue
        path = (*leaf.above, leaf)
        thread = ThreadDraft(id=f"branch-{leaf.number}", kind="side", title=f"Branch that ends with query {leaf.number}")
        for message in opening:
            thread.add(_make(message, Call(index=0, context=(), known="reconstructed", source=source)))
        for step in path:
            _tell(thread, step, source, tools, told=step.number in taken)
            taken.add(step.number)
        yield thread


def _tell(thread: ThreadDraft, step: _Step, source: SourceRef, tools: int | None, *, told: bool) -> None:
    place = replace(source, path=f"tree, query {step.number}")
    count = len(thread.messages)
    reply = thread.add(chat_message(step.reply, place))
    if step.result is not None:
        thread.add(chat_message(step.result, place))
    if told:
        return
    flags = (TRIES_NOT_SHOWN,) if step.place else ()
    context = ((0, count),) if count else ()
    thread.calls.append(
        Call(index=0, context=context, reply=reply, known="reconstructed", tools=tools, source=place, id=f"query {step.number}", flags=flags)
    )
