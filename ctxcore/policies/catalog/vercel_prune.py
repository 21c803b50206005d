"""The Vercel AI SDK's ``pruneMessages``: reasoning and tool parts before the last messages go."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ctxcore.columns import BoolArray, IntArray
from ctxcore.errors import InputError, shown
from ctxcore.policies.edits import Layer, Plan, window
from ctxcore.policies.history import ASSISTANT, History
from ctxcore.policies.joined import Joined, joined
from ctxcore.policies.pieces import CALL, REASONING, RESULT
from ctxcore.policies.planned import PlannedPolicy
from ctxcore.policies.protocol import Parameter
from ctxcore.policies.settings import one_of

THOUGHT = "Reasoning before the last message"
TOOLS = "Call or result before the last messages"
LED = "Reasoning that led only to calls that go"
EMPTY = "Nothing is left of the message"
KEPT = re.compile(r"before-last-(?:message|(\d+)-messages)")
LIST_CHARS = len(',"tool_calls":[]') - 1
"""Freed with the last call of a chat message, beside the call and a comma."""


@dataclass(frozen=True, slots=True)
class VercelPrune(PlannedPolicy):
    """Defaults are those of its documentation's example; by itself the function does nothing."""

    reasoning: str = "before-last-message"
    tool_calls: str = "before-last-2-messages"
    tools: tuple[str, ...] = ()

    name: ClassVar[str] = "vercel-prune"
    title: ClassVar[str] = "Vercel AI SDK: pruneMessages"
    about: ClassVar[str] = (
        "Takes reasoning out of all messages but the last, and calls and results out of all but the last few; a call whose result stands among "
        "the last few stays. Messages of which nothing is left go. All results of one exchange are one message. It acts on every request, whatever "
        "the size: the budget only tells which are refused."
    )
    source: ClassVar[str] = "ai 6.0.326 (npm), pruneMessages."
    rejects: ClassVar[str] = "Nothing by its form: calls go with their results. With all, the model does not see what its newest calls gave."
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(name="reasoning", type="str", default="before-last-message", help="all, before-last-message or none (upstream none)."),
        Parameter(
            name="tool_calls",
            type="str",
            default="before-last-2-messages",
            help="all, none, before-last-message or before-last-N-messages (upstream none).",
        ),
        Parameter(name="tools", type="names", default=(), help="Only calls of these tools go; empty: of all."),
    )

    def __post_init__(self) -> None:
        one_of("reasoning", self.reasoning, ("all", "before-last-message", "none"))
        if self.tool_calls not in ("all", "none") and not KEPT.fullmatch(self.tool_calls):
            raise InputError(f"tool_calls {shown(self.tool_calls)} is not known. Use all, none, before-last-message or before-last-N-messages.")

    def plan(self, history: History, budget: int) -> Plan:
        """See ``PlannedPolicy.plan``."""
        parts = _Parts(history, self.tools)
        layers: list[Layer] = []
        if self.reasoning != "none":
            edge = parts.entries.count if self.reasoning == "all" else np.maximum(parts.entries.count - 1, 0)
            layers += [parts.layer(THOUGHT, parts.thoughts, parts.home[parts.thoughts], edge)]
            layers += [parts.drop(parts.only_thinks, parts.own, edge)]
        if self.tool_calls != "none":
            edge = self._edge(parts.entries)
            layers += [parts.layer(TOOLS, items, parts.until[items], edge) for items in (parts.calls, parts.results)]
            layers += [parts.drop(parts.tool_only(thinking=self.reasoning != "none"), parts.until_all, edge)]
            if self.reasoning == "none":
                led, until = parts.led()
                layers += [parts.layer(LED, led, until, edge)]
        return Plan(layers=tuple(layers))

    def _edge(self, entries: Joined) -> IntArray:
        """Per call: the first entry that is left alone."""
        found = KEPT.fullmatch(self.tool_calls)
        if found is None:
            return entries.count
        kept = int(found[1] or 1)
        return np.maximum(entries.count - kept, 0) if kept else np.zeros_like(entries.count)


class _Parts:
    """Pieces that may go, and the entry that must lie before the edge for each of them to go."""

    def __init__(self, history: History, tools: tuple[str, ...]) -> None:
        self.history, self.pieces = history, history.pieces
        pieces = history.pieces
        self.entries = joined(history, system=True)
        self.own = np.searchsorted(self.entries.first, np.arange(len(history.role)), side="right") - 1
        self.home = self.own[pieces.message]
        last = np.where((pieces.kind == CALL) & (pieces.partner >= 0), pieces.partner, np.arange(len(pieces)))
        self.until = self.home[last] if len(pieces) else self.home
        named = np.isin(pieces.tool, [number for number, name in enumerate(pieces.tools) if name in tools or not tools])
        self.calls = np.flatnonzero((pieces.kind == CALL) & (named | (not tools))).astype(np.int64)
        self.results = np.flatnonzero((pieces.kind == RESULT) & (named | (not tools))).astype(np.int64)
        self.thoughts = np.flatnonzero((pieces.kind == REASONING) & (history.role[pieces.message] == ASSISTANT)).astype(np.int64)
        self.until_all = np.zeros(len(history.role), np.int64)
        np.maximum.at(self.until_all, pieces.message, self.until)
        self.total, self.thinks = (self._count(np.arange(len(pieces))), self._count(self.thoughts))
        self.gone = self._count(self.calls) + self._count(self.results)
        self.freed = pieces.whole.copy()
        self._lists()

    def _count(self, items: IntArray) -> IntArray:
        return np.bincount(self.pieces.message[items], minlength=len(self.history.role)).astype(np.int64)

    def _lists(self) -> None:
        """The last call that goes takes the list of calls with it, where the message has one and all its calls go."""
        if self.history.sizes.unit != "chars":
            return
        every = self._count(self.pieces.of_kind(CALL))
        newest: dict[int, int] = {}
        for piece in self.calls[np.argsort(self.until[self.calls], kind="stable")].tolist():
            newest[int(self.pieces.message[piece])] = piece
        count = self._count(self.calls)
        for message, piece in newest.items():
            if count[message] == every[message] and "tool_calls" in self.history.messages[message].wire[0]:
                self.freed[piece] += LIST_CHARS

    @property
    def only_thinks(self) -> BoolArray:
        """Per position: the message is reasoning alone."""
        only: BoolArray = (self.thinks > 0) & (self.thinks == self.total)
        return only

    def tool_only(self, *, thinking: bool) -> BoolArray:
        """Per position: of the message only what goes is left once its calls or results go.

        Args:
            thinking: Reasoning goes by a rule of its own; else it goes where calls follow it.
        """
        whole: BoolArray = (self.gone > 0) & (self.gone + self.thinks == self.total)
        if not thinking:
            whole &= self._count(self.led()[0]) == self.thinks
        return whole

    def led(self) -> tuple[IntArray, IntArray]:
        """Reasoning that only leads to parts that go, and until when it stays."""
        goes = np.zeros(len(self.pieces), np.bool_)
        goes[self.calls] = goes[self.results] = True
        found: dict[int, int] = {}
        for message in np.flatnonzero((self.thinks > 0) & (self.gone > 0)).tolist():
            low, high = np.searchsorted(self.pieces.message, [message, message + 1]).tolist()
            self._led_in(range(low, high), goes, found)
        return np.asarray(sorted(found), np.int64), np.asarray([found[piece] for piece in sorted(found)], np.int64)

    def _led_in(self, parts: range, goes: BoolArray, found: dict[int, int]) -> None:
        """Runs of reasoning of one message, each with what follows it up to the next."""
        run: list[int] = []
        rest: list[int] = []
        for piece in (*parts, -1):
            if piece < 0 or (self.pieces.kind[piece] == REASONING and rest):
                if rest and goes[rest].all():
                    found.update(dict.fromkeys(run, int(self.until[rest].max())))
                run, rest = [], []
            (run if self.pieces.kind[piece] == REASONING else rest).append(piece)

    def layer(self, rule: str, items: IntArray, until: IntArray, edge: IntArray) -> Layer:
        """Pieces that go once their entry lies before the edge."""
        order = np.argsort(until, kind="stable")
        stop = self._stop(until[order], edge, self.pieces.message[items].astype(np.int64))
        return window(self.history, "strip", rule, items[order], stop=stop, freed=self.freed[items[order]])

    def drop(self, marks: BoolArray, until: IntArray, edge: IntArray) -> Layer:
        """Messages that go once their entry lies before the edge."""
        items = np.flatnonzero(marks).astype(np.int64)
        items = items[np.argsort(until[items], kind="stable")]
        return window(self.history, "drop", EMPTY, items, stop=self._stop(until[items], edge, items))

    def _stop(self, until: IntArray, edge: IntArray, positions: IntArray) -> IntArray:
        """Per call: how many lie before the edge and in its context."""
        return np.minimum(np.searchsorted(until, edge), np.searchsorted(np.sort(positions), self.history.length)).astype(np.int64)
