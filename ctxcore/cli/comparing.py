"""Commands that weigh policies against each other."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ctxcore.cli.app import app, examples
from ctxcore.cli.options import (
    AsJson,
    Budget,
    File,
    FormatName,
    Plugins,
    SessionId,
    at_work,
    chosen_session,
    load_plugins,
    print_answer,
    read_file,
)
from ctxcore.errors import InputError
from ctxcore.measures.compare import Compared, compared
from ctxcore.measures.prices import Overrides, price_table
from ctxcore.model import Session, Thread
from ctxcore.policies import make_policy
from ctxcore.replay import replay as replay_thread
from ctxcore.views.comparing import compare_json, compare_table
from ctxcore.views.gate import failures, gate_json, gate_table, read_gate
from ctxcore.views.policies import policies_json, policies_table

PriceTable = Annotated[
    Path | None,
    typer.Option(
        "--prices", metavar="FILE.toml", help="Prices of your own, in dollars per million tokens; the published ones otherwise.", show_default=False
    ),
]
ThreadId = Annotated[str, typer.Option("--thread", metavar="ID", help="Which thread.", show_default="the first")]


@app.command(epilog=examples("policies", "policies --json"))
def policies(plugin: Plugins = None, as_json: AsJson = False) -> None:
    """List the rules that can trim, their settings, and where each comes from."""
    load_plugins(plugin)
    print_answer(policies_json() if as_json else policies_table(), as_json=as_json)


@app.command(epilog=examples("compare session.jsonl --budget 60k", "compare session.jsonl --budget 60k --policy whole-units --policy langchain-trim"))
def compare(
    file: File,
    budget: Budget,
    unit: Annotated[str, typer.Option(metavar="tokens|chars", help="What the budget counts.")] = "tokens",
    policy: Annotated[
        list[str] | None,
        typer.Option("--policy", metavar="NAME", help="May be repeated.", show_default="all that ship and need no summary"),
    ] = None,
    thread: ThreadId = "",
    session: SessionId = "",
    format: FormatName = "",
    prices: PriceTable = None,
    plugin: Plugins = None,
    as_json: AsJson = False,
) -> None:
    """Weigh policies at one budget: size, money, lost evidence, and requests that a provider would refuse."""
    load_plugins(plugin)
    own = price_table(prices) if prices else None
    with at_work("Comparing policies on", file):
        chosen = _thread(chosen_session(read_file(file, format), session), thread)
        rows = list(compared(chosen, budget, unit, policy or (), own=own))
        answer: Any = compare_json(rows, budget, unit) if as_json else compare_table(rows, budget, unit)
    print_answer(answer, as_json=as_json)


@app.command(epilog=examples("check session.jsonl --config policy.toml"))
def check(
    file: File,
    config: Annotated[Path, typer.Option("--config", metavar="FILE.toml", help="Policy, budget and limits; the page Compare saves one.")],
    thread: ThreadId = "",
    session: SessionId = "",
    format: FormatName = "",
    prices: PriceTable = None,
    plugin: Plugins = None,
    as_json: AsJson = False,
) -> None:
    """Hold a recording to limits under a policy; exit code 1 where one is passed."""
    load_plugins(plugin)
    gate, own = read_gate(config), price_table(prices) if prices else None
    with at_work("Checking", file):
        chosen = _thread(chosen_session(read_file(file, format), session), thread)
        row = _gated(chosen, gate.policy, gate.parameters, gate.budget, gate.unit, own)
        found = failures(gate, row)
        answer: Any = gate_json(gate, row, found) if as_json else gate_table(gate, row, found)
    print_answer(answer, as_json=as_json)
    if found:
        raise typer.Exit(1)


def _gated(thread: Thread, policy: str, parameters: dict[str, Any], budget: int, unit: str, own: Overrides | None) -> Compared:
    return Compared(replay=replay_thread(thread, make_policy(policy, **parameters), budget, unit), own=own)


def _thread(session: Session, id: str) -> Thread:
    try:
        return session.thread(id)
    except KeyError as error:
        known = ", ".join(one.id for one in session.threads[:12])
        raise InputError(f"No thread {id!r} in this session. It has: {known or 'none'}.") from error
