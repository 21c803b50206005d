"""What a plan takes out of each message of one call."""

from __future__ import annotations

import numpy as np

from ctxcore.columns import IntArray
from ctxcore.policies.edits import Plan
from ctxcore.policies.protocol import Timeline


def freed_by_message(line: Timeline, plan: Plan, column: int) -> IntArray:
    """Per position of the call's context: what the plan frees of it, all of it where the message goes.

    Args:
        line: Of the call's epoch.
        plan: Of the epoch.
        column: Of the call.
    """
    freed = np.zeros(int(line.epoch.lengths[column]), np.int64)
    for layer in plan.layers:
        items = layer.at(column)
        places = items if layer.action == "drop" else line.history.pieces.message[items]
        np.add.at(freed, places, layer.freed[layer.rank[items]])
    whole = line.sizes.message[line.epoch.message[: len(freed)]] + line.sizes.separator
    for layer in plan.layers:
        if layer.action == "drop":
            freed[layer.at(column)] = whole[layer.at(column)]  # what is dropped is not edited as well
    return freed
