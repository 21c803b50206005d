"""SWE-agent's ``RemoveRegex``: what matches a pattern goes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ctxcore.errors import shown
from ctxcore.policies.edits import Plan, rewritten, window
from ctxcore.policies.history import History
from ctxcore.policies.patterns import SECONDS, Removal, TooSlow, check_patterns
from ctxcore.policies.pieces import RESULT, TEXT
from ctxcore.policies.planned import PlannedPolicy
from ctxcore.policies.protocol import Parameter

RULE = "Matches a pattern that is removed"


@dataclass(frozen=True, slots=True)
class SweAgentRemoveRegex(PlannedPolicy):
    """Chosen anew for every call."""

    remove: tuple[str, ...] = ("<diff>.*</diff>",)
    keep_last: int = 0

    name: ClassVar[str] = "swe-agent-remove-regex"
    title: ClassVar[str] = "SWE-agent: remove patterns"
    about: ClassVar[str] = (
        "Deletes from every message, whatever its role, what matches one of the regular expressions (a dot matches line ends too), except in "
        "the last messages. It acts on every request whatever its size: the budget only tells which are refused."
    )
    source: ClassVar[str] = "SWE-agent, sweagent/agent/history_processors.py at 3ea751c0, RemoveRegex."
    rejects: ClassVar[str] = (
        "A message whose whole text matches stays with an empty text; a greedy pattern takes all between its first and last match."
    )
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(
            name="remove",
            type="names",
            default=("<diff>.*</diff>",),
            help="Regular expressions, one after another; 500 characters each, 2 s in all.",
        ),
        Parameter(name="keep_last", type="int", default=0, help="Newest messages that stay as they are."),
    )

    def __post_init__(self) -> None:
        check_patterns(self.remove)

    def plan(self, history: History, budget: int) -> Plan:
        """See ``PlannedPolicy.plan``."""
        slow = history.thread.memo.setdefault("slow_patterns", (None, set()))[1]
        try:
            if found := next((pattern for pattern in self.remove if pattern in slow), ""):
                raise TooSlow(found)
            return self._plan(history, Removal(self.remove))
        except TooSlow as error:
            slow.add(error.pattern)  # so that no other budget waits for it again
            return Plan(assumed=(f"The pattern {shown(error.pattern)} takes longer than {SECONDS:g} s on these texts: nothing is removed.",))

    def _plan(self, history: History, removal: Removal) -> Plan:
        pieces = history.pieces
        texts = np.flatnonzero(np.isin(pieces.kind, (TEXT, RESULT)))
        items = np.asarray([piece for piece in texts.tolist() if removal.without(history.text(piece)) != history.text(piece)], np.int64)
        stop = np.searchsorted(pieces.message[items], np.maximum(history.length - self.keep_last, 0)).astype(np.int64)

        def text(piece: int) -> str:
            return removal.without(history.text(piece))

        return Plan(layers=(window(history, "clip", RULE, items, stop=stop, freed=rewritten(history, items, text), text=text),))
