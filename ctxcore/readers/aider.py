"""aider's chat history: Markdown in which lines say by their first characters whose they are.

Source: format notes 2.9; Aider-AI/aider ``io.py``: a person's line begins with four marks and ends in two spaces (neighbours are one message), a line
of the program begins with ``> ``; the rest is the model's. In architect mode the plan comes again as the request to the editor: a call of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from ctxcore.model import Event, Injected, Json, Level, Message, SourceRef, Text, Usage
from ctxcore.readers.build import ThreadDraft
from ctxcore.readers.conversation import Conversation
from ctxcore.readers.document import Document
from ctxcore.readers.protocol import SessionDraft, with_messages
from ctxcore.readers.values import seconds

START = re.compile(r"\A# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)")
ANY_START = re.compile(rb"(?m)^# aider chat started at \d{4}-")
INPUT_START = re.compile(rb"\A\s*# \d{4}-\d\d-\d\d \d\d:\d\d:\d\d[.\d]*\r?\n\+")
INPUT_TIME = re.compile(r"\A# (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[.\d]*)\Z")
TOKENS = re.compile(
    r"\ATokens: (?P<sent>[\d.,]+[kM]?) sent,(?: (?P<write>[\d.,]+[kM]?) cache write,)?"
    r"(?: (?P<hit>[\d.,]+[kM]?) cache hit,)? (?P<got>[\d.,]+[kM]?) received"
)
MODEL = re.compile(r"\A(?:Main m|M)odel: (\S+)")
EDITOR = re.compile(r"\AEditor model: (\S+)")

SENDING = frozenset({"/ask", "/code", "/architect", "/context", "/help"})
"""Commands whose words go to the model."""

CLEARING = frozenset({"/clear", "/reset"})
"""Commands after which the history is empty."""

NOT_RECORDED = ("system prompt", "repository map", "contents of files", "times of calls", "summaries of long histories")

LOOK_BYTES = 2**16


@dataclass(slots=True)
class Block:
    """Neighbouring lines of one speaker."""

    kind: str
    """``start``, ``user``, ``tool`` or ``model``."""
    line: int
    lines: list[str] = field(default_factory=list)
    count: int = 0
    """Lines that are not blank."""

    @property
    def text(self) -> str:
        """The words."""
        return "\n".join(self.lines).strip()


class Aider:
    """See the module."""

    name: ClassVar[str] = "aider"
    family: ClassVar[str] = "agent logs"
    level: ClassVar[Level] = "message list only"
    detects: ClassVar[str] = "text with a line '# aider chat started at' and lines that begin with #### or >; or its history of inputs"

    def matches(self, document: Document, head: Sequence[Json]) -> bool:
        """See ``Reader.matches``."""
        del head
        start = document.data[:LOOK_BYTES]
        if document.shape != "text":
            return False
        return bool(INPUT_START.match(start)) or (bool(ANY_START.search(start)) and bool(re.search(rb"(?m)^(?:####|>) ", start)))

    def read(self, documents: Sequence[Document]) -> list[SessionDraft]:
        """See ``Reader.read``."""
        documents = [document for document in documents if document.shape == "text"]
        inputs = [document for document in documents if INPUT_START.match(document.data[:LOOK_BYTES])]
        times = _input_times(inputs)
        drafts = [draft for document in documents if document not in inputs for draft in _sessions(document, times)]
        for document in inputs:
            document.record_count = sum(1 for _, line in numbered(document) if line.strip())
        if drafts and inputs:
            drafts[0].documents = (*drafts[0].documents, *inputs)
            drafts[0].used += sum(document.record_count for document in inputs)
        return drafts


def numbered(document: Document) -> Iterator[tuple[int, str]]:
    """Lines of a text with their numbers, from 1."""
    for number, line in enumerate(document.data.decode(errors="replace").split("\n"), 1):
        yield number, line.rstrip("\r")


def _input_times(documents: Sequence[Document]) -> dict[str, list[float]]:
    """Words of a person -> when they were typed."""
    found: dict[str, list[float]] = {}
    for document in documents:
        at: float | None = None
        words: list[str] = []
        for _, line in [*numbered(document), (0, "# 2000-01-01 00:00:00")]:
            if match := INPUT_TIME.match(line):
                if words and at is not None:
                    found.setdefault("\n".join(words).strip(), []).append(at)
                at, words = seconds(match[1]), []
            elif line.startswith("+"):
                words.append(line[1:])
    return found


def _blocks(document: Document) -> Iterator[Block]:
    """The file as blocks; where the program's own lines end in two spaces, only such lines are its."""
    lines = list(numbered(document))
    marked = any(line.startswith("#### ") and line.endswith("  ") for _, line in lines)
    block = Block("tool", 1)
    apart = False  # a blank line ends what a person typed at once
    for number, line in lines:
        kind = _kind(line, block, marked=marked)
        if not line.strip() and kind == "blank":
            if block.kind == "model":
                block.lines.append("")
            apart = True
            continue
        if kind != block.kind or kind == "start" or (kind == "user" and apart):
            if block.count:
                yield block
            block = Block(kind, number)
        apart = False
        block.lines.append(_bare(line, kind))
        block.count += bool(line.strip())
    if block.count:
        yield block


def _kind(line: str, before: Block, *, marked: bool) -> str:
    if not line.strip():
        return "blank"
    if START.match(line):
        return "start"
    by_person = line.endswith("  ") or (not marked and before.kind in ("start", "tool", "user"))
    if line.startswith("####") and line[4:5] in ("", " ") and by_person:
        return "user"
    if line.startswith(">") and (line.endswith("  ") or not marked):
        return "tool"
    return "model"


def _bare(line: str, kind: str) -> str:
    if kind == "user":
        return line[4:].removeprefix(" ").removesuffix("  ")
    return line[1:].strip() if kind == "tool" else line


def _sessions(document: Document, times: dict[str, list[float]]) -> list[SessionDraft]:
    drafts: list[SessionDraft] = []
    told: _Told | None = None
    total = 0
    for block in _blocks(document):
        total += block.count
        if block.kind == "start" or told is None:
            if told is not None:
                told.finish()
            told = _Told(document, block, times)
            drafts.append(told.draft)
        told.take(block)
    if told is not None:
        told.finish()
    for draft in drafts:
        draft.documents = (document,)
    document.record_count = total
    if not drafts or (not any(message.role == "user" for draft in drafts for message in draft.threads[0].messages) and not drafts[0].id):
        return []
    return with_messages(drafts)


class _Told:
    """One session of the file."""

    def __init__(self, document: Document, start: Block, times: dict[str, list[float]]) -> None:
        self.document, self.times = document, times
        match = START.match(start.lines[0]) if start.kind == "start" else None
        self.told = Conversation(ThreadDraft(id="main"))
        self.draft = SessionDraft(id=match[1] if match else "", level=Aider.level, threads=[self.told.thread], not_recorded=NOT_RECORDED)
        self.editor: ThreadDraft | None = None
        self.model = self.editor_model = ""
        self.reply: Block | None = None
        self.to_editor: Message | None = None
        """The request to the editor that is being answered."""

    def take(self, block: Block) -> None:
        """Go on."""
        if block.kind == "user":
            self._answer(None)
            self._user(block)
        elif block.kind == "model":
            if self.reply is None:
                self.reply = block
            else:
                self.reply.lines += ["", *block.lines]
        elif block.kind == "tool":
            for line in block.lines:
                self._tool(line, block)
        if block.kind in ("start", "tool"):
            self.draft.skipped["line of the program, never sent"] += block.count
        else:
            self.draft.used += block.count

    def finish(self) -> None:
        """Nothing follows."""
        self._answer(None)

    def _tool(self, line: str, block: Block) -> None:
        if match := TOKENS.match(line):
            self._answer(match, block)
        elif match := MODEL.match(line):
            self.model = match[1]
        elif match := EDITOR.match(line):
            self.editor_model = match[1]

    def _user(self, block: Block) -> None:
        words = block.text
        command, _, rest = words.partition(" ")
        thread = self.told.thread
        newest = thread.calls[-1].reply if thread.calls else None
        if newest is not None and words and thread.messages[newest].text.strip() == words:
            self.to_editor = self._message("user", block, words, injected="meta")
            return
        self.to_editor = None
        if command in CLEARING:
            thread.events.append(Event(kind="history_changed", call=len(thread.calls), source=self._source(block), note="The history was cleared."))
            self.told.restart()
        elif not command.startswith(("/", "!")) or (command in SENDING and rest):
            self.told.add(self._message("user", block, words))

    def _answer(self, match: re.Match[str] | None, block: Block | None = None) -> None:
        """A reply is complete: its count stands behind it, or the next prompt does."""
        reply, self.reply = self.reply, None
        if reply is None and match is None:
            return
        place = reply or block
        source = SourceRef() if place is None else self._source(place)
        message = None if reply is None else self._message("assistant", reply, reply.text)
        usage = None if match is None else _usage(match)
        if self.to_editor is not None:
            self._edit(message, usage, source)
        else:
            self.told.reply(message, model=self.model, usage=usage, source=source)

    def _edit(self, message: Message | None, usage: Usage | None, source: SourceRef) -> None:
        """A call of the editor: it gets the plan, not the conversation."""
        if self.editor is None:
            self.editor = ThreadDraft(id="editor", kind="agent", parent="main", title="Edits files after the architect's plan")
            self.draft.threads.append(self.editor)
        told = Conversation(self.editor)
        if self.to_editor is not None:
            if self.editor.parent_call is None:
                self.editor.parent_call = len(self.told.thread.calls) - 1
            told.add(self.to_editor)
        told.reply(message, model=self.editor_model or self.model, usage=usage, source=source)

    def _source(self, block: Block) -> SourceRef:
        return SourceRef(file=self.document.name, line=block.line)

    def _message(self, role: str, block: Block, words: str, *, injected: Injected = "") -> Message:
        typed = self.times.get(words) if role == "user" else None
        at = typed.pop(0) if typed else None
        wire = {"role": role, "content": words}
        return Message(role=role, parts=(Text(text=words),), wire=(wire,), raw=wire, source=self._source(block), at=at, injected=injected)


def _usage(match: re.Match[str]) -> Usage:
    """Counts as the program rounds them."""
    return Usage(
        input_tokens=_number(match["sent"]),
        output_tokens=_number(match["got"]),
        cache_read_tokens=_number(match["hit"]),
        cache_write_tokens=_number(match["write"]),
    )


def _number(words: str | None) -> int | None:
    if words is None:
        return None
    factor = {"k": 1_000, "M": 1_000_000}.get(words[-1], 1)
    try:
        return round(float(words.rstrip("kM").replace(",", "")) * factor)
    except ValueError:
        return None
