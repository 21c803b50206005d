"""What the model is told: for a plan, for a step, for a checkpoint.

Source: the planner's rules, 1, 5 and 6.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from ctxcore.runtime.planning.values import PlanStep, StepRecord, Trigger
from ctxcore.runtime.task_state import TaskState, rendered, short
from ctxcore.runtime.tools import Tool

SYSTEM = "You work on a goal step by step. What counts as done is checked by the program, not by what you say."
"""For all requests, unless another is given."""

PLAN_FORM = (
    'Answer with one JSON object and nothing else: {"steps": [{"id": "s1", "title": "…", "criteria": "when it counts as complete", '
    '"depends_on": ["ids of steps that must be complete before"], "tools": ["names of the only tools it may call"]}]}. '
    "depends_on and tools may be left out."
)

REVISION_FORM = (
    'Answer with one JSON object and nothing else: {"replan": false, "why": "…"} to go on as planned, or {"replan": true, "why": "…", "steps": […]} '
    "with steps in the form of a plan, which take the place of all pending ones."
)

WHY: Mapping[Trigger, str] = {
    "phase": "a phase is finished",
    "tool": "a tool failed or returned something unexpected",
    "uncertain": "your answer signals uncertainty",
    "half": "half of the steps are complete",
}
"""A trigger in words."""


def plan_request(goal: str, tools: Sequence[Tool], most_steps: int) -> str:
    """The user message that asks for a plan."""
    listed = "\n".join(f"- {tool.name}: {tool.description}" for tool in tools) or "- none"
    return f"Goal: {goal}\n\nTools:\n{listed}\n\nMake a plan of 1 to {most_steps} steps. {PLAN_FORM}"


def step_request(goal: str, step: PlanStep, steps: Sequence[PlanStep], records: Mapping[str, StepRecord], failures: Sequence[str]) -> str:
    """The user message of one attempt.

    Args:
        goal: As given; always whole.
        step: To be done now.
        steps: Of the plan, in order.
        records: By step id.
        failures: What was tried in this run and why it failed.
    """
    done = [f"- {one.id} {one.title}: {short(records[one.id].evidence)}" for one in steps if records[one.id].status == "complete"]
    parts = [
        f"Goal: {goal}",
        f"Current step {step.id}: {step.title}\nIt is complete when: {step.criteria}",
        "Complete and verified:\n" + ("\n".join(done) or "- nothing yet"),
    ]
    if failures:
        parts.append("Tried and failed:\n" + "\n".join(f"- {one}" for one in failures))
    return "\n\n".join(parts)


def state_message(state: TaskState) -> str:
    """What is known so far: an earlier message, which a budget may drop as a whole."""
    return f"What this run has found so far, kept by the program:\n{rendered(state)}"


def checkpoint_request(
    goal: str, triggers: Sequence[Trigger], steps: Sequence[PlanStep], records: Mapping[str, StepRecord], failures: Sequence[str]
) -> str:
    """The user message of a checkpoint."""
    listed = [f"- {one.id} {one.title}: {_told(records[one.id])}" for one in steps]
    pending = json.dumps([one.as_json() for one in steps if records[one.id].status == "pending"], ensure_ascii=False)
    parts = [
        f"Goal: {goal}",
        f"Checkpoint, because {' and '.join(WHY[one] for one in triggers)}.",
        "Steps:\n" + "\n".join(listed),
        *(["Tried and failed:\n" + "\n".join(f"- {one}" for one in failures)] if failures else []),
        f"Pending steps: {pending}\nOnly these may be replaced; the goal and what is complete stay. {REVISION_FORM}",
    ]
    return "\n\n".join(parts)


def _told(record: StepRecord) -> str:
    """Status, with what is known of it."""
    known = record.evidence or record.reason
    return f"{record.status} ({short(known)})" if known else record.status
