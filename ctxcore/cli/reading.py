"""Commands that show a recording as it is, or under one policy."""

from __future__ import annotations

from typing import Any

import typer

from ctxcore.cli.app import FAILED, command, examples
from ctxcore.cli.options import (
    AsJson,
    Budget,
    File,
    Files,
    FormatName,
    Plugins,
    PolicyName,
    SessionId,
    Settings,
    ThreadId,
    UnitName,
    at_work,
    chosen_session,
    chosen_threads,
    load_plugins,
    print_answer,
    read_file,
    read_together,
)
from ctxcore.policies import POLICIES
from ctxcore.replay import replay as replay_thread
from ctxcore.views.json_output import formats_json, inspect_json, replay_json
from ctxcore.views.masking import masked_json
from ctxcore.views.plan_json import plan_json, plan_report
from ctxcore.views.settings import policy_of
from ctxcore.views.terminal import formats_table, inspect_tables
from ctxcore.views.terminal_replay import replay_tables


@command(epilog=examples("inspect session.jsonl", "inspect main.jsonl agent-1.jsonl", "inspect session.jsonl --json | jq .totals"))
def inspect(files: Files, session: SessionId = "", format: FormatName = "", as_json: AsJson = False) -> None:
    """Show what a recording holds: every model call, its size by kind of content, and what could not be read."""
    with at_work("Reading", files):
        sessions, without = read_together(files, format)
        chosen = chosen_session(sessions, session)
        answer: Any = inspect_json(chosen, sessions) if as_json else inspect_tables(chosen, sessions)
    print_answer(answer, as_json=as_json)
    _end(without=without)


@command(epilog=examples("replay session.jsonl --budget 16000", "replay session.jsonl --budget 100k --unit tokens --json"))
def replay(
    files: Files,
    budget: Budget,
    unit: UnitName = "chars",
    policy: PolicyName = POLICIES[0].name,
    settings: Settings = None,
    plugin: Plugins = None,
    thread: ThreadId = "",
    session: SessionId = "",
    format: FormatName = "",
    as_json: AsJson = False,
) -> None:
    """Apply a trimming policy to every call and show what would be sent. A refused call is a result, not an error."""
    load_plugins(plugin)
    with at_work("Replaying", files):
        sessions, without = read_together(files, format)
        chosen = chosen_session(sessions, session)
        rule = policy_of(policy, settings or ())
        replays = [replay_thread(one, rule, budget, unit) for one in chosen_threads(chosen, thread)]
        answer: Any = replay_json(chosen, replays) if as_json else replay_tables(chosen, replays)
    print_answer(answer, as_json=as_json)
    _end(without=without)


def _end(*, without: bool) -> None:
    """An answer without one of the files that were asked for is given, and is no success."""
    if without:
        raise typer.Exit(FAILED)


@command(epilog=examples("plan session.jsonl", "plan session.jsonl --json | jq '.threads[].findings'"))
def plan(file: File, thread: ThreadId = "", session: SessionId = "", format: FormatName = "", as_json: AsJson = False) -> None:
    """Show the plan that the model kept: every step over all calls, and what the record says to each claim that one is done."""
    with at_work("Reading", file):
        threads = chosen_threads(chosen_session(read_file(file, format), session), thread)
        answer: Any = masked_json(plan_json(threads)) if as_json else plan_report(threads)
    print_answer(answer, as_json=as_json)


@command(epilog=examples("formats --json"))
def formats(as_json: AsJson = False) -> None:
    """List the formats that can be read, and how each is known."""
    print_answer(formats_json() if as_json else formats_table(), as_json=as_json)
