"""Summaries that a rule asks a model for, and what stands in for them: which messages go and when is exact, the text is not.

``recorded``: the session's own summary, where it replaces nearly the same messages. ``extractive``: lines taken from what goes, up to a share of its
size; it keeps exact strings better and meaning worse than a model's summary. ``opaque``: a size alone, with no evidence in it.
Source: the notes on policies, section 2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ctxcore.columns import IntArray
from ctxcore.errors import InputError, shown
from ctxcore.policies.edits import Insert, Layer, Source, window
from ctxcore.policies.extract import extract
from ctxcore.policies.history import History
from ctxcore.policies.protocol import Parameter

RATIO = 0.10
"""Size of a stand-in as a share of what it replaces. Source: the notes on policies; vendors report 0.02 to 0.10."""

OVERLAP = 0.9
"""A recorded summary stands in where its messages and those that go are the same to this share."""

SOURCES = ("recorded", "extractive", "opaque")
"""What may stand in, most faithful first."""

SUMMARY_PARAMETERS: tuple[Parameter, ...] = (
    Parameter(name="summary", type="str", default="recorded", help="recorded (else extractive), extractive or opaque: what stands in."),
    Parameter(name="ratio", type="float", default=RATIO, help="Size of a stand-in as a share of what it replaces."),
)
"""Settings that every summarising rule has."""


class Firing(NamedTuple):
    """From one call on, a stretch of the history is replaced by a summary."""

    column: int
    """First call of the epoch that gets the summary."""
    start: int
    """Position of the first message that goes."""
    stop: int
    """Position after the last one; earlier summaries are part of what goes."""


@dataclass(frozen=True, kw_only=True)
class Summaries:
    """All summaries of a rule in one epoch."""

    history: History
    """Of the epoch."""
    firings: Sequence[Firing]
    """By column, each from another call on; ``stop`` never falls."""
    rule: str
    """Why messages go, in words."""
    summary: str = "recorded"
    """One of ``SOURCES``."""
    ratio: float = RATIO
    """Of a stand-in."""
    least: int = 0
    """Least size of a stand-in, in the unit of the history."""
    most: int | None = None
    """Greatest size."""
    role: str = "user"
    """Of the summary message."""
    lead: str = ""
    """Text in front of each summary."""
    kept: Sequence[int] = ()
    """Positions that stay inside what goes, for example system messages."""
    written: Sequence[tuple[int, str, Source]] | None = None
    """What a ``Writer`` wrote for each firing; made when asked for, if None."""

    def __post_init__(self) -> None:
        """Check the settings.

        Raises:
            InputError: No such source.
        """
        if self.summary not in SOURCES:
            raise InputError(f"No summary {shown(self.summary)}. Use one of: {', '.join(SOURCES)}.")

    @property
    def layer(self) -> Layer:
        """Messages that go."""
        items = np.setdiff1d(np.arange(len(self.history.messages)), np.asarray(self.kept, np.int64)).astype(np.int64)
        start, stop = (np.searchsorted(items, self._per_call(edge)).astype(np.int64) for edge in ("start", "stop"))
        return window(self.history, "drop", self.rule, items, start=start, stop=np.minimum(stop, self.history.begun(items)))

    @property
    def insert(self) -> Insert:
        """The summary message of each call."""
        which = self.which
        sizes = np.asarray([*(size for size, _, _ in self.texts), 0], np.int64)
        sources = {source for _, _, source in self.texts}
        return Insert(
            kind="summary",
            role=self.role,
            rule="Stands for what was summarised",
            size=sizes[which],
            place=self._per_call("start"),
            text=lambda column: self.texts[which[column]][1] if which[column] >= 0 else "",
            version=which,
            source="recorded" if sources == {"recorded"} else "opaque" if self.summary == "opaque" else "extractive",
        )

    @cached_property
    def which(self) -> IntArray:
        """Per call: the firing in force, -1 before the first."""
        columns = np.asarray([firing.column for firing in self.firings], np.int64)
        return np.searchsorted(columns, np.arange(len(self.history.length)), side="right").astype(np.int64) - 1

    def _per_call(self, edge: str) -> IntArray:
        values = np.asarray([*(getattr(firing, edge) for firing in self.firings), 0], np.int64)
        found: IntArray = values[self.which]
        return found

    @cached_property
    def texts(self) -> list[tuple[int, str, Source]]:
        """Per firing: size of the summary message, its text, and where that comes from."""
        return summary_texts(self) if self.written is None else list(self.written)


def summary_texts(asked: Summaries) -> list[tuple[int, str, Source]]:
    """Texts of all summaries; a later one is made of the one before and what goes newly, as rules that merge summaries do."""
    writer = Writer(asked)
    return [writer.write(firing) for firing in asked.firings]


class Writer:
    """Writes one summary after the other, for rules that must know how big one is before they know the next."""

    def __init__(self, asked: Summaries) -> None:
        self.asked, self.kept = asked, frozenset(asked.kept)
        self.before, self.done = "", 0

    def write(self, firing: Firing) -> tuple[int, str, Source]:
        """Size of the next summary message, its text, and where that comes from."""
        asked = self.asked
        span = int(asked.history.upto[firing.stop] - asked.history.upto[firing.start])
        target = _within(round(span * asked.ratio), asked.least, asked.most)
        recorded = _recorded(asked.history, firing) if asked.summary == "recorded" else None
        if asked.summary == "opaque":
            return target, "", "opaque"
        fresh = [m for m in range(max(firing.start, self.done), firing.stop) if m not in self.kept]
        self.before = extract(asked.history, self.before, fresh, target) if recorded is None else recorded
        self.done = firing.stop
        whole = f"{asked.lead}{self.before}"
        return asked.history.measure.message(asked.role, whole), whole, "extractive" if recorded is None else "recorded"


def _within(size: int, least: int, most: int | None) -> int:
    return max(least, size if most is None else min(size, most))


def _recorded(history: History, firing: Firing) -> str | None:
    """The session's own summary of nearly the same messages: the one behind the epoch."""
    last = int(history.epoch.calls[-1])
    event = next((e for e in history.thread.events if e.kind == "compaction" and e.summary is not None and e.call == last + 1), None)
    if event is None or event.summary is None:
        return None
    covered, gone = len(history.messages) - firing.start, firing.stop - firing.start
    return history.thread.messages[event.summary].text if covered and gone / covered >= OVERLAP else None
