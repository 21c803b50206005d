"""Commands about the state of a conversation."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ctxcore.cli.app import command, examples
from ctxcore.cli.options import AsJson, File, FormatName, SessionId, at_work, chosen_session, chosen_threads, print_answer, read_file
from ctxcore.errors import InputError
from ctxcore.model import Thread
from ctxcore.named_files import readable

WENT_ON = 1
"""Exit code where an agent acts although it should have noticed."""

DomainName = Annotated[
    str,
    typer.Option(
        "--domain", metavar="NAME|FILE.yaml", help="What to look for: open, shop, travel, finance, medical, coding, task, or a file of your own."
    ),
]
Rules = Annotated[
    list[Path] | None,
    typer.Option("--rules", metavar="FILE.py", help="A Python file with business rules of your own; it is run.", show_default=False),
]
Resolver = Annotated[
    str,
    typer.Option(
        "--resolver",
        metavar="NAME|FILE.py",
        help="What finds the product that vague words mean: lexical, that of an installed package, or a Python file of your own; it is run.",
        show_default="that of the domain",
    ),
]
ThreadId = Annotated[str, typer.Option("--thread", metavar="ID", help="Which thread.", show_default="the first")]


def _reference(asked: bool) -> None:
    if asked:
        from ctxcore.views.domain_reference import domain_reference  # noqa: PLC0415 - other commands need no rules over text

        typer.echo(domain_reference(), nl=False)
        raise typer.Exit


DomainHelp = Annotated[
    bool, typer.Option("--domain-help", callback=_reference, is_eager=True, help="Tell every key that a domain file of your own may have.")
]


@command(epilog=examples("state session.jsonl", "state order.jsonl --domain shop --json | jq .fields"))
def state(
    file: File,
    domain: DomainName = "open",
    rules: Rules = None,
    resolver: Resolver = "",
    thread: ThreadId = "",
    session: SessionId = "",
    format: FormatName = "",
    as_json: AsJson = False,
    domain_help: DomainHelp = False,  # noqa: ARG001 - its callback answers it
) -> None:
    """Show what was decided in a conversation: every field, how it changed, and the words behind each value."""
    from ctxcore.state.editor import edit  # noqa: PLC0415 - other commands need no rules over text
    from ctxcore.views.editing import state_json, state_tables  # noqa: PLC0415

    form = _domain(domain, rules, resolver)
    with at_work("Reading", file):
        edited = edit(_thread(file, thread, session, format), form)
        answer: Any = state_json(edited) if as_json else state_tables(edited)
    print_answer(answer, as_json=as_json)


@command(epilog=examples("forget order.jsonl --domain shop --action process_order --trials 100 --seed 7"))
def forget(
    file: File,
    domain: Annotated[str, typer.Option("--domain", metavar="NAME|FILE.yaml", help="Domain that has the action.", show_default=False)],
    action: Annotated[str, typer.Option("--action", metavar="NAME", help="What the agent does; see the domain's file.", show_default=False)],
    trials: Annotated[int, typer.Option("--trials", min=1, max=100_000, help="How many.")] = 100,
    seed: Annotated[int, typer.Option("--seed", help="Of the dice: the same seed gives the same trials.")] = 0,
    fields: Annotated[int, typer.Option("--fields", min=1, max=100, help="Core fields that each trial takes away, at most all but one.")] = 3,
    rules: Rules = None,
    resolver: Resolver = "",
    thread: ThreadId = "",
    session: SessionId = "",
    format: FormatName = "",
    as_json: AsJson = False,
) -> None:
    """Take core fields away at random: does the agent notice before it acts? Exits 1 if it goes on in any trial."""
    from ctxcore.state.editor import edit  # noqa: PLC0415 - other commands need no rules over text
    from ctxcore.state.forgetting import forgetting_test, recorded_agent  # noqa: PLC0415
    from ctxcore.views.editing import forget_json, forget_tables  # noqa: PLC0415

    form = _domain(domain, rules, resolver)
    with at_work("Testing", file):
        line = _thread(file, thread, session, format)
        agent, reasons = recorded_agent(line, form, action)
        tested = forgetting_test(form, edit(line, form), action, agent, trials=trials, seed=seed, most=fields, reasons=reasons)
        answer: Any = forget_json(tested) if as_json else forget_tables(tested)
    print_answer(answer, as_json=as_json)
    if tested.went_on:
        raise typer.Exit(WENT_ON)


def _domain(name: str, rules: list[Path] | None, resolver: str) -> Any:
    from ctxcore.state.business_rules import load_rules, rule_named  # noqa: PLC0415
    from ctxcore.state.domains import domain_named  # noqa: PLC0415
    from ctxcore.state.resolvers import load_resolver, resolver_named  # noqa: PLC0415

    for path in rules or ():
        load_rules(readable(path))
    form = domain_named(name)
    for rule in form.rules:
        rule_named(rule)
    if resolver:
        chosen = load_resolver(readable(Path(resolver))) if resolver.endswith(".py") else resolver
        form = form.model_copy(update={"resolver": chosen})
    resolver_named(form.resolver)
    return form


def _thread(file: Path, thread: str, session: str, format: str) -> Thread:
    threads = chosen_threads(chosen_session(read_file(file, format), session), thread)
    if not threads:
        raise InputError("This session has no thread.")
    return threads[0]
