"""The command ``ctxscope``: thin, every answer is built by ``ctxcore.views``."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import util
from pathlib import Path
from runpy import run_path
from typing import Annotated, Any, Protocol, cast

import typer
from rich.console import Console, RenderableType

from ctxcore import __version__
from ctxcore.errors import CtxscopeError, InputError
from ctxcore.model import Session, Thread
from ctxcore.named_files import named_files, readable
from ctxcore.policies import POLICIES
from ctxcore.readers.detect import read_sessions
from ctxcore.replay import replay as replay_thread
from ctxcore.views.budget import LARGEST, parse_whole
from ctxcore.views.json_output import formats_json, inspect_json, replay_json, strict_json
from ctxcore.views.terminal import formats_table, inspect_tables, replay_tables
from ctxcore.views.visible import visible
from ctxcore.views.waiting import progress

FAILED = 2
"""Exit code of every error."""

OPEN_FILES = "CTXSCOPE_OPEN"
"""Environment variable that hands the dashboard its files: a JSON list of absolute paths."""


def _examples(*commands: str) -> str:
    """A line of examples for the help of a command."""
    return "Examples: " + " · ".join(f"[b]ctxscope {command}[/b]" for command in commands)


app = typer.Typer(
    name="ctxscope",
    add_completion=False,
    help="See what an agent's model really received at every call, and what a budget would have kept or dropped.",
    epilog=_examples("inspect session.jsonl", "replay session.jsonl --budget 16000", "open session.jsonl"),
    rich_markup_mode="rich",
)

File = Annotated[Path, typer.Argument(metavar="FILE", help="A recorded session.", show_default=False)]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON with a versioned schema instead of tables.")]
SessionId = Annotated[str, typer.Option("--session", metavar="ID", help="Which session of a file that holds several.", show_default="the first")]
FormatName = Annotated[
    str, typer.Option("--format", metavar="NAME", help="Read it as this format; ctxscope formats lists them.", show_default="found by its marks")
]


def _whole(text: str) -> int:
    """A number in an option, as people write it."""
    try:
        return min(parse_whole(text), LARGEST)
    except InputError as error:
        raise typer.BadParameter(str(error)) from error


Budget = Annotated[
    int,
    typer.Option(
        parser=_whole,
        metavar="N",
        help="Most that a request may take, tool definitions included; at least 1. 16000, 16,000, 16_000 and 16k are the same.",
        show_default=False,
    ),
]


class _UsageError(Protocol):
    """What typer raises for a wrong option: the part of it used here."""

    def format_message(self) -> str:
        """One sentence."""
        ...


USAGE_ERROR: type[Exception] = typer.BadParameter.__mro__[1]
"""Parent of typer's usage errors, whichever click typer brings along."""


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"ctxscope {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _start(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")] = False,  # noqa: ARG001 - callback answers it
) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@app.command(epilog=_examples("inspect session.jsonl", "inspect session.jsonl --json | jq .totals"))
def inspect(file: File, session: SessionId = "", format: FormatName = "", as_json: AsJson = False) -> None:
    """Show what a recording holds: every model call, its size by kind of content, and what could not be read."""
    with progress(f"Reading {file.name}"):
        sessions = _read(file, format)
        chosen = _session(sessions, session)
        answer: Any = inspect_json(chosen, sessions) if as_json else inspect_tables(chosen, sessions)
    _print(answer, as_json=as_json)


@app.command(epilog=_examples("replay session.jsonl --budget 16000", "replay session.jsonl --budget 100k --unit tokens --json"))
def replay(
    file: File,
    budget: Budget,
    unit: Annotated[str, typer.Option(metavar="chars|tokens", help="What the budget counts.")] = "chars",
    policy: Annotated[str, typer.Option(metavar="NAME", help=f"One of: {', '.join(kind.name for kind in POLICIES)}.")] = POLICIES[0].name,
    thread: Annotated[str, typer.Option(metavar="ID", help="Only this thread.", show_default="all")] = "",
    session: SessionId = "",
    format: FormatName = "",
    as_json: AsJson = False,
) -> None:
    """Apply a trimming policy to every call and show what would be sent. A refused call is a result, not an error."""
    with progress(f"Replaying {file.name}"):
        chosen = _session(_read(file, format), session)
        replays = [replay_thread(one, policy, budget, unit) for one in _threads(chosen, thread)]
        answer: Any = replay_json(chosen, replays) if as_json else replay_tables(replays)
    _print(answer, as_json=as_json)


@app.command(name="open", epilog=_examples("open", "open first.jsonl second.jsonl --port 8600 --no-browser"))
def open_dashboard(
    files: Annotated[list[Path] | None, typer.Argument(metavar="FILE", help="Recordings to load.", show_default=False)] = None,
    port: Annotated[int | None, typer.Option(min=1, max=65535, help="Port on this machine.", show_default="the first free one from 8501")] = None,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Show the dashboard in a browser.")] = True,
) -> None:
    """Start the dashboard on this machine only, with these recordings loaded. Stop it with Ctrl+C.

    A file that cannot be opened, or holds nothing, is left out with a warning; where none is left, nothing is started.
    """
    os.environ[OPEN_FILES] = json.dumps([str(path) for path in _openable(files or ())])
    launch = run_path(str(_dashboard() / "_launch.py"))["launch"]
    launch(port=port, browser=browser)


@app.command(epilog=_examples("formats --json"))
def formats(as_json: AsJson = False) -> None:
    """List the formats that can be read, and how each is known."""
    _print(formats_json() if as_json else formats_table(), as_json=as_json)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        arguments: Without the program's name; those of the process by default.

    Returns:
        The exit code: 0, or 2 after one sentence on stderr.
    """
    _never_fail_on_a_character()
    try:
        code = app(args=None if arguments is None else list(arguments), prog_name="ctxscope", standalone_mode=False)
        sys.stdout.flush()
    except typer.Abort:
        return _fail("Stopped.")
    except USAGE_ERROR as error:
        return _fail(cast(_UsageError, error).format_message())
    except CtxscopeError as error:
        return _fail(str(error))
    except OSError as error:
        return _not_written(error.strerror or str(error))
    except SystemExit as end:  # how rich and typer leave without a word where nobody reads on
        if not isinstance(end.__context__, BrokenPipeError):
            raise
        return _not_written("nobody reads it any more")
    return code if isinstance(code, int) else 0


def _fail(sentence: str) -> int:
    _say(sentence)
    return FAILED


def _say(sentence: str) -> None:
    """One line on stderr."""
    with suppress(OSError):
        typer.echo(f"ctxscope: {visible(sentence)}", err=True)


def _not_written(why: str) -> int:
    """Fail because of the output; what it still holds goes nowhere, or Python would try to write it once more at its end."""
    with suppress(OSError, ValueError):
        output = sys.stdout.fileno()
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, output)
        os.close(nowhere)
    return _fail(f"The output could not be written ({why}).")


def _never_fail_on_a_character() -> None:
    """A terminal that lacks a character shows a question mark in its place."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _print(answer: Any, *, as_json: bool) -> None:
    if as_json:
        typer.echo(strict_json(answer).encode())
    else:
        _table_console().print(cast(RenderableType, answer))


def _table_console() -> Console:
    """A console that takes no markup; a pipe gets lines wide enough for whole tables."""
    return Console(markup=False, highlight=False, emoji=False, width=None if sys.stdout.isatty() else 160)


def _read(file: Path, format: str) -> tuple[Session, ...]:
    return read_sessions(readable(file), format=format)


def _openable(files: Sequence[Path]) -> tuple[Path, ...]:
    """The files that the dashboard can open; a warning for each other one.

    Raises:
        InputError: Files were named, and none of them can be opened.
    """
    found = named_files(files)
    if found.complaints and not found.paths:
        raise InputError(" ".join(found.complaints))
    for complaint in found.complaints:
        _say(f"{complaint} It is left out.")
    return found.paths


def _session(sessions: Sequence[Session], id: str) -> Session:
    for one in sessions:
        if not id or one.id == id:
            return one
    raise InputError(f"No session {id!r} in this file. It holds: {_listed([one.id for one in sessions])}.")


def _threads(session: Session, id: str) -> Sequence[Thread]:
    if not id:
        return session.threads
    found = [thread for thread in session.threads if thread.id == id]
    if not found:
        raise InputError(f"No thread {id!r} in this session. It has: {_listed([t.id for t in session.threads])}.")
    return found


def _listed(ids: Sequence[str], most: int = 12) -> str:
    shown = ", ".join(ids[:most])
    return f"{shown} and {len(ids) - most} more" if len(ids) > most else shown


def _dashboard() -> Path:
    """The folder of the dashboard: beside the core in a checkout, a package of its own when installed.

    Raises:
        InputError: Neither is there.
    """
    checkout = Path(__file__).resolve().parent.parent / "pages"
    installed = util.find_spec("ctxscope_dashboard")
    places = [checkout, *map(Path, (installed.submodule_search_locations or ()) if installed else ())]
    for place in places:
        if (place / "_launch.py").is_file():
            return place
    raise InputError("The dashboard's pages are not installed. Install ctxscope again, or start it from a checkout.")


if __name__ == "__main__":
    sys.exit(main())
