"""What the page Calls says of one call: facts, and its parts by category, tool and file."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np

from ctxcore.columns import CATEGORIES, IntArray
from ctxcore.measures.attribution import attribution
from ctxcore.measures.breakdown import call_basis
from ctxcore.model import Thread
from ctxcore.replay import DROPPED, Replay
from ctxcore.sizes.measure import thread_sizes
from ctxcore.views.calls_chart import parts_before, unit_parts
from ctxcore.views.palette import WORDS
from ctxcore.views.tables import Fact, PartsTable, Share, shares_table
from ctxcore.views.words import amount, signed


def call_facts(replay: Replay, call: int) -> tuple[Fact, ...]:
    """What the log and the replay say of one call.

    Args:
        replay: Of the thread.
        call: Index in the thread, from 0.
    """
    one = replay.thread.calls[call]
    unit, basis = replay.unit, call_basis(one, replay.sizes)
    facts = [
        Fact(name="Model", value=one.model or "not recorded"),
        Fact(name="Time", value=_time(one.at)),
        Fact(name="Context", value=f"{one.message_count:,} messages, turn {one.turn}", basis=one.known),
        Fact(name="Before", value=amount(int(replay.before[call]), unit), basis=basis),
    ]
    if replay.refused[call]:
        facts.append(Fact(name="After", value=f"refused: {amount(int(replay.missing[call]), unit)} too large after every cut", basis=basis))
    else:
        facts.append(Fact(name="After", value=amount(int(replay.after[call]), unit), basis=basis))
    facts += _usage_facts(replay.thread, call)
    if one.flags:
        facts.append(Fact(name="Marks", value=", ".join(flag.replace("_", " ") for flag in one.flags)))
    return tuple(facts)


def _time(at: float | None) -> str:
    return "not recorded" if at is None else f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M:%S} UTC"


def _usage_facts(thread: Thread, call: int) -> list[Fact]:
    """Recorded tokens, and what they hold beyond the counted text."""
    usage = thread.calls[call].usage
    if usage is None:
        return [Fact(name="Usage", value="not recorded")]
    named = (
        ("Input", usage.input_tokens),
        ("of it from cache", usage.cache_read_tokens),
        ("of it written to cache", usage.cache_write_tokens),
        ("Output", usage.output_tokens),
        ("of it reasoning", usage.reasoning_tokens),
    )
    facts = [Fact(name=name, value=f"{value:,} tokens", basis="recorded") for name, value in named if value is not None]
    if usage.input_tokens is not None and "tokens" in thread.memo:
        sizes = thread_sizes(thread, "tokens")
        counted = int(parts_before(thread, sizes)[call].sum())
        facts.append(
            Fact(
                name="Not recorded", value=f"{signed(usage.input_tokens - counted)} tokens (recorded input − counted {counted:,})", basis=sizes.basis
            )
        )
    return facts


def call_categories(replay: Replay, call: int) -> tuple[Share, ...]:
    """A call by category; ``before`` sums to the request's size and ``after``, with the notice's line, to what would be sent (0 where refused)."""
    before = parts_before(replay.thread, replay.sizes)[call]
    lost = parts_dropped_of(replay, call)
    kept = np.zeros_like(before) if replay.refused[call] else before - lost
    shares = [
        Share(name=WORDS[name], before=was, after=now, colour=name)
        for name, was, now in zip(CATEGORIES, before.tolist(), kept.tolist(), strict=True)
        if was
    ]
    notice = 0 if replay.refused[call] else int(replay.after[call]) - int(kept.sum())
    return (*shares, Share(name="Omission notice", before=0, after=notice, colour="system")) if notice else tuple(shares)


def parts_dropped_of(replay: Replay, call: int) -> IntArray:
    """What one call would lose, by category."""
    number, column = replay.place(call)
    lost: IntArray = unit_parts(replay.thread, replay.sizes, number)[replay.fits[number].drops(0, column)[0]].sum(axis=0)
    return np.zeros_like(lost) if replay.refused[call] else lost


def call_tools(replay: Replay, call: int, *, by_file: bool = False) -> tuple[Share, ...]:
    """Tool calls and results in a call's context by tool, or by the file an argument names; largest first."""
    shares = attribution(replay.thread, replay.sizes)
    inside = np.zeros(len(replay.thread.messages), np.bool_)
    kept = np.zeros_like(inside)
    context = np.asarray(replay.thread.calls[call].messages(), np.int64)
    inside[context] = True
    kept[context[replay.message_status(call) != DROPPED]] = not replay.refused[call]
    labels = [owner.file if by_file else owner.tool for owner in shares.owners]
    names = sorted({label for label in labels if label})
    place = {name: number for number, name in enumerate(names)}
    group = np.asarray([place.get(label, len(names)) for label in labels], np.int64)[shares.owner] if len(shares.owner) else shares.owner
    before, after = (np.bincount(group, shares.size * mask[shares.message], len(names) + 1).astype(np.int64) for mask in (inside, kept))
    rows = [Share(name=name, before=int(before[n]), after=int(after[n]), colour="tool_results") for n, name in enumerate(names) if before[n]]
    return tuple(sorted(rows, key=lambda row: (-row.before, row.name)))


def call_tables(replay: Replay, call: int) -> tuple[PartsTable, ...]:
    """A call's parts by category (they sum to its size), by tool, and by the file that an argument names."""
    return (
        shares_table("By category", call_categories(replay, call), unit=replay.unit, total=True),
        shares_table("By tool", call_tools(replay, call), unit=replay.unit, note="Calls and results."),
        shares_table("By file", call_tools(replay, call, by_file=True), unit=replay.unit, note="Where an argument names one."),
    )
