"""The command that starts the dashboard."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from importlib import util
from pathlib import Path
from runpy import run_path
from typing import Annotated

import typer

from ctxcore.cli.app import command, examples, say
from ctxcore.cli.options import FormatName, Plugins, load_plugins
from ctxcore.errors import InputError
from ctxcore.named_files import named_files
from ctxcore.readers.verdict import named_reader

OPEN_FILES = "CTXSCOPE_OPEN"
"""Environment variable that hands the dashboard its files: a JSON list of absolute paths."""

OPEN_FORMAT = "CTXSCOPE_FORMAT"
"""Environment variable that hands the dashboard the format of these files; empty where their marks tell."""

OPEN_PLUGINS = "CTXSCOPE_PLUGINS"
"""Environment variable that hands the dashboard its plug-ins: the same."""


@command("open", epilog=examples("open", "open task-folder", "open first.jsonl second.jsonl --port 8600 --no-browser"))
def open_dashboard(
    files: Annotated[
        list[Path] | None, typer.Argument(metavar="FILE", help="Recordings to load; a folder is read as one upload.", show_default=False)
    ] = None,
    port: Annotated[int | None, typer.Option(min=1, max=65535, help="Port on this machine.", show_default="the first free one from 8501")] = None,
    format: FormatName = "",
    plugin: Plugins = None,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Show the dashboard in a browser.")] = True,
) -> None:
    """Start the dashboard on this machine only, with these recordings loaded. Stop it with Ctrl+C.

    A file that cannot be opened, or holds nothing, is left out with a warning; where none is left, nothing is started.
    """
    load_plugins(plugin)
    os.environ[OPEN_FORMAT] = named_reader(format).name if format else ""
    os.environ[OPEN_PLUGINS] = json.dumps([str(path.absolute()) for path in plugin or ()])
    os.environ[OPEN_FILES] = json.dumps([str(path) for path in _openable(files or ())])
    launch = run_path(str(_dashboard() / "_launch.py"))["launch"]
    launch(port=port, browser=browser, tell=_tell)


def _tell(address: str) -> None:
    """Where the dashboard is, and how to stop it; at once, also into a pipe."""
    typer.echo(f"ctxscope shows the dashboard at {address}\nOnly this machine can reach it. Stop it with Ctrl+C.")
    sys.stdout.flush()


def _openable(files: Sequence[Path]) -> tuple[Path, ...]:
    """The files that the dashboard can open; a warning for each other one.

    Raises:
        InputError: Files were named, and none of them can be opened.
    """
    found = named_files(files)
    if found.complaints and not found.paths:
        raise InputError(" ".join(found.complaints))
    for complaint in found.complaints:
        say(f"{complaint} It is left out.")
    return found.paths


def _dashboard() -> Path:
    """The folder of the dashboard: beside the core in a checkout, a package of its own when installed.

    Raises:
        InputError: Neither is there.
    """
    checkout = Path(__file__).resolve().parents[2] / "pages"
    installed = util.find_spec("ctxscope_dashboard")
    places = [checkout, *map(Path, (installed.submodule_search_locations or ()) if installed else ())]
    for place in places:
        if (place / "_launch.py").is_file():
            return place
    raise InputError("The dashboard's pages are not installed. Install ctxscope again, or start it from a checkout.")
