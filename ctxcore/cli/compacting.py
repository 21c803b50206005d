"""The command that judges compactions and shows what our own would make."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from ctxcore.cli.app import app, examples
from ctxcore.cli.asking import Asked, BaseUrl, Kept, ModelName, SendKey, check_asked, with_model
from ctxcore.cli.options import AsJson, File, FormatName, SessionId, ThreadId, at_work, chosen_session, chosen_threads, print_answer, read_file
from ctxcore.measures.compaction_pair import is_pair, pair_thread
from ctxcore.measures.simulated import simulate
from ctxcore.model import Thread
from ctxcore.named_files import readable_recording
from ctxcore.state.domains import NAMES, domain_named
from ctxcore.views.compaction import compact_json
from ctxcore.views.compaction_tables import compact_tables
from ctxcore.views.masking import masked_json

PAIR_BYTES = 20_000_000
"""Largest file that is looked at for two lists of messages."""

Rounds = Annotated[int, typer.Option("--keep", metavar="N", min=0, help="Newest rounds that our own compaction leaves as they are.")]


DomainName = Annotated[
    str, typer.Option("--domain", metavar="NAME|FILE", help=f"Whose state our own keeps to the letter: {', '.join(NAMES)}, or a YAML file.")
]


@app.command(
    epilog=examples(
        "compact session.jsonl",
        "compact session.jsonl --json | jq '.compactions[].codes'",
        "compact session.jsonl --model qwen3 --base-url http://localhost:11434/v1 --summaries kept.json",
    )
)
def compact(
    file: File,
    keep: Rounds = 1,
    domain: DomainName = NAMES[0],
    thread: ThreadId = "",
    session: SessionId = "",
    format: FormatName = "",
    model: ModelName = "",
    base_url: BaseUrl = "",
    send_key: SendKey = False,
    summaries: Kept = None,
    as_json: AsJson = False,
) -> None:
    """Judge the compactions that a session recorded, and compact its last request by our own rules: codes, and what of it survives.

    A file of one object with two lists of Chat messages, before and after, is judged as one compaction. Without --model nothing is sent anywhere.
    """
    asked = Asked(model=model.strip(), base_url=base_url.strip(), send_key=send_key, summaries=summaries)
    check_asked(asked)
    with at_work("Looking at compactions of", file):
        wanted = domain_named(domain)
        threads = _pair(file) or chosen_threads(chosen_session(read_file(file, format), session), thread)
        calls = [0 if one.id == "pair" else None for one in threads]
        if asked.model:
            made = with_model(asked, list(zip(threads, calls, strict=True)), keep, wanted)
        else:
            made = [simulate(one, call, keep_rounds=keep, domain=wanted) for one, call in zip(threads, calls, strict=True)]
        rows = list(zip(threads, made, strict=True))
        answer: Any = masked_json(compact_json(rows)) if as_json else compact_tables(rows)
    print_answer(answer, as_json=as_json)


def _pair(file: Path) -> Sequence[Thread]:
    """The thread of a file of two lists; none for any other file."""
    path = readable_recording(file)
    if not path.is_file() or path.stat().st_size > PAIR_BYTES:
        return ()
    with path.open("rb") as stream:
        head = stream.read(4_096)
        if not head.lstrip().startswith(b"{") or b'"before"' not in head:
            return ()
        try:
            value = json.loads(head + stream.read())
        except (ValueError, RecursionError):
            return ()
    return (pair_thread(value["before"], value["after"], file=file.name),) if is_pair(value) else ()
