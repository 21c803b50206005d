"""pydantic-ai-harness: cheap strategies in turn, until the request fits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from ctxcore.errors import InputError, shown
from ctxcore.policies.edits import Plan
from ctxcore.policies.harness import CLAMPS, PATH_ARGUMENTS, READ_TOOLS, READS, Clamping, Clearing, Deduplication
from ctxcore.policies.history import History
from ctxcore.policies.planned import PlannedPolicy
from ctxcore.policies.protocol import Parameter
from ctxcore.policies.running import RunningHistory

TIERS = ("clamp", "deduplicate", "clear", "window")
"""Cheapest first."""


@dataclass(frozen=True, slots=True)
class PydanticAiTiered(PlannedPolicy):
    """Every tier's edits stay."""

    tiers: tuple[str, ...] = TIERS
    max_part_chars: int = 8_000
    keep_head_chars: int = 2_000
    keep_tail_chars: int = 2_000
    tools: tuple[str, ...] = READ_TOOLS
    path_arguments: tuple[str, ...] = PATH_ARGUMENTS
    keep_pairs: int = 3
    keep_messages: int = 40
    placeholder: str = "[tool result cleared]"

    name: ClassVar[str] = "pydantic-ai-tiered"
    title: ClassVar[str] = "Pydantic AI harness: tiers"
    about: ClassVar[str] = (
        "Once a request is over the budget, strategies run in turn and stop as soon as it fits: clamp replies that are too long, clear superseded "
        "file reads, clear old tool results, drop all but the newest messages. What one of them did stays. Upstream has no default for the tiers; "
        "one placeholder serves both kinds of clearing here."
    )
    source: ClassVar[str] = "pydantic-ai-harness 0.62.0, TieredCompaction of its strategies that ask no model."
    rejects: ClassVar[str] = "Arguments that no longer fit the tool's schema, where one was clamped; else nothing as a rule."
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(name="tiers", type="names", default=TIERS, help="Of clamp, deduplicate, clear, window; tried in this order."),
        *CLAMPS,
        *READS,
        Parameter(name="keep_pairs", type="int", default=3, help="Newest answered calls whose results stay."),
        Parameter(name="keep_messages", type="int", default=40, help="Newest messages that stay."),
        Parameter(name="placeholder", type="str", default="[tool result cleared]", help="Stands in place of a result."),
    )

    def __post_init__(self) -> None:
        for tier in self.tiers:
            if tier not in TIERS:
                raise InputError(f"No tier {shown(tier)}. Use clamp, deduplicate, clear or window.")

    def plan(self, history: History, budget: int) -> Plan:
        """See ``PlannedPolicy.plan``."""
        run = RunningHistory(history)
        long = Clamping(run, longest=self.max_part_chars, head=self.keep_head_chars, tail=self.keep_tail_chars)
        reads = Deduplication(run, tools=self.tools, path_arguments=self.path_arguments, placeholder=self.placeholder)
        old = Clearing(run, keep=self.keep_pairs, placeholder=self.placeholder)
        step: dict[str, Callable[[int], None]] = {
            "clamp": long.apply,
            "deduplicate": reads.apply,
            "clear": old.apply,
            "window": lambda column: run.drop(column, run.safe_cut(column, self.keep_messages)),
        }
        for column in range(run.never):
            for tier in self.tiers:
                if run.size(column) <= budget:
                    break
                step[tier](column)
        tiers = (*long.layers(), *reads.layers(), *old.layers())
        return Plan(layers=(*tiers, run.drop_layer("Older than the messages that the window keeps")))
