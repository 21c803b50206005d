"""Whether the text of a plan's steps stands in the context of each call, after a policy: what the model could still read of its plan.

The text is looked for as evidence is (``mentions``): titles, in whatever spelling, in texts, results and arguments of calls. Titles are found once
per thread; a replay only asks which of these places are still there. A place that a policy edits counts as gone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ctxcore.atoms import Atom
from ctxcore.columns import BoolArray, IntArray, read_only
from ctxcore.measures.searched import searched_text
from ctxcore.mentions import Mentions
from ctxcore.model import Thread
from ctxcore.plan.history import plan_history
from ctxcore.plan.values import ABSENT
from ctxcore.policies import Fits, Timeline
from ctxcore.replay import Replay

NO_STEP, INSIDE, DROPPED_TEXT, NOT_SENT, REFUSED = range(5)
"""What a call has of a step: the step is not in the plan before it; its text is in the context; the policy takes the text away; the recorded request
does not hold it either; nothing is sent at all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepTexts:
    """Where the titles of a plan's steps stand in a thread; arrays are read-only."""

    message: IntArray
    """Per place: thread message; ascending."""
    part: IntArray
    """Per place: index into its parts."""
    holds: BoolArray
    """Shape (steps, places): a title of the step stands there."""


def step_texts(thread: Thread) -> StepTexts:
    """Where the titles stand; made once per thread."""
    return thread.once("plan_step_texts", lambda: _step_texts(thread))


def _step_texts(thread: Thread) -> StepTexts:
    steps = plan_history(thread).steps
    titles = [(row, title) for row, step in enumerate(steps) for title in step.titles if title.strip()]
    looker = Mentions([Atom("quote", title) for _, title in titles])
    places: list[tuple[int, int]] = []
    rows: list[set[int]] = []
    for index, message in enumerate(thread.messages if titles else ()):
        for number, part in enumerate(message.parts):
            text = searched_text(part)
            found = looker.found(text) if text else set()
            if found:
                places.append((index, number))
                rows.append({titles[place][0] for place in found})
    holds = np.zeros((len(steps), len(places)), np.bool_)
    for column, held in enumerate(rows):
        holds[list(held), column] = True
    table = np.asarray(places, np.int64).reshape(len(places), 2)
    return StepTexts(message=read_only(table[:, 0].copy()), part=read_only(table[:, 1].copy()), holds=read_only(holds))


def plan_sight(replay: Replay) -> NDArray[np.int8]:
    """What each call has of each step's text: ``NO_STEP`` to ``REFUSED``, shape (steps, calls).

    A call is asked for the steps that were in the plan before it: what its own reply adds, it did not need to read.

    Args:
        replay: A policy over all calls of a thread with a plan.
    """
    texts, status = step_texts(replay.thread), plan_history(replay.thread).status
    held, left = _places(replay, texts)
    found = np.full(status.shape, NOT_SENT, np.int8)
    for step, places in enumerate(texts.holds):  # step by step: steps, places and calls at once would not fit
        mine = np.flatnonzero(places)
        found[step, held[mine].any(axis=0)] = DROPPED_TEXT
        found[step, left[mine].any(axis=0)] = INSIDE
    found[:, replay.refused] = REFUSED
    before = np.zeros_like(status)
    before[:, 1:] = status[:, :-1]
    found[before == ABSENT] = NO_STEP
    return read_only(found)


def _places(replay: Replay, texts: StepTexts) -> tuple[BoolArray, BoolArray]:
    """Shape (places, calls): the recorded context holds the place, and the call would still receive it."""
    held = np.zeros((len(texts.message), len(replay.thread.calls)), np.bool_)
    left = np.zeros_like(held)
    for fits, line in zip(replay.fits, replay.timelines, strict=True):
        order = np.argsort(line.epoch.message, kind="stable")
        place = np.searchsorted(line.epoch.message[order], texts.message)
        inside = np.flatnonzero((place < len(order)) & (line.epoch.message[order[np.minimum(place, len(order) - 1)]] == texts.message))
        if not len(inside):
            continue
        position = order[place[inside]].astype(np.int64)
        known = position[:, None] < line.epoch.lengths[None, :]
        held[np.ix_(inside, line.epoch.calls)] = known
        left[np.ix_(inside, line.epoch.calls)] = known & ~_removed(fits, line, position, texts.part[inside])
    return held, left


def _removed(fits: Fits, line: Timeline, position: IntArray, part: IntArray) -> BoolArray:
    """Shape (places, columns): the policy drops the message, or edits the part."""
    if fits.cut is not None:
        unit = line.epoch.units.unit_of[position][:, None]
        pinned = line.epoch.units.pinned[unit] | (line.task[None, :] == unit) | (line.newest[None, :] == unit)
        removed: BoolArray = (np.asarray(fits.cut)[0][None, :] > unit) & ~pinned
        return removed
    gone = np.zeros((len(position), len(line.epoch.lengths)), np.bool_)
    pieces = line.history.pieces
    begin = np.searchsorted(pieces.message, position)
    piece = begin + part
    fitting = (piece < len(pieces)) & (pieces.part[np.minimum(piece, len(pieces) - 1)] == part)
    piece = np.where(fitting, piece, len(pieces))
    columns = np.tile(np.arange(gone.shape[1]), len(position))
    for layer in fits.plan(0).layers:
        items = position if layer.action == "drop" else piece
        gone |= layer.covers(np.repeat(items, gone.shape[1]), columns).reshape(gone.shape)
    return gone
