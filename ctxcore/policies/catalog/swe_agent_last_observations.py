"""SWE-agent's ``LastNObservations``: old observations become one line each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ctxcore.errors import InputError
from ctxcore.model import ToolResult
from ctxcore.policies.edits import Plan, rewritten, window
from ctxcore.policies.history import History
from ctxcore.policies.observations import observations, task
from ctxcore.policies.planned import PlannedPolicy
from ctxcore.policies.protocol import Parameter

RULE = "Observation older than the last ones kept"


@dataclass(frozen=True, slots=True)
class SweAgentLastObservations(PlannedPolicy):
    """Chosen anew for every call; with ``polling`` the choice moves only every so many observations."""

    n: int = 5
    polling: int = 1

    name: ClassVar[str] = "swe-agent-last-observations"
    title: ClassVar[str] = "SWE-agent: last observations"
    about: ClassVar[str] = (
        "Every observation (a tool result, or the environment's answer in the user's role) but the last n becomes one line that says how many"
        " lines are gone. The task counts as the first observation and always stays. It acts on every request whatever its size: the budget "
        "only tells which are refused. With polling above 1, n to n + polling - 1 observations stay, so the prefix changes less often."
    )
    source: ClassVar[str] = "SWE-agent, sweagent/agent/history_processors.py at 3ea751c0, LastNObservations."
    rejects: ClassVar[str] = "Nothing: every call keeps an answer. What an old observation said is gone."
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(name="n", type="int", default=5, help="Observations that stay, at least 1; upstream has no default, its paper takes 5."),
        Parameter(name="polling", type="int", default=1, help="Observations between two moves of the cut, at least 1."),
    )

    def __post_init__(self) -> None:
        if self.n < 1 or self.polling < 1:
            raise InputError(f"n is {self.n} and polling is {self.polling}; SWE-agent takes whole numbers of at least 1.")

    def plan(self, history: History, budget: int) -> Plan:
        """See ``PlannedPolicy.plan``."""
        every = np.sort(np.concatenate((task(history), observations(history))))
        last = history.begun_pieces(every) // self.polling * self.polling - self.n
        items = every[1:]

        def line(piece: int) -> str:
            return omitted(history, piece)

        stop = np.maximum(last - 1, 0)
        return Plan(
            layers=(window(history, "mask", RULE, items, stop=stop, freed=rewritten(history, items, line), text=line),),
            assumed=("Tags that keep or remove single observations are not recorded and not looked at.",),
        )


def omitted(history: History, piece: int) -> str:
    """What stands in place of an observation."""
    part = history.messages[int(history.pieces.message[piece])].parts[int(history.pieces.part[piece])]
    images = len(part.media) if isinstance(part, ToolResult) else 0
    return f"Old environment output: ({len(history.text(piece).splitlines())} lines omitted)" + (f" ({images} images omitted)" if images else "")
