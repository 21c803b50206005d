"""Money for people: what broke the cache, when each firing pays, and what the recording cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pandas as pd

from ctxcore.counted import count
from ctxcore.measures.cost import Cost
from ctxcore.measures.paying import Paying
from ctxcore.measures.recorded_cost import RecordedCost
from ctxcore.views.words import number

CLOCKS = {"": "by the recorded times, where there are any", "warm": "never: always warm", "cold": "before every call: always cold"}
"""When cache entries expire, as a visitor chooses it."""

MOST_ROWS = 200
"""Firings listed."""


def broken_sentence(money: Cost) -> str:
    """At how many calls the cache was broken, and by what."""
    causes = Counter(cause for cause in money.broken if cause)
    if money.rules.model == "none":
        return "Nothing of this thread is cached, so nothing breaks a cache: every firing saves from its first call on."
    if not causes:
        return "No call reads less from the cache than the call before had put there."
    told = "; ".join(f"{number(calls)} by “{cause}”" for cause, calls in causes.most_common(4))
    return f"The cache is broken at {count(causes.total(), 'call')}: {told}."


def paying_sentence(found: Sequence[Paying]) -> str:
    """How many firings pay for the cache that they break."""
    if not found:
        return "The policy never changes a request that was sent before."
    pays = sum(one.pays for one in found)
    return f"{number(pays)} of {count(len(found), 'firing')} pay for the cache that they break before the recording ends."


def paying_frame(found: Sequence[Paying]) -> pd.DataFrame:
    """Firings in order, at most ``MOST_ROWS``."""
    rows = [
        {
            "call": one.call,
            "rule": one.rule,
            "freed": one.freed,
            "tail": one.tail,
            "break-even": "never" if one.break_even is None else f"{one.break_even:,.1f}",
            "left": one.left,
            "pays": "yes" if one.pays else "no",
        }
        for one in found[:MOST_ROWS]
    ]
    return pd.DataFrame(rows, columns=["call", "rule", "freed", "tail", "break-even", "left", "pays"])


def recorded_sentence(spent: RecordedCost | None) -> str:
    """What the thread cost by its own counts, and how many calls lack them."""
    if spent is None:
        return ""
    told = f"By its recorded tokens the thread did cost ${spent.dollars:,.2f}"
    gaps = [
        f"without {count(spent.calls - spent.priced, 'call')} that have no recorded input" if spent.priced < spent.calls else "",
        f"without the replies of {count(spent.priced - spent.replies, 'call')} that have no recorded output" if spent.replies < spent.priced else "",
    ]
    return f"{', '.join(filter(None, (told, *gaps)))}."
