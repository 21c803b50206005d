"""Message lists whose replies say what they cost: each assistant message is one call, rebuilt from all that stands before it.

LangChain dumps, pydantic-ai histories and AI SDK messages are such lists. Source: format notes, 2.0.2 (loss of level c).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from ctxcore.model import Json, Message, SourceRef, Usage
from ctxcore.readers.build import ThreadDraft, conversation_calls
from ctxcore.readers.document import Document
from ctxcore.readers.places import path_to
from ctxcore.readers.protocol import SessionDraft


@dataclass(frozen=True, slots=True)
class About:
    """What a reply says about its call."""

    model: str = ""
    usage: Usage | None = None
    id: str = ""
    at: float | None = None
    flags: tuple[str, ...] = ()
    is_model: bool = True
    """False for an assistant message that the application wrote."""


def conversation(messages: Sequence[Message], about: Sequence[About]) -> SessionDraft:
    """A session of one thread.

    Args:
        messages: In order.
        about: One entry for each message; only those of assistant messages count.
    """
    draft = SessionDraft(id="", level="message list only")
    thread = ThreadDraft(id="main", messages=list(messages))
    for call in conversation_calls(messages):
        if call.reply is None:
            thread.calls.append(call)
            continue
        said = about[call.reply]
        if said.is_model:
            at = said.at if said.at is not None else call.at
            thread.calls.append(replace(call, model=said.model, usage=said.usage, id=said.id, at=at, flags=(*call.flags, *said.flags)))
    draft.threads = [thread]
    has_system = any(message.role in ("system", "developer") for message in messages)
    draft.not_recorded = ("tool definitions",) if has_system else ("system prompt", "tool definitions")
    return draft


def listed(document: Document, messages_in: Callable[[Json], Sequence[Json]]) -> Iterator[tuple[Json, SourceRef]]:
    """The entries of a list with their places: one a line, or those of the file's only value.

    Args:
        document: The file.
        messages_in: The list in a value.
    """
    for record in document.records():
        if document.shape != "json":
            yield record.value, document.source(record)
            continue
        messages = messages_in(record.value)
        place = path_to(record.value, messages)
        for number, value in enumerate(messages):
            yield value, document.source(record, "" if place is None else f"{place}[{number}]")
