"""Recorded token counts in words, with how many calls they are of."""

from __future__ import annotations

from collections.abc import Sequence

from ctxcore.counted import count
from ctxcore.model import Session, Usage


def recorded_tokens(session: Session) -> str:
    """Sums over all threads; a sum that lacks calls says so."""
    used = [call.usage for thread in session.threads for call in thread.calls]
    given = [None if usage is None else usage.input_tokens for usage in used]
    made = [None if usage is None else usage.output_tokens for usage in used]
    read = cached_words([usage for usage in used if usage is not None])
    return "; ".join((", ".join(filter(None, (_sum(given, "input"), read))), _sum(made, "output")))


def cached_words(used: Sequence[Usage]) -> str:
    """How much of the recorded input came from a cache, with its share; empty where no call says so."""
    known = [one for one in used if one.cache_read_tokens is not None and one.input_tokens]
    whole = sum(one.input_tokens or 0 for one in known)
    read = sum(one.cache_read_tokens or 0 for one in known)
    return f"{read:,} of it from cache ({100 * read / whole:.1f} %)" if whole and read else ""


def _sum(values: Sequence[int | None], name: str) -> str:
    known = [value for value in values if value is not None]
    if not known:
        return f"no {name}"
    return f"{sum(known):,} {name}" + ("" if len(known) == len(values) else f" ({len(known):,} of {count(len(values), 'call')})")
