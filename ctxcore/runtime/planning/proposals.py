"""Plans and revisions as a model writes them: strict JSON, refused with a reason, never guessed at.

Source: the planner's rules, 1 and 5.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from typing import Any, NoReturn

from ctxcore.errors import shown
from ctxcore.model import Json
from ctxcore.runtime.planning.values import PlanStep


class BadProposal(ValueError):
    """An answer that is no plan; the sentence says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """What a checkpoint wants."""

    replan: bool
    """The pending steps are to be replaced."""
    why: str
    """The model's reason."""
    steps: tuple[PlanStep, ...] = ()
    """In their place."""


def read_plan(text: str, *, most_steps: int, tools: Collection[str]) -> tuple[PlanStep, ...]:
    """The steps of a plan.

    Args:
        text: The whole reply: ``{"steps": [{"id", "title", "criteria", "depends_on", "tools"}]}``, the last two may be left out.
        most_steps: Allowed.
        tools: Names that a step may allow.

    Raises:
        BadProposal: It is no plan.
    """
    return _checked(_keys(_object(text), {"steps"}, "The plan")["steps"], most_steps=most_steps, tools=tools, complete=(), taken=())


def read_revision(text: str, *, most_steps: int, tools: Collection[str], complete: Collection[str], taken: Collection[str]) -> Revision:
    """The answer to a checkpoint.

    Args:
        text: The whole reply: ``{"replan": false, "why": "…"}``, or ``true`` and ``steps`` as in a plan.
        most_steps: Allowed.
        tools: Names that a step may allow.
        complete: Ids of steps that are complete: new ones may depend on them.
        taken: Ids of all steps that are not pending: no new one may have them.

    Raises:
        BadProposal: It cannot be used.
    """
    value = _object(text)
    replan = value.get("replan")
    if not isinstance(replan, bool):
        _refuse(f"replan is {shown(replan)}, not true or false")
    _keys(value, {"replan", "why", "steps"} if replan else {"replan", "why"}, "The answer")
    why = value["why"]
    if not isinstance(why, str):
        _refuse(f"why is {shown(why)}, not a text")
    if not replan:
        return Revision(replan=False, why=why)
    return Revision(replan=True, why=why, steps=_checked(value["steps"], most_steps=most_steps, tools=tools, complete=complete, taken=taken))


def _object(text: str) -> dict[str, Json]:
    try:
        value = json.loads(text, object_pairs_hook=_unique, parse_constant=_no_number)
    except RecursionError:
        _refuse("it is nested too deeply")
    except BadProposal:
        raise
    except ValueError as error:
        _refuse(f"it is not JSON ({error})")
    if not isinstance(value, dict):
        _refuse(f"it is no object but {type(value).__name__}")
    return value


def _unique(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    value = dict(pairs)
    if len(value) < len(pairs):
        twice = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        _refuse(f"the key {shown(twice)} stands twice")
    return value


def _no_number(word: str) -> NoReturn:
    _refuse(f"{word} is no JSON number")


def _keys(value: Mapping[str, Json], wanted: set[str], what: str) -> Mapping[str, Json]:
    if set(value) != wanted:
        _refuse(f"{what} has the keys {', '.join(sorted(map(str, value))) or 'none'}; it must have {', '.join(sorted(wanted))}")
    return value


def _checked(values: Json, *, most_steps: int, tools: Collection[str], complete: Collection[str], taken: Collection[str]) -> tuple[PlanStep, ...]:
    """Steps with unique ids and known, acyclic dependencies."""
    if not isinstance(values, list) or not 1 <= len(values) <= most_steps:
        count = len(values) if isinstance(values, list) else type(values).__name__
        _refuse(f"steps must be a list of 1 to {most_steps}, not {count}")
    steps = tuple(_step(value, tools) for value in values)
    ids = [step.id for step in steps]
    if len(set(ids)) < len(ids) or set(ids) & set(taken):
        _refuse(f"an id is used twice or belongs to a step that has run: {', '.join(ids)}")
    for step in steps:
        unknown = [one for one in step.depends_on if one not in ids and one not in complete]
        if unknown:
            _refuse(f"step {step.id} depends on {', '.join(unknown)}, which is neither planned nor complete")
    _no_cycle(steps)
    return steps


def _no_cycle(steps: Sequence[PlanStep]) -> None:
    try:
        TopologicalSorter({step.id: step.depends_on for step in steps}).prepare()
    except CycleError as error:
        _refuse(f"steps depend on each other in a circle: {' → '.join(error.args[1])}")


def _step(value: Any, tools: Collection[str]) -> PlanStep:
    if not isinstance(value, dict) or not {"id", "title", "criteria"} <= set(value) <= {"id", "title", "criteria", "depends_on", "tools"}:
        _refuse(f"a step must have id, title and criteria, and may have depends_on and tools: {shown(value)}")
    for key in ("id", "title", "criteria"):
        if not isinstance(value[key], str) or not value[key].strip():
            _refuse(f"{key} of a step is {shown(value[key])}, not a text")
    depends_on = _names(value.get("depends_on", []), "depends_on")
    allowed = None if value.get("tools") is None else _names(value["tools"], "tools")
    if unknown := [name for name in allowed or () if name not in tools]:
        _refuse(f"step {value['id']} wants the tools {', '.join(unknown)}; there are: {', '.join(tools) or 'none'}")
    return PlanStep(id=value["id"], title=value["title"], criteria=value["criteria"], depends_on=depends_on, tools=allowed)


def _names(value: Json, what: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value) or len(set(value)) < len(value):
        _refuse(f"{what} of a step is {shown(value)}, not a list of different names")
    return tuple(value)


def _refuse(why: str) -> NoReturn:
    raise BadProposal(f"{why}.")
