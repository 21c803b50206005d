"""This project's own compaction: four kinds of information, four processors, checked and atomic."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from ctxcore.columns import IntArray
from ctxcore.compaction.checks import LIMIT_CHARACTERS, LIMIT_WORDS, Limits
from ctxcore.compaction.compact import Compaction, compact
from ctxcore.compaction.settings import Known, Settings
from ctxcore.compaction.source_text import passages
from ctxcore.compaction.state_anchors import StateAnchor, anchors_of
from ctxcore.compaction.values import Kind
from ctxcore.errors import InputError, shown
from ctxcore.policies.compacting import Rewriting, View, boundaries, systems
from ctxcore.policies.edits import Plan, Source
from ctxcore.policies.history import History
from ctxcore.policies.planned import PlannedPolicy
from ctxcore.policies.protocol import Parameter
from ctxcore.policies.summaries import Summaries
from ctxcore.sizes.window import SAFE_PERCENT
from ctxcore.state.domains import NAMES, shipped_domain

RULE = "Compacted: what it holds stands in the compacted text"

KEEP_ROUNDS = 5
"""Newest rounds that stay word for word."""

ROOM = 0.3
"""Share of the budget that the compacted text may take. Source: the ratio from which a compaction is too little, in the notes on compaction."""

PARTS: tuple[Kind, ...] = ("anchor", "trace", "transient", "relation")


@dataclass(frozen=True, slots=True, kw_only=True)
class Compact(PlannedPolicy):
    """Values to the letter, sentences of traces, no greetings, a pruned network; made from the originals each time."""

    anchors: bool = True
    traces: bool = True
    transient: bool = True
    relations: bool = True
    keep_rounds: int = KEEP_ROUNDS
    trigger: int = SAFE_PERCENT
    room: float = ROOM
    limit_characters: int = LIMIT_CHARACTERS
    limit_words: int = LIMIT_WORDS
    domain: str = NAMES[0]

    name: ClassVar[str] = "compact"
    title: ClassVar[str] = "Compact by kind of information"
    about: ClassVar[str] = (
        "Once a request passes 85 % of the budget, all but the newest rounds becomes one message: decided values to the letter, about a sentence of "
        "each explanation and tool output that is worth it, the network of topics, nothing of greetings. Where the newest rounds alone are too "
        "large, their older exchanges are compacted too. No model is asked; nothing stands there that the original lacks."
    )
    source: ClassVar[str] = "This project; the rule is in ctxcore/compaction."
    rejects: ClassVar[str] = "Nothing. Explanations lose all but their best sentences, and long tool output is a line."
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(
            name="anchors", type="bool", default=True, help="Keep decided values as keys and values; else their sentences stay as they were said."
        ),
        Parameter(name="traces", type="bool", default=True, help="Distil explanations and tool output; else they stay whole."),
        Parameter(name="transient", type="bool", default=True, help="Drop what held for one round; else it stays."),
        Parameter(
            name="relations", type="bool", default=True, help="Make a network of statements that tie topics; else they stay as they were said."
        ),
        Parameter(name="keep_rounds", type="int", default=KEEP_ROUNDS, help="Newest rounds that stay word for word."),
        Parameter(name="trigger", type="int", default=SAFE_PERCENT, help="Percent of the budget from which it acts."),
        Parameter(
            name="room",
            type="float",
            default=ROOM,
            help="Share of the budget for the compacted text; notes without a value of their own go first, then the oldest.",
        ),
        Parameter(name="limit_characters", type="int", default=LIMIT_CHARACTERS, help="Characters for a trace in Chinese, or one sentence."),
        Parameter(name="limit_words", type="int", default=LIMIT_WORDS, help="Words for any other trace, or one sentence."),
        Parameter(name="domain", type="str", default=NAMES[0], help=f"Whose state stands to the letter: {', '.join(NAMES)}; empty for none."),
    )

    def __post_init__(self) -> None:
        if self.domain and self.domain not in NAMES:
            raise InputError(f"The domain is {shown(self.domain)}; it takes {', '.join(NAMES)}, or nothing.")

    def plan(self, history: History, budget: int) -> Plan:
        """See ``PlannedPolicy.plan``."""
        made = _Compactions(self, history, budget)
        firings = made.rewriting.firings()
        written = [(made.size(firing.stop), made.at(firing.stop).text, _SOURCE) for firing in firings]
        found = Summaries(history=history, firings=firings, rule=RULE, summary="extractive", written=written, kept=made.kept.tolist())
        return Plan(layers=(found.layer,), inserts=(found.insert,))

    @property
    def processed(self) -> frozenset[Kind]:
        """Kinds whose processor is switched on."""
        return frozenset(kind for kind, on in zip(PARTS, (self.anchors, self.traces, self.transient, self.relations), strict=True) if on)


_SOURCE: Source = "extractive"


class _Compactions:
    """Compactions of the beginning of one epoch, by where they end."""

    def __init__(self, rule: Compact, history: History, budget: int) -> None:
        self.rule, self.history, self.most = rule, history, int(budget * rule.room)
        self.limit = budget * rule.trigger // 100
        pinned = systems(history)
        self.kept: IntArray = np.flatnonzero(pinned).astype(np.int64)
        self.free = boundaries(history)
        self.persons = np.flatnonzero(history.person)
        self.made: dict[int, Compaction] = {}
        self.counted: dict[str, int] = {}
        self.rewriting = Rewriting(
            history=history,
            kept=pinned,
            over=lambda size: size > self.limit,
            cut=self.cut,
            stand_in=lambda _span, stop: self.size(stop),
        )

    def cut(self, view: View) -> int:
        """Where the newest rounds begin, or further on where they are too large; nowhere if that gains nothing or would lose a core field."""
        stop = self._rounds(view)
        left = int(self.history.upto[view.length] - self.history.upto[stop])
        if stop <= view.done or left > self.limit - self.most:
            least = int(self.history.upto[view.length]) - (self.limit - self.most) // 2
            stop = max(stop, int(self.free[min(int(np.searchsorted(self.history.upto, least)), len(self.free) - 1)]))
        stop = min(stop, view.length)
        if stop <= view.done or self.free[stop] != stop:
            return view.done
        gain = self.rewriting.loose[stop] - self.rewriting.loose[min(view.done, stop)] + view.added - self.size(stop)
        return stop if gain > 0 and not self.at(stop).rolled_back else view.done

    def _rounds(self, view: View) -> int:
        """Position of the first message of the newest rounds."""
        begun = int(np.searchsorted(self.persons, view.length))
        first = begun - self.rule.keep_rounds
        return int(self.free[self.persons[first]]) if 0 <= first < len(self.persons) else self.rewriting.first

    def at(self, stop: int) -> Compaction:
        """The compaction of everything before a position."""
        if stop not in self.made:
            which = np.setdiff1d(np.arange(self.rewriting.first, stop), self.kept)
            told = passages(self.history.thread.messages, self.history.epoch.message[which].tolist())
            anchors = self.anchors(self.history.epoch.message[which].tolist())
            self.made[stop] = compact(told, count=self.count, settings=self.settings, anchors=anchors, known=self.known)
        return self.made[stop]

    def anchors(self, which: list[int]) -> tuple[StateAnchor, ...]:
        """Decided values, where the setting names a domain."""
        return anchors_of(self.history.thread, shipped_domain(self.rule.domain), sorted(which)) if self.rule.domain else ()

    def size(self, stop: int) -> int:
        """Of the message that stands there."""
        return self.history.measure.message("user", self.at(stop).text)

    @property
    def settings(self) -> Settings:
        """Of this project's compaction."""
        limits = Limits(characters=self.rule.limit_characters, words=self.rule.limit_words)
        return Settings(parts=self.rule.processed, limits=limits, longest=self.most)

    @cached_property
    def known(self) -> Known:
        """What is found out about the thread's messages, for all budgets."""
        found: dict[Compact, Known] = self.history.thread.once("compact_known", dict, of=self.history.sizes)
        return found.setdefault(replace(self.rule, room=0.0, trigger=0, keep_rounds=0), Known())

    def count(self, text: str) -> int:
        """Size of a text, each counted once."""
        if text not in self.counted:
            self.counted[text] = self.history.measure.one(text)
        return self.counted[text]
