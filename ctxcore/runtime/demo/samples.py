"""The sample sessions: how each is made and written."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from ctxcore.runtime.demo import coding, research, travel
from ctxcore.runtime.demo.research_desk import ResearchDesk
from ctxcore.runtime.demo.script import play
from ctxcore.runtime.demo.travel_desk import TravelDesk
from ctxcore.runtime.demo.workshop import Workshop
from ctxcore.runtime.recorder import Recorder

MODEL, SMALL_MODEL = "gpt-5-mini", "gpt-3.5-turbo"
"""Names in the logs: models whose tokens can be counted exactly, the second one with a window that the long sample outgrows.
The replies are scripted, no model was asked."""


def ticking(start: float, step: float) -> Callable[[], float]:
    """A clock that goes on by the same step at each look."""

    def moments() -> Iterator[float]:
        now = start
        while True:
            yield now
            now += step

    return moments().__next__


def coding_agent(path: Path) -> None:
    """Write the coding sample: one line per call, each the full request and its reply."""
    recorder = Recorder(path, model=MODEL, clock=ticking(1_741_600_800, 14.5))  # 2025-03-10 10:00 UTC
    with TemporaryDirectory() as folder:
        workshop = Workshop(Path(folder))
        asyncio.run(play(coding.TURNS, system=coding.SYSTEM, tools=workshop.tools(), on_call=recorder))


def travel_desk(path: Path) -> None:
    """Write the Chinese sample: one line per call, each the full request and its reply."""
    recorder = Recorder(path, model=MODEL, clock=ticking(1_757_898_000, 9.25))  # 2025-09-15 01:00 UTC
    with closing(TravelDesk()) as desk:
        asyncio.run(play(travel.TURNS, system=travel.SYSTEM, tools=desk.tools(), on_call=recorder))


def long_research(path: Path) -> None:
    """Write the long sample as one conversation with its tools.

    A line per call repeats the history 171 times: 13.6 MB, 1.2 MB packed. From one list of 0.2 MB the reader rebuilds the same calls, marked so.
    """
    desk = ResearchDesk()
    tools = desk.tools()
    messages = asyncio.run(play(research.turns(), system=research.SYSTEM, tools=tools))
    request = {"model": SMALL_MODEL, "messages": messages, "tools": [tool.definition() for tool in tools]}
    path.write_bytes((json.dumps(request, ensure_ascii=False, indent=1) + "\n").encode())


SAMPLES: dict[str, Callable[[Path], None]] = {
    "coding-agent.jsonl": coding_agent,
    "travel-desk-zh.jsonl": travel_desk,
    "long-research.json": long_research,
}
"""File name and what writes it."""


def write_samples(folder: Path) -> list[Path]:
    """Write every sample anew; the paths."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, write in SAMPLES.items():
        (folder / name).unlink(missing_ok=True)
        write(folder / name)
    return [folder / name for name in SAMPLES]
