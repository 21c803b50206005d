"""The program itself: commands add themselves to ``app``."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from typing import Annotated, Any

import typer

from ctxcore import __version__
from ctxcore.views.visible import visible


def examples(*commands: str) -> str:
    """A line of examples for the help of a command."""
    return "Examples: " + " · ".join(f"[b]ctxscope {command}[/b]" for command in commands)


FAILED = 2
"""Exit code of every error, and of an answer that lacks one of the files."""

VERBOSE = "--verbose"
"""Option of every command, taken at any place of the line."""


Verbose = Annotated[bool, typer.Option(VERBOSE, help="After an error, tell all that is known of it.")]
"""``main`` looks for it itself: an error may come before options are read."""


app = typer.Typer(
    name="ctxscope",
    add_completion=False,
    help="See what an agent's model really received at every call, and what a budget would have kept or dropped.",
    epilog=examples("inspect session.jsonl", "replay session.jsonl --budget 16000", "open session.jsonl"),
    rich_markup_mode="rich",
    pretty_exceptions_show_locals=False,
)


def command(name: str = "", *, epilog: str, help: str | None = None) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Add a command to the program; it takes ``--verbose`` besides its own options.

    Args:
        name: That of the function by default.
        epilog: Under its help: examples.
        help: The function's docstring by default.
    """

    def add(function: Callable[..., None]) -> Callable[..., None]:
        @wraps(function)
        def run(**options: Any) -> None:
            del options["verbose"]
            function(**options)

        own = inspect.signature(function, eval_str=True)
        one = inspect.Parameter("verbose", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=Verbose)
        run.__signature__ = own.replace(parameters=[*own.parameters.values(), one])  # type: ignore[attr-defined] # what typer reads options from
        run.__annotations__ = {**function.__annotations__, "verbose": Verbose}
        app.command(name or None, epilog=epilog, help=help)(run)
        return function

    return add


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"ctxscope {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def start(
    context: typer.Context,
    verbose: Verbose = False,  # noqa: ARG001 - main looks for it
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")] = False,  # noqa: ARG001 - callback answers it
) -> None:
    """See what an agent's model really received at every call, and what a budget would have kept or dropped."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def say(sentence: str) -> None:
    """One line on stderr."""
    with suppress(OSError):
        typer.echo(f"ctxscope: {visible(sentence)}", err=True)
