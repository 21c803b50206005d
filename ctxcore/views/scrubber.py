"""All calls of a thread in one thin strip: how full each is against the budget, and where something happened."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ctxcore.columns import IntArray, read_only
from ctxcore.measures.references import known_references, references
from ctxcore.model import Thread
from ctxcore.plan.history import plan_history
from ctxcore.replay import Replay, timelines
from ctxcore.sizes.measure import Unit, thread_sizes
from ctxcore.state.chains import change_chains
from ctxcore.state.values import CHANGES

MarkKind = Literal["context", "plan", "state", "lost"]

MARKS: tuple[MarkKind, ...] = ("context", "plan", "state", "lost")
"""What a mark says: the context was compacted or else changed, the plan was written, a value was set, the reply uses what the policy took away."""

SMALL_CHARS = 2_000_000
"""Of a thread whose evidence is found in some tenths of a second."""

FITS, TRIMMED, REFUSED = 0, 1, 2
"""What becomes of a call under the budget."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Strip:
    """What a budget changes of the strip."""

    begins: IntArray
    """Calls from which another state holds, the first is 0; empty without calls."""
    state: IntArray
    """Of each of them: ``FITS``, ``TRIMMED`` or ``REFUSED``."""
    lost: IntArray
    """Calls with a lost reference: a value that is first needed there and would be gone."""
    lost_known: bool
    """False where that was not looked for yet."""


def strip(replay: Replay) -> Strip:
    """The calls of a replay's thread.

    Args:
        replay: At the budget in force.
    """
    changed = (replay.after != replay.before) | (replay.dropped_messages > 0) | (replay.edited > 0)
    state = np.where(replay.refused, REFUSED, np.where(changed, TRIMMED, FITS)).astype(np.int64)
    begins = np.flatnonzero(np.diff(state, prepend=-1))
    lost = _lost_calls(replay)
    none = np.empty(0, np.int64)
    return Strip(
        begins=read_only(begins), state=read_only(state[begins]), lost=read_only(none if lost is None else lost), lost_known=lost is not None
    )


def request_sizes(thread: Thread, unit: Unit) -> IntArray:
    """Per call: size of the request as recorded, whatever the policy.

    Args:
        thread: Of a session.
        unit: Of measure.
    """
    found = np.zeros(len(thread.calls), np.int64)
    for line in timelines(thread, thread_sizes(thread, unit)):
        found[line.epoch.calls] = line.before
    return read_only(found)


def _lost_calls(replay: Replay) -> IntArray | None:
    """Calls with a lost reference; None for a long thread whose evidence nobody asked for yet: a strip is no reason to wait for it."""
    small = int(replay.thread.chars.message.sum()) <= SMALL_CHARS
    found = references(replay) if small else known_references(replay)
    return None if found is None else np.flatnonzero(found.first_per_call)


def call_marks(thread: Thread) -> tuple[IntArray, IntArray]:
    """Calls at which something happened, and what, as indexes in ``MARKS``; call order, made once per thread.

    No budget changes them. A call has one mark of a kind at most.
    """
    return thread.once("call_marks", lambda: _call_marks(thread))


def _call_marks(thread: Thread) -> tuple[IntArray, IntArray]:
    last = len(thread.calls) - 1
    found = sorted({(min(call, last), MARKS.index(kind)) for call, kind in _marks(thread)}) if last >= 0 else []
    table = np.asarray(found, np.int64).reshape(len(found), 2)
    return read_only(table[:, 0].copy()), read_only(table[:, 1].copy())


def _marks(thread: Thread) -> Iterator[tuple[int, MarkKind]]:
    for event in thread.events:
        yield event.call, "context"
    for revision in plan_history(thread).revisions:
        if revision.applied:
            yield revision.call, "plan"
    for chain in change_chains(thread):
        for step in chain.steps:
            if chain.kind == "value" and step.action in CHANGES and not step.failed:
                yield step.call, "state"
