"""Gemini generateContent: requests with or without answers, answers alone (streamed or whole), or a list of contents.

Source: format notes on generateContent (2.4): the stream is a list of whole answers, parts add up and the last usage counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

from ctxcore.model import Call, Json, Level, SourceRef, Usage
from ctxcore.readers.build import ThreadDraft
from ctxcore.readers.document import Document, Record
from ctxcore.readers.gemini_content import gemini_message, gemini_usage, is_content, normal_form, twin
from ctxcore.readers.gemini_history import history_of, tell
from ctxcore.readers.marks import majority
from ctxcore.readers.places import path_to, step_to
from ctxcore.readers.protocol import SessionDraft
from ctxcore.readers.request_log import RequestLog
from ctxcore.readers.values import items, mapping, seconds, text, tool_list


class Gemini:
    """See the module."""

    name: ClassVar[str] = "gemini"
    family: ClassVar[str] = "request logs"
    level: ClassVar[Level] = "full requests"
    detects: ClassVar[str] = "contents with the roles user and model and untyped parts; or answers with candidates and usageMetadata"

    def matches(self, document: Document, head: Sequence[Json]) -> bool:
        """See ``Reader.matches``."""
        if not head:
            return False
        if document.shape == "json":
            return bool(history_of(head[0])) or majority(head[0] if isinstance(head[0], list) else head, is_gemini_record)
        return majority(head, is_gemini_record) or majority(head, is_content)

    def read(self, documents: Sequence[Document]) -> list[SessionDraft]:
        """See ``Reader.read``."""
        return [_read(document) for document in documents]


def request_of(value: Json) -> Mapping[str, Json] | None:
    """The object that holds ``contents``: the value itself, its ``request`` or ``body``; None without one."""
    record = mapping(value)
    request = mapping(record.get("request"))
    for holder in (record, request, mapping(record.get("body")), mapping(request.get("body"))):
        contents = holder.get("contents")
        if isinstance(contents, list) and contents and all(map(_is_sent_content, contents[:20])):
            return holder
    return None


def _is_sent_content(value: Json) -> bool:
    """True for a content of a request, where the role of a single one may be left out."""
    record = mapping(value)
    return bool(record.get("parts")) and is_content({**record, "role": "user"} if record.get("role") is None else record)


def answers_of(value: Json) -> list[Mapping[str, Json]]:
    """The answer in a record: one, or the pieces of a stream; empty without one."""
    record = mapping(value)
    response = record.get("response", record.get("body"))
    for holder in (value, response, mapping(response).get("body")):
        pieces = [mapping(piece) for piece in (holder if isinstance(holder, list) else [holder])]
        if pieces and all(map(_is_answer, pieces)):
            return pieces
    return []


def _is_answer(value: Mapping[str, Json]) -> bool:
    candidates = value.get("candidates")
    if isinstance(candidates, list) and any("content" in mapping(c) or "finishReason" in mapping(c) for c in candidates):
        return True
    return "promptFeedback" in value or ("usageMetadata" in value and "modelVersion" in value)


def is_gemini_record(value: Json) -> bool:
    """True for a request, an answer, or both."""
    return request_of(value) is not None or bool(answers_of(value))


@dataclass(slots=True)
class _Exchange:
    """A request and the pieces of its answer, or either alone."""

    source: SourceRef
    record: Json = None
    request: Mapping[str, Json] | None = None
    pieces: list[Mapping[str, Json]] = field(default_factory=list)

    @property
    def answer_id(self) -> str:
        """Recorded id of the answer."""
        return next((i for piece in self.pieces if (i := text(twin(piece, "responseId")))), "")

    def reply(self) -> Json | None:
        """The answering content; None where nothing came."""
        found = [part for piece in self.pieces for part in _parts(piece)]
        return {"role": "model", "parts": joined(found)} if found else None

    def usage(self) -> Usage | None:
        """Of the newest piece that has one."""
        counted = (gemini_usage(twin(piece, "usageMetadata")) for piece in reversed(self.pieces))
        return next((usage for usage in counted if usage is not None), None)

    def call(self, tools: int | None) -> Call:
        """All of the call but its context."""
        model = next((m for piece in self.pieces if (m := text(twin(piece, "modelVersion")))), "") or text(mapping(self.request).get("model"))
        time = next((t for piece in self.pieces if (t := seconds(twin(piece, "createTime")))), None)
        blocked = any(mapping(twin(piece, "promptFeedback")).get("blockReason") for piece in self.pieces)
        return Call(
            index=0,
            context=(),
            known="recorded",
            model=model.removeprefix("models/"),
            usage=self.usage(),
            at=time if time is not None else seconds(mapping(self.record).get("timestamp")),
            id=self.answer_id,
            tools=tools,
            source=self.source,
            flags=("failed",) if blocked or (self.pieces and self.reply() is None) else (),
        )


def _parts(piece: Mapping[str, Json]) -> list[Json]:
    first = next((mapping(c) for c in items(piece.get("candidates"))), {})
    return [part for part in items(mapping(first.get("content")).get("parts")) if isinstance(part, dict)]


def joined(parts: Iterable[Mapping[str, Json]]) -> list[Json]:
    """Parts of a stream with neighbouring texts of one kind joined and empty ones left out."""
    joined: list[dict[str, Json]] = []
    for part in parts:
        if set(part) - {"text", "thought"}:
            joined.append(dict(part))
        elif not part.get("text"):
            continue
        elif joined and set(joined[-1]) <= {"text", "thought"} and joined[-1].get("thought") == part.get("thought"):
            joined[-1]["text"] += text(part.get("text"))
        else:
            joined.append(dict(part))
    return list(joined)


def contents_of(request: Mapping[str, Json]) -> list[Mapping[str, Json]]:
    """The contents as sent, the system instruction as one of that role in front."""
    system = twin(request, "systemInstruction") or twin(twin(request, "config"), "systemInstruction")
    parts = system if isinstance(system, list) else [{"text": system}] if isinstance(system, str) else items(mapping(system).get("parts"))
    front: list[Mapping[str, Json]] = [{"role": "system", "parts": [{"text": p} if isinstance(p, str) else p for p in parts]}] if parts else []
    return [*front, *({**c, "role": "user"} if c.get("role") is None else c for c in items(request.get("contents")) if isinstance(c, dict))]


def tools_of(request: Mapping[str, Json] | None) -> Sequence[Json] | None:
    """Tool definitions of a request: a list, or the one object of them that clients take as well; None without any."""
    tools = mapping(request).get("tools") or mapping(mapping(request).get("config")).get("tools")
    return [tools] if isinstance(tools, dict) and tools else tool_list(tools)


def _read(document: Document) -> SessionDraft:
    head = document.head()
    if document.shape == "json" and (contents := history_of(head[0])):
        return read_history(document, contents)
    if document.shape == "lines" and majority(head, is_content):
        return _content_lines(document)
    records = list(document.records()) if document.shape == "json" else document.records()
    if document.shape == "json" and isinstance(head[0], list):
        draft = _exchanges(document, (Record(value, 0) for value in head[0]))
        draft.used, draft.skipped = 1, type(draft.skipped)()
        return draft
    if document.shape == "json" and request_of(head[0]) is not None:
        return _single(document, next(iter(records)))
    return _exchanges(document, records)


def read_history(document: Document, contents: Sequence[Json]) -> SessionDraft:
    """A saved list of contents; the caller has looked at the document's only value."""
    draft = SessionDraft(id="", level="message list only", documents=(document,), not_recorded=("system prompt", "tool definitions", "usage"))
    thread = ThreadDraft(id="main")
    draft.used = sum(1 for _ in document.records())
    place = path_to(document.value, contents) or ""
    good = [(content, SourceRef(file=document.name, path=f"{place}[{number}]")) for number, content in enumerate(contents) if is_content(content)]
    if len(good) < len(contents):
        document.report(f"{len(contents) - len(good)} entries are no contents and were left out.", 0, "not_a_content")
    tell(thread, [content for content, _ in good], [source for _, source in good])
    draft.threads = [thread]
    return draft


def _content_lines(document: Document) -> SessionDraft:
    draft = SessionDraft(id="", level="message list only", documents=(document,), not_recorded=("system prompt", "tool definitions", "usage"))
    contents, places = [], []
    for record in document.records():
        if is_content(record.value):
            contents.append(record.value)
            places.append(document.source(record))
            draft.used += 1
        else:
            draft.skipped["not a content"] += 1
    draft.threads = [ThreadDraft(id="main")]
    tell(draft.threads[0], contents, places)
    return draft


def _single(document: Document, record: Record) -> SessionDraft:
    """One request, read as a conversation; its answer, where recorded, is that of the last call."""
    request = request_of(record.value) or {}
    thread = ThreadDraft(id="main")
    tools = tools_of(request)
    model = text(request.get("model")).removeprefix("models/")
    contents = contents_of(request)
    tell(thread, contents, _places(document, record, request, len(contents)), model=model, tools=None if tools is None else 0)
    draft = SessionDraft(id="", level="requests only", threads=[thread], documents=(document,), used=1)
    draft.tool_sets = () if tools is None else (tools,)
    exchange = _Exchange(document.source(record), record.value, request, answers_of(record.value))
    call, reply = exchange.call(None if tools is None else 0), exchange.reply()
    count = len(thread.messages)
    if exchange.pieces or (thread.messages and thread.messages[-1].role != "assistant"):
        answer = None if reply is None else thread.add(gemini_message([reply], call.source))
        flags = call.flags if answer is not None else (*call.flags, "no_reply")
        thread.calls.append(replace(call, context=((0, count),) if count else (), reply=answer, flags=flags))
        draft.level = "full requests" if answer is not None else draft.level
    draft.not_recorded = _not_recorded(draft)
    return draft


def _places(document: Document, record: Record, request: Mapping[str, Json], count: int) -> list[SourceRef]:
    """Of the contents of a request: of the system instruction in front, then of its entries that are contents."""
    place = path_to(record.value, request) or ""
    sent = [step_to(place, f"contents[{number}]") for number, value in enumerate(items(request.get("contents"))) if isinstance(value, dict)]
    front = [place] * (count - len(sent))
    return [document.source(record, path) for path in (*front, *sent)]


def _exchanges(document: Document, records: Iterable[Record]) -> SessionDraft:
    """Requests and answers, one call each; answers with one id are the pieces of one stream."""
    draft = SessionDraft(id="", level="requests only", documents=(document,))
    log = RequestLog(lambda value, call: gemini_message([value], call.source), normal_form)
    requests = answered = 0
    for exchange in _collected(document, records, draft):
        reply = exchange.reply()
        requests += exchange.request is not None
        answered += reply is not None
        log.add(contents_of(exchange.request or {}), reply, exchange.call(log.tools(tools_of(exchange.request))))
    draft.threads, draft.tool_sets = log.threads() or [ThreadDraft(id="main")], log.tool_sets
    draft.level = "message list only" if not requests else "full requests" if answered else "requests only"
    draft.not_recorded = _not_recorded(draft) if requests else ("request",)
    return draft


def _collected(document: Document, records: Iterable[Record], draft: SessionDraft) -> Iterator[_Exchange]:
    newest: _Exchange | None = None
    for record in records:
        request, pieces = request_of(record.value), answers_of(record.value)
        if request is None and not pieces:
            draft.skipped["neither a request nor an answer"] += 1
            continue
        draft.used += 1
        found = _Exchange(document.source(record), record.value, request, pieces)
        if newest is not None and request is None and (not newest.pieces or newest.answer_id == found.answer_id):
            newest.pieces += pieces
            continue
        if newest is not None:
            yield newest
        newest = found
    if newest is not None:
        yield newest


def _not_recorded(draft: SessionDraft) -> tuple[str, ...]:
    has_system = any(message.role == "system" for thread in draft.threads for message in thread.messages)
    return (*(() if has_system else ("system prompt",)), *(() if draft.tool_sets else ("tool definitions",)))
