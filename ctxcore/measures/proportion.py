"""A total shared out in whole parts."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise


def whole_parts(total: int, weights: Sequence[int]) -> list[int]:
    """Whole parts of a total in proportion to weights; they sum to it.

    Args:
        total: What is shared out, in any unit.
        weights: One a part; not all 0.
    """
    upto = list(accumulate(weights, initial=0))
    return [stop * total // upto[-1] - start * total // upto[-1] for start, stop in pairwise(upto)]
