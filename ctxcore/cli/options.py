"""Options that several commands have, and what they mean."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Annotated, Any, cast

import typer
from rich.console import Console, RenderableType

from ctxcore.cli.app import say
from ctxcore.errors import InputError, ReadError, did_you_mean
from ctxcore.model import Session, Thread
from ctxcore.named_files import file_bytes, readable, readable_recording
from ctxcore.policies import load_plugin
from ctxcore.readers.detect import read_sessions, read_uploads
from ctxcore.views.budget import parse_whole
from ctxcore.views.json_output import strict_json
from ctxcore.views.waiting import progress

File = Annotated[Path, typer.Argument(metavar="FILE", help="A recorded session, or a folder with its files.", show_default=False)]
Files = Annotated[
    list[Path],
    typer.Argument(metavar="FILE", help="A recorded session, or a folder with its files; several are read together.", show_default=False),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON with a versioned schema instead of tables.")]
SessionId = Annotated[str, typer.Option("--session", metavar="ID", help="Which session of a file that holds several.", show_default="the first")]
FormatName = Annotated[
    str, typer.Option("--format", metavar="NAME", help="Read it as this format; ctxscope formats lists them.", show_default="found by its marks")
]


UnitName = Annotated[
    str, typer.Option("--unit", metavar="chars|tokens", help="What the budget counts: characters of the request's JSON, as on the pages, or tokens.")
]
ThreadId = Annotated[str, typer.Option("--thread", metavar="ID", help="Only this thread.", show_default="all")]


def whole_number(text: str) -> int:
    """A number in an option, as people write it."""
    try:
        return parse_whole(text)
    except InputError as error:
        raise typer.BadParameter(str(error)) from error


Budget = Annotated[
    int,
    typer.Option(
        parser=whole_number,
        metavar="N",
        help="Most that a request may take, tool definitions included; at least 1. 16000, 16,000, 16_000 and 16k are the same.",
        show_default=False,
    ),
]
BudgetIfAny = Annotated[
    int | None,
    typer.Option("--budget", parser=whole_number, metavar="N", help="Most that a request may take, tool definitions included.", show_default=False),
]


PIPE_COLUMNS = 160
"""Width of a table that is not written to a terminal."""


def print_answer(answer: Any, *, as_json: bool) -> None:
    """Print JSON, or tables for people."""
    if as_json:
        typer.echo(strict_json(answer).encode())
    else:
        _table_console().print(cast(RenderableType, answer))


def _table_console() -> Console:
    """A console that takes no markup; a pipe gets lines wide enough for whole tables, unless ``COLUMNS`` says how wide they are to be."""
    asked = sys.stdout.isatty() or os.environ.get("COLUMNS", "").isdecimal()
    return Console(markup=False, highlight=False, emoji=False, width=None if asked else PIPE_COLUMNS)


def at_work(doing: str, file: Path | Sequence[Path]) -> AbstractContextManager[None]:
    """A progress bar on a terminal for work on a file, a folder or several that takes long."""
    files = [file] if isinstance(file, Path) else list(file)
    name = files[0].name if len(files) == 1 else f"{len(files):,} files"
    return progress(f"{doing} {name}", size_bytes=sum(file_bytes(one.expanduser()) for one in files))


def read_file(file: Path, format: str) -> tuple[Session, ...]:
    """The sessions of a file or folder; an empty format is found by its marks."""
    return read_sessions(readable_recording(file), format=format)


def read_together(files: Sequence[Path], format: str) -> tuple[tuple[Session, ...], bool]:
    """The sessions of files that were recorded together, and whether one of several gave none: it is told and left out.

    Raises:
        ReadError: There is no session.
    """
    if len(files) == 1:
        return read_file(files[0], format), False
    failures: list[ReadError] = []
    uploads: list[tuple[str, Path]] = []
    for file in files:
        try:
            uploads.append((file.name, readable_recording(file)))
        except ReadError as error:
            failures.append(error)
    reading = read_uploads(uploads, format=format)
    failures += reading.failures
    if not reading.sessions:
        raise failures[0]
    for failure in failures:
        say(f"{failure} It is left out.")
    return reading.sessions, bool(failures)


def chosen_session(sessions: Sequence[Session], id: str) -> Session:
    """The session with this id, or the first for an empty one.

    Raises:
        InputError: No such session.
    """
    for one in sessions:
        if not id or one.id == id:
            return one
    raise InputError(f"No session {id!r} in this file. It holds: {_listed(id, [one.id for one in sessions])}")


def chosen_threads(session: Session, id: str) -> Sequence[Thread]:
    """The thread with this id, or all for an empty one.

    Raises:
        InputError: No such thread.
    """
    found = [thread for thread in session.threads if id in ("", thread.id)]
    if id and not found:
        raise InputError(f"No thread {id!r} in this session. It has: {_listed(id, [thread.id for thread in session.threads])}")
    return found


def _listed(asked: str, ids: Sequence[str], most: int = 12) -> str:
    """The ids that there are, and the one that may be meant; the end of a sentence."""
    shown = ", ".join(ids[:most]) or "none"
    more = f" and {len(ids) - most:,} more" if len(ids) > most else ""
    return f"{shown}{more}.{did_you_mean(asked, ids)}"


PolicyName = Annotated[str, typer.Option("--policy", metavar="NAME", help="The rule that trims; ctxscope policies lists them.")]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="A setting of the policy, for example keep_results=5; may be repeated.", show_default=False),
]
SettingsOfEach = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="[POLICY.]NAME=VALUE",
        help="A setting of a policy, for example autogen-buffered.buffer_size=20; without its name where one policy is compared. May be repeated.",
        show_default=False,
    ),
]
Plugins = Annotated[
    list[Path] | None,
    typer.Option("--plugin", metavar="FILE.py", help="A Python file with policies of your own; it is run.", show_default=False),
]


def load_plugins(files: Sequence[Path] | None) -> None:
    """Run plug-ins and add their policies."""
    for file in files or ():
        load_plugin(readable(file))
