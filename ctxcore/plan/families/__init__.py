"""Ways in which plans are written: one file and one line each. Tools, texts of replies, and what the program that ran the agent wrote down."""

from __future__ import annotations

from ctxcore.plan.families.check_list import CheckList
from ctxcore.plan.families.journal import Journal
from ctxcore.plan.families.messages import CheckListText, JsonPlan
from ctxcore.plan.families.plan_steps import PlanSteps
from ctxcore.plan.families.protocol import Family, TextFamily
from ctxcore.plan.families.tasks import Tasks
from ctxcore.plan.families.todo_list import TodoList

FAMILIES: tuple[Family, ...] = (Tasks(), PlanSteps(), CheckList(), TodoList())
"""Tools, in the order they are tried."""

TEXT_FAMILIES: tuple[TextFamily, ...] = (JsonPlan(), CheckListText())
"""Texts of replies, in the order they are tried."""

JOURNAL = Journal()
"""Recorded events."""

__all__ = ["FAMILIES", "JOURNAL", "TEXT_FAMILIES", "Family", "TextFamily"]
