"""How long a recording took, in words and as JSON: span and active time apart, so that a terminal left open is no work."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from ctxcore.measures.durations import IDLE_S, durations
from ctxcore.model import Thread

UNITS = (("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1))

NOT_RECORDED = "not recorded"


def length(seconds: float) -> str:
    """A time in its two largest units: ``53 h 1 min``, ``1 min 30 s``, ``20.5 s``; days only from the fourth on."""
    if seconds < 60:
        return f"{round(seconds, 1):g} s"
    left, told = round(seconds), list[str]()
    for unit, size in UNITS:
        if unit == "d" and seconds < 4 * size:
            continue
        whole, left = divmod(left, size)
        if whole and len(told) < 2:
            told.append(f"{whole:,} {unit}")
        elif told:
            break
    return " ".join(told)


def moment(at: float) -> str:
    """A moment as date and time in UTC."""
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%S")


def time_sentence(threads: Sequence[Thread]) -> str:
    """Span, active time and pauses of a session.

    Args:
        threads: All of the session.
    """
    found = durations(threads)
    if found is None:
        return NOT_RECORDED
    zone = "UTC" if found.zone_recorded else "(zone not recorded)"
    if moment(found.first) == moment(found.last):
        return f"{length(found.span_s)}, all at {moment(found.first)} {zone}"
    told = f"{length(found.span_s)} from {moment(found.first)} to {moment(found.last)} {zone}"
    if not found.pauses:
        return told
    longest = max(end - start for start, end in found.pauses)
    pauses = "1 pause" if len(found.pauses) == 1 else f"{len(found.pauses):,} pauses, the longest"
    return f"{told}, of which {length(found.active_s)} active; {pauses} of {length(longest)} (more than {IDLE_S // 60} min without an entry)"


def time_json(threads: Sequence[Thread]) -> dict[str, Any] | None:
    """The same as a plain object; null where nothing can be compared.

    Args:
        threads: All of the session.
    """
    found = durations(threads)
    if found is None:
        return None
    pauses = [{"from": start, "to": end} for start, end in found.pauses]
    return {
        "first": found.first,
        "last": found.last,
        "span_s": found.span_s,
        "active_s": found.active_s,
        "pauses": pauses,
        "zone_recorded": found.zone_recorded,
    }
