"""One policy over all calls of a thread, at one budget or many."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ctxcore.columns import read_only
from ctxcore.errors import InputError, shown
from ctxcore.keep import Keep, keeping
from ctxcore.model import Thread
from ctxcore.policies import Fits, Policy, Timeline, fitted, make_policy
from ctxcore.replay.budgets import DEFAULT_BUDGET_CHARS, LARGEST, check_budget
from ctxcore.replay.lines import timelines
from ctxcore.replay.results import Replay
from ctxcore.replay.sweeps import Sweep
from ctxcore.sizes.measure import Unit, thread_sizes

COLUMNS = ("after", "refused", "missing", "dropped_messages", "dropped_turns", "dropped_exchanges", "edited")
"""What a policy says of each call; each is a field of ``Replay`` and ``Sweep``."""


def _policy(policy: str | Policy, parameters: dict[str, Any]) -> Policy:
    if isinstance(policy, str):
        return make_policy(policy, **parameters)
    if not callable(getattr(policy, "fit", None)):
        raise InputError(f"No policy {shown(policy)}. Give its name, or an object with fit(timeline, budgets).")
    if parameters:
        raise InputError("Parameters go with a policy's name; a policy object already has its settings.")
    return policy


def _columns(thread: Thread, lines: Sequence[Timeline], fits: Sequence[Fits], rows: int) -> dict[str, NDArray[Any]]:
    """Per-call arrays of the whole thread from those of its epochs."""
    count = len(thread.calls)
    result: dict[str, NDArray[Any]] = {name: np.zeros((rows, count), np.bool_ if name == "refused" else np.int64) for name in COLUMNS}
    before = np.zeros(count, np.int64)
    for line, fit in zip(lines, fits, strict=True):
        before[line.epoch.calls] = line.before
        for name, column in result.items():
            column[:, line.epoch.calls] = getattr(fit, name)
    for column in result.values():
        read_only(column)
    result["before"] = read_only(before)
    return result


def replay(
    thread: Thread,
    policy: str | Policy = "whole-units",
    budget: int = DEFAULT_BUDGET_CHARS,
    unit: Unit = "chars",
    keep: Keep | None = None,
    **parameters: Any,
) -> Replay:
    """What a policy would do to every call of a thread.

    A refused call is a result, not an error: the replay goes on after it.

    Args:
        thread: Of a session.
        policy: A name, or a policy object.
        budget: At least 1, in ``unit``; tool definitions and the notice count.
        unit: ``chars`` (canonical JSON), ``tokens``, or a counter object with ``size(message) -> int``.
        keep: Units that stay whatever the policy says.
        **parameters: Settings of a policy given by name, for example ``notice=False``.

    Raises:
        InputError: A budget, unit, policy or parameter that makes no sense.
    """
    chosen = _policy(policy, parameters)
    limit = check_budget(budget)
    sizes = thread_sizes(thread, unit)
    lines = timelines(thread, sizes)
    if keep:
        lines = keeping(thread, lines, keep)
    fits = tuple(fitted(chosen, line, np.asarray([min(limit, LARGEST)], np.int64)) for line in lines)
    columns = _columns(thread, lines, fits, 1)
    before = columns.pop("before")
    return Replay(
        thread=thread,
        policy=chosen,
        budget=limit,
        sizes=sizes,
        before=before,
        fits=fits,
        timelines=lines,
        **{name: column[0] for name, column in columns.items()},
    )


def sweep(thread: Thread, budgets: Sequence[int], policy: str | Policy = "whole-units", unit: Unit = "chars", **parameters: Any) -> Sweep:
    """The same for many budgets at once.

    Args:
        thread: Of a session.
        budgets: Each at least 1, in ``unit``; any order.
        policy: A name, or a policy object.
        unit: As for ``replay``.
        **parameters: As for ``replay``.

    Raises:
        InputError: A budget, unit, policy or parameter that makes no sense.
    """
    chosen = _policy(policy, parameters)
    limits = np.asarray([min(check_budget(b), LARGEST) for b in budgets], np.int64)
    sizes = thread_sizes(thread, unit)
    lines = timelines(thread, sizes)
    columns = _columns(thread, lines, [fitted(chosen, line, limits) for line in lines], len(limits))
    return Sweep(thread=thread, policy=chosen, budgets=read_only(limits), unit=sizes.unit, **columns)
