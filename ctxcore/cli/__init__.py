"""The command ``ctxscope``: thin, every answer is built by ``ctxcore.views``."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from traceback import format_exception
from typing import Protocol, cast

import typer

from ctxcore.cli import compacting, comparing, dashboard, editing, reading, report, running
from ctxcore.cli.app import FAILED, VERBOSE, app, say
from ctxcore.errors import CtxscopeError, PluginError, ReaderPluginError
from ctxcore.policies.plugins import left_out, plugin_fault
from ctxcore.readers.plugins import plugin_faults

COMMANDS = (reading, comparing, editing, compacting, report, running, dashboard)
"""Modules whose commands there are, in the order of the help."""

app.registered_commands.sort(key=lambda command: [module.__name__ for module in COMMANDS].index(getattr(command.callback, "__module__", "")))


class _UsageError(Protocol):
    """What typer raises for a wrong option: the part of it used here."""

    def format_message(self) -> str:
        """One sentence."""
        ...


USAGE_ERROR: type[Exception] = typer.BadParameter.__mro__[1]
"""Parent of typer's usage errors, whichever click typer brings along."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        arguments: Without the program's name; those of the process by default.

    Returns:
        The exit code: 0, or 2 after one sentence on stderr.
    """
    _never_fail_on_a_character()
    given = sys.argv[1:] if arguments is None else list(arguments)
    try:
        return _run(given)
    except OSError as error:
        return _not_written(error.strerror or str(error))
    except SystemExit as end:  # how rich and typer leave without a word where nobody reads on
        if isinstance(end.__context__, BrokenPipeError):
            return _not_written("nobody reads it any more")
        if end.code not in (None, 0):
            raise
        return _fail("Something that was run ended the program, so nothing is known.")


def _run(given: list[str]) -> int:
    try:
        code = app(args=given, prog_name="ctxscope", standalone_mode=False)
        sys.stdout.flush()
    except typer.Abort:
        return _fail("Stopped.")
    except USAGE_ERROR as error:
        return _fail(cast(_UsageError, error).format_message())
    except CtxscopeError as error:
        return _failed(error, verbose=VERBOSE in given)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a plug-in may end the program, and 0 would say that all is well
        fault = plugin_fault(error)
        if fault is None:
            raise
        fault.__cause__ = error
        return _failed(fault, verbose=VERBOSE in given)
    finally:
        for sentence in (*plugin_faults(), *left_out()):
            say(sentence)
    return code if isinstance(code, int) else 0


def _failed(error: CtxscopeError, *, verbose: bool) -> int:
    """One sentence; with ``--verbose`` all that is known, and the traceback of a plug-in."""
    cause = error.__cause__ if isinstance(error, (PluginError, ReaderPluginError)) else None
    hint = " --verbose shows the traceback." if cause is not None and not verbose else ""
    say(f"{error}{hint}")
    if verbose:
        for line in error.details:
            say(f"  {line}")
        if cause is not None:
            for line in "".join(format_exception(cause)).splitlines():
                say(f"  {line}")
    return FAILED


def _fail(sentence: str) -> int:
    say(sentence)
    return FAILED


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
