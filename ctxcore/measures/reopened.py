"""Decisions that are opened again: a value of the state that somebody had confirmed, or that was acted on, and that the user then changed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np

from ctxcore.measures.state_sight import call_moments
from ctxcore.measures.state_words import FieldWords, Stretch, says_the_same, state_words
from ctxcore.model import Json, Thread
from ctxcore.state.domain import Domain
from ctxcore.state.entries import State, Why

Settled = Literal["acted on", "confirmed"]
"""How firm a value was: a tool was called with it, or the assistant repeated it, or the user said it again."""

BY_THE_USER: tuple[Why, ...] = ("user_correction", "user_reversion")
"""Changes that open a decision again; what tools, rules and time change does not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reopened:
    """One change of a settled value."""

    field: str
    """Name."""
    old: Json
    """The value that was settled."""
    new: Json
    """The value after it; None where it was taken back."""
    why: Why
    """Correction, or return to an earlier value."""
    settled: Settled
    """How firm the old value was."""
    message: int
    """Thread message that changes it."""
    call: int | None
    """First call after it; None where there is none."""


def reopened(thread: Thread, domain: Domain, state: State) -> tuple[Reopened, ...]:
    """Decisions that are opened again, in the order of the thread.

    Fields with declared moves are left out: they move on by design. So is the way back from a change that the assistant turned down.

    Args:
        thread: That the state was read from.
        domain: That it was read by.
        state: At the end of the thread.
    """
    moving = {move.field for move in domain.transitions}
    fields = [field for field in state_words(thread, state) if field.name not in moving]
    return tuple(sorted((one for field in fields for one in _of_field(thread, state, field)), key=lambda one: (one.message, one.field)))


def _of_field(thread: Thread, state: State, field: FieldWords) -> Iterable[Reopened]:
    entries = state.fields[field.name].entries
    for old, new in pairwise(field.stretches):
        why = entries[new.entry].why
        if why not in BY_THE_USER or old.value is None or says_the_same(old, new) or new.entry < old.entry:
            continue
        settled = _settled(thread, old, asked=bool(entries[old.entry].more) and entries[old.entry].before == "asked")
        if settled is not None:
            yield Reopened(
                field=field.name, old=old.value, new=new.value, why=why, settled=settled, message=new.start, call=_call_after(thread, new.start)
            )


def _settled(thread: Thread, old: Stretch, *, asked: bool) -> Settled | None:
    """How firm a value was; one that was asked about had to be confirmed to be a value at all."""
    repeats = [one.message for one in old.statements if not one.own]
    if any(thread.messages[message].calls and _in_arguments(thread, message, old.needles) for message in repeats):
        return "acted on"
    said_again = any(one.own and one.message > old.start for one in old.statements)
    return "confirmed" if asked or said_again or any(thread.messages[message].role == "assistant" for message in repeats) else None


def _in_arguments(thread: Thread, message: int, needles: Sequence[str]) -> bool:
    arguments = " ".join(call.arguments for call in thread.messages[message].calls).casefold()
    return any(needle in arguments for needle in needles)


def _call_after(thread: Thread, message: int) -> int | None:
    calls = np.flatnonzero(call_moments(thread) > message)
    return int(calls[0]) if len(calls) else None
