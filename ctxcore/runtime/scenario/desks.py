"""Sets of tools that a scenario can name: real ones that work on something of their own, and scripted ones."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ctxcore.errors import InputError
from ctxcore.runtime.demo.research_desk import ResearchDesk
from ctxcore.runtime.demo.shop_desk import ShopDesk
from ctxcore.runtime.demo.travel_desk import TravelDesk
from ctxcore.runtime.demo.trip_desk import TripDesk
from ctxcore.runtime.demo.workshop import Workshop
from ctxcore.runtime.scenario.form import Fault, ScriptedTool
from ctxcore.runtime.tools import Tool, is_async


class ScriptedFailure(RuntimeError):
    """A scripted tool fails as its scenario says."""


@contextmanager
def _none() -> Iterator[list[Tool]]:
    yield []


@contextmanager
def _workshop() -> Iterator[list[Tool]]:
    with TemporaryDirectory() as folder:
        yield Workshop(Path(folder)).tools()


@contextmanager
def _travel() -> Iterator[list[Tool]]:
    with closing(TravelDesk()) as desk:
        yield desk.tools()


@contextmanager
def _research() -> Iterator[list[Tool]]:
    yield ResearchDesk().tools()


@contextmanager
def _shop() -> Iterator[list[Tool]]:
    yield ShopDesk().tools()


@contextmanager
def _trip() -> Iterator[list[Tool]]:
    yield TripDesk().tools()


DESKS: dict[str, Callable[[], Any]] = {"": _none, "workshop": _workshop, "travel": _travel, "research": _research, "shop": _shop, "trip": _trip}
"""By the name in a scenario: a folder with a small project, a booking desk, a library of documents, a shop, a booking office."""


@contextmanager
def open_desk(name: str, scripted: tuple[ScriptedTool, ...] = ()) -> Iterator[list[Tool]]:
    """The tools of a scenario, new ones each time.

    Raises:
        InputError: No such desk.
    """
    if name not in DESKS:
        raise InputError(f"No desk {name!r:.80}; there are: {', '.join(filter(None, DESKS))}.")
    with DESKS[name]() as tools:
        yield [*tools, *map(_scripted, scripted)]


def _scripted(form: ScriptedTool) -> Tool:
    left = list(form.results) or [None]

    async def answer(**_arguments: Any) -> Any:
        await asyncio.sleep(form.wait_s)
        value = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(value, dict) and set(value) == {"error"}:
            raise ScriptedFailure(str(value["error"]))
        return value

    return Tool(name=form.name, description=form.description, parameters=form.parameters, function=answer)


HANGS_S = 3600.0
"""Seconds that a call hangs where no limit ends it."""


def with_faults(tools: Sequence[Tool], faults: Sequence[Fault]) -> list[Tool]:
    """The tools, of which some calls fail or hang: what they did is done, its result is lost.

    Args:
        tools: Of one run.
        faults: What goes wrong.
    """
    return [_faulty(tool, mine) if (mine := [fault for fault in faults if fault.tool == tool.name]) else tool for tool in tools]


def _faulty(tool: Tool, faults: Sequence[Fault]) -> Tool:
    numbers = count(1)

    async def answer(**arguments: Any) -> Any:
        number = next(numbers)
        result = await tool.function(**arguments) if is_async(tool.function) else await asyncio.to_thread(tool.function, **arguments)
        for fault in faults:
            if fault.call == number and fault.when == "failure":
                raise ScriptedFailure(fault.error)
            if fault.call == number:
                await asyncio.sleep(HANGS_S)
        return result

    return replace(tool, function=answer)
