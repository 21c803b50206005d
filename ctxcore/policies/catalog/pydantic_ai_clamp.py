"""pydantic-ai-harness: a reply that is far too long keeps its beginning and end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ctxcore.policies.edits import Plan
from ctxcore.policies.harness import CLAMPS, Clamping
from ctxcore.policies.history import History
from ctxcore.policies.planned import PlannedPolicy
from ctxcore.policies.protocol import Parameter
from ctxcore.policies.running import RunningHistory


@dataclass(frozen=True, slots=True)
class PydanticAiClamp(PlannedPolicy):
    """Works on each part alone."""

    max_part_chars: int = 8_000
    keep_head_chars: int = 2_000
    keep_tail_chars: int = 2_000
    clamp_tool_call_args: bool = True

    name: ClassVar[str] = "pydantic-ai-clamp"
    title: ClassVar[str] = "Pydantic AI harness: clamp oversized messages"
    about: ClassVar[str] = (
        "A text or a call's arguments of a reply that are too long keep their first and last characters with a note between them; arguments become "
        "an object with one entry. It guards against runaway replies: what users and tools say is left alone, whatever its size. The budget only "
        "tells which requests are refused."
    )
    source: ClassVar[str] = "pydantic-ai-harness 0.62.0, ClampOversizedMessages."
    rejects: ClassVar[str] = "Arguments that no longer fit the tool's schema."
    parameters: ClassVar[tuple[Parameter, ...]] = (
        *CLAMPS,
        Parameter(name="clamp_tool_call_args", type="bool", default=True, help="Clamp arguments too."),
    )

    def plan(self, history: History, budget: int) -> Plan:
        """See ``PlannedPolicy.plan``."""
        run = RunningHistory(history)
        long = Clamping(run, longest=self.max_part_chars, head=self.keep_head_chars, tail=self.keep_tail_chars, arguments=self.clamp_tool_call_args)
        for column in range(run.never):
            long.apply(column)
        return Plan(layers=tuple(long.layers()))
