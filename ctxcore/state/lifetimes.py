"""How long values last: an instruction for one round, the session, a week, or for good."""

from __future__ import annotations

from datetime import datetime, timedelta

from ctxcore.state.board import Board
from ctxcore.state.entries import Entry

ENDING = ("transient", "trace")
"""Lifetimes that end by themselves."""

TRACE = timedelta(days=7)
"""How long a trace lasts before it is archived."""


def expire(board: Board, at: int, times: tuple[datetime | None, ...]) -> None:
    """End what is over when a round begins: transient values of an earlier round, traces older than a week.

    Args:
        board: Its round has begun.
        at: The user message that begins it.
        times: When each message was said.
    """
    mortal = [name for name, form in board.domain.fields.items() if form.lifetime in ENDING]
    for name in [name for name in board.chains if name in mortal] if mortal else ():
        entry = board.current(name)
        if entry is not None and entry.value is not None and _is_over(board, name, entry, times, at):
            board.add(name, _ended(board, entry, at))
            board.note("expired", name, entry.value, board.domain.form(name).lifetime, entry.extractor, entry.source)


def _is_over(board: Board, name: str, entry: Entry, times: tuple[datetime | None, ...], at: int) -> bool:
    match board.domain.form(name).lifetime:
        case "transient":
            return entry.round < board.round
        case "trace":
            said, now = times[entry.at], times[at]
            return said is not None and now is not None and now - said > TRACE
        case _:
            return False


def _ended(board: Board, entry: Entry, at: int) -> Entry:
    return Entry(
        value=None,
        kind=entry.kind,
        round=board.round,
        why="expired",
        source=entry.source,
        extractor="lifetime",
        confidence=1.0,
        unit=entry.unit,
        at=at,
    )
