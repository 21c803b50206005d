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

RULE = "Older than the newest messages that fit"

START_ROLES = {"human": USER, "ai": ASSISTANT, "tool": TOOL}
"""Message types by which the kept list may have to begin."""


@dataclass(frozen=True, slots=True)
class LangchainTrim(PlannedPolicy):
    """``strategy="last"`` on whole messages; the limit is the budget less tools and brackets."""

    start_on: str = ""
    include_system: bool = True

    name: ClassVar[str] = "langchain-trim"
    title: ClassVar[str] = "LangChain: trim_messages"
    about: ClassVar[str] = (
        "Keeps the longest run of newest messages that fits the budget, and the system message in front if asked. Messages go one by one: nothing "
        "keeps a tool call and its results together. With start_on the kept run begins at a message of that type, even if nothing is left then."
    )
    source: ClassVar[str] = 'langchain-core 1.8.4, trim_messages, strategy "last".'
    rejects: ClassVar[str] = "Results at the front whose call was cut off; with start_on human, requests that are the system text alone."
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(name="start_on", type="str", default="", help="human, ai or tool: the kept run begins at such a message; empty: anywhere."),
        Parameter(
            name="include_system", type="bool", default=True, help="Keep the first system message and take its size off the limit (upstream: off)."
        ),
    )

    def __post_init__(self) -> None:
        if self.start_on and self.start_on not in START_ROLES:
            raise InputError(f"start_on {shown(self.start_on)} is no message type. Use human, ai, tool or nothing.")

    def plan(self, history: History, budget: int) -> Plan:
        """See ``PlannedPolicy.plan``."""
        held = int(self.include_system and len(history.role) > 0 and history.role[0] == SYSTEM)
        items = np.arange(held, len(history.size), dtype=np.int64)
        limit = np.maximum(budget - history.fixed - history.upto[held], 0)
        stop = np.searchsorted(history.upto[held:], history.upto[history.length] - limit).astype(np.int64)
        return Plan(layers=(window(history, "drop", RULE, items, stop=np.minimum(self._begin(history, held, stop), history.begun(items))),))

    def _begin(self, history: History, held: int, stop: IntArray) -> IntArray:
        """Move the first kept message on to one of the type asked for; past the end where there is none."""
        if not self.start_on:
            return stop
        fitting = np.flatnonzero(history.role[held:] == START_ROLES[self.start_on])
        following = np.append(fitting, len(history.role))
        return following[np.searchsorted(fitting, stop)].astype(np.int64)
