"""Short messages that rules put in to say what they left out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from ctxcore.columns import IntArray
from ctxcore.policies.edits import Insert
from ctxcore.policies.history import History


def numbered_notice(
    history: History,
    *,
    role: str,
    rule: str,
    number: IntArray,
    place: IntArray,
    text: Callable[[int], str],
    kind: Literal["notice", "marker"] = "notice",
) -> Insert:
    """A notice whose text has a number in it.

    Args:
        history: Of the epoch.
        role: Of the message.
        rule: Why it is put in.
        number: Per call: what the text says; 0 where there is no notice.
        place: Per call: position before which it stands.
        text: Number → text.
        kind: Of the insert.
    """
    found, back = np.unique(number, return_inverse=True)
    sizes = np.asarray(history.measure.messages(role, [text(one) for one in found.tolist()]), np.int64)
    return Insert(
        kind=kind,
        role=role,
        rule=rule,
        size=np.where(found > 0, sizes, 0)[back],
        place=place,
        text=lambda column: text(int(number[column])) if number[column] else "",
        version=np.where(number > 0, number, -1),
    )
