"""What is wrong with the compactions of a thread: those that left more than there was, and those that follow each other and free next to nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ctxcore.model import Call, Event, Problem, Thread

NO_PROGRESS = 0.1
"""A compaction that frees a smaller part of the context than this gains nothing: the next one is due at once."""

LOOP = 2
"""So many in a row are a loop."""

LISTED = 6
"""Compactions that a sentence names."""


def compaction_findings(thread: Thread) -> Iterator[Problem]:
    """Compactions that grew the context, one each; loops of those that freed nothing, one a loop."""
    compactions = [event for event in thread.events if event.kind == "compaction" and not event.inferred]
    for event in compactions:
        grown = _grown(thread, event)
        if grown:
            what = f"The compaction before call #{event.call:,} made the context larger: {grown}."
            yield Problem(what=what, kind="compaction_grew", source=event.source)
    for loop in _loops(compactions):
        yield Problem(what=_loop_sentence(loop), kind="compaction_loop", source=loop[0].source)


def _grown(thread: Thread, event: Event) -> str:
    """How much larger, by the recorded tokens, else by the characters of what was replaced; empty if it is not."""
    if event.before_tokens is not None and event.after_tokens is not None:
        more = event.after_tokens - event.before_tokens
        share = f" ({more / event.before_tokens:+.1%})" if event.before_tokens else ""
        return f"{event.before_tokens:,} → {event.after_tokens:,} tokens as recorded, {more:+,}{share}" if more > 0 else ""
    replaced, summary = _replaced(thread, event), event.summary
    if summary is None or not replaced:
        return ""
    before, after = sum(len(thread.messages[index].text) for index in replaced), len(thread.messages[summary].text)
    return f"its summary has {after:,} characters of text and stands for messages of {before:,}" if after > before > 0 else ""


def _replaced(thread: Thread, event: Event) -> set[int]:
    """Messages that the call before had, its reply included, and the call after has not."""
    if not 0 < event.call < len(thread.calls):
        return set()
    return _had(thread.calls[event.call - 1]) - set(thread.calls[event.call].messages())


def _had(call: Call) -> set[int]:
    return {*call.messages(), *(() if call.reply is None else (call.reply,))}


def _freed(event: Event) -> float | None:
    """Part of the context, by the recorded tokens; None where they are not recorded."""
    if not event.before_tokens or event.after_tokens is None:
        return None
    return (event.before_tokens - event.after_tokens) / event.before_tokens


def _loops(compactions: Sequence[Event]) -> Iterator[list[Event]]:
    """Runs of at least ``LOOP`` compactions that each freed less than ``NO_PROGRESS``."""
    run: list[Event] = []
    for event in compactions:
        freed = _freed(event)
        if freed is not None and freed < NO_PROGRESS:
            run.append(event)
            continue
        if len(run) >= LOOP:
            yield run
        run = []
    if len(run) >= LOOP:
        yield run


def _loop_sentence(loop: Sequence[Event]) -> str:
    freed = [f"{(event.before_tokens or 0) - (event.after_tokens or 0):,} ({_freed(event) or 0:.1%})" for event in loop[:LISTED]]
    more = f" and {len(loop) - LISTED:,} more" if len(loop) > LISTED else ""
    lines = ", ".join(str(event.source.line) for event in loop[:LISTED] if event.source.line)
    where = f" (line{'s' if len(loop) > 1 else ''} {lines})" if lines else ""
    left, due = max(event.after_tokens or 0 for event in loop), min(event.before_tokens or 0 for event in loop)
    return (
        f"{len(loop):,} compactions in a row{where} freed only {', '.join(freed)}{more} tokens: what each leaves, up to {left:,}, is by itself "
        f"about as large as what triggers the next, {due:,}."
    )
