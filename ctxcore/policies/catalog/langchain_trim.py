"""LangChain's ``trim_messages``: the newest messages that fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ctxcore.columns import IntArray
from ctxcore.errors import InputError, shown
from ctxcore.policies.edits import Plan, window
from ctxcore.policies.history import ASSISTANT, SYSTEM, TOOL, USER, History
from ctxcore.policies.planned import PlannedPolicy
from ctxcore.policies.protocol import Parameter

OLDER, BEHIND = "Older than the newest messages that fit", "Behind the last message of the type that the list must end with"

TYPES = {"human": USER, "ai": ASSISTANT, "tool": TOOL, "system": SYSTEM}
"""LangChain's names of message types."""


@dataclass(frozen=True, slots=True)
class LangchainTrim(PlannedPolicy):
    """``strategy="last"`` on whole messages; the limit is the budget less tools and brackets."""

    start_on: tuple[str, ...] = ()
    end_on: tuple[str, ...] = ()
    include_system: bool = True

    name: ClassVar[str] = "langchain-trim"
    title: ClassVar[str] = "LangChain: trim_messages"
    about: ClassVar[str] = (
        "Keeps the longest run of newest messages that fits the budget, and the system message in front if asked. Messages go one by one: nothing "
        "keeps a tool call and its results together. With start_on the kept run begins at a message of that type, with end_on it ends at one, even "
        "if nothing is left then. Upstream estimates 4 characters a token if told no other counter."
    )
    source: ClassVar[str] = 'langchain-core 1.8.4, trim_messages, strategy "last", allow_partial off.'
    rejects: ClassVar[str] = "Results at the front whose call was cut off; with start_on human, requests that are the system text alone."
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(name="start_on", type="names", default=(), help="Types (human, ai, tool, system) by one of which the kept run begins; none: any."),
        Parameter(name="end_on", type="names", default=(), help="Types by one of which the list ends; what stands behind goes first. None: any."),
        Parameter(
            name="include_system", type="bool", default=True, help="Keep the first system message and take its size off the limit (upstream: off)."
        ),
    )

    def __post_init__(self) -> None:
        for name in (*self.start_on, *self.end_on):
            if name not in TYPES:
                raise InputError(f"{shown(name)} is no message type. Use human, ai, tool or system.")

    def plan(self, history: History, budget: int) -> Plan:
        """See ``PlannedPolicy.plan``."""
        held = int(self.include_system and len(history.role) > 0 and history.role[0] == SYSTEM)
        end = self._end(history)
        limit = np.maximum(budget - history.fixed - history.upto[held], 0)
        fitting = np.searchsorted(history.upto[held:], history.upto[end] - limit).astype(np.int64)
        items = np.arange(held, len(history.size), dtype=np.int64)
        older = window(history, "drop", OLDER, items, stop=np.minimum(self._begin(history, held, fitting), np.maximum(end - held, 0)))
        everything = np.arange(len(history.size), dtype=np.int64)
        return Plan(layers=(older, window(history, "drop", BEHIND, everything, start=end, stop=history.length)))

    def _end(self, history: History) -> IntArray:
        """Per call: position behind the last message of the type asked for."""
        if not self.end_on:
            return history.length
        return history.last(np.isin(history.role, [TYPES[name] for name in self.end_on])) + 1

    def _begin(self, history: History, held: int, fitting: IntArray) -> IntArray:
        """Move the first kept message on to one of the type asked for; past the end where there is none."""
        if not self.start_on:
            return fitting
        marked = np.flatnonzero(np.isin(history.role[held:], [TYPES[name] for name in self.start_on]))
        following = np.append(marked, len(history.role))
        return following[np.searchsorted(marked, fitting)].astype(np.int64)
