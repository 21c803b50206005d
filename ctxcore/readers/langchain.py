"""LangChain message dumps: ``messages_to_dict``, constructor dumps and flat dumps; a list, an object that holds one, or one a line.

Source: format notes, 2.9.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import ClassVar

from ctxcore.model import Json, Level, SourceRef
from ctxcore.readers.dialects import traced_message
from ctxcore.readers.document import Document
from ctxcore.readers.langchain_message import langchain_fields, model_of, usage_of
from ctxcore.readers.marks import majority
from ctxcore.readers.protocol import SessionDraft
from ctxcore.readers.removals import Removal, apply_removals
from ctxcore.readers.reply_list import About, conversation, listed
from ctxcore.readers.values import items, mapping, text


def is_dump(value: Json) -> bool:
    """True for a message in one of the dumps, by its type and the place of its content."""
    record = mapping(value)
    fields = langchain_fields(value)
    if fields is None:
        return False
    return "kwargs" in record or "data" in record or "additional_kwargs" in record or "response_metadata" in record or "tool_call_id" in record


def has_run(message: Mapping[str, Json]) -> bool:
    """True for a reply that a model gave: it names its model, its tokens or its run."""
    return bool(message.get("response_metadata") or message.get("usage_metadata")) or text(message.get("id")).startswith(("run-", "lc_run-"))


def about(value: Json) -> About:
    """What a dumped reply says about its call."""
    fields = langchain_fields(value) or {}
    answer = mapping(fields.get("response_metadata"))
    return About(model=model_of(fields), usage=usage_of(fields), id=text(answer.get("id")) or text(fields.get("id")), is_model=True)


class LangChain:
    """See the module."""

    name: ClassVar[str] = "langchain"
    family: ClassVar[str] = "traces"
    level: ClassVar[Level] = "message list only"
    detects: ClassVar[str] = "messages with a LangChain type and data.content, lc and kwargs, or additional_kwargs"

    def matches(self, document: Document, head: Sequence[Json]) -> bool:
        """See ``Reader.matches``."""
        return majority(_messages(head[0])[:200] if document.shape == "json" else head, is_dump)

    def read(self, documents: Sequence[Document]) -> list[SessionDraft]:
        """See ``Reader.read``."""
        return [_read(document) for document in documents]


def _messages(value: Json) -> Sequence[Json]:
    """The list of messages in a file of one value."""
    if isinstance(value, list):
        return value[0] if len(value) == 1 and isinstance(value[0], list) else value
    return items(mapping(value).get("messages")) or [value]


def is_removal(value: Json) -> bool:
    """True for the note that a message is taken out of the list."""
    return mapping(langchain_fields(value)).get("type") == "remove"


def _removals(entries: Iterable[tuple[Json, SourceRef]]) -> Iterator[Removal]:
    """Removals with their place among the messages."""
    before = 0
    for value, source in entries:
        if is_removal(value):
            yield Removal(before=before, id=text(mapping(langchain_fields(value)).get("id")), source=source)
        else:
            before += 1


def _read(document: Document) -> SessionDraft:
    entries = list(listed(document, _messages))
    kept = [(value, source) for value, source in entries if langchain_fields(value) is not None]
    removals = list(_removals(kept))
    kept = [(value, source) for value, source in kept if not is_removal(value)]
    draft = conversation([traced_message(value, source) for value, source in kept], [about(value) for value, _ in kept])
    if removals:
        apply_removals(draft.threads[0], [text(mapping(langchain_fields(value)).get("id")) for value, _ in kept], removals)
    document.record_count = len(entries) + document.unreadable.total()
    draft.used = len(kept) + len(removals)
    others = len(entries) - draft.used
    draft.skipped.update({"not a LangChain message": others} if others else {})
    draft.documents = (document,)
    return draft
