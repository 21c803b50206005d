"""What a policy does to every call, for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from rich.console import Group, RenderableType
from rich.text import Text

from ctxcore.columns import Sizes
from ctxcore.counted import count
from ctxcore.measures.breakdown import replay_basis
from ctxcore.model import Basis, Session
from ctxcore.replay import Replay
from ctxcore.views.terminal import basis_words, between, ends, plain
from ctxcore.views.terminal_table import Column, FittedTable
from ctxcore.views.uncounted import uncounted_sentence
from ctxcore.views.words import NO_CALLS, amount, counter_sentence

REFUSED_SHOWN = 20
"""Refused calls that a shortened table still shows."""

NEEDS_SHOWN = 3
"""Refused calls whose parts are told."""

COLUMNS = (
    Column(name="call"),
    Column(name="before"),
    Column(name="after"),
    Column(name="messages"),
    Column(name="turns", rank=2),
    Column(name="exchanges", rank=1),
    Column(name="changed"),
    Column(name="result", text=True, least=24),
)
"""Of a replayed thread; ``changed`` are parts of messages that stay with another text, or go."""

OTHER_UNIT = {"chars": "--unit tokens counts tokens", "tokens": "--unit chars counts characters"}
"""How to count in the other unit."""


def replay_tables(session: Session, replays: Sequence[Replay]) -> RenderableType:
    """What a policy does to every call.

    Args:
        session: Of the threads.
        replays: One per thread, all with the same policy, budget and unit; at least one.
    """
    first = replays[0]
    calls, refused = sum(len(one.before) for one in replays), sum(int(one.refused.sum()) for one in replays)
    budget = budget_words(first.budget, first.sizes, map(replay_basis, replays))
    parts: list[RenderableType] = [plain(f"{first.policy.name}, {budget}: {count(calls, 'call')}, {refused:,} refused", "bold")]
    if not calls:
        return Group(*parts, plain(NO_CALLS))
    parts += footnotes(replays, session.not_recorded)
    for one in replays:
        parts += ["", _replayed(one)]
    return Group(*parts)


def budget_words(budget: int, sizes: Sizes, bases: Iterable[Basis]) -> str:
    """A budget with its unit and the weakest basis of the sizes held against it: ``budget 16,000 chars (exact)``."""
    return f"budget {amount(budget, sizes.unit)} ({basis_words(bases)})"


def footnotes(replays: Sequence[Replay], lacking: Sequence[str], *, assumed: bool = True) -> list[Text]:
    """What the sizes count and what they leave out, and what a policy's description leaves open; one line each.

    Args:
        replays: Of one session, all in one unit.
        lacking: Parts that the session's format does not record.
        assumed: With what policies assume; else how to see it.
    """
    counted = f"{counter_sentence(replays[0].sizes)[:-1]}; {OTHER_UNIT[replays[0].unit]}."
    told = [counted, uncounted_sentence([one.thread for one in replays], lacking)]
    notes = tuple(dict.fromkeys(f"{one.policy.name}: {sentence}" for one in replays for sentence in one.assumed))
    told += notes if assumed else [f"{count(len(notes), 'note')} on what policies assume: --notes lists them."] if notes else []
    return [plain(sentence, "dim") for sentence in told if sentence]


def _replayed(one: Replay) -> RenderableType:
    peak = int(one.before.argmax()) if len(one.before) else 0
    shown = sorted({*ends(len(one.before), peak), *np.flatnonzero(one.refused)[:REFUSED_SHOWN].tolist()})
    notes = [f"Call {index:,}: {one.needs(index)}" for index in np.flatnonzero(one.refused)[:NEEDS_SHOWN].tolist()]
    if hidden := len(one.before) - len(shown):
        notes.append(between(hidden))
    title = f"{one.thread.id}: sizes in {one.unit}, what is dropped, and parts that are changed"
    return FittedTable(title=title, columns=COLUMNS, rows=[_row(one, index) for index in shown], notes=tuple(notes))


def _row(one: Replay, index: int) -> tuple[object, ...]:
    refused = bool(one.refused[index])
    dropped = [int(column[index]) for column in (one.dropped_messages, one.dropped_turns, one.dropped_exchanges, one.edited)]
    result = f"refused, {one.missing[index]:,} too much" if refused else "sent"
    return index, int(one.before[index]), "none" if refused else int(one.after[index]), *dropped, result
