"""Compact tables for a terminal. Text of a session goes in as ``Text`` made of ``visible`` characters: never as markup."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime

import numpy as np
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from ctxcore.columns import CATEGORIES, Sizes
from ctxcore.counted import count
from ctxcore.measures.breakdown import breakdown, call_basis, weakest
from ctxcore.measures.durations import zone_recorded
from ctxcore.measures.shared import distinct_messages, shared_messages
from ctxcore.model import Basis, Call, Message, Session, Thread
from ctxcore.readers.plugins import all_readers
from ctxcore.sizes.measure import thread_sizes
from ctxcore.views.duration import time_sentence
from ctxcore.views.events import EVENT_COLUMNS, event_rows
from ctxcore.views.recorded_tokens import recorded_tokens
from ctxcore.views.terminal_table import Column, FittedTable
from ctxcore.views.visible import one_line, shortened, visible
from ctxcore.views.words import counter_sentence, session_notes

ROWS_AT_EACH_END = 8
"""Calls shown from the start and from the end of a long thread."""

MOST_SHOWN = 5
"""Threads, problems and messages shown before a table is shortened."""

RECORDINGS_SHOWN = 50
"""Recordings of a file that are listed."""

EVENTS_SHOWN = 12
"""Changes of the context in a table."""

EXCERPT_CHARS = 48
"""Of a message, in a table."""


def plain(value: object, style: str = "") -> Text:
    """Text as it is, without markup and without characters that steer a terminal."""
    return Text(visible(str(value)), style=style)


def formats_table() -> RenderableType:
    """Every format that can be read."""
    columns = (
        Column(name="format", text=True, least=20),
        Column(name="family", text=True, least=12, rank=2),
        Column(name="level", text=True, least=18, rank=1),
        Column(name="known by", text=True, least=40, wraps=True),
    )
    return FittedTable(title="Formats", columns=columns, rows=[(one.name, one.family, one.level, one.detects) for one in all_readers()])


def inspect_tables(session: Session, sessions: Sequence[Session]) -> RenderableType:
    """Facts, threads, calls, what the largest request is made of, and problems.

    Args:
        session: The one shown.
        sessions: All that the file holds.
    """
    parts: list[RenderableType] = [_recordings(sessions), ""] if len(sessions) > 1 else []
    parts.append(_facts(session, sessions))
    if len(session.threads) > 1:
        parts += ["", _threads(session)]
    told: list[str] = []
    for thread in session.threads[:MOST_SHOWN]:
        if thread.calls:
            parts += ["", _calls(thread), "", _consumers(thread)]
            told.append(_counted_by(thread))
        if thread.events:
            parts += ["", _events(thread)]
    if len(session.threads) > MOST_SHOWN:
        parts += [_note(f"{count(len(session.threads) - MOST_SHOWN, 'more thread')}; --json lists every call of them.")]
    if session.problems:
        parts += ["", _problems(session)]
    return Group(*parts, *_sources(told))


def _sources(told: Sequence[str]) -> list[RenderableType]:
    """Where the sizes come from; what holds for several threads is said once."""
    return [line for sentence in dict.fromkeys(told) for line in ("", _note(sentence))]


def _recordings(sessions: Sequence[Session]) -> RenderableType:
    """All that a file or an archive holds."""
    columns = (
        Column(name="session", text=True, least=36),
        Column(name="file", text=True, least=24, rank=1),
        Column(name="format", text=True, least=18, rank=2),
        Column(name="threads", rank=3),
        Column(name="calls"),
        Column(name="messages", rank=2),
        Column(name="problems", rank=1),
    )
    rows = [_recording(one) for one in sessions[:RECORDINGS_SHOWN]]
    hidden = len(sessions) - len(rows)
    notes = (f"{count(hidden, 'more recording')}; --json lists all.",) if hidden else ()
    return FittedTable(title=f"{count(len(sessions), 'recording')} in this file", columns=columns, rows=rows, notes=notes)


def _recording(one: Session) -> tuple[object, ...]:
    calls, messages = sum(len(thread.calls) for thread in one.threads), distinct_messages(one.threads)
    return one.id, one.name, one.format, len(one.threads), calls, messages, len(one.problems)


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
    others = f" (one of {len(sessions):,} in the file; --session ID shows another)" if len(sessions) > 1 else ""
    yield "session", session.id + others
    yield "format", f"{session.format}, {session.level}"
    ledger = session.ledger
    skipped = sum(records for _, records in ledger.skipped)
    yield "records", f"{ledger.records:,}: {ledger.read:,} read, {skipped:,} skipped"
    if skipped:
        yield "skipped", "; ".join(f"{records:,} × {reason}" for reason, records in ledger.skipped)
    yield "not recorded", ", ".join(session.not_recorded) or "nothing known to be missing"
    yield "size", f"{count(distinct_messages(session.threads), 'message')}, {count(sum(len(t.calls) for t in session.threads), 'call')}"
    yield "recorded tokens", recorded_tokens(session)
    yield "time", time_sentence(session.threads)
    for note in session_notes(session):
        yield "note", note


def _threads(session: Session) -> RenderableType:
    shared = shared_messages(session.threads)
    columns = (
        Column(name="id", text=True, least=24),
        Column(name="kind", text=True, least=5),
        Column(name="parent", text=True, rank=1),
        Column(name="calls"),
        Column(name="messages"),
        *([Column(name="shared", rank=1)] if any(shared) else []),
        Column(name="about", text=True, least=20, rank=2),
    )
    shown = session.threads[: 4 * MOST_SHOWN]
    rows = [
        (t.id, t.kind, t.parent, len(t.calls), len(t.messages), *((common,) if any(shared) else ()), shortened(t.title, EXCERPT_CHARS))
        for t, common in zip(shown, shared, strict=False)
    ]
    hidden = len(session.threads) - len(shown)
    told = f"{count(sum(shared), 'message stands', 'messages stand')} in a thread before as well (shared), counted once above." if any(shared) else ""
    notes = tuple(filter(None, (f"{count(hidden, 'more thread')}; --json lists all." if hidden else "", told)))
    return FittedTable(title="Threads", columns=columns, rows=rows, notes=notes)


CALL_COLUMNS = (
    Column(name="call"),
    Column(name="turn", rank=3),
    Column(name="messages", rank=2),
    Column(name="chars"),
    Column(name="tokens"),
    Column(name="tokens are", text=True, least=13, rank=1),
    Column(name="context", text=True, least=13, rank=4),
    Column(name="recorded input"),
    Column(name="model", text=True, least=16, rank=5),
    Column(name="at (UTC)", text=True, least=19, rank=6),
)
"""Of the table of calls."""


def _calls(thread: Thread) -> RenderableType:
    chars, tokens = thread_sizes(thread, "chars"), thread_sizes(thread, "tokens")
    by_chars, by_tokens = breakdown(thread, chars).sum(axis=1), breakdown(thread, tokens).sum(axis=1)
    shown = ends(len(thread.calls), int(np.argmax(by_chars)))
    rows = [_call_row(thread, thread.calls[index], int(by_chars[index]), int(by_tokens[index]), tokens) for index in shown]
    hidden = len(thread.calls) - len(shown)
    notes = (between(hidden),) if hidden else ()
    return FittedTable(title=f"Calls of {thread.id}", columns=CALL_COLUMNS, rows=rows, notes=notes)


def _call_row(thread: Thread, call: Call, chars: int, tokens: int, sizes: Sizes) -> tuple[object, ...]:
    at = _time(call.at) + ("" if zone_recorded(thread, call) else " (no zone)")
    model = shortened(call.model, 28) or "not recorded"
    return call.index, call.turn, call.message_count, chars, tokens, call_basis(call, sizes), call.known, _recorded(call), model, at


def _counted_by(thread: Thread) -> str:
    """Where the three sizes of a call come from, and how sure the least sure of them is."""
    chars, tokens = thread_sizes(thread, "chars"), thread_sizes(thread, "tokens")
    bases = [basis_words({call_basis(call, sizes) for call in thread.calls}) for sizes in (chars, tokens)]
    return f"Chars are {bases[0]}. {counter_sentence(tokens)[:-1]}; {estimates(bases[1])}. Recorded input is the provider's own count, in tokens."


def estimates(basis: str) -> str:
    """A basis as what is said of many sizes: ``they are estimates``."""
    return f"they are {basis.replace('estimate', 'estimates', 1)}"


def basis_words(bases: Iterable[Basis]) -> str:
    """The weakest of several bases, and that it is the weakest where they differ: ``estimate, the weakest of the rows``."""
    found = set(bases)
    return weakest(found) + (", the weakest of the rows" if len(found) > 1 else "")


def between(hidden: int) -> str:
    """Under a table of calls that leaves some out."""
    return f"{count(hidden, 'call between is', 'calls between are')} not shown; --json lists all."


def _recorded(call: Call) -> str:
    tokens = None if call.usage is None else call.usage.input_tokens
    return "unknown" if tokens is None else f"{tokens:,}"


def _time(at: float | None) -> str:
    return "unknown" if at is None else datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%S")


def ends(count: int, peak: int) -> list[int]:
    """Positions from both ends and the peak; all where that is most of them."""
    if count <= 2 * ROWS_AT_EACH_END + 2:
        return list(range(count))
    return sorted({*range(ROWS_AT_EACH_END), peak, *range(count - ROWS_AT_EACH_END, count)})


def _consumers(thread: Thread) -> RenderableType:
    """The largest request by category, and its largest messages; all in characters, whose basis the title says."""
    table_of = breakdown(thread, thread.chars)
    peak = int(table_of.sum(axis=1).argmax())
    row, total = table_of[peak], max(1, int(table_of[peak].sum()))
    rows: list[tuple[object, ...]] = []
    for column in np.argsort(-row, kind="stable")[:MOST_SHOWN].tolist():
        if row[column]:
            rows.append((CATEGORIES[column].replace("_", " "), int(row[column]), f"{row[column] / total:.0%}", "all"))
    indexes = np.asarray(thread.calls[peak].messages(), np.int64)
    for index in indexes[np.argsort(-thread.chars.message[indexes], kind="stable")][:MOST_SHOWN].tolist():
        size, message = int(thread.chars.message[index]), thread.messages[index]
        rows.append((f"message {index:,}", size, f"{size / total:.0%}", _about(message)))
    title = f"Largest request: call {peak:,}, {count(int(row.sum()), 'char')} ({call_basis(thread.calls[peak], thread.chars)})"
    columns = (Column(name="part", text=True, least=14), Column(name="chars"), Column(name="share"), Column(name="what", text=True, least=20))
    return FittedTable(title=title, columns=columns, rows=rows)


EVENT_RANKS = {"trigger": 2, "known": 3, "went": 4, "note": 5, "change": 1}
"""What of a change of the context matters less than what it was and how large."""

NUMBERS_CELLS = 24
"""Of a text with numbers: room for the longest piece between two spaces, ``(#100,000–#100,000,``."""


def _events(thread: Thread) -> RenderableType:
    """What happened to the context between calls."""
    words = ("what", "trigger", "known", "went", "note")
    columns = tuple(_event_column(name, text=name in words) for name in EVENT_COLUMNS)
    rows = [tuple("" if cell is None else cell for cell in row) for row in event_rows(thread)[:EVENTS_SHOWN]]
    hidden = len(thread.events) - len(rows)
    notes = (f"{hidden:,} more; --json lists all.",) if hidden else ()
    return FittedTable(title=f"What happened to the context of {thread.id}", columns=columns, rows=rows, notes=notes)


def _event_column(name: str, *, text: bool) -> Column:
    """What went and the note are full of numbers: they go on in the next line."""
    long = name in ("went", "note")
    return Column(name=name, text=text, rank=EVENT_RANKS.get(name, 0), least=NUMBERS_CELLS if long else 15, wraps=long)


def _about(message: Message) -> str:
    names = ", ".join(call.name or "(no name)" for call in message.calls)
    place = f"line {message.source.line:,}" if message.source.line else str(message.source)
    return f"{message.role}, {place}: {names or shortened(one_line(message.text), EXCERPT_CHARS)}"


def _problems(session: Session) -> RenderableType:
    columns = (Column(name="where", text=True, least=20), Column(name="what", text=True, least=40, wraps=True))
    hidden = len(session.problems) - MOST_SHOWN
    notes = (f"{count(hidden, 'more problem')}; --json lists all.",) if hidden > 0 else ()
    rows = [(problem.source, problem.what) for problem in session.problems[:MOST_SHOWN]]
    return FittedTable(title="Problems", columns=columns, rows=rows, notes=notes)
