"""From the calls of a trace to sessions: one for each conversation, its threads, what it lacks, and what became of every span."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from ctxcore.model import Call, Level
from ctxcore.readers.build import ThreadDraft
from ctxcore.readers.dialects import normal_form, traced_message
from ctxcore.readers.document import Document
from ctxcore.readers.protocol import SessionDraft
from ctxcore.readers.request_log import RequestLog
from ctxcore.readers.trace_call import Trace, TraceCall, TraceNode
from ctxcore.readers.trace_merge import ancestors, merge
from ctxcore.readers.trace_repair import repair

OWNERS = ("agent", "tool")
"""Kinds of nodes whose calls are threads of their own."""

SKIPPED = {
    "agent": "agent span, which repeats the calls in it",
    "wrapper": "span that repeats the call in it",
    "tool": "tool span",
    "other": "span that is no model call",
}
"""Why a span is no call, by its kind."""


def sessions(trace: Trace) -> list[SessionDraft]:
    """A session for each conversation, or trace where none is named; files and records shared out among them."""
    merge(trace)
    groups = _grouped(trace.calls)
    of_trace = {call.trace: name for name, calls in groups.items() for call in calls}
    nodes: dict[str | None, list[TraceNode]] = defaultdict(list)
    for node in trace.nodes:
        nodes[of_trace.get(node.trace)].append(node)
    drafts = [_draft(name, calls, nodes[name], trace.documents) for name, calls in groups.items()]
    if drafts:
        _share_rest(drafts, nodes[None], trace.documents)
    return drafts


def _grouped(calls: Sequence[TraceCall]) -> dict[str, list[TraceCall]]:
    """Calls by conversation, in order of time; a conversation that is named once counts for its whole trace."""
    named: dict[str, str] = {}
    for call in calls:
        if call.session:
            named.setdefault(call.trace, call.session)
    groups: dict[str, list[TraceCall]] = defaultdict(list)
    for call in sorted(calls, key=lambda c: c.start or 0.0):
        groups[call.session or named.get(call.trace) or call.trace].append(call)
    return groups


def _draft(name: str, calls: Sequence[TraceCall], nodes: Sequence[TraceNode], documents: Mapping[str, Sequence[Document]]) -> SessionDraft:
    parents = {node.key: node.parent for node in nodes} | {call.key: call.parent for call in calls}
    kinds = {node.key: node.kind for node in nodes}
    owners = {call.key: next((key for key in ancestors(call.parent, parents) if kinds.get(key) in OWNERS), "") for call in calls}
    recorded = [call.messages is not None and not call.rebuilt for call in calls]
    repair(calls, owners, nodes)
    log = _log(calls, owners)
    draft = SessionDraft(id=name, level=_level(calls, recorded), tool_sets=log.tool_sets)
    draft.threads = _linked(log.threads(), calls, owners, nodes, parents)
    draft.not_recorded = _not_recorded(draft.threads, has_tools=bool(log.tool_sets), has_content=any(call.messages for call in calls))
    draft.notes = [*_loss_notes(calls), *_total_notes(calls, nodes, parents)]
    draft.used = sum(call.records for call in calls)
    for node in nodes:
        draft.skipped[SKIPPED[node.kind]] += node.records
    traces = dict.fromkeys([*(call.trace for call in calls), *(node.trace for node in nodes)])
    seen = [document for key in traces for document in documents[key]]
    draft.documents = list({id(document): document for document in seen}.values())
    return draft


def _log(calls: Sequence[TraceCall], owners: Mapping[str, str]) -> RequestLog:
    log = RequestLog(lambda value, call: traced_message(value, call.source), normal_form)
    last: dict[str, str] = {}
    for call in calls:
        messages = call.messages or []
        made = Call(
            index=0,
            context=(),
            known="reconstructed" if call.rebuilt else "recorded",
            tools=log.tools(call.tools),
            model=call.model,
            usage=call.usage,
            at=call.start,
            id=call.id or call.key,
            source=call.source,
            flags=call.flags,
        )
        owner = owners[call.key]
        log.add(messages, call.reply, made, after="" if messages else last.get(owner, ""))
        last[owner] = made.id
    return log


def _level(calls: Sequence[TraceCall], recorded: Sequence[bool]) -> Level:
    if not any(recorded):
        return "message list only"
    return "full requests" if any(call.reply is not None for call in calls) else "requests only"


def _not_recorded(threads: Sequence[ThreadDraft], *, has_tools: bool, has_content: bool) -> tuple[str, ...]:
    has_system = any(m.role in ("system", "developer") for thread in threads for m in thread.messages)
    missing = [] if has_content else ["messages"]
    return (*missing, *(() if has_system else ("system prompt",)), *(() if has_tools else ("tool definitions",)))


def _linked(
    threads: list[ThreadDraft], calls: Sequence[TraceCall], owners: Mapping[str, str], nodes: Sequence[TraceNode], parents: Mapping[str, str]
) -> list[ThreadDraft]:
    """Threads of agents with their name and the call that started them."""
    by_source = {call.source: call for call in calls}
    by_key = {node.key: node for node in nodes}
    thread_of = {owners[by_source[call.source].key]: thread for thread in reversed(threads) for call in thread.calls}
    for thread in threads[1:]:
        owner = owners[by_source[thread.calls[0].source].key]
        node = by_key.get(owner)
        if node is None or thread_of.get(owner) is not thread:
            continue
        thread.kind, thread.title = "agent", node.name
        above = next((key for key in ancestors(node.parent, parents) if key in thread_of and thread_of[key] is not thread), None)
        if above is not None:
            thread.parent = thread_of[above].id
            thread.parent_call = _starter(thread_of[above], node.start)
    return threads


def _starter(thread: ThreadDraft, start: float | None) -> int | None:
    """The newest call of the thread that began before."""
    before = [number for number, call in enumerate(thread.calls) if call.at is not None and start is not None and call.at <= start]
    return before[-1] if before else None


def _loss_notes(calls: Sequence[TraceCall]) -> list[str]:
    notes: list[str] = []
    cut = sum("attributes_lost" in call.flags for call in calls)
    if cut:
        open_ = sum("messages_lost" in call.flags for call in calls)
        left = f"; for {open_:,} nothing could be put back" if open_ else ""
        notes.append(
            f"{cut:,} of {len(calls):,} calls lost attributes at the recorder's limit (128 a span unless set otherwise); their first messages "
            f"were put back from the call before{left}. Set OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT=10000 to keep all."
        )
    empty = sum("input_not_recorded" in call.flags for call in calls)
    if empty:
        notes.append(
            f"{empty:,} of {len(calls):,} calls were recorded without their messages. Recorders leave content out unless told to keep it: "
            "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true, or TRACELOOP_TRACE_CONTENT=true."
        )
    return notes


def _total_notes(calls: Sequence[TraceCall], nodes: Sequence[TraceNode], parents: Mapping[str, str]) -> list[str]:
    """Whether an outermost span's own total is that of the calls in it."""
    counted = {node.key: node for node in nodes if node.usage is not None and node.kind in ("agent", "other")}
    notes: list[str] = []
    for node in counted.values():
        if node.usage is None or any(key in counted for key in ancestors(node.parent, parents)):
            continue
        inside = [call.usage for call in calls if node.key in ancestors(call.parent, parents)]
        if any(inside):
            sums = Counter(given=0, made=0)
            for usage in filter(None, inside):
                sums.update(given=usage.input_tokens or 0, made=usage.output_tokens or 0)
            total = (node.usage.input_tokens or 0, node.usage.output_tokens or 0)
            says = "agrees with" if total == (sums["given"], sums["made"]) else "differs from"
            calls_in_it = f"{len(inside):,} call{'' if len(inside) == 1 else 's'} in it"
            notes.append(
                f"The span {node.name or node.key} has its own total, {total[0]:,} tokens in and {total[1]:,} out, which {says} "
                f"the {sums['given']:,} and {sums['made']:,} of the {calls_in_it}; only the calls are counted."
            )
    return notes


def _share_rest(drafts: Sequence[SessionDraft], nodes: Sequence[TraceNode], documents: Mapping[str, Sequence[Document]]) -> None:
    """Spans of traces without a model call go to a session of their file."""
    for node in nodes:
        files = documents[node.trace]
        draft = next((d for d in drafts if any(file is other for file in files for other in d.documents)), drafts[0])
        draft.skipped["span of a trace without a model call"] += node.records
        draft.documents = list({id(document): document for document in (*draft.documents, *files)}.values())
