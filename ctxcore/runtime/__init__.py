"""Runs an agent live: models, tools, the loop between them, a budget in front and a recorder behind."""

from __future__ import annotations

from ctxcore.runtime.budgeted import BudgetedModel
from ctxcore.runtime.loop import RunResult, ToolRun, run_agent
from ctxcore.runtime.models import Model, ScriptedModel, ScriptEnded
from ctxcore.runtime.recorder import Recorder
from ctxcore.runtime.tools import Outcome, Tool

__all__ = ["BudgetedModel", "Model", "Outcome", "Recorder", "RunResult", "ScriptEnded", "ScriptedModel", "Tool", "ToolRun", "run_agent"]
