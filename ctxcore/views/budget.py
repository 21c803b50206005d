"""Budgets as people type and slide them: empty is unlimited, 0 fits nothing."""

from __future__ import annotations

import dataclasses
import re
from bisect import bisect_left
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from ctxcore.columns import read_only
from ctxcore.errors import InputError
from ctxcore.keep import Keep
from ctxcore.model import Thread
from ctxcore.policies import Policy
from ctxcore.replay import DEFAULT_BUDGET_CHARS, Replay, replay
from ctxcore.sizes.window import SAFE_PERCENT, safe_limit, window_tokens
from ctxcore.views.visible import shortened

UNLIMITED = "unlimited"
"""How a query string says that there is no budget."""

LARGEST = 2**62
"""A budget that no request reaches."""

SCALES = tuple(100 * 10**power for power in range(16))
"""Decades of the slider; its first stop is 100 in the unit of measure."""

WHOLE = re.compile(
    r"""(?=.{1,40}\Z)
    (?P<amount>[+-]?
      (?: [0-9]{1,40} | [0-9]+(?:_[0-9]+)+                                            # 16000, 16_000
        | [0-9]{1,3}(?P<gap>[,'\x20\xa0\u202f\u2009])(?:[0-9]{2,3}(?P=gap))*[0-9]{3}  # 16,000, 1,60,000
      )(?:\.[0-9]+(?=\x20?[km]))?)                                                    # 1.5M
    \x20?(?P<scale>[km]?)""",
    re.VERBOSE | re.IGNORECASE,
)
"""A whole number as people type it: digits, alone or in groups. A point only before k or M: elsewhere ``16.000`` is 16 to some, 16,000 to others."""

POWERS = {"": 0, "k": 3, "m": 6}
"""Of ten, by the letter behind a number; k is 1,000, not 1,024."""


def parse_whole(text: str) -> int:
    """A whole number as people type it: ``16000``, ``16,000``, ``16_000``, ``16 000``, ``16k``, ``1.5M``.

    Raises:
        InputError: Anything else, with how to write it.
    """
    found = WHOLE.fullmatch(text.strip())
    if found:
        amount = Fraction(re.sub("[^0-9.+-]", "", found["amount"])) * 10 ** POWERS[found["scale"].lower()]
        if amount.denominator == 1:
            return int(amount)
    raise InputError(f"{shortened(text.strip(), 40)!r} is not a whole number. Write it like 16000, 16,000 or 16k.")


def parse_budget(text: str) -> int | None:
    """A typed budget; None for an empty text, which is unlimited.

    Raises:
        InputError: Negative, or not a whole number.
    """
    if not text.strip():
        return None
    try:
        budget = parse_whole(text)
    except InputError as error:
        raise InputError(f"{error} Leave the box empty for no limit.") from error
    if budget < 0:
        raise InputError(f"{budget:,} is negative. A budget is 0 or more; leave the box empty for no limit.")
    return budget


def budget_text(budget: int | None) -> str:
    """A budget as digits; empty for unlimited."""
    return "" if budget is None else str(budget)


def replay_budget(thread: Thread, policy: str | Policy, budget: int | None, unit: str, keep: Keep | None = None, **settings: Any) -> Replay:
    """A replay at a page's budget: None is unlimited, 0 refuses every request that is not empty.

    Args:
        thread: Of a session.
        policy: A name, or a policy object.
        budget: In ``unit``.
        unit: ``chars`` or ``tokens``.
        keep: Units that stay whatever the policy says.
        **settings: Of a policy given by name.

    Raises:
        InputError: An unknown policy, setting or unit.
    """
    if budget != 0:
        return replay(thread, policy, LARGEST if budget is None else budget, unit, keep, **settings)
    one = replay(thread, policy, 1, unit, keep, **settings)
    zeros = read_only(np.zeros_like(one.before))
    return dataclasses.replace(
        one,
        budget=0,
        memo={},
        after=read_only(np.where(one.before > 0, -1, one.before)),
        refused=read_only(one.before > 0),
        missing=read_only(np.where(one.refused, one.missing + 1, np.minimum(one.after, 1))),
        dropped_messages=zeros,
        dropped_turns=zeros,
        dropped_exchanges=zeros,
        edited=zeros,
    )


def default_budget(thread: Thread, unit: str) -> int | None:
    """The budget that a page starts with: 16,000 characters, or the safe limit of the model's window; None where that is not known.

    Args:
        thread: Of a session; its models tell the window.
        unit: ``chars`` or ``tokens``.
    """
    if unit == "chars":
        return DEFAULT_BUDGET_CHARS
    window = thread_window(thread)
    return None if window is None else safe_limit(window)


def thread_window(thread: Thread) -> int | None:
    """The smallest known context window of the thread's models, in tokens; None where none is known."""
    return thread.once("window", lambda: _smallest_window(thread))


def _smallest_window(thread: Thread) -> int | None:
    known = (window_tokens(model, thread.window) for model in {call.model for call in thread.calls})
    return min((window for window in known if window is not None), default=None)


def default_words(thread: Thread, unit: str) -> str:
    """Where the default budget comes from, in one sentence.

    Args:
        thread: Of a session.
        unit: ``chars`` or ``tokens``.
    """
    if unit == "chars":
        return f"Default: {DEFAULT_BUDGET_CHARS:,} characters."
    window = thread_window(thread)
    if window is None:
        return "Default: no limit, because the window of this model is not known."
    model = next(call.model for call in thread.calls if window_tokens(call.model, thread.window) == window)
    whose = f"{shortened(model, 60)}'s window" if model else "the recorded window"
    return f"Default: {SAFE_PERCENT} % of {whose} of {window:,} tokens."


HEADROOM = 1.1
"""A slider ends at this many times the largest request."""


@lru_cache(maxsize=64)
def slider_stops(peak: int, *wanted: int) -> tuple[int, ...]:
    """Budgets on a slider, two significant digits each, up to the first that is a little above the largest request.

    Args:
        peak: Size of the largest request.
        *wanted: Further values that must be on it, for example the one in force; those beyond its end are left out.
    """
    stops = [scale * lead // 10 for scale in SCALES for lead in range(10, 100)]
    reached = bisect_left(stops, peak * HEADROOM)
    return tuple(sorted({*stops[: reached + 1], *(stop for stop in wanted if stop < stops[reached])}))
