"""LangSmith runs: exported one a line or as a list, nested by ``child_runs``, or as captured on their way in (``post`` and ``patch``).

Source: format notes, 2.9.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from ctxcore.errors import UnreadableFile
from ctxcore.model import Json, Level, SourceRef, Usage
from ctxcore.readers.document import Document
from ctxcore.readers.langchain_message import cache_writes, filled, langchain_fields, usage_of
from ctxcore.readers.marks import majority
from ctxcore.readers.payload import definitions, reply_in, request_in
from ctxcore.readers.protocol import SessionDraft
from ctxcore.readers.trace_call import Trace, TraceCall, TraceNode
from ctxcore.readers.trace_session import sessions
from ctxcore.readers.values import items, mapping, seconds, text, usage, whole

THREAD_KEYS = ("session_id", "thread_id", "conversation_id")
"""Metadata that joins traces into one conversation."""

Run = dict[str, Json]


def is_run(value: Json) -> bool:
    """True for a run: its type and id, and its place in a trace or its inputs."""
    record = mapping(value)
    return "run_type" in record and "id" in record and any(key in record for key in ("inputs", "trace_id", "dotted_order", "parent_run_id"))


def is_batch(value: Json) -> bool:
    """True for runs on their way in: new ones and changes to them."""
    record = mapping(value)
    posted, patched = items(record.get("post")), items(record.get("patch"))
    return set(record) <= {"post", "patch"} and (bool(posted) or bool(patched)) and all("run_type" in mapping(run) for run in posted)


class LangSmith:
    """See the module."""

    name: ClassVar[str] = "langsmith"
    family: ClassVar[str] = "traces"
    level: ClassVar[Level] = "full requests"
    detects: ClassVar[str] = "runs with run_type, id and inputs or a trace; or post and patch lists of such"

    def matches(self, document: Document, head: Sequence[Json]) -> bool:
        """See ``Reader.matches``."""
        if document.shape == "json" and isinstance(head[0], list):
            head = head[0][:200]
        return majority(head, lambda value: is_run(value) or is_batch(value))

    def read(self, documents: Sequence[Document]) -> list[SessionDraft]:
        """See ``Reader.read``.

        Raises:
            UnreadableFile: No run is of type llm.
        """
        trace = Trace()
        for document in documents:
            _read(document, trace)
        if not trace.calls:
            what = "no run is of type llm, so there is no model call to show"
            raise UnreadableFile(documents[0].name, what, advice="export the whole trace, with its child runs")
        return sessions(trace)


def _read(document: Document, trace: Trace) -> None:
    merged: dict[str, tuple[Run, SourceRef]] = {}
    records: dict[str, int] = {}
    count = 0
    for run, source in _runs(document):
        key = text(run.get("id")) or _path(run)[-1]
        if not key:
            document.lost("A run without an id was left out.", source.line, "no_id", repr(run))
            continue
        count += 1
        records[key] = records.get(key, 0) + 1
        known = merged.get(key)
        merged[key] = (_changed(known[0], run), known[1]) if known else ({**run, "id": key}, source)
    for key, (run, source) in merged.items():
        trace.met(_trace_of(run), document)
        if run.get("run_type") == "llm":
            trace.calls.append(_call(run, source, records[key]))
        else:
            trace.nodes.append(_node(run, records[key]))
    document.record_count = count + document.unreadable.total()


def _changed(run: Run, change: Mapping[str, Json]) -> Run:
    """A run with a later change; what the change leaves empty stays."""
    return {**run, **{key: value for key, value in change.items() if value not in (None, {}, [], "") or key not in run}}


def _runs(document: Document) -> Iterator[tuple[Mapping[str, Json], SourceRef]]:
    for record in document.records():
        listed = isinstance(record.value, list)
        for number, value in enumerate(record.value if listed else [record.value]):
            before = f"[{number}]" if listed else ""
            if is_batch(value):
                for key in ("post", "patch"):
                    for place, run in enumerate(items(value.get(key))):
                        yield mapping(run), document.source(record, f"{before}.{key}[{place}]".lstrip("."))
            else:
                yield from _with_children(mapping(value), document.source(record, before))


def _with_children(run: Mapping[str, Json], source: SourceRef) -> Iterator[tuple[Mapping[str, Json], SourceRef]]:
    """A run and those inside it, without recursion: a hostile file may nest them deeply."""
    waiting = [(run, source, "")]
    while waiting:
        one, where, parent = waiting.pop()
        yield ({"parent_run_id": parent, **one} if parent else one), where
        for number, child in reversed(list(enumerate(items(one.get("child_runs"))))):
            place = SourceRef(file=where.file, line=where.line, path=f"{where.path}.child_runs[{number}]".lstrip("."))
            waiting.append((mapping(child), place, text(one.get("id"))))


def _path(run: Mapping[str, Json]) -> list[str]:
    """Ids from the trace's root down to the run, from the order that names them."""
    return [part[-36:] for part in text(run.get("dotted_order")).split(".")]


def _trace_of(run: Run) -> str:
    return text(run.get("trace_id")) or _path(run)[0] or text(run.get("id"))


def _node(run: Run, records: int) -> TraceNode:
    kind = {"tool": "tool"}.get(text(run.get("run_type")), "other")
    times = (seconds(run.get("start_time")), seconds(run.get("end_time")))
    total = filled(Usage(input_tokens=whole(run.get("prompt_tokens")), output_tokens=whole(run.get("completion_tokens"))))
    outputs = mapping(run.get("outputs"))
    answer = mapping(outputs.get("output"))
    call_id = text(answer.get("tool_call_id")) or text(mapping(answer.get("kwargs")).get("tool_call_id"))
    result = outputs.get("output", run.get("outputs"))
    return TraceNode(text(run["id"]), _trace_of(run), _parent(run), text(run.get("name")), kind, *times, total, call_id, result, records=records)


def _parent(run: Run) -> str:
    """The run that this one ran in, by its id or the order that names all above it."""
    above = _path(run)[:-1]
    return text(run.get("parent_run_id")) or (above[-1] if above else "")


def _call(run: Run, source: SourceRef, records: int) -> TraceCall:
    inputs, outputs = mapping(run.get("inputs")), mapping(run.get("outputs"))
    extra = mapping(run.get("extra"))
    asked, about = mapping(extra.get("invocation_params")), mapping(extra.get("metadata"))
    call = TraceCall(text(run["id"]), _trace_of(run), _parent(run), source, seconds(run.get("start_time")), seconds(run.get("end_time")))
    call.records = records
    given = request_in(run.get("inputs"))
    call.messages = None if given is None else given.messages
    call.tools = (given.tools if given is not None else None) or definitions(inputs.get("tools")) or definitions(asked.get("tools"))
    call.tools = call.tools or definitions(asked.get("functions"))
    call.reply = reply_in(run.get("outputs"))
    answered = mapping(outputs.get("llm_output"))
    call.model = text(answered.get("model_name")) or text(outputs.get("model")) or text(asked.get("model")) or text(about.get("ls_model_name"))
    call.id = text(answered.get("id")) or text(outputs.get("id"))
    call.usage = _usage(run, outputs, call.reply, about)
    call.session = next((text(about[key]) for key in THREAD_KEYS if text(about.get(key))), "")
    call.flags = (*(("failed",) if run.get("error") else ()), *(("prompt_as_text",) if "prompts" in inputs else ()))
    return call


def _usage(run: Run, outputs: Mapping[str, Json], reply: Json, about: Mapping[str, Json]) -> Usage | None:
    """Tokens of the reply, or of the run."""
    for holder in (langchain_fields(reply) or {}, outputs, about):
        if found := usage_of(holder):
            return found
    if found := filled(usage(outputs.get("usage"), cache_in_input="prompt_tokens" in mapping(outputs.get("usage")))):
        return found
    details = mapping(run.get("prompt_token_details"))
    return filled(
        Usage(
            input_tokens=whole(run.get("prompt_tokens")),
            output_tokens=whole(run.get("completion_tokens")),
            cache_read_tokens=whole(details.get("cache_read")),
            **cache_writes(details),
        )
    )
