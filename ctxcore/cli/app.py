"""The program itself: commands add themselves to ``app``."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated

import typer

from ctxcore import __version__
from ctxcore.views.visible import visible


def examples(*commands: str) -> str:
    """A line of examples for the help of a command."""
    return "Examples: " + " · ".join(f"[b]ctxscope {command}[/b]" for command in commands)


app = typer.Typer(
    name="ctxscope",
    add_completion=False,
    help="See what an agent's model really received at every call, and what a budget would have kept or dropped.",
    epilog=examples("inspect session.jsonl", "replay session.jsonl --budget 16000", "open session.jsonl"),
    rich_markup_mode="rich",
)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"ctxscope {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def start(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")] = False,  # noqa: ARG001 - callback answers it
) -> None:
    """Without a command, print the help."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def say(sentence: str) -> None:
    """One line on stderr."""
    with suppress(OSError):
        typer.echo(f"ctxscope: {visible(sentence)}", err=True)
