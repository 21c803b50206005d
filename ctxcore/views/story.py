"""Three steps through one recording, measured: a trim that looks harmless, what it lost, and the budget that would not have lost it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ctxcore.counted import count
from ctxcore.measures.finder import find_budget
from ctxcore.measures.references import LostReference, References, references
from ctxcore.model import Thread
from ctxcore.policies import POLICIES
from ctxcore.replay import DEFAULT_BUDGET_CHARS, Replay, replay
from ctxcore.views.visible import shortened
from ctxcore.views.words import amount, number, percent

VALUE_CHARS = 60
"""Characters of a value of the session in a sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step: what to open, and what to look at there."""

    title: str
    """In a few words."""
    says: str
    """Two sentences; may hold text of the session."""
    page: str
    """Where it plays: ``calls`` or ``report``."""
    call: int
    """To pick."""
    budget: int
    """In characters."""
    loss: bool
    """The list of what the call would miss is open."""


def story(thread: Thread) -> tuple[Step, ...]:
    """The steps, under the default policy; none for a thread that it does not harm or whose harm no budget prevents. Made once per thread.

    Args:
        thread: Of a session.
    """
    return thread.once("story", lambda: _story(thread))


def _story(thread: Thread) -> tuple[Step, ...]:
    trimmed = replay(thread, POLICIES[0].name, DEFAULT_BUDGET_CHARS)
    found = references(trimmed)
    smallest = find_budget(thread, POLICIES[0].name).smallest
    if not found.total or smallest is None:
        return ()
    call = worst_call(found)
    return (
        Step(title="A trim that looks harmless", says=_trim(trimmed, call), page="calls", call=call, budget=trimmed.budget, loss=False),
        Step(title="What it lost", says=_loss(found, call), page="calls", call=call, budget=trimmed.budget, loss=True),
        Step(title="The budget that keeps it", says=_way_out(trimmed, smallest.budget), page="report", call=call, budget=smallest.budget, loss=True),
    )


def worst_call(found: References) -> int:
    """The call that would miss most; of several the one that needs most of it for the first time, then the earliest."""
    return int(np.argmax(found.per_call * (int(found.first_per_call.max(initial=0)) + 1) + found.first_per_call))


def _trim(trimmed: Replay, call: int) -> str:
    unit = trimmed.unit
    gone, held = int(trimmed.dropped_messages[call]), trimmed.thread.calls[call].message_count
    refused = int(trimmed.refused.sum())
    fate = f"{count(refused, 'call')} would be refused" if refused else "no call is refused"
    return (
        f"At a budget of {amount(trimmed.budget, unit)} {fate}, and call #{number(call)} goes out with "
        f"{number(int(trimmed.after[call]))} of its {amount(int(trimmed.before[call]), unit)}. "
        f"Look at the picked column of the chart: the striped part, {number(gone)} of {count(held, 'message')}, is what the model would no "
        "longer receive."
    )


def _loss(found: References, call: int) -> str:
    lost = found.listed(call)
    one = next((one for one in lost if one.first), lost[0])
    calls = int((found.per_call > 0).sum())
    return (
        f"The recorded reply of call #{number(call)} uses {count(len(lost), 'value')} that would have been gone by then, among them {_named(one)}. "
        f"Look at the list of lost references below the call's numbers; over the whole recording "
        f"{count(found.total, 'use')} in {count(calls, 'call')} would have missed their source."
    )


def _named(one: LostReference) -> str:
    value = shortened(one.atom.value, VALUE_CHARS)
    return f"“{value}”, which stood in message {number(one.message)}, received {count(one.age, 'call')} before"


def _way_out(trimmed: Replay, budget: int) -> str:
    peak = int(trimmed.before.max(initial=1))
    return (
        f"With the same rule, {amount(budget, trimmed.unit)} is the smallest budget found at which nothing is refused and no reply misses "
        f"anything: {percent(budget, peak)} of the largest request. Look at the answer under “For people who decide”, and at the strip of calls: "
        "no call is marked with a lost reference any more."
    )
