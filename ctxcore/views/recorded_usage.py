"""The provider's own token counts of a session, in one sentence."""

from __future__ import annotations

from collections.abc import Sequence

from ctxcore.counted import count
from ctxcore.model import Thread, Usage


def recorded_usage(threads: Sequence[Thread]) -> str:
    """Input, how much of it came from a cache, and output of all calls that record them; empty where none does.

    Args:
        threads: Of a session.
    """
    used = [call.usage for thread in threads for call in thread.calls if call.usage is not None and call.usage.input_tokens is not None]
    if not used:
        return ""
    told = [f"{count(_sum(used, 'input_tokens'), 'token')} in", cached_words(used), f"{_sum(used, 'output_tokens'):,} out"]
    return ", ".join(filter(None, told))


def cached_words(used: Sequence[Usage]) -> str:
    """How much of the recorded input came from a cache, with its share; empty where no call says so."""
    known = [one for one in used if one.cache_read_tokens is not None and one.input_tokens]
    whole = _sum(known, "input_tokens")
    read = _sum(known, "cache_read_tokens")
    return f"{read:,} of it from cache ({100 * read / whole:.1f} %)" if whole and read else ""


def _sum(used: Sequence[Usage], name: str) -> int:
    return sum(getattr(one, name) or 0 for one in used)
