"""Clocks and rows: a measure is a time or a size beside its reference, and the ratio beside its target."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the table."""

    what: str
    """What was measured, on what."""
    value: str
    """With its unit."""
    reference: str
    """What it is compared with, with its unit."""
    ratio: float
    """Of the two."""
    target: float
    """That the ratio has to keep to."""
    side: Literal["at most", "at least"] = "at most"
    """On which side of the target."""

    @property
    def kept(self) -> bool:
        """True if the target is met."""
        return self.ratio <= self.target if self.side == "at most" else self.ratio >= self.target


def median_ms(action: Callable[[], object], repetitions: int) -> float:
    """Median time of an action in milliseconds."""
    return in_turn_ms({"": action}, repetitions)[""]


def in_turn_ms(actions: Mapping[str, Callable[[], object]], repetitions: int) -> dict[str, float]:
    """Median time of each action in milliseconds; they take turns, so that a busy moment of the machine hits all of them."""
    times: dict[str, list[float]] = {name: [] for name in actions}
    for _ in range(repetitions):
        for name, action in actions.items():
            start = time.perf_counter()
            kept = action()
            times[name].append((time.perf_counter() - start) * 1000)
            del kept
    return {name: statistics.median(found) for name, found in times.items()}


def timed_row(what: str, ms: float, reference: str, reference_ms: float, target: float) -> Row:
    """A row of two times."""
    return Row(what=what, value=_ms(ms), reference=f"{reference} {_ms(reference_ms)}", ratio=ms / reference_ms, target=target)


def limited_row(what: str, ms: float, limit_ms: float) -> Row:
    """A row of a time that has a limit of its own."""
    return Row(what=what, value=_ms(ms), reference=f"limit {_ms(limit_ms)}", ratio=ms / limit_ms, target=1.0)


def _ms(value: float) -> str:
    return f"{value:,.0f} ms" if value >= 10 else f"{value:,.2f} ms"


def in_new_process(function: str, *arguments: str | int | Path) -> Any:
    """What a function of ``tests.benchmarks.alone`` returns in an interpreter of its own."""
    command = [sys.executable, "-m", "tests.benchmarks.alone", function, *map(str, arguments)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
