"""Which calls see a text: the messages that hold it, and from which call it is gone, as a table and in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ctxcore.columns import read_only
from ctxcore.counted import count
from ctxcore.measures.seen import answers_to, holds, message_fate, seen_by, sight
from ctxcore.model import Message, Thread, ToolCall
from ctxcore.replay import ABSENT, Replay
from ctxcore.units import catalog
from ctxcore.views.unit_facts import EXCERPT_CHARS
from ctxcore.views.visible import cells, line_at, shortened
from ctxcore.views.words import number


@dataclass(frozen=True, slots=True, kw_only=True)
class TextSight:
    """Where a text stands and which calls see it."""

    frame: pd.DataFrame
    """One row per message that holds it, at most as many as asked for."""
    messages: tuple[int, ...]
    """The thread message of each row."""
    units: tuple[int, ...]
    """Units of the catalog that hold it, all of them."""
    total: int
    """Messages that hold it."""
    answers: dict[int, str]
    """Of these, the results of a call that names it, and that call in words."""


def unit_of_message(thread: Thread) -> NDArray[np.int32]:
    """Per thread message: its unit in the catalog; -1 for a message that no call received."""
    return thread.once("unit_of_message", lambda: _owners(thread))


def _owners(thread: Thread) -> NDArray[np.int32]:
    owner = np.full(len(thread.messages), -1, np.int32)
    for unit, members in enumerate(catalog(thread).members):
        owner[list(members)] = unit
    return read_only(owner)


def text_sight(replay: Replay, messages: Sequence[int], wanted: str, rows: int = 50) -> TextSight:
    """Which calls see a text after the policy.

    Args:
        replay: A policy at a budget.
        messages: Those that hold the text, from ``find_text``.
        wanted: The text, for the excerpts.
        rows: At most this many are looked at in detail.
    """
    owner = unit_of_message(replay.thread)
    shown = messages[:rows]
    sights = [sight(replay, message) for message in shown]
    answers = {message: call_words(call, wanted) for message, call in answers_to(replay.thread, wanted).items()}
    frame = pd.DataFrame(
        {
            "message": list(shown),
            "role": [shortened(replay.thread.messages[m].role, 20) for m in shown],
            "unit": [int(owner[m]) if owner[m] >= 0 else None for m in shown],
            "received by": [s.received for s in sights],
            "seen by": [s.seen for s in sights],
            "first seen": pd.array([s.first for s in sights], "Int64"),
            "last seen": pd.array([s.last for s in sights], "Int64"),
            "gone from": pd.array([s.gone_from for s in sights], "Int64"),
            "text": [_excerpt(replay.thread.messages[m], wanted, answers.get(m, "")) for m in shown],
        }
    )
    units = tuple(dict.fromkeys(int(owner[m]) for m in messages if owner[m] >= 0))
    return TextSight(frame=frame, messages=tuple(shown), units=units, total=len(messages), answers=answers)


REPLY = -1
"""Position of a message that no call received: it only answers its call."""


def message_place(replay: Replay, message: int) -> tuple[int, int] | None:
    """Where to look at a message: a call, and the message's position in its request.

    The call is the first that would receive it after trimming, else the first whose recorded context holds it, else the one that it answers (with
    the position ``REPLY``); None where there is none.

    Args:
        replay: A policy at a budget.
        message: Index in the thread; a number outside of it has no place.
    """
    if not 0 <= message < len(replay.thread.messages):
        return None
    received = np.flatnonzero(message_fate(replay, message) != ABSENT)
    if len(received):
        first = sight(replay, message).first
        call = int(received[0]) if first is None else first
        return call, replay.thread.calls[call].messages().index(message)
    return next(((call.index, REPLY) for call in replay.thread.calls if call.reply == message), None)


def around(message: Message, wanted: str) -> str:
    """The text of a message around the first place that holds the wanted one."""
    texts = [message.text, *(f"{call.name} {call.arguments}" for call in message.calls), *(p.text for p in message.parts if p.kind == "reasoning")]
    for text in texts:
        place = text.casefold().find(wanted.casefold())
        if place >= 0:
            return excerpt_at(text, place)
    return ""


def excerpt_at(text: str, place: int) -> str:
    """A piece of a text in one line, with what stands at a place near its beginning."""
    start = _lead(text, place)
    return ("…" if start else "") + line_at(text, start, EXCERPT_CHARS)


LEAD_CELLS = 24
"""Width of what stands before a hit, a Latin letter is 1: narrow enough that the hit itself is seen."""


def _lead(text: str, place: int) -> int:
    """Where an excerpt begins so that its hit is seen: Chinese letters take the room of two others."""
    start, room = place, LEAD_CELLS
    while start and (room := room - cells(text[start - 1])) >= 0:
        start -= 1
    return start


CALL_CHARS = 60
"""Of a call in a sentence."""


def call_words(call: ToolCall, wanted: str) -> str:
    """A tool call with the piece of its arguments that holds the wanted text."""
    place = call.arguments.casefold().find(wanted.casefold())
    start = max(0, place - CALL_CHARS // 2)
    return f"{shortened(call.name, 40)} “{'…' if start else ''}{line_at(call.arguments, start, CALL_CHARS)}”"


def _excerpt(message: Message, wanted: str, answer: str) -> str:
    """The text around the hit; for a result that matches by its call alone, which call that is and how the result begins."""
    if answer and not holds(message, wanted.casefold()):
        return f"Result of {answer}: {line_at(message.text.strip(), 0, EXCERPT_CHARS) or 'no text'}"
    return f"{f'Result of {answer}: ' if answer else ''}{around(message, wanted)}"


def text_sentence(replay: Replay, found: TextSight, messages: Sequence[int]) -> str:
    """Which calls see a text that stands in these messages, in plain words; a result is told apart from what only mentions it."""
    if not messages:
        return "No message of this thread holds this text."
    if not found.answers:
        return f"In {count(found.total, 'message')}. {_seen_words(replay, messages)}"
    newest = max(found.answers)
    others = [message for message in messages if message != newest]
    which = "The result" if len(found.answers) == 1 else f"The newest of {count(len(found.answers), 'result')}"
    return f"In {count(found.total, 'message')}. {which} of {found.answers[newest]}: {_fate_words(replay, newest)}{_mentions(replay, others)}."


def _fate_words(replay: Replay, message: int) -> str:
    one = sight(replay, message)
    if not one.seen:
        return "no call would see it"
    return "the last call still sees it" if one.gone_from is None else f"gone from call #{number(one.gone_from)}"


def _mentions(replay: Replay, others: Sequence[int]) -> str:
    if not others:
        return ""
    last = len(replay.thread.calls) - 1
    still = sum(sight(replay, message).last == last for message in others)
    return f"; of {count(len(others), 'other mention')} the last call still sees {number(still) if still else 'none'}"


def _seen_words(replay: Replay, messages: Sequence[int]) -> str:
    sees = np.flatnonzero(seen_by(replay, messages))
    calls = len(replay.thread.calls)
    if not len(sees):
        return "No call would see it."
    last = int(sees[-1])
    words = f"{number(len(sees))} of {count(calls, 'call')} would see it, from call #{number(int(sees[0]))} on"
    return f"{words}; the last call still does." if last == calls - 1 else f"{words}; it is gone from call #{number(last + 1)}."


def sights_note(found: TextSight) -> str:
    """Under the table of messages that hold a text: how many are listed, and what a row does."""
    listed = f"The first {number(len(found.messages))} of " if found.total > len(found.messages) else ""
    return f"{listed}{count(found.total, 'message')}. A row opens its message in the first call that would receive it."
