"""The sample sessions: recorded anew from the scenario files beside them, the same bytes each time."""

from __future__ import annotations

import asyncio
from pathlib import Path

from ctxcore.errors import InputError
from ctxcore.runtime.scenario.form import read_scenario
from ctxcore.runtime.scenario.play import Played, play


def write_sample(scenario: Path, record: Path) -> Played:
    """Play a scenario into a file that is not there yet.

    Args:
        scenario: A TOML file.
        record: What to write.

    Raises:
        InputError: It is no scenario, it does not complete, or the record is there already.
    """
    played = asyncio.run(play(read_scenario(scenario), record))
    if played.status != "complete":
        raise InputError(f"{scenario.name}: {played.status} after {played.calls} calls. {played.reason}")
    return played


def write_samples(folder: Path) -> list[Path]:
    """Write every sample of a folder anew, each beside its scenario; the paths.

    Raises:
        InputError: As for ``write_sample``.
    """
    written: list[Path] = []
    for scenario in sorted(folder.glob("*.toml")):
        record = folder / read_scenario(scenario).record
        record.unlink(missing_ok=True)
        write_sample(scenario, record)
        written.append(record)
    return written
