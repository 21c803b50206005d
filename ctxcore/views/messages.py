"""One call's messages as a page lists them: in request order, with what became of each, a few lines of text, and all of it on demand."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np

from ctxcore.columns import IntArray
from ctxcore.counted import count
from ctxcore.measures.attribution import message_tools
from ctxcore.readers.findings import unanswered_calls
from ctxcore.replay import DROPPED, EDITED, PINNED, Replay
from ctxcore.sizes.characters import NOTICE
from ctxcore.sizes.measure import home_category
from ctxcore.views.listing import context_array, turn_numbers
from ctxcore.views.message_text import full_text, message_text, preview, previewed, raw_json
from ctxcore.views.visible import shortened
from ctxcore.views.words import visible_lines


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageRow:
    """One message of a request."""

    place: int
    """Position in the request, from 0."""
    message: int
    """Index in the thread."""
    role: str
    """As recorded."""
    what: str
    """Tools it calls or answers, in one line."""
    category: str
    """Whose colour it has."""
    status: str
    """``kept``, ``pinned``, ``dropped``, ``not sent`` where the call is refused, or ``reply`` for what answered it."""
    rule: str
    """Why it is dropped, or empty."""
    size: int
    """In the replay's unit."""
    turn: int
    """Turn of the request it stands in, from 1; 0 before the first."""
    preview: str
    """First lines."""
    hidden: int
    """Characters that the preview leaves out."""
    marks: tuple[str, ...]
    """What is odd about it, in words."""
    source: str
    """Where it stands in the file."""
    text: str | None = None
    """All of it, where opened."""
    raw: str | None = None
    """The record as JSON, where opened."""
    unit: int = -1
    """Number of its unit in the thread; -1 for the reply, which is in no request yet."""
    wished: bool = False
    """The visitor wants the unit kept whatever the policy says."""


def message_rows(
    replay: Replay, call: int, positions: IntArray, opened: Collection[tuple[int, str]] = (), *, search: str = ""
) -> tuple[MessageRow, ...]:
    """Rows for some messages of a request.

    Args:
        replay: Of the thread.
        call: Index in the thread.
        positions: In the request; one page of them.
        opened: Thread message and ``text`` or ``raw``: what is shown in full.
        search: Text that the rows were found by: the lines shown are those around it.
    """
    context = context_array(replay.thread.calls[call])
    state, turns = replay.message_status(call), turn_numbers(replay, call)
    rules = _rules(replay, call, positions)
    units = _units(replay, call, positions)
    rows = [
        _row(replay, call, place, int(context[place]), int(state[place]), int(turns[place]), rule, opened, search)
        for place, rule in zip(positions.tolist(), rules, strict=True)
    ]
    return tuple(replace(row, unit=unit, wished=wished) for row, (unit, wished) in zip(rows, units, strict=True))


def _units(replay: Replay, call: int, positions: IntArray) -> list[tuple[int, bool]]:
    """Number of each message's unit in the thread, and whether the visitor keeps it."""
    epoch, _ = replay.place(call)
    line = replay.timelines[epoch]
    inside = line.epoch.units.unit_of[positions]
    kept = np.zeros(len(inside), np.bool_) if line.kept is None else line.kept[inside]
    return list(zip(replay.units.of_epoch[epoch][inside].tolist(), kept.tolist(), strict=True))


def _rules(replay: Replay, call: int, positions: IntArray) -> list[str]:
    """Why each message goes or changes, or empty."""
    epoch, column = replay.place(call)
    fits, table = replay.fits[epoch], replay.timelines[epoch].epoch.units
    if fits.cut is not None:  # whole units only, and of many thousands
        rule = np.full(len(table.first), -1, np.int64)
        units, why = fits.drops(0, column)
        rule[units] = why
        return [fits.rules[at] if at >= 0 else "" for at in rule[table.unit_of[positions]].tolist()]
    rules: dict[int, list[str]] = {}
    for edit in replay.edits(call):
        rules.setdefault(edit.message, []).append(edit.rule)
    context = context_array(replay.thread.calls[call])
    return ["; ".join(dict.fromkeys(rules.get(message, ()))) for message in context[positions].tolist()]


def _row(
    replay: Replay,
    call: int,
    place: int,
    index: int,
    state: int,
    turn: int,
    rule: str,
    opened: Collection[tuple[int, str]],
    search: str,
) -> MessageRow:
    status = "not sent" if replay.refused[call] else {DROPPED: "dropped", PINNED: "pinned", EDITED: "edited"}.get(state, "kept")
    return message_row(
        replay, index, place=place, status=status, turn=turn, rule=rule if status in ("dropped", "edited") else "", opened=opened, search=search
    )


def message_row(
    replay: Replay,
    index: int,
    *,
    place: int,
    status: str,
    turn: int,
    rule: str = "",
    opened: Collection[tuple[int, str]] = (),
    search: str = "",
) -> MessageRow:
    """One message of the thread as a row.

    Args:
        replay: Of the thread.
        index: Of the message in the thread.
        place: Position in the request.
        status: What became of it.
        turn: Turn of the request it stands in.
        rule: Why it is dropped, or empty.
        opened: Thread message and ``text`` or ``raw``: what is shown in full.
        search: The text that it was found by, or empty.
    """
    message = replay.thread.messages[index]
    text = message_text(message)
    start, stop = previewed(text, search)
    tools = message_tools(replay.thread, replay.sizes, index)
    names = [f"result of {label}" if is_result else label for label, is_result in tools]
    marks = (*((message.injected,) if message.injected else ()), *(flag.replace("_", " ") for flag in message.flags))
    if left := unanswered_calls(replay.thread).get(index):
        marks = (*marks, f"no result recorded for {count(len(left), 'call')}")
    if search and search.casefold() not in text.casefold():
        marks = (*marks, "found by the call it answers")
    return MessageRow(
        place=place,
        message=index,
        role=shortened(message.role, 40),
        what=shortened(", ".join(names), 160),
        category=home_category(message),
        status=status,
        rule=rule,
        size=int(replay.sizes.message[index]),
        turn=turn,
        preview=visible_lines(preview(text, search)),
        hidden=len(text) - (stop - start),
        marks=marks,
        source=shortened(str(message.source), 120),
        text=full_text(text) if (index, "text") in opened else None,
        raw=full_text(raw_json(message)) if (index, "raw") in opened else None,
    )


def notice_row(replay: Replay, call: int) -> tuple[str, int] | None:
    """Text and size of the omission notice that would stand in front, or None."""
    dropped = int(replay.dropped_messages[call])
    if replay.refused[call] or not dropped or not getattr(replay.policy, "notice", False):
        return None
    return NOTICE.format(count=dropped), int(replay.sizes.notice[len(str(dropped))])
