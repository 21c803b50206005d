"""``update_plan`` of Codex: the whole plan as steps with a status.

Source: recorded rollouts of Codex CLI, ``{"explanation": ..., "plan": [{"step": ..., "status": ...}]}``.
"""

from __future__ import annotations

from typing import ClassVar

from ctxcore.plan.families.protocol import read_items
from ctxcore.plan.values import Write
from ctxcore.tool_uses import ToolUse

NAMES = frozenset({"updateplan", "setplan", "writeplan", "createplan"})
"""Tool names in lower case without separators."""


class PlanSteps:
    """See the module."""

    name: ClassVar[str] = "plan-steps"
    tools: ClassVar[str] = "update_plan (Codex)"

    def read(self, use: ToolUse) -> Write | None:
        """See ``Family.read``."""
        if use.word not in NAMES:
            return None
        arguments = use.arguments
        plan = arguments.get("plan", arguments.get("steps"))
        if not isinstance(plan, list):
            return None if arguments else Write(items=(), fault="The arguments are not a JSON object with a plan.")
        items = read_items(plan)
        if items is None:
            return Write(items=(), fault="The plan holds entries without a title.")
        note = arguments.get("explanation")
        return Write(items=items, note=note if isinstance(note, str) else "")
