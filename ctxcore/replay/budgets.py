"""A budget as a policy takes it."""

from __future__ import annotations

import numpy as np

from ctxcore.errors import InputError, shown

DEFAULT_BUDGET_CHARS = 16_000
"""Characters. Source: the whole-unit rule, "Size"."""

LARGEST = 2**62
"""What a column of numbers holds; no request is as large, so more is the same."""


def check_budget(budget: object) -> int:
    """A budget as a whole number of at least 1.

    Raises:
        InputError: Anything else.
    """
    if isinstance(budget, bool) or not isinstance(budget, (int, np.integer)) or budget < 1:
        raise InputError(f"Budget {shown(budget)} is not a whole number of at least 1.")
    return int(budget)
