"""mini-swe-agent: long outputs are shown by their beginning and end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ctxcore.errors import InputError
from ctxcore.policies.clipping import clips, ends
from ctxcore.policies.edits import Plan
from ctxcore.policies.history import History
from ctxcore.policies.observations import observations
from ctxcore.policies.planned import PlannedPolicy
from ctxcore.policies.protocol import Parameter

RULE = "Output too long: its middle goes"


@dataclass(frozen=True, slots=True)
class MiniSweAgentClip(PlannedPolicy):
    """At once, when an output enters the history."""

    limit: int = 10_000
    head: int = 5_000
    tail: int = 5_000

    name: ClassVar[str] = "mini-swe-agent-clip"
    title: ClassVar[str] = "mini-swe-agent: clip outputs"
    about: ClassVar[str] = (
        "The history only grows and nothing is trimmed. An output of the limit or more is shown by its first and last characters, with the number of "
        "characters between them. Lengths are characters of the text, whatever the unit of the budget, which only tells which requests are refused."
    )
    source: ClassVar[str] = "mini-swe-agent 2.4.6, observation template of the default configuration."
    rejects: ClassVar[str] = "Nothing. The middle of a long output is gone for good."
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(name="limit", type="int", default=10_000, help="Characters from which an output is cut."),
        Parameter(name="head", type="int", default=5_000, help="Characters of its beginning that stay."),
        Parameter(name="tail", type="int", default=5_000, help="Characters of its end that stay."),
    )

    def __post_init__(self) -> None:
        if self.head + self.tail > self.limit:
            raise InputError(f"head {self.head} and tail {self.tail} are more than the limit {self.limit}: nothing would be cut.")

    def plan(self, history: History, budget: int) -> Plan:
        """See ``PlannedPolicy.plan``."""
        return Plan(
            layers=(clips(history, RULE, observations(history), self.limit - 1, self._shorten),),
            assumed=("The template's advice to use other commands, which stands beside a cut output, is not added.",),
        )

    def _shorten(self, text: str) -> str:
        return ends(text, self.head, self.tail, f"\n{len(text) - self.head - self.tail} characters elided\n")
