"""The runs that can be started live."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from ctxcore.runtime.demo.published import published
from ctxcore.runtime.scenario.form import Scenario, read_scenario

FOLDER = Path(__file__).resolve().parent / "lab"


def night_line() -> Scenario:
    """A planner finds out why a night bus is late."""
    return read_scenario(FOLDER / "night-line.toml")


LABS: Mapping[str, Callable[[], Scenario]] = {"published": published, "night-line": night_line}
"""By name; each is made anew."""
