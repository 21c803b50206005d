"""smolagents: values longer than a limit are cut in the middle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ctxcore.policies.clipping import clips, ends
from ctxcore.policies.edits import Plan
from ctxcore.policies.history import History
from ctxcore.policies.observations import observations
from ctxcore.policies.planned import PlannedPolicy
from ctxcore.policies.protocol import Parameter

RULE = "Value too long: its middle goes"


@dataclass(frozen=True, slots=True)
class SmolagentsClip(PlannedPolicy):
    """At once, when a value enters the memory."""

    max_length: int = 20_000

    name: ClassVar[str] = "smolagents-clip"
    title: ClassVar[str] = "smolagents: clip values"
    about: ClassVar[str] = (
        "The memory is sent whole. A tool's output longer than the limit is cut to half the limit at its beginning and half at its end, with a note "
        "between. Lengths are characters of the text, whatever the unit of the budget, which only tells which requests are refused."
    )
    source: ClassVar[str] = "smolagents 1.26.0, truncate_content."
    rejects: ClassVar[str] = "Nothing. The middle of a long output is gone for good."
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(name="max_length", type="int", default=20_000, help="Characters of an output that stay as they are."),
    )

    def plan(self, history: History, budget: int) -> Plan:
        """See ``PlannedPolicy.plan``."""
        return Plan(layers=(clips(history, RULE, observations(history), self.max_length, self._shorten),))

    def _shorten(self, text: str) -> str:
        half = self.max_length // 2
        return ends(text, half, half, f"\n..._This content has been truncated to stay below {self.max_length} characters_...\n")
