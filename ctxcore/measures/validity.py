"""What a policy breaks: requests that a provider would refuse, and requests without the system text or the task.

Only what the policy itself did counts. A recorded request that is odd by itself was sent and answered.
Source of the rules: the providers' API references (messages and tool use), as collected for the rules of the field.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ctxcore.columns import BoolArray, IntArray, read_only
from ctxcore.policies.applied import editing
from ctxcore.policies.edits import Plan
from ctxcore.policies.history import SYSTEM, USER, History
from ctxcore.policies.pieces import REASONING, RESULT
from ctxcore.replay import Replay
from ctxcore.sizes.provider import PROVIDERS, Provider, thread_provider

FaultKind = Literal["orphan_result", "unanswered_call", "first_role", "empty_request", "empty_message", "thinking_edited", "system_lost", "task_lost"]

KINDS: tuple[FaultKind, ...] = (
    "orphan_result",
    "unanswered_call",
    "first_role",
    "empty_request",
    "empty_message",
    "thinking_edited",
    "system_lost",
    "task_lost",
)
"""What can be wrong, in the order it is listed."""

REFUSED_BY: dict[FaultKind, tuple[Provider, ...]] = {
    "orphan_result": ("openai", "anthropic", "gemini"),
    "unanswered_call": ("openai", "anthropic", "gemini"),
    "first_role": ("anthropic", "gemini"),
    "empty_request": ("openai", "anthropic", "gemini"),
    "empty_message": ("anthropic", "gemini"),
    "thinking_edited": ("anthropic",),
}
"""Providers that refuse a request with such a fault; none refuses a request only because the system text or the task is gone."""

WORDS: dict[FaultKind, str] = {
    "orphan_result": "A tool result whose call is gone",
    "unanswered_call": "A tool call whose result is gone",
    "first_role": "The first message is not from the user",
    "empty_request": "No message but the system text is left",
    "empty_message": "A message is left without content",
    "thinking_edited": "Signed thinking of the current tool loop is changed or gone",
    "system_lost": "The system text is gone",
    "task_lost": "The last user message is gone",
}
"""For people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Validity:
    """Faults of every call; arrays are read-only with one entry per call, zero where the call is refused."""

    counts: dict[FaultKind, IntArray]
    """Per kind: how many."""
    provider: Provider | None
    """Whose rules the thread's calls follow; None where its model tells nothing."""

    def rejected_by(self, provider: Provider) -> BoolArray:
        """Per call: this provider would refuse it."""
        kinds = [kind for kind, providers in REFUSED_BY.items() if provider in providers]
        return read_only(np.any([self.counts[kind] > 0 for kind in kinds], axis=0))

    @property
    def rejected(self) -> BoolArray:
        """Per call: the thread's provider would refuse it; where that is unknown, any of them."""
        asked = PROVIDERS if self.provider is None else (self.provider,)
        return read_only(np.any([self.rejected_by(provider) for provider in asked], axis=0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One fault of one call."""

    kind: FaultKind
    """What is wrong."""
    message: int | None
    """Thread message it stands at, None for the request as a whole."""


def validity(replay: Replay) -> Validity:
    """Faults that a policy brings into the calls of a thread.

    Args:
        replay: A policy at a budget.
    """
    counts = {kind: np.zeros(len(replay.thread.calls), np.int64) for kind in KINDS}
    for line, fits in zip(replay.timelines, replay.fits, strict=True):
        plan = fits.plan(0)
        touched = sum((layer.counts for layer in plan.layers), np.zeros(len(line.seen), np.int64)) > 0
        look = _Look(line.history, plan) if touched.any() else None
        for column in np.flatnonzero(touched & ~fits.refused[0]).tolist():
            for kind, places in look.faults(column) if look else ():
                counts[kind][line.epoch.calls[column]] = len(places)
    return Validity(counts={kind: read_only(column) for kind, column in counts.items()}, provider=thread_provider(replay.thread))


def call_faults(replay: Replay, call: int) -> tuple[Fault, ...]:
    """Faults of one call, by kind and then request order.

    Args:
        replay: A policy at a budget.
        call: Index in the thread.

    Raises:
        IndexError: No such call.
    """
    epoch, column = replay.place(call)
    if replay.refused[call]:
        return ()
    line = replay.timelines[epoch]
    found = list(_Look(line.history, replay.fits[epoch].plan(0)).faults(column))
    sequence = line.epoch.message
    return tuple(Fault(kind=kind, message=int(sequence[place]) if place >= 0 else None) for kind, places in found for place in places)


class _Look:
    """Faults of the calls of one epoch under one plan."""

    def __init__(self, history: History, plan: Plan) -> None:
        self.history, self.plan = history, plan
        pieces = history.pieces
        self.results = np.flatnonzero((pieces.kind == RESULT) & (pieces.partner >= 0))
        self.calls = pieces.partner[self.results]
        self.result_at, self.call_at = pieces.message[self.results].astype(np.int64), pieces.message[self.calls].astype(np.int64)
        self.drops = [layer for layer in plan.layers if layer.action == "drop"]
        self.strips = [layer for layer in editing(plan) if layer.action == "strip"]
        self.thinking = [layer for layer in editing(plan) if (pieces.kind[layer.items] == REASONING).any()]
        self.system = np.flatnonzero(history.role == SYSTEM)
        self.body = history.role != SYSTEM
        self.opened = int(self.body.argmax()) if self.body.any() else 0
        self.task = history.last(history.person)
        self.pieces_of = np.bincount(pieces.message, minlength=len(history.messages))

    def faults(self, column: int) -> Iterator[tuple[FaultKind, list[int]]]:
        """Kinds of faults in a call, with the positions of each; -1 for the request as a whole."""
        length = int(self.history.length[column])
        gone = np.zeros(length, np.bool_)
        for layer in self.drops:
            gone[layer.at(column)] = True
        stripped = self._stripped(column)
        if gone.any() or stripped is not None:
            yield from self._pairs(length, gone, stripped)
            yield from self._ends(column, length, gone, stripped)
        if self.thinking:
            yield from self._thinking(column, gone)

    def _stripped(self, column: int) -> BoolArray | None:
        """Per piece: taken out of its message; None where none is."""
        if not self.strips:
            return None
        marks = np.zeros(len(self.history.pieces), np.bool_)
        for layer in self.strips:
            marks[layer.at(column)] = True
        return marks if marks.any() else None

    def _pairs(self, length: int, gone: BoolArray, stripped: BoolArray | None) -> Iterator[tuple[FaultKind, list[int]]]:
        held = int(self.result_at.searchsorted(length))  # pieces stand in the order of their messages
        result_at, call_at = self.result_at[:held], self.call_at[:held]
        no_result, no_call = gone[result_at], gone[call_at]
        if stripped is not None:
            no_result, no_call = no_result | stripped[self.results[:held]], no_call | stripped[self.calls[:held]]
        if not (no_result != no_call).any():
            return
        orphans, unanswered = np.flatnonzero(no_call & ~no_result), np.flatnonzero(no_result & ~no_call)
        if len(orphans):
            yield "orphan_result", result_at[orphans].tolist()
        if len(unanswered):
            yield "unanswered_call", call_at[unanswered].tolist()

    def _ends(self, column: int, length: int, gone: BoolArray, stripped: BoolArray | None) -> Iterator[tuple[FaultKind, list[int]]]:
        history, left = self.history, self.body[:length] > gone
        first = int(left.argmax()) if length else 0
        some = bool(length and left[first])
        put_in = [(place, role) for place, role in self.plan.fronts(column) if role != "system"]
        if not some and not put_in:
            yield "empty_request", [-1]
        elif some and self._opens_wrong(put_in, first):
            yield "first_role", [first]
        if stripped is not None:
            taken = np.bincount(history.pieces.message[stripped], minlength=len(history.messages))[:length]
            bare = np.flatnonzero((taken > 0) & (taken == self.pieces_of[:length]) & ~gone)
            if len(bare):
                yield "empty_message", bare.tolist()
        system = self.system[: self.system.searchsorted(length)]
        lost = system[gone[system]]
        if len(lost):
            yield "system_lost", lost.tolist()
        task = int(self.task[column])
        if task >= 0 and gone[task]:
            yield "task_lost", [task]

    def _opens_wrong(self, put_in: Sequence[tuple[int, str]], first: int) -> bool:
        """The request begins with another role than the user's, and did not before."""
        before = self.history.role[self.opened] == USER
        roles = [role for place, role in put_in if place <= first]
        return bool(before and (roles[0] != "user" if roles else self.history.role[first] != USER))

    def _thinking(self, column: int, gone: BoolArray) -> Iterator[tuple[FaultKind, list[int]]]:
        """Reasoning behind the last user message, beside tool calls, that is not what the model wrote."""
        pieces, task = self.history.pieces, int(self.task[column])
        changed = np.concatenate([layer.at(column) for layer in self.thinking])
        at = pieces.message[changed[pieces.kind[changed] == REASONING]]
        loop = sorted({place for place in at.tolist() if place > task and not gone[place] and self.history.asks[place]})
        if loop:
            yield "thinking_edited", loop
