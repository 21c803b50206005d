"""Why a request cannot be made to fit: what stays after every cut."""

from __future__ import annotations

from dataclasses import dataclass

from ctxcore.columns import IntArray
from ctxcore.policies.protocol import Timeline


@dataclass(frozen=True, slots=True, kw_only=True)
class Needs:
    """What a refused call still holds after every cut, in the unit of its budget; separators count with the messages.

    ``total`` is these four parts, each as far as the policy leaves it, and ``rest``.
    """

    total: int
    """Size after every cut."""
    budget: int
    """What it may take."""
    system: int
    """Messages that are pinned: system and developer, and what the user wants kept."""
    tools: int
    """Tool definitions."""
    task: int
    """The current task, its last real user message; 0 without one."""
    newest: int
    """The newest unit after the task; 0 without one."""
    unit: str
    """Of all sizes, in words."""
    cuts: bool = True
    """The policy may drop messages."""
    left: int = 0
    """Part of ``rest``: other messages of the history that the policy leaves."""

    @classmethod
    def of(
        cls, line: Timeline, column: int, *, budget: int, missing: int, tools: int, unit: str, cuts: bool = True, freed: IntArray | None = None
    ) -> Needs:
        """What a call needs.

        Args:
            line: Of the call's epoch.
            column: Of the call.
            budget: In the unit of the line's sizes.
            missing: By how much the call is too large after every cut.
            tools: Size of its tool definitions.
            unit: Name of that unit.
            cuts: The policy may drop messages.
            freed: Per position of the call's context: what the policy takes out of it; None for nothing.
        """
        length = int(line.epoch.lengths[column])
        unit_of = line.epoch.units.unit_of[:length]
        held = line.sizes.message[line.epoch.message[:length]] + line.sizes.separator - (0 if freed is None else freed)
        system = int(held[line.epoch.units.pinned[unit_of] & (unit_of != line.task[column])].sum())
        task, newest = (int(held[unit_of == numbers[column]].sum()) for numbers in (line.task, line.newest))
        left = 0 if freed is None else int(held.sum()) - system - task - newest
        return cls(total=budget + missing, budget=budget, system=system, tools=tools, task=task, newest=newest, unit=unit, cuts=cuts, left=left)

    @property
    def rest(self) -> int:
        """All else that stays: brackets, what the policy puts in, and the history that it leaves."""
        return self.total - self.system - self.tools - self.task - self.newest

    def __str__(self) -> str:
        """One sentence with its sizes, and one on what to do."""
        parts = f"system {self.system:,}, tools {self.tools:,}, task {self.task:,}, newest unit {self.newest:,}, rest {self.rest:,}"
        if not self.cuts:
            return (
                f"Needs {self.total:,} {self.unit}, budget {self.budget:,}, and this policy drops nothing: {parts}. "
                "Raise the budget or choose a policy that drops."
            )
        other = "choose a policy that drops more" if self.left > self.tools else "drop tool definitions"
        return f"Needs {self.total:,} {self.unit} after every cut, budget {self.budget:,}: {parts}. Raise the budget or {other}."
