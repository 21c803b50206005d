"""Two lists of messages, before and after a compaction, as a thread with one recorded compaction: for summaries that stand in no session."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ctxcore.errors import InputError
from ctxcore.model import Call, Event, Json, Message, SourceRef, Thread
from ctxcore.readers.build import ThreadDraft
from ctxcore.readers.chat_message import chat_message


def is_pair(value: Json) -> bool:
    """True for one object with the lists ``before`` and ``after``."""
    return isinstance(value, dict) and isinstance(value.get("before"), list) and isinstance(value.get("after"), list)


def pair_thread(before: Sequence[Mapping[str, Json]], after: Sequence[Mapping[str, Json]], *, file: str = "") -> Thread:
    """A thread whose second call has the messages after the compaction as its context.

    A message of the second list that stands word for word in the first is that one; the first user message that does not is the summary.

    Args:
        before: Chat messages.
        after: Chat messages.
        file: Name for sources.

    Raises:
        InputError: A message that is no object.
    """
    draft = ThreadDraft(id="pair")
    known: dict[tuple[str, str], int] = {}
    for number, value in enumerate(before):
        message = _message(value, SourceRef(file=file, path=f"before[{number}]"))
        known.setdefault((message.role, message.text), draft.add(message))
    kept: list[int] = []
    summary: int | None = None
    for number, value in enumerate(after):
        message = _message(value, SourceRef(file=file, path=f"after[{number}]"))
        same = known.get((message.role, message.text))
        if same is None:
            same = draft.add(replace(message, injected="summary") if message.role != "assistant" and not message.results else message)
            summary = same if summary is None else summary
        kept.append(same)
    draft.calls = [
        Call(index=0, context=((0, len(before)),), known="recorded"),
        Call(index=1, context=tuple((index, index + 1) for index in kept), known="recorded"),
    ]
    draft.events = [Event(kind="compaction", call=1, summary=summary, source=SourceRef(file=file, path="after"))]
    return draft.build()


def _message(value: Mapping[str, Json], source: SourceRef) -> Message:
    if not isinstance(value, dict) or not isinstance(value.get("role"), str):
        raise InputError(f"{source} is no message: an object with a role was expected.")
    return chat_message(value, source)
