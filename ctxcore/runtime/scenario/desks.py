"""Sets of tools that a scenario can name: real ones that work on something of their own, and scripted ones."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ctxcore.errors import InputError
from ctxcore.runtime.demo.research_desk import ResearchDesk
from ctxcore.runtime.demo.travel_desk import TravelDesk
from ctxcore.runtime.demo.workshop import Workshop
from ctxcore.runtime.scenario.form import ScriptedTool
from ctxcore.runtime.tools import Tool


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


DESKS: dict[str, Callable[[], Any]] = {"": _none, "workshop": _workshop, "travel": _travel, "research": _research}
"""By the name in a scenario: a folder with a small project, a booking desk, a library of documents."""


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
