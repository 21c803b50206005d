"""When a firing pays: what it breaks of the cache against what it frees from every later request.

Source: the rules of prompt caching; see ``cost.break_even``.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ctxcore.measures.cost import Cost, break_even
from ctxcore.measures.firing import firings
from ctxcore.measures.prefix import prefix
from ctxcore.replay import Replay


@dataclass(frozen=True, slots=True, kw_only=True)
class Paying:
    """One firing of a policy, in the unit of the replay."""

    call: int
    """The call that is first sent with its edits."""
    rule: str
    """What changed the request first."""
    freed: int
    """What it takes from this and every later request; a summary put in counts against it."""
    tail: int
    """What stands behind the edit and was there before: it is written to the cache, or paid in full, once more."""
    break_even: float | None
    """Calls until that is paid back; None where it frees nothing or reading costs nothing."""
    left: int
    """Calls of the recording from this one on."""

    @property
    def pays(self) -> bool:
        """It is paid back before the recording ends."""
        return self.break_even is not None and self.break_even <= self.left


def paying(replay: Replay, money: Cost) -> tuple[Paying, ...]:
    """Every firing that changes a request already in the cache; the first call of a thread breaks nothing.

    Args:
        replay: A policy at a budget.
        money: Of the replay.
    """
    shared = prefix(replay)
    sent = np.flatnonzero(~replay.refused)
    fired = [call for call in np.flatnonzero(firings(replay).fired & ~replay.refused).tolist() if call > sent[0]]
    before = {int(call): int(last) for last, call in pairwise(sent)}
    saved = replay.before - replay.after
    found: list[Paying] = []
    for call in fired:
        freed = int(saved[call] - saved[before[call]])
        tail = max(0, int(shared.lost[call]) - max(0, freed))
        known = 0.0 if freed > 0 else None
        if money.rules.model != "none":
            known = break_even(money.call_rates[call], freed=freed, tail=tail, hour=float(money.hour[call]))
        found.append(Paying(call=call, rule=shared.cause[call], freed=freed, tail=tail, break_even=known, left=len(replay.before) - call))
    return tuple(found)
