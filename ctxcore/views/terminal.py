"""Compact tables for a terminal. Text of a session goes in as ``Text`` made of ``visible`` characters: never as markup."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

import numpy as np
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from ctxcore.columns import CATEGORIES
from ctxcore.counted import count
from ctxcore.measures.breakdown import breakdown, call_basis, replay_basis, weakest
from ctxcore.model import Call, Message, Session, Thread
from ctxcore.readers.plugins import all_readers
from ctxcore.replay import Replay
from ctxcore.sizes.measure import thread_sizes
from ctxcore.views.duration import time_sentence
from ctxcore.views.events import EVENT_COLUMNS, event_rows
from ctxcore.views.visible import shortened, visible
from ctxcore.views.words import amount

ROWS_AT_EACH_END = 8
"""Calls shown from the start and from the end of a long thread."""

MOST_SHOWN = 5
"""Threads, problems and messages shown before a table is shortened."""

REFUSED_SHOWN = 20
"""Refused calls that a shortened table still shows."""

NEEDS_SHOWN = 3
"""Refused calls whose parts are told."""

EVENTS_SHOWN = 12
"""Changes of the context in a table."""

EXCERPT_CHARS = 48
"""Of a message, in a table."""


def plain(value: object, style: str = "") -> Text:
    """Text as it is, without markup and without characters that steer a terminal."""
    return Text(visible(str(value)), style=style)


def open_table(title: str, *columns: str, left: Sequence[str] = ()) -> Table:
    """An open table; columns are right-aligned unless named in ``left``."""
    table = Table(title=Text(title), title_justify="left", title_style="bold", box=None, pad_edge=False, header_style="dim")
    for name in columns:
        table.add_column(Text(name), justify="left" if name in left else "right", overflow="fold" if name in left else "ellipsis")
    return table


def formats_table() -> RenderableType:
    """Every format that can be read."""
    table = open_table("Formats", "format", "family", "level", "known by", left=("format", "family", "level", "known by"))
    for reader in all_readers():
        table.add_row(plain(reader.name), plain(reader.family), plain(reader.level), plain(reader.detects))
    return table


def inspect_tables(session: Session, sessions: Sequence[Session]) -> RenderableType:
    """Facts, threads, calls, what the largest request is made of, and problems.

    Args:
        session: The one shown.
        sessions: All that the file holds.
    """
    parts: list[RenderableType] = [_facts(session, sessions)]
    if len(session.threads) > 1:
        parts += ["", _threads(session)]
    for thread in session.threads[:MOST_SHOWN]:
        if thread.calls:
            parts += ["", _calls(thread), "", _consumers(thread)]
        if thread.events:
            parts += ["", _events(thread)]
    if len(session.threads) > MOST_SHOWN:
        parts += [_note(f"{count(len(session.threads) - MOST_SHOWN, 'more thread')}; --json lists every call of them.")]
    if session.problems:
        parts += ["", _problems(session)]
    return Group(*parts)


def _note(sentence: str) -> Text:
    return plain(sentence, "dim")


def _facts(session: Session, sessions: Sequence[Session]) -> RenderableType:
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="dim")
    table.add_column(overflow="fold")
    for name, value in _fact_rows(session, sessions):
        table.add_row(Text(name), plain(value))
    return table


def _fact_rows(session: Session, sessions: Sequence[Session]) -> Iterator[tuple[str, str]]:
    yield "file", session.name
    others = f" (1 of {len(sessions)} in the file; choose with --session)" if len(sessions) > 1 else ""
    yield "session", session.id + others
    yield "format", f"{session.format}, {session.level}"
    ledger = session.ledger
    skipped = ", ".join(f"{records:,} {reason}" for reason, records in ledger.skipped) or "none"
    yield "records", f"{ledger.records:,}, read {ledger.read:,}, skipped: {skipped}"
    yield "not recorded", ", ".join(session.not_recorded) or "nothing known to be missing"
    yield "size", f"{count(sum(len(t.messages) for t in session.threads), 'message')}, {count(sum(len(t.calls) for t in session.threads), 'call')}"
    yield "time", time_sentence(session.threads)
    for note in session.notes:
        yield "note", note


def _threads(session: Session) -> RenderableType:
    table = open_table("Threads", "id", "kind", "parent", "calls", "messages", "about", left=("id", "kind", "parent", "about"))
    for thread in session.threads[: 4 * MOST_SHOWN]:
        title = shortened(thread.title, EXCERPT_CHARS)
        table.add_row(plain(thread.id), plain(thread.kind), plain(thread.parent), f"{len(thread.calls):,}", f"{len(thread.messages):,}", plain(title))
    return table


def _calls(thread: Thread) -> RenderableType:
    chars, tokens = thread_sizes(thread, "chars"), thread_sizes(thread, "tokens")
    by_chars, by_tokens = breakdown(thread, chars).sum(axis=1), breakdown(thread, tokens).sum(axis=1)
    columns = ("call", "turn", "messages", "chars", "tokens", "tokens are", "context", "recorded input", "model", "at (UTC)")
    table = open_table(f"Calls of {visible(thread.id)}", *columns, left=("tokens are", "context", "model", "at (UTC)"))
    shown = _ends(len(thread.calls), int(np.argmax(by_chars)))
    for index in shown:
        call = thread.calls[index]
        table.add_row(
            f"{call.index:,}",
            f"{call.turn:,}",
            f"{call.message_count:,}",
            f"{by_chars[index]:,}",
            f"{by_tokens[index]:,}",
            plain(call_basis(call, tokens)),
            plain(call.known),
            _recorded(call),
            plain(shortened(call.model, 28) or "not recorded"),
            plain(_time(call.at)),
        )
    hidden = len(thread.calls) - len(shown)
    return Group(table, _between(hidden)) if hidden else table


def _between(hidden: int) -> Text:
    return _note(f"{count(hidden, 'call between is', 'calls between are')} not shown; --json lists all.")


def _recorded(call: Call) -> str:
    tokens = None if call.usage is None else call.usage.input_tokens
    return "unknown" if tokens is None else f"{tokens:,}"


def _time(at: float | None) -> str:
    return "unknown" if at is None else datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%S")


def _ends(count: int, peak: int) -> list[int]:
    """Positions from both ends and the peak; all where that is most of them."""
    if count <= 2 * ROWS_AT_EACH_END + 2:
        return list(range(count))
    return sorted({*range(ROWS_AT_EACH_END), peak, *range(count - ROWS_AT_EACH_END, count)})


def _consumers(thread: Thread) -> RenderableType:
    """The largest request by category, and its largest messages."""
    table_of = breakdown(thread, thread.chars)
    peak = int(table_of.sum(axis=1).argmax())
    row, total = table_of[peak], max(1, int(table_of[peak].sum()))
    table = open_table(f"Largest request: call {peak:,}", "part", "chars", "share", "what", left=("part", "what"))
    for column in np.argsort(-row, kind="stable")[:MOST_SHOWN].tolist():
        if row[column]:
            table.add_row(Text(CATEGORIES[column].replace("_", " ")), f"{row[column]:,}", f"{row[column] / total:.0%}", "all")
    indexes = np.asarray(thread.calls[peak].messages(), np.int64)
    for index in indexes[np.argsort(-thread.chars.message[indexes], kind="stable")][:MOST_SHOWN].tolist():
        size, message = int(thread.chars.message[index]), thread.messages[index]
        table.add_row(Text(f"message {index:,}"), f"{size:,}", f"{size / total:.0%}", plain(_about(message)))
    return table


def _events(thread: Thread) -> RenderableType:
    """What happened to the context between calls."""
    table = open_table(f"What happened to the context of {visible(thread.id)}", *EVENT_COLUMNS, left=("what", "trigger", "known", "went", "note"))
    rows = event_rows(thread)[:EVENTS_SHOWN]
    for row in rows:
        table.add_row(*(plain("" if cell is None else f"{cell:,}" if isinstance(cell, int) else cell) for cell in row))
    hidden = len(thread.events) - len(rows)
    return Group(table, _note(f"{hidden:,} more; --json lists all.")) if hidden else table


def _about(message: Message) -> str:
    names = ", ".join(call.name for call in message.calls)
    return f"{message.role} {message.source}: {names or shortened(message.text, EXCERPT_CHARS)}"


def _problems(session: Session) -> RenderableType:
    table = open_table("Problems", "where", "what", left=("where", "what"))
    for problem in session.problems[:MOST_SHOWN]:
        table.add_row(plain(problem.source), plain(problem.what))
    hidden = len(session.problems) - MOST_SHOWN
    return Group(table, _note(f"{count(hidden, 'more problem')}; --json lists all.")) if hidden > 0 else table


def replay_tables(replays: Sequence[Replay]) -> RenderableType:
    """What a policy does to every call.

    Args:
        replays: One per thread, all with the same policy, budget and unit; at least one.
    """
    first = replays[0]
    calls, refused = sum(len(one.before) for one in replays), sum(int(one.refused.sum()) for one in replays)
    budget = f"budget {amount(first.budget, first.unit)} ({weakest(map(replay_basis, replays))})"
    head = f"{first.policy.name}, {budget}: {count(calls, 'call')}, {refused:,} refused"
    parts: list[RenderableType] = [plain(head, "bold")]
    for one in replays:
        parts += ["", _replayed(one)]
    return Group(*parts)


def _replayed(one: Replay) -> RenderableType:
    columns = ("call", "before", "after", "messages", "turns", "exchanges", "result")
    table = open_table(f"{visible(one.thread.id)} (dropped messages, turns, exchanges)", *columns, left=("result",))
    peak = int(one.before.argmax()) if len(one.before) else 0
    shown = sorted({*_ends(len(one.before), peak), *np.flatnonzero(one.refused)[:REFUSED_SHOWN].tolist()})
    for index in shown:
        refused = bool(one.refused[index])
        table.add_row(
            f"{index:,}",
            f"{one.before[index]:,}",
            "none" if refused else f"{one.after[index]:,}",
            f"{one.dropped_messages[index]:,}",
            f"{one.dropped_turns[index]:,}",
            f"{one.dropped_exchanges[index]:,}",
            Text(f"refused, {one.missing[index]:,} too much" if refused else "sent"),
        )
    notes = [_note(f"Call {index:,}: {one.needs(index)}") for index in np.flatnonzero(one.refused)[:NEEDS_SHOWN].tolist()]
    if hidden := len(one.before) - len(shown):
        notes.append(_between(hidden))
    return Group(table, *notes)
