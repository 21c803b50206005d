"""What a scenario file may say.

A tool call stands as its name and its arguments in JSON: ``read_file {"path": "a.py"}``.
"""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, model_validator

from ctxcore.errors import InputError
from ctxcore.form_faults import plain_fault
from ctxcore.runtime.planning.signals import UNCERTAIN
from ctxcore.toml_text import toml_file

SHOWN_FAULTS = 3
"""Of a file that is refused."""


Switch = Literal["failure", "timeout", "checkpoint"]
"""What can be injected into a scenario that provides for it: a tool that fails, one that hangs, a reply that calls for a checkpoint."""


class _Form(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Say(_Form):
    """One reply of the scripted model."""

    text: str = ""
    """May be empty beside tool calls."""
    calls: tuple[str, ...] = ()
    """Tool calls, each ``NAME JSON``."""
    wait_s: float = Field(default=0.0, ge=0, le=3600)
    """Before the reply."""
    fault: str = ""
    """The model fails with these words instead."""
    ids: tuple[str, ...] = ()
    """Of the tool calls; counted over the scenario if left out."""
    when: Switch | None = None
    """Said only where this is switched on."""
    unless: Switch | None = None
    """Said only where this is not switched on."""


class Turn(_Form):
    """A user message and the replies that answer it."""

    user: str
    """What the user says."""
    say: tuple[Say, ...] = Field(min_length=1)
    """In order; the last one calls no tool."""


class ScriptedTool(_Form):
    """A tool whose results are written down."""

    name: str
    """Unique."""
    description: str = ""
    """For the model."""
    parameters: dict[str, Any] = Field(default_factory=lambda: {"type": "object"})
    """JSON Schema."""
    results: tuple[Any, ...] = (None,)
    """One per call; the last one goes on for all later calls. A table with the one key ``error`` fails with its words."""
    wait_s: float = Field(default=0.0, ge=0, le=3600)
    """Before each result."""


class Fault(_Form):
    """What a switch does to a tool."""

    when: Literal["failure", "timeout"]
    """Switch. ``timeout`` lets the call hang until a time limit ends it."""
    tool: str
    """Its name."""
    call: int = Field(default=1, ge=1)
    """Which of its calls."""
    error: str = "The connection was lost."
    """Words of a failure."""


class Remembered(_Form):
    """A memory to begin with; every message of the run is added to it."""

    core: dict[str, Any] = Field(default_factory=dict)
    """Facts of every request."""
    extended: dict[str, Any] = Field(default_factory=dict)
    """Facts that are looked up."""
    episodes: tuple[str, ...] = ()
    """What happened before."""
    limit: int = Field(default=3, ge=0, le=50)
    """Items of each store that are retrieved for a request."""


class Endpoint(_Form):
    """A real model in place of the script."""

    base_url: str = ""
    """Empty takes it from the environment."""
    timeout_s: float = Field(default=120.0, gt=0)
    """Seconds for one attempt."""
    retries: int = Field(default=2, ge=0, le=10)
    """Attempts after the first."""


class _Scenario(_Form):
    model: str = "scripted"
    """Name in the record."""
    record: str = Field(default="", pattern=r"^([\w-][\w.-]*)?$")
    """Name of the file that it is recorded into; it begins with no dot, so that it names no folder."""
    start: datetime | None = None
    """Time of the first line of the record; without it the real time."""
    step_s: float = Field(default=1.0, ge=0)
    """Seconds from line to line, where ``start`` is given."""
    desk: str = ""
    """Name of a set of real tools; see ``desks``."""
    tool: tuple[ScriptedTool, ...] = ()
    """Further tools."""
    budget: Annotated[int, Field(ge=1)] | None = None
    """Characters; None sends all."""
    policy: str = "whole-units"
    """What fits requests to the budget."""
    endpoint: Endpoint | None = None
    """Asked instead of the script."""
    fault: tuple[Fault, ...] = ()
    """What may go wrong with tools."""
    switches: tuple[Switch, ...] = ()
    """What is injected."""
    memory: Remembered | None = None
    """Switches a memory on."""
    pace_s: float = Field(default=0.0, ge=0, le=60)
    """Before every scripted reply."""


S = TypeVar("S", bound=_Scenario)


def _with_an_end(scenario: S, seconds: float | None) -> S:
    """The scenario, if its calls that hang are ended some time.

    Raises:
        ValueError: They are not.
    """
    if seconds is None and any(fault.when == "timeout" for fault in scenario.fault):
        raise ValueError('a fault with when = "timeout" lets a call hang: say with tool_s after how many seconds it is given up')
    return scenario


class ConversationScenario(_Scenario):
    """A user talks to an agent."""

    kind: Literal["conversation"]
    """Tag."""
    system: str
    """System message."""
    form: Literal["requests", "messages"] = "requests"
    """A line for each request, or the whole conversation as one request."""
    turn: tuple[Turn, ...] = Field(min_length=1)
    """In order."""
    tool_s: float | None = Field(default=None, gt=0)
    """Seconds for one tool call."""

    @model_validator(mode="after")
    def _ends(self) -> Self:
        return _with_an_end(self, self.tool_s)


class Accept(_Form):
    """What the acceptance check looks for."""

    step: str
    """Id of the step."""
    text: str = ""
    """Must stand in the answer."""
    tool: str = ""
    """A call of it must have succeeded."""


class PlanLimits(_Form):
    """As ``Limits`` of the planner; what is left out is as there."""

    run_s: float | None = None
    step_s: float | None = None
    tool_s: float | None = None
    step_turns: int | None = None
    step_tool_calls: int | None = None
    calls: int | None = None
    steps: int | None = None
    attempts_per_step: int | None = None
    attempts: int | None = None
    revisions: int | None = None


class PlanTriggers(_Form):
    """As ``Triggers`` of the planner."""

    phase: bool = True
    tool: bool = True
    uncertain: bool = True
    half: bool = True
    words: tuple[str, ...] = UNCERTAIN


class PlanScenario(_Scenario):
    """A planner reaches a goal."""

    kind: Literal["plan"]
    """Tag."""
    goal: str
    """In the user's words."""
    say: tuple[Say, ...] = ()
    """Replies to plan, steps and checkpoints, in order."""
    accept: tuple[Accept, ...] = ()
    """Checks; a step without one is accepted."""
    limits: PlanLimits = PlanLimits()
    """Times and counts."""
    triggers: PlanTriggers = PlanTriggers()
    """When a checkpoint is made."""

    @model_validator(mode="after")
    def _ends(self) -> Self:
        return _with_an_end(self, self.limits.tool_s or self.limits.step_s or self.limits.run_s)


Scenario = ConversationScenario | PlanScenario
_ADAPTER: TypeAdapter[Scenario] = TypeAdapter(Annotated[Scenario, Field(discriminator="kind")])


def read_scenario(path: str | Path) -> Scenario:
    """A scenario from a TOML file.

    Raises:
        InputError: It cannot be read, or says what a scenario cannot say.
    """
    name = Path(path).name
    table = toml_file(path, f"The scenario {name}")
    if "kind" not in table:
        raise InputError(f'{name} is no scenario: it needs kind = "conversation" or kind = "plan".')
    try:
        return _ADAPTER.validate_python(table)
    except ValidationError as error:
        told = "; ".join(plain_fault(one) for one in error.errors()[:SHOWN_FAULTS])
        raise InputError(f"{name} is no scenario: {told}.") from error


def call_of(line: str) -> tuple[str, str]:
    """Name and arguments of a tool call.

    Raises:
        InputError: The arguments are no JSON object.
    """
    name, _, arguments = line.partition(" ")
    try:
        is_object = isinstance(json.loads(arguments or "{}"), dict)
    except (ValueError, RecursionError):
        is_object = False
    if not name or not is_object:
        raise InputError(f"The tool call {line[:80]!r} is not a name and a JSON object.")
    return name, arguments or "{}"
