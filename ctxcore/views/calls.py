"""What the page Calls says of one call: facts, and its parts by category, tool and file."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

import numpy as np

from ctxcore.columns import CATEGORIES
from ctxcore.counted import count
from ctxcore.measures.attribution import attribution
from ctxcore.measures.breakdown import call_basis
from ctxcore.measures.durations import zone_recorded
from ctxcore.model import Call, Thread
from ctxcore.replay import DROPPED, Replay
from ctxcore.sizes.measure import thread_sizes
from ctxcore.views.calls_chart import call_parts_dropped, parts_before
from ctxcore.views.listing import context_array, turn_count
from ctxcore.views.palette import WORDS
from ctxcore.views.recorded_tokens import cached_words
from ctxcore.views.tables import Fact, PartsTable, Share, shares_table
from ctxcore.views.visible import shortened
from ctxcore.views.words import amount, signed

MARK_WORDS = {
    "output_not_recorded": "the token count of the reply is not recorded",
    "upper_bound": "something was left out before that the log does not name: the size is an upper bound",
}
"""Marks of a call whose name does not say enough."""

MODEL_CHARS = 80
"""Of a model's name."""

MORE_FROM = 1_000
"""Tokens; less is within what counting without the provider's tokenizer leaves open."""


def call_facts(replay: Replay, call: int) -> tuple[Fact, ...]:
    """What the log and the replay say of one call.

    Args:
        replay: Of the thread.
        call: Index in the thread, from 0.
    """
    one = replay.thread.calls[call]
    unit, basis = replay.unit, call_basis(one, replay.sizes)
    facts = [
        Fact(name="Model", value=shortened(one.model, MODEL_CHARS) or "not recorded"),
        Fact(name="Time", value=_time(one.at) + ("" if zone_recorded(replay.thread, one) else ", its zone is not recorded")),
        Fact(name="Context", value=f"{count(one.message_count, 'message')}, {count(turn_count(replay, call), 'turn')}", basis=one.known),
        Fact(name="Before", value=amount(int(replay.before[call]), unit), basis=basis),
    ]
    if replay.refused[call]:
        facts.append(Fact(name="After", value=f"refused: {amount(int(replay.missing[call]), unit)} too large after every cut", basis=basis))
    else:
        facts.append(Fact(name="After", value=amount(int(replay.after[call]), unit), basis=basis))
    if needs := replay.needs(call):
        facts.append(Fact(name="Why refused", value=str(needs), basis=basis))
    facts += _usage_facts(replay.thread, call)
    if flags := replay.flags(call):
        facts.append(Fact(name="Marks", value=", ".join(MARK_WORDS.get(flag, flag.replace("_", " ")) for flag in flags)))
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
        ("of that for an hour", usage.cache_write_1h_tokens or None),
        ("Output", usage.output_tokens),
        ("of it reasoning", usage.reasoning_tokens),
    )
    facts = [Fact(name=name, value=count(value, "token"), basis="recorded") for name, value in named if value is not None]
    if share := cached_words([usage]):
        facts[1] = Fact(name=facts[1].name, value=f"{facts[1].value} ({share.partition('(')[2]}", basis="recorded")
    if usage.input_tokens is not None and "tokens" not in thread.memo:
        facts.append(Fact(name="Not recorded", value="choose the unit tokens to compare the recorded input with the counted text"))
    elif usage.input_tokens is not None:
        sizes = thread_sizes(thread, "tokens")
        counted = int(parts_before(thread, sizes)[call].sum())
        told = f"{signed(usage.input_tokens - counted)} tokens (recorded input − counted {counted:,})"
        facts.append(Fact(name="Not recorded", value=told, basis=call_basis(thread.calls[call], sizes)))
        if more := _more_than_at_first(thread, call):
            facts.append(Fact(name="of it more than at first", value=more, basis="estimate"))
    return facts


def _more_than_at_first(thread: Thread, call: int) -> str:
    """Behind a recorded compaction: what the request holds, beyond the log, that the thread's first one did not; empty where that is little.

    System text and tools are in both, so the rest is mostly what the program put in again: files, lists, reminders.
    """
    compactions = [event.call for event in thread.events if event.kind == "compaction" and not event.inferred and event.call <= call]
    first = next((one for one in thread.calls if one.usage and one.usage.input_tokens is not None), None)
    if not compactions or first is None or first.index >= min(compactions):
        return ""
    counted = parts_before(thread, thread_sizes(thread, "tokens")).sum(axis=1)
    at_first, now = (_input(thread.calls[place]) - int(counted[place]) for place in (first.index, call))
    if now - at_first < MORE_FROM:
        return ""
    put_in = f"sent since the compaction before call #{max(compactions):,}, and not in the log"
    return f"about {count(now - at_first, 'token')} more than the {at_first:,} at call #{first.index:,}: {put_in}"


def _input(call: Call) -> int:
    return (call.usage.input_tokens or 0) if call.usage else 0


def call_categories(replay: Replay, call: int) -> tuple[Share, ...]:
    """A call by category; ``before`` sums to the request's size and ``after``, with the notice's line, to what would be sent (0 where refused)."""
    before = parts_before(replay.thread, replay.sizes)[call]
    lost = call_parts_dropped(replay, call)
    kept = np.zeros_like(before) if replay.refused[call] else before - lost
    shares = [
        Share(name=WORDS[name], before=was, after=now, colour=name)
        for name, was, now in zip(CATEGORIES, before.tolist(), kept.tolist(), strict=True)
        if was
    ]
    notice = 0 if replay.refused[call] else int(replay.after[call]) - int(kept.sum())
    return (*shares, Share(name="Omission notice", before=0, after=notice, colour="system")) if notice else tuple(shares)


def call_tools(replay: Replay, call: int) -> tuple[tuple[Share, ...], tuple[Share, ...]]:
    """Tool calls and results in a call's context by tool, and by the file that an argument names; largest first."""
    table = attribution(replay.thread, replay.sizes)
    inside = np.zeros(len(replay.thread.messages), np.bool_)
    kept = np.zeros_like(inside)
    context = context_array(replay.thread.calls[call])
    inside[context] = True
    kept[context[replay.message_status(call) != DROPPED]] = not replay.refused[call]
    owners = len(table.owners)
    before = np.bincount(table.owner, table.size * inside[table.message], owners).astype(np.int64).tolist()
    after = np.bincount(table.owner, table.size * kept[table.message], owners).astype(np.int64).tolist()
    by_owner = list(zip(table.owners, before, after, strict=True))
    return _grouped((owner.tool, was, now) for owner, was, now in by_owner), _grouped((owner.file, was, now) for owner, was, now in by_owner)


def _grouped(rows: Iterable[tuple[str, int, int]]) -> tuple[Share, ...]:
    """Sums by name, largest first; rows without a name or size are left out."""
    sums: dict[str, tuple[int, int]] = {}
    for name, before, after in rows:
        if name and before:
            was, now = sums.get(name, (0, 0))
            sums[name] = (was + before, now + after)
    shares = [Share(name=name, before=before, after=after, colour="tool_results") for name, (before, after) in sums.items()]
    return tuple(sorted(shares, key=lambda share: (-share.before, share.name)))


def call_tables(replay: Replay, call: int) -> tuple[PartsTable, ...]:
    """A call's parts by category (they sum to its size), by tool, and by the file that an argument names."""
    tools, files = call_tools(replay, call)
    sent = not replay.refused[call]
    return (
        shares_table("By category", call_categories(replay, call), unit=replay.unit, total=True, sent=sent),
        shares_table("By tool", tools, unit=replay.unit, note="Calls and results.", sent=sent),
        shares_table("By file", files, unit=replay.unit, note="Where an argument names one.", tail=True, sent=sent),
    )
