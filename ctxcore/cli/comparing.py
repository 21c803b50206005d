"""Commands that weigh policies against each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Group

from ctxcore.cli.app import command, examples, say
from ctxcore.cli.options import (
    AsJson,
    BudgetIfAny,
    File,
    FormatName,
    Plugins,
    SessionId,
    Settings,
    SettingsOfEach,
    at_work,
    chosen_session,
    chosen_threads,
    load_plugins,
    print_answer,
    read_file,
)
from ctxcore.errors import CtxscopeError, InputError, PluginError
from ctxcore.measures.compare import Compared, baseline, compared
from ctxcore.measures.finder import Finding, find_budget
from ctxcore.measures.prices import Overrides, price_table
from ctxcore.model import Session, Thread
from ctxcore.named_files import readable
from ctxcore.policies import POLICIES, Policy, all_policies, make_policy
from ctxcore.replay import replay as replay_thread
from ctxcore.views.comparing import compare_json, compare_tables
from ctxcore.views.gate import Gate, failures, read_gate
from ctxcore.views.gate_tables import gate_json, gate_tables, gates_json
from ctxcore.views.policies import policies_json, policies_tables, policy_sheet
from ctxcore.views.settings import policy_settings, settings_of_each
from ctxcore.views.smallest import smallest_json, smallest_table
from ctxcore.views.terminal import plain
from ctxcore.views.words import NO_CALLS

PriceTable = Annotated[
    Path | None,
    typer.Option(
        "--prices", metavar="FILE.toml", help="Prices of your own, in dollars per million tokens; the published ones otherwise.", show_default=False
    ),
]
ThreadId = Annotated[str, typer.Option("--thread", metavar="ID", help="Which thread.", show_default="the first")]


@command(epilog=examples("policies", "policies langchain-trim", "policies --json"))
def policies(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Tell all about this one.", show_default=False)] = "",
    plugin: Plugins = None,
    as_json: AsJson = False,
) -> None:
    """List the rules that can trim, or tell all about one: what it does and loses, its settings, where it comes from."""
    load_plugins(plugin)
    if as_json:
        print_answer(policies_json(name), as_json=True)
    else:
        print_answer(policy_sheet(name) if name else policies_tables(), as_json=False)


@command(
    epilog=examples(
        "compare session.jsonl --budget 60k",
        "compare session.jsonl --smallest",
        "compare session.jsonl --budget 60k --policy whole-units --policy autogen-buffered --set autogen-buffered.buffer_size=20",
    )
)
def compare(
    file: File,
    budget: BudgetIfAny = None,
    unit: Annotated[
        str,
        typer.Option(
            "--unit",
            metavar="chars|tokens",
            help="What the budget counts. Tokens here, since money is compared; replay, report, request and the pages begin with characters.",
        ),
    ] = "tokens",
    policy: Annotated[
        list[str] | None,
        typer.Option("--policy", metavar="NAME", help="May be repeated.", show_default="all that ship and need no summary"),
    ] = None,
    settings: SettingsOfEach = None,
    smallest: Annotated[
        bool, typer.Option("--smallest", help="Find the smallest budget that refuses and loses nothing; of the first policy unless some are named.")
    ] = False,
    notes: Annotated[bool, typer.Option("--notes", help="List what policies assume.")] = False,
    thread: ThreadId = "",
    session: SessionId = "",
    format: FormatName = "",
    prices: PriceTable = None,
    plugin: Plugins = None,
    as_json: AsJson = False,
) -> None:
    """Weigh policies at one budget: size, money, lost evidence, and requests that a provider would refuse. Best first."""
    load_plugins(plugin)
    if budget is None and not smallest:
        raise InputError("Compare at which budget? Name one with --budget N, or ask for the smallest that loses nothing with --smallest.")
    own = price_table(readable(prices)) if prices else None
    with at_work("Comparing policies on", file):
        one = chosen_session(read_file(file, format), session)
        chosen = _thread(one, thread)
        if not chosen.calls:
            raise InputError(NO_CALLS)
        found = _smallest(chosen, unit, policy, settings) if smallest else []
        if budget is None:
            answer: Any = {"schema": "ctxscope.smallest/1", "thread": chosen.id, "policies": smallest_json(found)}
            tables = [smallest_table(found, chosen.id)]
        else:
            rows, base = list(compared(chosen, budget, unit, _policies(policy, settings or ()), own=own)), baseline(chosen, unit, own=own)
            answer = {**compare_json(one, base, rows), **({"smallest": smallest_json(found)} if smallest else {})}
            tables = [compare_tables(one, base, rows, notes=notes), *(["", smallest_table(found, chosen.id)] if smallest else [])]
    print_answer(answer if as_json else Group(*tables), as_json=as_json)


def _smallest(thread: Thread, unit: str, names: Sequence[str] | None, settings: Sequence[str] | None) -> list[Finding]:
    """Budgets of the policies that were named, else of the default: each is tried at many budgets."""
    return [find_budget(thread, one, unit) for one in _policies(names or [POLICIES[0].name], settings or ())]


CHECK_HELP = """Hold recordings to limits under a policy. Exit code 0: all hold, 1: one does not or is unknown, 2: an error.

Of several files each is told, and the worst exit code counts.

The configuration is TOML; budget and at least one limit are needed, the rest has defaults:

\b
    policy = "whole-units"      # ctxscope policies lists them
    budget = "60k"              # or 60000, or 60_000
    unit = "tokens"             # or "chars"
    \\[parameters]                # settings of the policy
    notice = true
    \\[limits]                    # the most that is allowed
    max_lost_references = 0     # used by a reply, and removed
    max_refused_calls = 0       # calls that cannot be made to fit
    max_rejected_calls = 0      # calls that a provider would refuse
    max_cost_usd = 1.50         # money, by the prices in force
    min_calls = 1               # the least that a recording holds
"""
"""The form of a configuration, where somebody looks for it."""


@command(help=CHECK_HELP, epilog=examples("check session.jsonl --config policy.toml", "check recordings/*.jsonl --config policy.toml"))
def check(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Recorded sessions.", show_default=False)],
    config: Annotated[Path, typer.Option("--config", metavar="FILE.toml", help="Policy, budget and limits; the page Compare saves one.")],
    settings: Settings = None,
    thread: ThreadId = "",
    session: SessionId = "",
    format: FormatName = "",
    prices: PriceTable = None,
    plugin: Plugins = None,
    as_json: AsJson = False,
) -> None:
    """Hold recordings to limits under a policy."""
    load_plugins(plugin)
    gate, own = read_gate(readable(config)), price_table(readable(prices)) if prices else None
    gate = replace(gate, parameters={**gate.parameters, **policy_settings(gate.policy, settings or ())})
    several, codes, answers = len(files) > 1, [], []
    which = _Which(thread=thread, session=session, format=format)
    for file in files:
        code, answer = _checked(file, which, gate, own, as_json=as_json, several=several)
        codes.append(code)
        answers.append(answer)
        if not as_json and answer is not None:
            print_answer(Group(*([plain(str(file), "bold")] if several else []), answer), as_json=False)
    if as_json:
        print_answer(gates_json(answers) if several else answers[0], as_json=True)
    if max(codes):
        raise typer.Exit(max(codes))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Which:
    """What of each file is looked at; empty where nothing was named."""

    thread: str
    """Id."""
    session: str
    """Id."""
    format: str
    """Name."""


def _checked(file: Path, which: _Which, gate: Gate, own: Overrides | None, *, as_json: bool, several: bool) -> tuple[int, Any]:
    """The exit code and the answer of one file; of several, an error of one does not end the others."""
    try:
        with at_work("Checking", file):
            one = chosen_session(read_file(file, which.format), which.session)
            row = _gated(_thread(one, which.thread), gate, own)
            found = failures(gate, row)
            return int(bool(found)), (gate_json if as_json else gate_tables)(one, gate, row, found)
    except CtxscopeError as error:
        if not several or isinstance(error, PluginError):
            raise
        say(f"{file}: {error}")
        return 2, {"file": str(file), "error": str(error)} if as_json else None


def _policies(names: Sequence[str] | None, settings: Sequence[str]) -> list[Policy]:
    """The policies that were named, else all that need no summary, each with its settings."""
    chosen = list(dict.fromkeys(names)) if names else [kind.name for kind in all_policies() if not kind.needs_summary]
    return [make_policy(name, **values) for name, values in settings_of_each(chosen, settings).items()]


def _gated(thread: Thread, gate: Gate, own: Overrides | None) -> Compared:
    return Compared(replay=replay_thread(thread, make_policy(gate.policy, **gate.parameters), gate.budget, gate.unit), own=own)


def _thread(session: Session, id: str) -> Thread:
    """One thread: the first for an empty id.

    Raises:
        InputError: No such thread, or none at all.
    """
    found = chosen_threads(session, id)
    if not found:
        raise InputError("This session has no thread, so there is nothing to weigh.")
    return found[0]
