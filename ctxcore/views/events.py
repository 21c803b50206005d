"""What the log says happened to the context between calls: compactions, rollbacks, changed history, as words, a table and JSON."""

from __future__ import annotations

from typing import Any

from ctxcore.counted import count
from ctxcore.measures.went import went_at
from ctxcore.model import Event, Thread
from ctxcore.views.message_text import message_text, preview
from ctxcore.views.tables import Fact
from ctxcore.views.visible import shortened, visible
from ctxcore.views.words import number

KINDS = {
    "compaction": "Compaction",
    "microcompaction": "Microcompaction",
    "history_changed": "History changed",
    "rollback": "Rollback",
    "model_changed": "Model changed",
}
"""For people."""

EXCERPT_CHARS = 160
"""Of a note or a summary in a hover text."""

NOTE_CHARS = 400
"""Of a note or a summary in a table."""

RANGES_TOLD = 3
"""Stretches of messages that are named; the JSON has all."""

ROWS = 500
"""Events in a table, oldest first."""


def grew(event: Event) -> bool:
    """True where the recorded size after is larger than the one before: the compaction made things worse."""
    return event.before_tokens is not None and event.after_tokens is not None and event.after_tokens > event.before_tokens


def change(event: Event) -> str:
    """Change of the recorded size in percent, with its sign; empty where a size is not recorded."""
    if not event.before_tokens or event.after_tokens is None:
        return ""
    return f"{100 * (event.after_tokens - event.before_tokens) / event.before_tokens:+.1f} %".replace("-", "−")


def known(event: Event) -> str:
    """``recorded``, or ``inferred`` where only a drop in size tells of it."""
    return "inferred" if event.inferred else "recorded"


def place(thread: Thread, event: Event) -> tuple[int, str]:
    """The call at which an event is shown, and whether it happened before or, where no call follows, after it."""
    last = len(thread.calls) - 1
    return (event.call, "before") if event.call <= last else (max(0, last), "after")


def sizes(event: Event) -> str:
    """Recorded size before and after, in tokens; empty where neither is recorded."""
    if event.before_tokens is None and event.after_tokens is None:
        return ""
    told = ["unknown" if size is None else number(size) for size in (event.before_tokens, event.after_tokens)]
    return f"{told[0]} → {told[1]} tokens"


def sentence(event: Event) -> str:
    """Trigger, sizes, change and how it is known, for example ``auto, 158,000 → 23,000 tokens, −85.4 % (recorded)``."""
    told = [event.trigger, sizes(event), change(event), "grew" if grew(event) else ""]
    return f"{visible(', '.join(filter(None, told)) or 'sizes not recorded')} ({known(event)})"


def note(thread: Thread, event: Event, length: int = NOTE_CHARS) -> str:
    """What else the log says of it: the note, and how the summary begins."""
    told = [event.note, next_input(thread, event)]
    if event.summary is not None:
        told.append(f"Summary: {' '.join(preview(message_text(thread.messages[event.summary])).split())}")
    return shortened(" ".join(filter(None, told)), length)


def next_input(thread: Thread, event: Event) -> str:
    """What the call after a compaction received, where the log has no size after it."""
    if event.kind != "compaction" or event.after_tokens is not None or event.call >= len(thread.calls):
        return ""
    usage = thread.calls[event.call].usage
    known = usage is not None and usage.input_tokens is not None
    return f"The next call received {count(usage.input_tokens or 0, 'token')} (recorded)." if known and usage is not None else ""


def went(thread: Thread, event: Event) -> str:
    """Which messages went, for example ``12 messages (#3–#9, #14–#18)``; empty where none is known to."""
    found = went_at(thread, event)
    if not found.gone:
        return ""
    told = [f"#{start:,}" if stop == start + 1 else f"#{start:,}–#{stop - 1:,}" for start, stop in found.gone[:RANGES_TOLD]]
    return f"{count(found.gone_count, 'message')} ({', '.join(told)}{', …' if len(found.gone) > RANGES_TOLD else ''})"


def event_facts(thread: Thread, call: int) -> tuple[Fact, ...]:
    """What happened to the context right before a call, and after it where it is the last.

    Args:
        thread: Of a session.
        call: Index in the thread, from 0.
    """
    return tuple(_fact(thread, event) for event in thread.events if place(thread, event)[0] == call and thread.calls)


def _fact(thread: Thread, event: Event) -> Fact:
    return Fact(name=f"{KINDS[event.kind]} {place(thread, event)[1]} this call", value=_hover(thread, event))


def event_marks(thread: Thread) -> list[tuple[int, str, str]]:
    """Marks on a chart of the calls: call, what, and the hover text; call order."""
    marks = [(place(thread, e)[0], f"{KINDS[e.kind]} {place(thread, e)[1]} this call", _hover(thread, e)) for e in thread.events]
    return sorted(marks, key=lambda mark: mark[0])


def _hover(thread: Thread, event: Event) -> str:
    gone = went(thread, event)
    return ". ".join(filter(None, (sentence(event), gone and f"Went: {gone}", note(thread, event, EXCERPT_CHARS))))


EVENT_COLUMNS = ("call", "what", "trigger", "before", "after", "change", "known", "went", "note")
"""Of ``event_rows``."""

EventRow = tuple[int, str, str, int | None, int | None, str, str, str, str]


def event_rows(thread: Thread) -> list[EventRow]:
    """One row an event, call order: call, what, trigger, recorded sizes in tokens, change, how it is known, what went, note; at most ``ROWS``."""
    return [
        (
            place(thread, event)[0],
            KINDS[event.kind] + (" (after this call)" if place(thread, event)[1] == "after" else ""),
            visible(event.trigger) or "not recorded",
            event.before_tokens,
            event.after_tokens,
            change(event) + (" grew" if grew(event) else ""),
            known(event),
            went(thread, event),
            note(thread, event),
        )
        for event in sorted(thread.events, key=lambda event: event.call)[:ROWS]
    ]


def events_note(thread: Thread) -> str:
    """Under the table: how many there are, and how many of them freed nothing."""
    worse = sum(map(grew, thread.events))
    told = [f"{len(thread.events):,} in all" + (f", the first {ROWS:,} listed" if len(thread.events) > ROWS else "")]
    if worse:
        told.append(f"{worse:,} left the context larger than before")
    return "; ".join(told) + "."


def events_json(thread: Thread) -> list[dict[str, Any]]:
    """Events as plain objects, recorded order; unknown values null, sizes in tokens as recorded, ranges half-open over the thread's messages."""
    return [
        {
            "kind": event.kind,
            "call": event.call,
            "trigger": event.trigger or None,
            "before_tokens": event.before_tokens,
            "after_tokens": event.after_tokens,
            "grew": grew(event),
            "inferred": event.inferred,
            "summary_message": event.summary,
            "at": event.at,
            "file": event.source.file,
            "line": event.source.line or None,
            "path": event.source.path or None,
            "note": event.note,
            "gone_messages": found.gone_count,
            "gone_ranges": [list(stretch) for stretch in found.gone],
            "new_messages": found.came_count,
            "new_ranges": [list(stretch) for stretch in found.came],
        }
        for event in thread.events
        for found in (went_at(thread, event),)
    ]
