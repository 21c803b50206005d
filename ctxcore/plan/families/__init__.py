"""Tools that write plans: one file and one line of ``FAMILIES`` each."""

from __future__ import annotations

from ctxcore.plan.families.check_list import CheckList
from ctxcore.plan.families.plan_steps import PlanSteps
from ctxcore.plan.families.protocol import Family
from ctxcore.plan.families.tasks import Tasks
from ctxcore.plan.families.todo_list import TodoList

FAMILIES: tuple[Family, ...] = (Tasks(), PlanSteps(), CheckList(), TodoList())
"""Every family, in the order they are tried."""

__all__ = ["FAMILIES", "Family"]
