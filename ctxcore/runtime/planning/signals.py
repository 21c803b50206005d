"""When a checkpoint is due.

Source: the planner's rules, 5.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ctxcore.errors import InputError
from ctxcore.runtime.planning.values import PlanStep, Trigger

UNCERTAIN = ("不确定", "不清楚", "not sure", "unsure", "unclear")
"""Words by which a model's text signals uncertainty."""

QUOTED = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]*`|“[^”]*”|‘[^’]*’|「[^」]*」|『[^』]*』|«[^»]*»|\"[^\"\n]*\"|(?<!\w)'[^'\n]*'(?!\w)|^[ \t]*>[^\n]*$",
    re.DOTALL | re.MULTILINE,
)
"""Text that is quoted: code, quotation marks of several languages, quoted lines. An apostrophe inside a word opens nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Triggers:
    """Which triggers there are.

    Raises:
        InputError: An empty word of uncertainty, which every text would hold.
    """

    phase: bool = True
    """A phase is finished."""
    tool: bool = True
    """A tool failed or returned something unexpected."""
    uncertain: bool = True
    """The model's text signals uncertainty."""
    half: bool = True
    """Half of the steps are complete, once in a run."""
    words: tuple[str, ...] = UNCERTAIN
    """Of uncertainty; case does not count."""

    def __post_init__(self) -> None:
        """Check the words."""
        if any(not word.strip() for word in self.words):
            raise InputError("A word of uncertainty is empty: every text would hold it.")

    def on(self, trigger: Trigger) -> bool:
        """True if it is switched on."""
        switches = {"phase": self.phase, "tool": self.tool, "uncertain": self.uncertain, "half": self.half}
        return switches[trigger]


def is_uncertain(text: str, words: Sequence[str] = UNCERTAIN) -> bool:
    """True if one of the words stands in the text outside quotations; Latin words as whole ones."""
    spoken = " ".join(QUOTED.sub(" ", text).split())
    return any(re.search(_pattern(word), spoken, re.IGNORECASE) for word in words)


def _pattern(word: str) -> str:
    plain = re.escape(" ".join(word.split()))
    return rf"\b{plain}\b" if word.isascii() else plain


def phases(steps: Sequence[PlanStep]) -> dict[str, int]:
    """Per step id: its phase, from 1. A step is one phase behind the last of those it depends on."""
    by_id: Mapping[str, PlanStep] = {step.id: step for step in steps}
    found: dict[str, int] = {}

    def phase(step: PlanStep) -> int:
        if step.id not in found:
            found[step.id] = 1 + max((phase(by_id[name]) for name in step.depends_on if name in by_id), default=0)
        return found[step.id]

    for step in steps:
        phase(step)
    return found
