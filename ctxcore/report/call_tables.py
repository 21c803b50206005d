"""Tables of calls, their parts, and units."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from operator import itemgetter

import numpy as np

from ctxcore.columns import CATEGORIES
from ctxcore.measures.breakdown import breakdown, call_basis, replay_basis
from ctxcore.model import Message, Usage
from ctxcore.report.loss_tables import COUNTED
from ctxcore.report.study import Study
from ctxcore.report.table import Cell, Table, columns, rows
from ctxcore.units import catalog
from ctxcore.views.palette import WORDS
from ctxcore.views.sent import times_sent, turns_held
from ctxcore.views.unit_facts import KINDS, unit_facts
from ctxcore.views.words import counter_sentence

USAGE = ("input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens")
"""Recorded counts."""

READ_CHARS = 6_001
"""Characters of a text that a cell is made from: one more than are looked at, so that it is known to go on."""


def calls_table(study: Study) -> Table:
    """One row per call: as recorded, as it would be sent, and what that would have cost."""
    names = columns(
        "#call", "#turn", "model", "time (UTC)", "#messages", "#before", "#after", "outcome", "#too large by", "#messages dropped", "#parts edited"
    )
    more = columns(
        "#values used",
        "#values lost",
        "#lost at first use",
        "#faults",
        "#recorded input tokens",
        "#cache read",
        "#cache written",
        "#output",
        "$dollars",
        "marks",
        "basis",
    )
    return Table(
        name="calls",
        title="Calls",
        columns=(*names, *more),
        rows=rows(_call_rows(study)),
        note=(
            f"Sizes in {study.unit}. {counter_sentence(study.chosen.replay.sizes)} Recorded "
            f"tokens and cache are the provider's own; dollars are an estimate. {COUNTED}"
        ),
        basis=replay_basis(study.chosen.replay),
        group="Calls and messages",
    )


def _call_rows(study: Study) -> Iterator[tuple[Cell, ...]]:
    replay, lost, cost = study.chosen.replay, study.chosen.lost, study.chosen.cost
    faults = np.sum(list(study.chosen.validity.counts.values()), axis=0)
    turns = turns_held(study.thread)
    for call in study.thread.calls:
        index = call.index
        refused = bool(replay.refused[index])
        trimmed = bool(replay.dropped_messages[index] or replay.edited[index])
        yield (
            index,
            int(turns[index]),
            call.model or None,
            _moment(call.at),
            call.message_count,
            int(replay.before[index]),
            None if refused else int(replay.after[index]),
            "refused" if refused else "trimmed" if trimmed else "whole",
            int(replay.missing[index]) if refused else None,
            int(replay.dropped_messages[index]),
            int(replay.edited[index]),
            int(lost.uses_per_call[index]),
            int(lost.per_call[index]),
            int(lost.first_per_call[index]),
            int(faults[index]),
            *_usage(call.usage),
            None if cost is None or refused else round(float(cost.dollars[index]), 6),
            ", ".join(flag.replace("_", " ") for flag in replay.flags(index)),
            call_basis(call, replay.sizes),
        )


def _usage(usage: Usage | None) -> tuple[int | None, ...]:
    return tuple(None if usage is None else getattr(usage, name) for name in USAGE)


def _moment(at: float | None) -> str | None:
    if at is None:
        return None
    try:
        return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M:%S}"
    except (ValueError, OverflowError, OSError):
        return None


def parts_table(study: Study) -> Table:
    """What all requests together were made of, and the largest one."""
    table = breakdown(study.thread, study.chosen.replay.sizes)
    peak = int(study.chosen.replay.before.argmax())
    total = table.sum(axis=0)
    found: list[tuple[str, int, float | None, int]] = [
        (WORDS[name], int(total[n]), _share(int(total[n]), int(total.sum())), int(table[peak, n])) for n, name in enumerate(CATEGORIES) if total[n]
    ]
    found.sort(key=itemgetter(1), reverse=True)
    return Table(
        name="content",
        title="What the requests hold",
        columns=columns("kind of content", "#all requests", "#share %", f"#largest request (#{peak})"),
        rows=rows(found),
        note=f"In {study.unit}, as recorded; a message counts in every request that sends it again, as on a bill.",
        basis=replay_basis(study.chosen.replay),
        group="Calls and messages",
    )


def _share(part: int, whole: int) -> float | None:
    return round(100 * part / whole, 2) if whole else None


def units_table(study: Study) -> Table:
    """One row per unit: what is kept or dropped whole, and for how long it was."""
    replay, units, facts = study.chosen.replay, catalog(study.thread), unit_facts(study.chosen.replay)
    first, times = replay.first_dropped()
    found = (
        (
            unit,
            KINDS[int(facts.kind[unit])],
            facts.tools[int(facts.tool[unit])] if facts.tool[unit] >= 0 else "",
            int(units.turn[unit]),
            int(facts.size[unit]),
            int(units.born[unit]),
            int(units.last[unit]),
            int(first[unit]) if first[unit] >= 0 else None,
            int(times[unit]),
            _source(study, unit),
            _text(study, unit),
        )
        for unit in range(len(units.first))
    )
    return Table(
        name="units",
        title="Units",
        columns=columns(
            "#unit",
            "kind",
            "tools",
            "#turn",
            "#size",
            "#first call",
            "#last call",
            "#first dropped at call",
            "#dropped in calls",
            "where",
            '"beginning',
        ),
        rows=rows(found),
        note=f"A unit is kept or dropped whole. Sizes in {study.unit}.",
        basis=str(replay.sizes.basis),
        group="Calls and messages",
    )


def messages_table(study: Study) -> Table:
    """One row per message of the thread, each once however often it was sent."""
    replay, sent, units = study.chosen.replay, times_sent(study.thread), catalog(study.thread)
    unit_of = {message: unit for unit, members in enumerate(units.members) for message in members}
    found = (
        (number, message.role, int(replay.sizes.message[number]), int(sent[number]), unit_of.get(number), str(message.source), message_text(message))
        for number, message in enumerate(study.thread.messages)
    )
    return Table(
        name="messages",
        title="Messages",
        columns=columns("#message", "role", "#size", "#sent in calls", "#unit", "where", '"beginning'),
        rows=rows((*row[:-1], row[-1].strip()[:READ_CHARS]) for row in found),
        note=f"Each message once. Sizes in {study.unit}.",
        basis=str(replay.sizes.basis),
        group="Calls and messages",
    )


def _source(study: Study, unit: int) -> str:
    return str(study.thread.messages[int(catalog(study.thread).first[unit])].source)


def _text(study: Study, unit: int) -> str:
    texts = (message_text(study.thread.messages[member]) for member in catalog(study.thread).members[unit])
    return next((text.strip()[:READ_CHARS] for text in texts if text.strip()), "")


def message_text(message: Message) -> str:
    """Readable text of a message: what it says, and the tools that it calls."""
    return " ".join(filter(None, (message.text, *(f"{call.name} {call.arguments}" for call in message.calls))))
