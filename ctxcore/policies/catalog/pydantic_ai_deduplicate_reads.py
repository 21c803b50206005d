"""pydantic-ai-harness: a file read again makes its earlier reads a placeholder."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ctxcore.policies.edits import Plan
from ctxcore.policies.harness import PATH_ARGUMENTS, READ_TOOLS, READS, Deduplication
from ctxcore.policies.history import History
from ctxcore.policies.planned import PlannedPolicy
from ctxcore.policies.protocol import Parameter
from ctxcore.policies.running import RunningHistory


@dataclass(frozen=True, slots=True)
class PydanticAiDeduplicateReads(PlannedPolicy):
    """What is superseded stays so."""

    tools: tuple[str, ...] = READ_TOOLS
    path_arguments: tuple[str, ...] = PATH_ARGUMENTS
    placeholder: str = "[superseded file read]"
    max_tokens: int | None = None

    name: ClassVar[str] = "pydantic-ai-deduplicate-reads"
    title: ClassVar[str] = "Pydantic AI harness: deduplicate file reads"
    about: ClassVar[str] = (
        "As soon as a file is read again, the results of its earlier reads become a placeholder, whatever the budget; with max_tokens only once a "
        "request is over that size. Which tools read files is a setting. The budget only tells which requests are refused."
    )
    source: ClassVar[str] = "pydantic-ai-harness 0.62.0, DeduplicateFileReads."
    rejects: ClassVar[str] = "Nothing. Two reads of different parts of one file count as the same, and the first part is lost."
    parameters: ClassVar[tuple[Parameter, ...]] = (
        *READS,
        Parameter(name="placeholder", type="str", default="[superseded file read]", help="Stands in place of a result."),
        Parameter(name="max_tokens", type="size", default=None, help="Size of a request over which it acts; always if left out, as upstream."),
    )

    def plan(self, history: History, budget: int) -> Plan:
        """See ``PlannedPolicy.plan``."""
        run = RunningHistory(history)
        reads = Deduplication(run, tools=self.tools, path_arguments=self.path_arguments, placeholder=self.placeholder)
        for column in range(run.never):
            if self.max_tokens is None or run.size(column) > self.max_tokens:
                reads.apply(column)
        return Plan(layers=tuple(reads.layers()), assumed=("Two reads of the same path are of the same file.",))
