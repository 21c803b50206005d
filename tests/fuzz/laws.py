"""What holds of every upload, whatever is in it."""

from __future__ import annotations

from collections.abc import Sequence

from ctxcore import Session, Thread, replay
from ctxcore.measures.breakdown import breakdown
from ctxcore.readers.detect import Reading, Upload, read_uploads
from ctxcore.readers.session import NOTHING, is_empty
from ctxcore.views.json_output import inspect_json, strict_json

BUDGET = 300
"""Small enough that most calls lose something."""


def check(uploads: Sequence[Upload], format: str = "") -> Reading:
    """Read an upload and hold the laws; any exception but the reader's own is a fault of the reader.

    Args:
        uploads: Read together.
        format: To ask for, or empty.
    """
    reading = read_uploads(uploads, format=format)
    assert reading.sessions or reading.failures, "neither a session nor a reason"
    assert all(str(failure) for failure in reading.failures)
    for session in reading.sessions:
        _check_session(session, reading.sessions)
    return reading


def _check_session(session: Session, sessions: Sequence[Session]) -> None:
    ledger = session.ledger
    assert all(count >= 0 for _, count in ledger.skipped), ledger
    assert ledger.read >= 0, ledger
    assert ledger.records == ledger.read + sum(count for _, count in ledger.skipped), ledger
    assert not is_empty(session) or (ledger.read and NOTHING in session.notes), "an empty report that does not say so"
    names = [thread.id for thread in session.threads]
    assert len(set(names)) == len(names), f"thread ids {names}"
    for thread in session.threads:
        _check_thread(thread, session)
    assert strict_json(inspect_json(session, sessions))


def _check_thread(thread: Thread, session: Session) -> None:
    count = len(thread.messages)
    for number, call in enumerate(thread.calls):
        assert call.index == number
        assert all(0 <= start <= stop <= count for start, stop in call.context), (call.context, count)
        assert call.reply is None or 0 <= call.reply < count, call.reply
        assert call.tools is None or 0 <= call.tools < len(thread.tool_sets), call.tools
    for event in thread.events:
        assert 0 <= event.call <= len(thread.calls), event
        assert event.summary is None or 0 <= event.summary < count, event
    if thread.parent and thread.parent_call is not None:
        parent = next((one for one in session.threads if one.id == thread.parent), None)
        assert parent is None or 0 <= thread.parent_call < len(parent.calls), thread.parent_call
    assert (thread.chars.parts.sum(axis=1) == thread.chars.message).all()
    result = replay(thread, budget=BUDGET)
    assert (breakdown(thread, thread.chars).sum(axis=1) == result.before).all()
    assert (result.after[~result.refused] <= BUDGET).all()
