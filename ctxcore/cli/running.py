"""The command that runs an agent."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Annotated

import typer

from ctxcore.cli.app import command, examples
from ctxcore.cli.options import AsJson, print_answer
from ctxcore.named_files import readable
from ctxcore.views.visible import visible

NOT_COMPLETE = 1
"""Exit code of a run that did not complete."""


@command(epilog=examples("run scenario.toml --record out.jsonl", "run scenario.toml --record out.jsonl --json | jq .status"))
def run(
    scenario: Annotated[Path, typer.Argument(metavar="SCENARIO", help="A scenario file (TOML).", show_default=False)],
    record: Annotated[Path | None, typer.Option("--record", metavar="FILE", help="Record every request into this new file, its folder too.")] = None,
    send_key: Annotated[bool, typer.Option("--send-key", help="Send the environment's key to the address that the scenario names.")] = False,
    as_json: AsJson = False,
) -> None:
    """Run an agent or a planner as a file says, and record what its model received. Exits 1 if it does not complete."""
    from ctxcore.runtime.scenario.form import read_scenario  # noqa: PLC0415 - other commands need no runtime
    from ctxcore.runtime.scenario.play import key_kept_back, play  # noqa: PLC0415
    from ctxcore.views.run import run_json, run_tables  # noqa: PLC0415

    read = read_scenario(readable(scenario))
    if not send_key and (kept_back := key_kept_back(read, os.environ)):
        typer.echo(f"ctxscope: {visible(kept_back)}", err=True)
    played = asyncio.run(play(read, record, send_key=send_key))
    written = record if record is not None and record.exists() else None
    print_answer(run_json(played, written) if as_json else run_tables(played, written), as_json=as_json)
    if played.status != "complete":
        raise typer.Exit(NOT_COMPLETE)
