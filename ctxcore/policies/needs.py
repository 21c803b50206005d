"""Why a request cannot be made to fit: what stays after every cut."""

from __future__ import annotations

from dataclasses import dataclass

from ctxcore.policies.protocol import Timeline


@dataclass(frozen=True, slots=True, kw_only=True)
class Needs:
    """What a refused call still holds after every cut, in the unit of its budget; separators count with the messages.

    ``total`` is these four parts, the request's own brackets, and the omission notice where something was dropped.
    """

    total: int
    """Size after every cut."""
    budget: int
    """What it may take."""
    system: int
    """Messages that their role pins, system and developer."""
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

    @classmethod
    def of(cls, line: Timeline, column: int, *, budget: int, missing: int, tools: int, unit: str, cuts: bool = True) -> Needs:
        """What a call needs.

        Args:
            line: Of the call's epoch.
            column: Of the call.
            budget: In the unit of the line's sizes.
            missing: By how much the call is too large after every cut.
            tools: Size of its tool definitions.
            unit: Name of that unit.
            cuts: The policy may drop messages.
        """
        seen, pinned = int(line.seen[column]), line.epoch.units.pinned
        system = int(line.size[:seen][pinned[:seen]].sum())
        task, newest = (_held(line, column, int(numbers[column])) for numbers in (line.task, line.newest))
        return cls(total=budget + missing, budget=budget, system=system, tools=tools, task=task, newest=newest, unit=unit, cuts=cuts)

    @property
    def rest(self) -> int:
        """All else that stays: brackets and the notice, and the history where the policy drops nothing."""
        return self.total - self.system - self.tools - self.task - self.newest

    def __str__(self) -> str:
        """One sentence with its sizes, and one on what to do."""
        parts = f"system {self.system:,}, tools {self.tools:,}, task {self.task:,}, newest unit {self.newest:,}"
        if not self.cuts:
            return (
                f"Needs {self.total:,} {self.unit}, budget {self.budget:,}, and this policy drops nothing: {parts}, all else {self.rest:,}. "
                "Raise the budget or choose a policy that drops."
            )
        return f"Needs {self.total:,} {self.unit} after every cut, budget {self.budget:,}: {parts}. Raise the budget or drop tool definitions."


def _held(line: Timeline, column: int, unit: int) -> int:
    """Size of those messages of a unit that stand in a call's context: the newest exchange may still wait for results. 0 without a unit."""
    if unit < 0:
        return 0
    length = int(line.epoch.lengths[column])
    inside = line.epoch.message[:length][line.epoch.units.unit_of[:length] == unit]
    return int((line.sizes.message[inside] + line.sizes.separator).sum())
