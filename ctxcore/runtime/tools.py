"""Tools that a model may call: arguments are checked, and whatever goes wrong becomes a result."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, NoReturn

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, ValidationError, best_match
from referencing import Registry

from ctxcore.errors import InputError
from ctxcore.model import Json
from ctxcore.runtime.argument_checks import ArgumentValidator, TooSlow, cannot_be_limited
from ctxcore.runtime.models import ToolDefinition
from ctxcore.sizes.characters import canonical_json

FAULT_CHARS = 300
"""Of an error's sentence; a message can quote a whole argument."""


class BadArguments(ValueError):
    """Arguments that a tool cannot be called with."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one tool call."""

    ok: bool
    """The tool returned a value."""
    content: str
    """Text of the tool message: ``{"result": …, "status": "ok"}`` or ``{"error": …, "status": "error"}`` as canonical JSON."""

    @classmethod
    def success(cls, value: Json) -> Outcome:
        """A returned value; a failure where JSON has no form for it."""
        try:
            return cls(ok=True, content=canonical_json({"status": "ok", "result": value}))
        except (TypeError, ValueError, RecursionError) as error:
            return cls.failure(f"The tool returned a value that is not JSON: {error}")

    @classmethod
    def failure(cls, reason: str) -> Outcome:
        """A failed, refused or unfinished call."""
        short = reason if len(reason) <= FAULT_CHARS else f"{reason[: FAULT_CHARS - 1]}…"
        return cls(ok=False, content=canonical_json({"status": "error", "error": short}))


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A function that a model may call by name.

    Raises:
        InputError: The parameters are no valid JSON Schema, or one whose patterns could go on for ever.
    """

    name: str
    """Unique in a run."""
    description: str
    """For the model."""
    parameters: Mapping[str, Json]
    """JSON Schema of the arguments, draft 2020-12; nothing outside it is fetched."""
    function: Callable[..., Any]
    """Gets the arguments by name. A plain function runs in a worker thread, so that a time limit holds; the thread itself cannot be stopped."""
    _validator: Any = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        try:
            Draft202012Validator.check_schema(self.parameters)
        except (SchemaError, OverflowError, RecursionError) as error:
            why = getattr(error, "message", None) or str(error)
            raise InputError(f"Tool {self.name!r}: the parameters are no JSON Schema ({why:.{FAULT_CHARS}}).") from error
        if cannot_be_limited(self.parameters):
            raise InputError(f"Tool {self.name!r}: the parameters have both patternProperties and unevaluatedProperties, which cannot be checked.")
        object.__setattr__(self, "_validator", ArgumentValidator(self.parameters, registry=Registry()))

    def definition(self) -> ToolDefinition:
        """As it is sent to a model; a copy."""
        function = {"name": self.name, "description": self.description, "parameters": deepcopy(dict(self.parameters))}
        return {"type": "function", "function": function}

    def parse(self, arguments: str) -> dict[str, Json]:
        """The arguments, checked.

        Raises:
            BadArguments: Not JSON, not an object, or not what the parameters ask for; also where a pattern of theirs takes too long.
        """
        try:
            values = json.loads(arguments, parse_constant=_no_number)
        except (ValueError, RecursionError) as error:
            raise BadArguments(f"The arguments are not JSON: {error}") from error
        if not isinstance(values, dict):
            raise BadArguments(f"The arguments are not an object but {type(values).__name__}.")
        try:
            fault = best_match(self._validator.iter_errors(values))
        except (TooSlow, ValidationError) as error:
            raise BadArguments(f"The arguments cannot be checked. {getattr(error, 'message', error)}") from error
        if fault is not None:
            raise BadArguments(f"Bad arguments at {fault.json_path}: {fault.message}")
        return values

    async def run(self, arguments: str, timeout_s: float | None = None) -> Outcome:
        """Call the function; every fault of it is a failure, only a cancelled run comes out as an exception.

        Args:
            arguments: As the model wrote them.
            timeout_s: Seconds, or None for no limit.
        """
        try:
            async with asyncio.timeout(timeout_s):
                return await self._outcome(arguments)
        except TimeoutError:  # only of the limit: a function's own became an outcome
            return Outcome.failure(f"No result within {timeout_s:g} seconds.")

    async def _outcome(self, arguments: str) -> Outcome:
        if not is_async(self.function):
            return await asyncio.to_thread(self._call, arguments)
        try:
            return Outcome.success(await self.function(**self.parse(arguments)))
        except asyncio.CancelledError:
            if being_cancelled():
                raise
            return Outcome.failure("The tool cancelled itself.")
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a tool may raise anything
            return _raised(error)

    def _call(self, arguments: str) -> Outcome:
        try:
            return Outcome.success(self.function(**self.parse(arguments)))
        except (Exception, SystemExit, asyncio.CancelledError) as error:  # noqa: BLE001 - a tool may raise anything
            return _raised(error)


def is_async(function: Callable[..., Any]) -> bool:
    """True for a coroutine function, and for an object whose call is one."""
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(getattr(function, "__call__", None))  # noqa: B004 - its kind, not whether


def times_cancelled() -> int:
    """How often somebody asked the running task to stop and was not answered; 0 outside of a task."""
    task = asyncio.current_task()
    return 0 if task is None else task.cancelling()


def being_cancelled() -> bool:
    """True if somebody asked the running task to stop (a ``CancelledError`` can also be the fault of called code)."""
    return times_cancelled() > 0


def _raised(error: BaseException) -> Outcome:
    return Outcome.failure(str(error) if isinstance(error, BadArguments) else f"{type(error).__name__}: {error}")


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is not a JSON number")
