"""Cursor: its own Markdown export, SpecStory's, the lines of an agent transcript, and its state database. None has the system prompt.

Source: format notes 2.10.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar

from ctxcore.model import Json, Level, Message, Part, SourceRef, Text, ToolCall, ToolResult
from ctxcore.readers.aider import numbered
from ctxcore.readers.anthropic_message import anthropic_message
from ctxcore.readers.build import ThreadDraft
from ctxcore.readers.conversation import Conversation
from ctxcore.readers.cursor_store import is_state, read_state
from ctxcore.readers.document import Document
from ctxcore.readers.marks import majority
from ctxcore.readers.protocol import SessionDraft
from ctxcore.readers.sqlite_file import is_sqlite
from ctxcore.readers.values import mapping, text
from ctxcore.redaction.masking import masked_part

EXPORTED = re.compile(rb"(?m)^_Exported on [^\n]* from Cursor \(")
EXPORT_SPEAKER = re.compile(r"\A\*\*(User|Cursor)\*\*\s*\Z")
SPECSTORY = re.compile(rb"SpecStory[^\n]*\n[\s\S]*?^_\*\*User", re.MULTILINE)
SPECSTORY_SPEAKER = re.compile(r"\A_\*\*(User|Assistant|Agent|)\b[^*]*\*\*_\s*\Z")
NAMELESS = "_****_"
"""A further piece of the same turn, as SpecStory writes it."""

TOOL_LINE = re.compile(
    r"\A(Read file|Searched|Listed directory|Ran|Edited file|Created|Deleted|Codebase search|Grep|List|Web search)\b[: ]?(.*)", re.IGNORECASE
)
SUMMARY = re.compile(r"<summary>(.*?)</summary>", re.DOTALL)

RULE = "---"

NOT_RECORDED = ("system prompt", "tool definitions", "usage", "times", "contents of files")

LOOK_BYTES = 2**16


class Cursor:
    """See the module."""

    name: ClassVar[str] = "cursor"
    family: ClassVar[str] = "agent logs"
    level: ClassVar[Level] = "message list only"
    detects: ClassVar[str] = (
        "an export line of Cursor or SpecStory's name and speakers in bold; or lines of only role and message with a content; or an SQLite file with "
        "the table cursorDiskKV and keys composerData"
    )

    def matches(self, document: Document, head: Sequence[Json]) -> bool:
        """See ``Reader.matches``."""
        if is_state(document):
            return True
        if document.shape == "text":
            start = document.data[:LOOK_BYTES]
            return bool(EXPORTED.search(start) and b"**User**" in start) or bool(SPECSTORY.search(start))
        lines = [value for value in head if mapping(value).get("type") != "turn_ended"]
        return document.shape == "lines" and majority(lines, _is_transcript)

    def read(self, documents: Sequence[Document]) -> list[SessionDraft]:
        """See ``Reader.read``."""
        return [draft for document in documents for draft in _read(document)]


def _read(document: Document) -> list[SessionDraft]:
    if is_sqlite(document.data):
        return read_state(document)
    return [_markdown(document) if document.shape == "text" else _transcript(document)]


def _is_transcript(value: Json) -> bool:
    record = mapping(value)
    return set(record) <= {"role", "message"} and record.get("role") in ("user", "assistant") and "content" in mapping(record.get("message"))


def _transcript(document: Document) -> SessionDraft:
    """Lines of an agent transcript: each assistant line is a call; results of its tools are not recorded."""
    draft = SessionDraft(id="", level=Cursor.level, documents=(document,), not_recorded=(*NOT_RECORDED, "tool results"))
    told = Conversation(ThreadDraft(id="main"))
    for record in document.records():
        value = mapping(record.value)
        if not isinstance(value.get("message"), dict):
            draft.skipped["end of a turn" if value.get("type") == "turn_ended" else "not a message"] += 1
            continue
        draft.used += 1
        wire = {"role": value.get("role"), "content": value["message"].get("content")}
        message = anthropic_message(wire, document.source(record), raw=value)
        if message.role == "assistant":
            told.reply(message)
        else:
            told.add(message)
    draft.threads = [told.thread]
    return draft


def _markdown(document: Document) -> SessionDraft:
    """A Markdown export: speakers in bold, turns between rules; a rule inside a message is part of it."""
    draft = SessionDraft(id="", level=Cursor.level, documents=(document,), not_recorded=NOT_RECORDED)
    turns = _Turns(document)
    told = turns.told
    own = EXPORTED.search(document.data[:LOOK_BYTES]) is not None
    speaker, line, lines = "", 0, list[str]()
    used = total = 0
    for number, words in [*numbered(document), (0, "**User**" if own else "_**User**_")]:
        total += bool(words.strip()) and number > 0
        match = (EXPORT_SPEAKER if own else SPECSTORY_SPEAKER).match(words)
        if match is None and words.strip() != NAMELESS:
            lines.append(words)
            used += bool(speaker and words.strip())
            continue
        used += number > 0
        if speaker:
            turns.say(speaker, line, _trimmed(lines))
        elif lines:
            title = next((words.lstrip("# ") for words in lines if words.startswith("#") and "SpecStory" not in words), "")
            told.thread.title = masked_part(title, 0, 120)
        speaker = "User" if match is not None and match[1] == "User" else "Assistant"
        line, lines = number, []
    turns.finish()
    document.record_count = total
    draft.used = used
    draft.skipped["head of the export"] += total - used
    draft.skipped = +draft.skipped
    draft.threads = [told.thread]
    draft.notes.append(
        "The export joins or leaves out steps of the agent: a tool, with the words before it, counts as one call, and its output is cut."
    )
    return draft


def _trimmed(lines: Sequence[str]) -> str:
    """The words of a turn without the rule that ends it."""
    words = "\n".join(lines).strip()
    return words.removesuffix(RULE).strip() if words.endswith(("\n" + RULE,)) or words == RULE else words


class _Turns:
    """Pieces of an export told as a thread: what a person said, what the model answered, and what its tools showed."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.told = Conversation(ThreadDraft(id="main"))
        self.text: tuple[str, SourceRef] | None = None
        """An answer that a tool may follow in the same reply."""

    def say(self, speaker: str, line: int, words: str) -> None:
        """One piece."""
        source = SourceRef(file=self.document.name, line=line)
        tool = _tool(words) if speaker != "User" else None
        if tool is not None:
            self._use(tool, line, words, source)
            return
        self.finish()
        if speaker == "User" and words:
            self.told.add(_message("user", (Text(text=words),), words, source))
        elif words:
            self.text = words, source

    def finish(self) -> None:
        """An answer that no tool followed is a reply by itself."""
        if self.text is not None:
            words, source = self.text
            self.told.reply(_message("assistant", (Text(text=words),), words, source))
        self.text = None

    def _use(self, tool: tuple[str, str], line: int, words: str, source: SourceRef) -> None:
        said, at = self.text or ("", source)
        self.text = None
        call = ToolCall(id=f"line-{line}", name=tool[0], arguments=tool[1])
        parts: tuple[Part, ...] = (Text(text=said), call) if said else (call,)
        self.told.reply(_message("assistant", parts, f"{said}\n{tool[0]} {tool[1]}".strip(), at))
        self.told.add(_message("tool", (ToolResult(call_id=call.id, text=words),), words, source))


def _tool(words: str) -> tuple[str, str] | None:
    """Name and target where a piece shows a tool; None for an answer."""
    if words.startswith("```diff"):
        return "edit", ""
    summary = SUMMARY.search(words) if words.lstrip().startswith("<details>") else None
    first = (summary[1] if summary else words.partition("\n")[0]).strip()
    match = TOOL_LINE.match(first)
    if match is None:
        return ("tool", first) if summary else None
    return match[1].lower().replace(" ", "_"), match[2].strip()


def _message(role: str, parts: tuple[Part, ...], words: str, source: SourceRef) -> Message:
    wire: Mapping[str, Json] = {"role": role, "content": text(words)}
    return Message(role=role, parts=parts, wire=(wire,), raw=wire, source=source)
