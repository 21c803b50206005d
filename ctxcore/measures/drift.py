"""Goal drift: how much of the task's own evidence and words each reply still speaks of, over the calls of a recording."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ctxcore.atoms import atoms
from ctxcore.columns import read_only
from ctxcore.measures.searched import used_text
from ctxcore.mentions import Mentions
from ctxcore.model import Call, Message, Thread

LETTERS = re.compile(r"[a-z]{4,}")

IDEOGRAPHS = re.compile(r"[\u3400-\u9fff]{2,}")

COMMON = frozenset(
    LETTERS.findall(
        """
        about after again also another anything because been before being below between both cannot could does doing done down each either else even
        every from further give have having here into itself just keep know like make many might more most much must need only other over please same
        shall should some something such sure take than that their them then there these they this those though through under until upon very want
        well were what when where which while will with within without would your yours user using used
        """
    )
)
"""Words of four letters and more that belong to no task."""

MOST_TERMS = 400
"""Terms of a task, in order; a longer one is mostly material."""


@dataclass(frozen=True, kw_only=True)
class Drift:
    """How close the replies stay to the task; read-only, one entry per call."""

    share: NDArray[np.float64]
    """Evidence and terms of the task that the reply holds, as a share of all of them; NaN without a task or a reply that says anything."""

    @property
    def start(self) -> float | None:
        """Mean share over the first fifth of the calls that have one."""
        return _mean(self._fifths()[0])

    @property
    def end(self) -> float | None:
        """Mean share over the last fifth."""
        return _mean(self._fifths()[1])

    @property
    def drift(self) -> float | None:
        """By how much the share falls from the first fifth to the last; negative where it rises; None with fewer than two calls."""
        start, end = self.start, self.end
        return None if start is None or end is None or (~np.isnan(self.share)).sum() < 2 else start - end

    def _fifths(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        known = self.share[~np.isnan(self.share)]
        size = max(1, len(known) // 5) if len(known) else 0
        return known[:size], known[len(known) - size :]


def _mean(values: NDArray[np.float64]) -> float | None:
    return float(values.mean()) if len(values) else None


def goal_drift(thread: Thread, task: Literal["first", "newest"] = "first") -> Drift:
    """How close each reply is to the task.

    Args:
        thread: Of a session.
        task: The user's first message, or the newest one in each call's context.
    """
    share = np.full(len(thread.calls), np.nan)
    persons = [index for index, message in enumerate(thread.messages) if message.is_real_user]
    known: dict[int, _Task] = {}
    for call in thread.calls:
        if call.reply is None:
            continue
        chosen = persons[:1] if task == "first" else _newest(persons, call)
        text = "\n".join(used_text(thread.messages[call.reply]))
        if chosen and text.strip():
            goal = known.setdefault(chosen[0], _Task(thread.messages[chosen[0]]))
            share[call.index] = goal.share(text)
    return Drift(share=read_only(share))


def _newest(persons: list[int], call: Call) -> list[int]:
    """The last of the user's messages in a call's context, or nothing."""
    for start, stop in reversed(call.context):
        place = bisect_left(persons, stop) - 1
        if place >= 0 and persons[place] >= start:
            return [persons[place]]
    return []


class _Task:
    """Evidence and terms of a user's message."""

    def __init__(self, message: Message) -> None:
        self._atoms = sorted(atoms(message.text))
        self._finder = Mentions(self._atoms)
        self._terms = set(terms(message.text)[:MOST_TERMS])

    def share(self, text: str) -> float:
        """Of them that stand in a text."""
        every = len(self._atoms) + len(self._terms)
        return (len(self._finder.found(text)) + len(self._terms & set(terms(text)))) / every if every else np.nan


def terms(text: str) -> list[str]:
    """Words of a text that carry meaning, in order, each once: of four letters and more, and pairs of ideographs."""
    plain = text.lower()
    words = [word for word in LETTERS.findall(plain) if word not in COMMON]
    pairs = [run[place : place + 2] for run in IDEOGRAPHS.findall(plain) for place in range(len(run) - 1)]
    return list(dict.fromkeys([*words, *pairs]))
