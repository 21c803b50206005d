"""Commands that write files for other people: the report, its tables, and single requests."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Annotated, Any

import typer

from ctxcore.cli.app import command, examples, say
from ctxcore.cli.comparing import PriceTable
from ctxcore.cli.options import (
    AsJson,
    File,
    FormatName,
    Plugins,
    SessionId,
    Settings,
    UnitName,
    at_work,
    chosen_session,
    chosen_threads,
    load_plugins,
    print_answer,
    read_file,
    whole_number,
)
from ctxcore.errors import InputError
from ctxcore.measures.prices import price_table
from ctxcore.model import Session, Thread
from ctxcore.named_files import readable
from ctxcore.policies import POLICIES
from ctxcore.replay import Replay, replay
from ctxcore.views.json_output import strict_json
from ctxcore.views.notes import MOST_BYTES, Note, read_notes
from ctxcore.views.settings import policy_of
from ctxcore.views.words import amount

ENDINGS = (".html", ".htm", ".zip")
"""Of a report's file."""

UNLIMITED = 2**62
"""A budget that trims nothing."""

Limit = Annotated[
    int | None,
    typer.Option(
        "--budget",
        parser=whole_number,
        metavar="N",
        help="Most that a request may take; 16k is 16,000.",
        show_default="as on the pages: 16,000 characters; for tokens the safe part of the window",
    ),
]
Names = Annotated[
    list[str] | None,
    typer.Option("--policy", metavar="NAME", help="The rule; further ones are compared with it.", show_default=POLICIES[0].name),
]
ThreadId = Annotated[str, typer.Option("--thread", metavar="ID", help="Which thread.", show_default="the first")]
Reviewed = Annotated[bool, typer.Option("--reviewed", help="You have looked through the findings: text is shown, secrets replaced.")]
Leave = Annotated[
    list[str] | None, typer.Option("--leave", metavar="PLACEHOLDER", help="Leave this finding as recorded; may be repeated.", show_default=False)
]
Take = Annotated[
    list[str] | None, typer.Option("--take", metavar="PLACEHOLDER", help="Replace this unsure finding too; may be repeated.", show_default=False)
]


NotesFile = Annotated[
    Path | None,
    typer.Option("--notes", metavar="FILE.json", help="Your notes, as the button Notes (JSON) of the dashboard wrote them.", show_default=False),
]


@command(
    epilog=examples(
        "report session.jsonl --findings",
        "report session.jsonl -o report.html --budget 60k --unit tokens --reviewed",
        "report session.jsonl -o report.zip",
    )
)
def report(
    file: File,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="One HTML file, or all as a .zip.", show_default=False)
    ] = None,
    folder: Annotated[
        Path | None, typer.Option("--tables", metavar="DIR", help="Write every table as CSV and JSON there.", show_default=False)
    ] = None,
    budget: Limit = None,
    unit: UnitName = "chars",
    policy: Names = None,
    settings: Settings = None,
    thread: ThreadId = "",
    session: SessionId = "",
    format: FormatName = "",
    findings: Annotated[bool, typer.Option("--findings", help="Only list what looks like a secret or personal data.")] = False,
    reviewed: Reviewed = False,
    without_text: Annotated[bool, typer.Option("--without-text", help="Leave all text of the session out.")] = False,
    leave: Leave = None,
    take: Take = None,
    notes: NotesFile = None,
    prices: PriceTable = None,
    plugin: Plugins = None,
    as_json: AsJson = False,
) -> None:
    """Write a report for people who decide and for engineers: one HTML file that loads nothing.

    Text of the session is in it only with --reviewed, after you looked through --findings; secrets and personal data are replaced.
    """
    load_plugins(plugin)
    if not findings and output is None and folder is None:
        raise InputError("Nothing to write. Name a file with -o report.html, a folder with --tables, or ask for --findings.")
    if output is not None and output.suffix.lower() not in ENDINGS:
        raise InputError(f"A report is an HTML file or a .zip: name it {output.with_suffix('.html') if output.name else 'report.html'}.")
    with at_work("Writing a report on", file):
        chosen = chosen_session(read_file(file, format), session)
        release = _release(chosen, reviewed=reviewed, with_text=not without_text, leave=leave, take=take)
        if not findings:
            own = read_notes(_small_file(notes), chosen) if notes else ()
            _write(chosen, release, thread, budget, unit, policy or [POLICIES[0].name], settings, prices, own, output, folder)
    if findings:
        review = importlib.import_module("ctxcore.report.review")
        print_answer(review.findings_json(release) if as_json else review.findings_shown(release), as_json=as_json)
    elif not release.with_text and not without_text:
        say("The report holds no message text: look through --findings, then add --reviewed.")


def _release(session: Session, *, reviewed: bool, with_text: bool, leave: list[str] | None, take: list[str] | None) -> Any:
    """The module is asked for here, so that no other command waits for it."""
    release = importlib.import_module("ctxcore.report.release").Release
    left, taken = (frozenset(name.strip("[]") for name in names or ()) for names in (leave, take))
    found = release.of(session, reviewed=reviewed or not with_text, with_text=with_text, leave=left, take=taken)
    unknown = (left | taken) - {one.placeholder for one in found.findings}
    if unknown:
        raise InputError(f"No finding {', '.join(sorted(unknown))}. List them with --findings.")
    return found


def _write(
    session: Session,
    release: Any,
    thread: str,
    budget: int | None,
    unit: str,
    policies: list[str],
    settings: list[str] | None,
    prices: Path | None,
    notes: tuple[Note, ...],
    output: Path | None,
    folder: Path | None,
) -> None:
    found = importlib.import_module("ctxcore.report.study").study(
        thread_with_calls(session, thread),
        session,
        policy_of(policies[0], settings or ()),
        budget,
        unit,
        others=policies[1:] or None,
        own=price_table(prices) if prices else None,
        notes=notes,
    )
    files, page = (importlib.import_module(f"ctxcore.report.{name}") for name in ("tables_out", "page"))
    if output is not None:
        data = files.report_zip(found, release) if output.suffix.lower() == ".zip" else page.report_html(found, release).encode("utf-8", "replace")
        _put(output, data)
    if folder is not None:
        for name, data in files.table_files(found, release).items():
            _put(folder / name, data)


def _small_file(file: Path) -> bytes:
    """Bytes of a file that a person wrote; no more than are looked at.

    Raises:
        UnreadableFile: It cannot be opened.
    """
    with readable(file).open("rb") as opened:
        return opened.read(MOST_BYTES + 1)


def _put(path: Path, data: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror or error}.") from error


def thread_with_calls(session: Session, id: str) -> Thread:
    """The thread with this id, or the first one; it has calls.

    Raises:
        InputError: No such thread, or it holds no model call.
    """
    found = next(iter(chosen_threads(session, id)), None)
    if found is None or not found.calls:
        raise InputError("This thread holds no model call, so there is nothing to report. Name another one with --thread.")
    return found


@command(epilog=examples("request session.jsonl --call 12 --budget 16k --as anthropic", "request session.jsonl --call 12 -o request.json"))
def request(
    file: File,
    call: Annotated[int, typer.Option("--call", metavar="N", min=0, help="Which call, from 0.", show_default=False)],
    form: Annotated[str, typer.Option("--as", metavar="openai|anthropic", help="Whose API is to take it.")] = "openai",
    budget: Annotated[
        int | None, typer.Option("--budget", parser=whole_number, metavar="N", help="Most that it may take.", show_default="no limit: as recorded")
    ] = None,
    unit: UnitName = "chars",
    policy: Annotated[str, typer.Option("--policy", metavar="NAME", help="The rule that trims.")] = POLICIES[0].name,
    settings: Settings = None,
    thread: ThreadId = "",
    session: SessionId = "",
    format: FormatName = "",
    output: Annotated[Path | None, typer.Option("-o", "--output", metavar="FILE", help="Write it there.", show_default="print it")] = None,
    as_recorded: Annotated[bool, typer.Option("--as-recorded", help="Leave secrets and personal data in it.")] = False,
    plugin: Plugins = None,
    as_json: AsJson = False,
) -> None:
    """Write the request of one call after a policy, as a body that an API takes. Secrets and personal data are replaced.

    What the form cannot hold is said on stderr, or with --json beside the body.
    """
    load_plugins(plugin)
    with at_work("Reading", file):
        chosen = chosen_session(read_file(file, format), session)
        found = thread_with_calls(chosen, thread)
        rule = policy_of(policy, settings or ())
        trimmed = replay(found, rule if budget else "none", budget or UNLIMITED, unit)
        written = importlib.import_module("ctxcore.report.request").written_request(trimmed, call, form)
        body = (
            written.body
            if as_recorded
            else _release(chosen, reviewed=True, with_text=True, leave=None, take=None).redactor.redacted_json(written.body)
        )
    answer = strict_json(_request_json(written, body, call, trimmed) if as_json else body)
    if output is None:
        typer.echo(answer.encode())
    else:
        _put(output, answer.encode())
    if not as_json:
        for sentence in (*([_size_told(trimmed, call)] if budget else ()), *written.not_carried, *written.faults):
            say(sentence)


def _size_told(trimmed: Replay, call: int) -> str:
    """What the rule left of the request, with the unit of the budget."""
    budget, before, after = (amount(size, trimmed.unit) for size in (trimmed.budget, int(trimmed.before[call]), int(trimmed.after[call])))
    return f"Call {call:,} under {trimmed.policy.name}, budget {budget}: {before} as recorded, {after} as sent."


def _request_json(written: Any, body: Any, call: int, trimmed: Replay) -> dict[str, Any]:
    """``ctxscope.request/1``."""
    limit = {"policy": trimmed.policy.name, "budget": None if trimmed.budget == UNLIMITED else trimmed.budget, "unit": trimmed.unit}
    told = {
        "call": call,
        **limit,
        "as": written.form,
        "verbatim": written.verbatim,
        "not_carried": list(written.not_carried),
        "faults": list(written.faults),
    }
    return {"schema": "ctxscope.request/1", **told, "body": body}
