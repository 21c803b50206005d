"""Cline and Roo Code: files of a task folder (alone, together or as a zip), and sessions of the Cline SDK.

Source: format notes 2.5.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from ctxcore.model import Json, Level
from ctxcore.readers.cline_screen import is_screen
from ctxcore.readers.cline_session import is_session, read_session_file
from ctxcore.readers.cline_task import TaskReader, is_metadata, tasks_of
from ctxcore.readers.document import Document
from ctxcore.readers.marks import majority
from ctxcore.readers.protocol import SessionDraft
from ctxcore.readers.values import items, mapping, text

LOOK_MESSAGES = 20

ROO_KEYS = frozenset({"ts", "isSummary", "condenseId", "condenseParent", "truncationId", "truncationParent", "isTruncationMarker"})
CLINE_KEYS = frozenset({"modelInfo", "metrics"})
"""Keys of a message that tell one program from the other."""


def _is_history(value: Json) -> bool:
    """True for messages with the program's own marks in their text."""
    messages = [mapping(message) for message in value[:LOOK_MESSAGES]] if isinstance(value, list) else []
    if not majority(messages, lambda m: m.get("role") in ("user", "assistant") and "content" in m):
        return False
    return any(_is_marked(message) for message in messages[:6])


def _is_marked(message: Mapping[str, Json]) -> bool:
    if message.get("role") != "user":
        return False
    content = message.get("content")
    texts = [content] if isinstance(content, str) else [text(mapping(block).get("text")) for block in items(content)]
    return any("<environment_details>" in words or words.lstrip().startswith("<task>") for words in map(text, texts))


def _is_roo(value: Json) -> bool:
    """Which of the two programs wrote a file of a task."""
    if is_metadata(value):
        return "model_usage" not in value
    keys = {key for entry in value[:LOOK_MESSAGES] for key in mapping(entry)}
    if is_screen(value):
        return "conversationHistoryIndex" not in keys
    return not keys & CLINE_KEYS and bool(keys & ROO_KEYS)


def _is_task_file(document: Document, head: Sequence[Json]) -> bool:
    return document.shape == "json" and bool(head) and (_is_history(head[0]) or is_screen(head[0]) or is_metadata(head[0]))


def _read_tasks(documents: Sequence[Document], level: Level) -> list[SessionDraft]:
    tasks = tasks_of(documents)
    return [TaskReader(task, SessionDraft(id=task.folder.rpartition("/")[2].strip("."), level=level)).read() for task in tasks]


class Cline:
    """See the module."""

    name: ClassVar[str] = "cline"
    family: ClassVar[str] = "agent logs"
    level: ClassVar[Level] = "message list only"
    detects: ClassVar[str] = (
        "messages with <task> or <environment_details> in the user's text; entries with ts and say or ask; "
        "or version, updated_at, sessionId and messages"
    )

    def matches(self, document: Document, head: Sequence[Json]) -> bool:
        """See ``Reader.matches``."""
        if document.shape == "json" and head and is_session(head[0]):
            return True
        return _is_task_file(document, head) and not _is_roo(head[0])

    def read(self, documents: Sequence[Document]) -> list[SessionDraft]:
        """See ``Reader.read``."""
        sessions = [document for document in documents if is_session(document.value)]
        return [*map(read_session_file, sessions), *_read_tasks([d for d in documents if d not in sessions], self.level)]


class RooCode:
    """See the module."""

    name: ClassVar[str] = "roo-code"
    family: ClassVar[str] = "agent logs"
    level: ClassVar[Level] = "message list only"
    detects: ClassVar[str] = "as cline, with ts or condense keys on messages and without Cline's modelInfo or conversationHistoryIndex"

    def matches(self, document: Document, head: Sequence[Json]) -> bool:
        """See ``Reader.matches``."""
        return _is_task_file(document, head) and _is_roo(head[0])

    def read(self, documents: Sequence[Document]) -> list[SessionDraft]:
        """See ``Reader.read``."""
        return _read_tasks(documents, self.level)
