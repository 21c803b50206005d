"""Histories that forget a stretch behind their beginning whenever they have grown too long, and never take it back."""

from __future__ import annotations

import numpy as np

from ctxcore.columns import IntArray


def forgotten(lengths: IntArray, *, longest: int, left: int, head: int, extra: int = 0) -> IntArray:
    """Per call: position after the forgotten stretch, which begins at ``head``.

    Args:
        lengths: Per call: messages in its context.
        longest: Messages of a view over which it forgets.
        left: Messages that are left then, head and summary included.
        head: First messages, never forgotten.
        extra: Messages put in place of the stretch: 1 for a summary.
    """
    end, held, found = head, 0, []
    for length in lengths.tolist():
        view = length if end <= head else length - (end - head) + held
        if length > end and view > longest:
            end, held = max(end, length - (left - head - extra)), extra
        found.append(min(end, max(length, head)))
    return np.asarray(found, np.int64)
