"""What a thread's requests hold, over all its calls: how often each message went out, how many turns, and what fills the window."""

from __future__ import annotations

import numpy as np

from ctxcore.columns import CATEGORIES, BoolArray, IntArray, read_only
from ctxcore.measures.attribution import attribution
from ctxcore.measures.breakdown import TOOLS
from ctxcore.model import Thread
from ctxcore.replay import Replay
from ctxcore.views.palette import WORDS
from ctxcore.views.tables import PartsTable, Share, shares_table


def times_sent(thread: Thread) -> IntArray:
    """Per thread message: calls whose context holds it; 0 for a last reply and for what only stood in the log."""
    edges = np.zeros(len(thread.messages) + 1, np.int64)
    for call in thread.calls:
        for start, stop in call.context:
            edges[start] += 1
            edges[stop] -= 1
    return read_only(np.cumsum(edges[:-1]))


def real_users(thread: Thread) -> BoolArray:
    """Per thread message: it is a person's; made once per thread."""
    return thread.once("real_users", lambda: np.fromiter((m.is_real_user for m in thread.messages), np.bool_, len(thread.messages)))


def turns_held(thread: Thread) -> IntArray:
    """Per call: turns in its context, which are its real user messages."""
    upto = np.concatenate(([0], np.cumsum(real_users(thread), dtype=np.int64)))
    return np.fromiter((sum(upto[stop] - upto[start] for start, stop in call.context) for call in thread.calls), np.int64, len(thread.calls))


def consumer_tables(replay: Replay) -> tuple[PartsTable, ...]:
    """What the thread's requests are made of: by category, by tool, by file; each message once however often it was sent, none that never was."""
    unit, sent = replay.unit, times_sent(replay.thread) > 0
    note = "Messages sent in any request, each counted once, and the largest set of tool definitions."
    return (
        shares_table("By category", category_shares(replay), unit=unit, note=note, trimmed=False),
        shares_table("By tool", _tool_shares(replay, sent, by_file=False), unit=unit, note="Calls and results.", trimmed=False),
        shares_table("By file", _tool_shares(replay, sent, by_file=True), unit=unit, note="Where an argument names one.", trimmed=False, tail=True),
    )


def category_shares(replay: Replay) -> list[Share]:
    """What was sent by category, largest first.

    Each message counts once. Tool sets overlap where tools come and go, so that their sum would count a definition several times: the largest counts.
    """
    sums = replay.sizes.parts[times_sent(replay.thread) > 0].sum(axis=0, dtype=np.int64)
    sums[TOOLS] += replay.sizes.tools.max(initial=0)
    shares = [Share(name=WORDS[name], before=size, after=size, colour=name) for name, size in zip(CATEGORIES, sums.tolist(), strict=True) if size]
    return sorted(shares, key=lambda share: -share.before)


def _tool_shares(replay: Replay, sent: BoolArray, *, by_file: bool) -> list[Share]:
    table = attribution(replay.thread, replay.sizes)
    totals: dict[str, int] = {}
    inside = sent[table.message]
    for owner, size in zip(table.owner[inside].tolist(), table.size[inside].tolist(), strict=True):
        name = table.owners[owner].file if by_file else table.owners[owner].tool
        if name:
            totals[name] = totals.get(name, 0) + size
    shares = [Share(name=name, before=size, after=size, colour="tool_results") for name, size in totals.items()]
    return sorted(shares, key=lambda share: (-share.before, share.name))
