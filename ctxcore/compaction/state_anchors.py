"""The state editor's chains as anchors of a compaction, and what the session's records say beside its messages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from ctxcore.compaction.core_fields import FIELD
from ctxcore.compaction.values import Place
from ctxcore.model import Json, Message, Reasoning, Thread, ToolCall
from ctxcore.state.domain import Domain
from ctxcore.state.editor import edit
from ctxcore.state.entries import Entry, FieldChain, is_missing
from ctxcore.state.reading import part_start, said_times

CORE_OF: Mapping[str, str] = {
    **dict.fromkeys(("budget", "budget max", "total budget", "预算", "总预算"), "budget"),
    **dict.fromkeys(("product", "item", "model", "product context.id", "商品", "产品", "型号"), "product"),
    **dict.fromkeys(("user id", "customer id", "用户编号", "客户编号"), "user_id"),
    **dict.fromkeys(("session id", "会话编号"), "session_id"),
}
"""Core field by the name of a chain, small letters, spaces for underlines."""

SESSION_KEYS, USER_KEYS = ("sessionId", "session_id", "conversation_id"), ("userId", "user_id", "customer_id")
"""Keys of a message's record that name its session and its user."""

RECORDS = 50
"""Messages at the beginning in whose records the ids are looked for."""

RECORDED = "The record of the message says it, no words do."


@dataclass(frozen=True, slots=True, kw_only=True)
class StateAnchor:
    """See ``values.AnchorLike``."""

    key: str
    """A core field, or ``field`` and the chain's name."""
    place: Place
    """The words."""
    value: str
    """As the editor has it, with its unit where that was said."""
    holds: bool
    """False for an earlier value."""
    why: str
    """How it came, and how sure the editor is."""


def state_anchors(thread: Thread, domain: Domain, upto: int) -> tuple[StateAnchor, ...]:
    """Values that were decided before a message, each chain's entries oldest first; a chain whose last entry clears it holds nothing.

    Args:
        thread: Of a session.
        domain: Of the state.
        upto: Message index; what was said from there on is not known yet.
    """
    fields = edit(thread, domain).as_of(upto).fields
    return tuple(anchor for chain in fields.values() for anchor in _chain(chain, thread.messages))


def _chain(chain: FieldChain, messages: Sequence[Message]) -> list[StateAnchor]:
    accepted = [entry for entry in chain.entries if entry.status == "accepted" and not is_missing(entry.value)]
    return [_anchor(chain, entry, messages[entry.source.message]) for entry in accepted]


def _anchor(chain: FieldChain, entry: Entry, message: Message) -> StateAnchor:
    name = " ".join(chain.name.casefold().replace("_", " ").split())
    return StateAnchor(
        key=CORE_OF.get(name) or f"{FIELD}{name}",
        place=_place(entry, message),
        value=_value(entry),
        holds=entry is chain.current,
        why=_why(entry, holds=entry is chain.current, now=chain.value),
    )


def _value(entry: Entry) -> str:
    """With its unit, unless that was only assumed."""
    said = entry.unit if entry.kind in ("money", "count") and "assumed_unit" not in entry.shades else ""
    return f"{entry.value} {said}".rstrip()


def _why(entry: Entry, *, holds: bool, now: Json) -> str:
    how = entry.why.replace("_", " ")
    told = f"State: {how} in message {entry.source.message}, confidence {entry.confidence:.2f}."
    return told if holds else f"An earlier entry; {now} holds now. {told}" if not is_missing(now) else f"Cleared later. {told}"


def _place(entry: Entry, message: Message) -> Place:
    """The quote in this package's source text, which has reasoning and the names of tools between the message's text and the arguments."""
    source, moved = entry.source, 0
    for call in message.calls:
        begin = part_start(message, call)
        if begin <= source.start and source.end <= begin + len(call.arguments):
            moved = _before(message, call)
    return Place(source.message, source.start + moved, source.end + moved)


def _before(message: Message, call: ToolCall) -> int:
    """Code points of reasoning and tool names before a call's arguments."""
    thought = sum(len(part.text) + 1 for part in message.parts if isinstance(part, Reasoning) and part.text)
    upto = next(number for number, one in enumerate(message.calls) if one is call)
    return thought + sum(len(one.name) + 1 for one in message.calls[: upto + 1])


def anchors_of(thread: Thread, domain: Domain, which: Sequence[int]) -> tuple[StateAnchor, ...]:
    """All anchors for a compaction of messages.

    Args:
        thread: Of a session.
        domain: Of the state.
        which: Indexes of the messages, in order.
    """
    if not which:
        return ()
    return (*recorded_anchors(thread), *state_anchors(thread, domain, which[-1] + 1))


def recorded_anchors(thread: Thread) -> tuple[StateAnchor, ...]:
    """Session id, user id and start time by the first records that have them, whatever was compacted since; their place is a message and no words.

    Args:
        thread: Of a session.
    """
    return thread.once("recorded_anchors", lambda: tuple(_recorded_anchors(thread)))


def _recorded_anchors(thread: Thread) -> Iterator[StateAnchor]:
    for key, names in (("session_id", SESSION_KEYS), ("user_id", USER_KEYS)):
        told = ((index, _first_of(message.raw, names)) for index, message in enumerate(thread.messages[:RECORDS]))
        yield from (_by_record(key, index, value) for index, value in islice((one for one in told if one[1]), 1))
    times = ((index, _time(at)) for index, at in enumerate(thread.once("said_times", lambda: said_times(thread))) if at is not None)
    yield from (_by_record("start_time", index, value) for index, value in islice(times, 1))


def _first_of(record: Json, names: Sequence[str]) -> str:
    """The first of these keys that a record has, as text."""
    held = record if isinstance(record, Mapping) else {}
    return next((str(held[name]) for name in names if isinstance(held.get(name), (str, int)) and held[name] != ""), "")


def _by_record(key: str, message: int, value: str) -> StateAnchor:
    return StateAnchor(key=key, place=Place(message, 0, 0), value=value, holds=True, why=RECORDED)


def _time(at: datetime) -> str:
    return at.isoformat(timespec="seconds")
