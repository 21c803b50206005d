"""Codex's compaction: the user's newest texts stay, a summary stands behind them, everything else goes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ctxcore.columns import BoolArray, IntArray
from ctxcore.policies.clipping import ends
from ctxcore.policies.compacting import Rewriting, SummarisingPolicy, systems, whole
from ctxcore.policies.edits import Layer, Plan, lasting
from ctxcore.policies.history import USER, History
from ctxcore.policies.pieces import TEXT
from ctxcore.policies.protocol import Parameter
from ctxcore.policies.summaries import SUMMARY_PARAMETERS, Firing

RULE = "Summarised when usage came near the window"
CUT = "User's text that only partly fitted what is kept"


@dataclass(frozen=True, slots=True, kw_only=True)
class CodexCompact(SummarisingPolicy):
    """All replies, calls and outputs go, the newest too."""

    limit: int | None = None
    window_share: float = 0.9
    keep_user: int | None = None

    name: ClassVar[str] = "codex-compact"
    title: ClassVar[str] = "Codex: compact"
    about: ClassVar[str] = (
        "The budget is the model's window. Once the call before, with its reply, took 90 % of it (or the limit that is set), all replies, calls and "
        "outputs become a summary. In front of it stay the instructions and the user's own texts, newest first, up to a size; the one that no longer "
        "fits loses its middle, older ones go. The original counts bytes / 4."
    )
    source: ClassVar[str] = "Codex, codex-rs/core/src/compact.rs at 0100b103."
    rejects: ClassVar[str] = "Nothing. Results that the model had just asked for are in the summary only."
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(name="limit", type="size", default=None, help="Size from which it acts, where less than the share of the window."),
        Parameter(name="window_share", type="float", default=0.9, help="Share of the window from which it acts."),
        Parameter(name="keep_user", type="size", default=None, help="Size of the user's texts that stay; upstream 20,000 tokens."),
        *SUMMARY_PARAMETERS,
    )

    def plan(self, history: History, budget: int) -> Plan:
        """See ``PlannedPolicy.plan``."""
        limit = budget * self.window_share
        limit = limit if self.limit is None else min(limit, self.limit)
        users = UserTexts(history, history.tokens(20_000) if self.keep_user is None else self.keep_user)
        kept = initial(history)
        rewriting = Rewriting(
            history=history,
            kept=kept,
            over=lambda size: size >= limit,
            cut=whole,
            stand_in=lambda span, stop: self.stand_in(history, span) + users.size(stop),
            measured="answered",
        )
        firings = rewriting.firings()
        made = self.summaries(history, firings, RULE, kept=np.flatnonzero(kept))
        place = np.asarray([*(firing.stop for firing in firings), 0], np.int64)[made.which]
        return Plan(
            layers=users.layers(firings, kept),
            inserts=(replace(made.insert, place=np.minimum(place, history.length)),),
            assumed=(
                "While the next firing is looked for, a summary is taken to have its share of what went.",
                "A user's text that was cut once goes altogether where it would have to be cut again.",
            ),
        )


def initial(history: History) -> BoolArray:
    """Per position: instructions and what the program says before the first real user message."""
    begin = int(np.flatnonzero(history.person)[0]) if history.person.any() else len(history.person)
    context = np.asarray([bool(message.injected) and message.injected != "summary" for message in history.messages], np.bool_)
    found: BoolArray = systems(history) | (context & (history.role == USER) & (np.arange(len(context)) < begin))
    return found


class UserTexts:
    """The user's newest texts up to a size, each time anew."""

    def __init__(self, history: History, room: int) -> None:
        self.history, self.room = history, room
        pieces = history.pieces
        texts = pieces.kind == TEXT
        weights: IntArray = np.where(texts, pieces.size, 0)
        self.texts = np.bincount(pieces.message, weights=weights, minlength=len(history.messages)).astype(np.int64)
        self.alone = np.bincount(pieces.message, minlength=len(history.messages)) == 1
        self.persons = np.flatnonzero(history.person)
        self.oldest = 0
        self.known: dict[int, tuple[int, int]] = {}
        self.clipped: dict[int, str] = {}
        """Piece → what is left of it."""

    def size(self, stop: int) -> int:
        """Of the messages that stay from the texts before a position; called in order."""
        if stop not in self.known:
            self.known[stop] = self._keep(stop)
        return self.known[stop][0]

    def _keep(self, stop: int) -> tuple[int, int]:
        """Their size, and the first of them among the user's messages."""
        total, size = 0, 0
        end = int(np.searchsorted(self.persons, stop))
        for index in range(end - 1, self.oldest - 1, -1):
            position = int(self.persons[index])
            text = self._left(position)
            if total + text > self.room:
                freed = self._cut(position, self.room - total)
                self.oldest = index + (freed == 0)
                return size + (int(self.history.size[position]) - freed if freed else 0), self.oldest
            total += text
            size += int(self.history.size[position]) - int(self.texts[position]) + text
        return size, self.oldest

    def _left(self, position: int) -> int:
        piece = int(np.searchsorted(self.history.pieces.message, position))
        return self.history.measure.one(self.clipped[piece]) if piece in self.clipped else int(self.texts[position])

    def _cut(self, position: int, room: int) -> int:
        """Cut the middle of a text; what that frees, 0 where the text goes altogether."""
        piece = int(np.searchsorted(self.history.pieces.message, position))
        chars = room * 4 // self.history.tokens(1)
        if piece in self.clipped or not self.alone[position] or chars <= 0:
            return 0
        text = self.history.text(piece)
        gone = len(text) - chars
        if gone <= 0:
            return 0
        self.clipped[piece] = ends(text, chars // 2, chars - chars // 2, f"…{gone // 4} tokens truncated…")
        return int(self.texts[position]) - self.history.measure.one(self.clipped[piece])

    def layers(self, firings: list[Firing], kept: BoolArray) -> tuple[Layer, Layer]:
        """What goes, and texts that are cut."""
        history, calls = self.history, len(self.history.length)
        since = np.full(len(history.messages), calls, np.int64)
        cut: dict[int, int] = {}
        for firing in firings:
            oldest = self.known[firing.stop][1]
            stays = kept | (history.person & (np.arange(len(kept)) >= (self.persons[oldest] if oldest < len(self.persons) else len(kept))))
            span = since[: firing.stop]
            span[(span == calls) & ~stays[: firing.stop]] = firing.column
            first = int(np.searchsorted(history.pieces.message, self.persons[oldest])) if oldest < len(self.persons) else -1
            if first in self.clipped:
                cut.setdefault(first, firing.column)
        gone = np.flatnonzero(since < calls).astype(np.int64)
        items = np.asarray(sorted(cut), np.int64)
        freed = np.asarray([int(history.pieces.size[p]) - history.measure.one(self.clipped[p]) for p in items.tolist()], np.int64)
        clip = lasting(
            history, "clip", CUT, items, since=np.asarray([cut[p] for p in items.tolist()], np.int64), freed=freed, text=lambda p: self.clipped[p]
        )
        return lasting(history, "drop", RULE, gone, since=since[gone]), clip
