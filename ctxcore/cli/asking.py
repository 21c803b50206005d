"""A model that a command may ask: only where one is named, at an address that was named, with its summaries kept by content."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ctxcore.cli.app import say
from ctxcore.counted import count
from ctxcore.errors import InputError, shown
from ctxcore.measures.simulated import SimulatedCompaction
from ctxcore.model import Thread
from ctxcore.named_files import readable
from ctxcore.state.domain import Domain

if TYPE_CHECKING:
    from ctxcore.runtime.distilling import Modelled
    from ctxcore.runtime.models import Model

ADDRESSES = ("CTXSCOPE_BASE_URL", "OPENAI_BASE_URL")
"""Variables of the environment that name an endpoint."""

ModelName = Annotated[
    str,
    typer.Option(
        "--model",
        metavar="NAME",
        help="Let this model write the summaries, at an OpenAI-compatible endpoint: the explanations and tool outputs worth one are sent there.",
        show_default="none, nothing is sent",
    ),
]
BaseUrl = Annotated[
    str,
    typer.Option(
        "--base-url", metavar="URL", help="Address of that endpoint, without /chat/completions.", show_default=f"{ADDRESSES[0]}, {ADDRESSES[1]}"
    ),
]
SendKey = Annotated[
    bool,
    typer.Option(
        "--send-key", help="Send the environment's key (CTXSCOPE_API_KEY, OPENAI_API_KEY) to --base-url too, not only to the environment's address."
    ),
]
Kept = Annotated[
    Path | None,
    typer.Option(
        "--summaries", metavar="FILE", help="JSON file in which the model's summaries are kept by content, so that none is asked for twice."
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What the options say of a model."""

    model: str
    """Its name; empty for none."""
    base_url: str
    """Of its endpoint; empty takes that of the environment."""
    send_key: bool
    """The environment's key may go to another address."""
    summaries: Path | None
    """Where its summaries are kept."""


def check_asked(asked: Asked) -> None:
    """Refuse options that do nothing, and a model without an address.

    Raises:
        InputError: Nothing may be asked like that.
    """
    if not asked.model and (asked.base_url or asked.send_key or asked.summaries):
        raise InputError("--base-url, --send-key and --summaries are for a model: name it with --model.")
    if asked.model and not asked.base_url and not any(os.environ.get(name) for name in ADDRESSES):
        raise InputError(f"--model needs an endpoint: name it with --base-url, for example http://localhost:8000/v1, or in {ADDRESSES[0]}.")


def with_model(asked: Asked, requests: Sequence[tuple[Thread, int | None]], keep_rounds: int, domain: Domain) -> list[SimulatedCompaction | None]:
    """Our own compactions of threads with a model's summaries; what was asked goes to stderr in one sentence.

    Args:
        asked: The options.
        requests: Threads and calls whose requests are compacted; the last call for None.
        keep_rounds: Newest rounds that stay as they are.
        domain: Whose state stands to the letter.

    Raises:
        InputError: An address that makes no sense, or the file of summaries holds something else.
        EndpointError: No usable answer.
    """
    from ctxcore.runtime.distilling import simulated_by_model  # noqa: PLC0415 - other commands need no runtime

    model, address = _model(asked)
    with _kept(asked.summaries) as cache:
        made = [
            asyncio.run(simulated_by_model(thread, call, model, keep_rounds=keep_rounds, domain=domain, cache=cache)) for thread, call in requests
        ]
    say(_told(made, asked.model, address))
    return [one.compaction for one in made]


def _model(asked: Asked) -> tuple[Model, str]:
    from ctxcore.runtime.endpoint import OpenAICompatibleModel  # noqa: PLC0415 - other commands need no runtime

    model = OpenAICompatibleModel(asked.model, base_url=asked.base_url, send_key=asked.send_key)
    return model, model.settings.base_url


def _told(made: list[Modelled], model: str, address: str) -> str:
    asked, refused = sum(one.asked for one in made), sum(one.refused for one in made)
    stand = f"{count(asked - refused, 'summary', 'summaries')} of {model} at {address} passed the checks"
    return f"{stand}." if not refused else f"{stand}; {count(refused, 'passage')} without one that passed stay as they were."


@contextmanager
def _kept(file: Path | None) -> Iterator[dict[str, str]]:
    """Summaries by the digest of what they stand for; written back also after an error, for each was paid for."""
    kept = {} if file is None or not file.expanduser().exists() else _read(file)
    before = dict(kept)
    try:
        yield kept
    finally:
        if file is not None and kept != before:
            file.expanduser().write_text(json.dumps(kept, ensure_ascii=False, indent=1) + "\n", encoding="utf-8", errors="surrogatepass")


def _read(file: Path) -> dict[str, str]:
    try:
        value = json.loads(readable(file).read_text(encoding="utf-8", errors="surrogatepass"))
    except (ValueError, RecursionError) as error:
        raise InputError(f"The summaries {shown(file.name)} are no JSON: name a new file, or one that was written here.") from error
    if not isinstance(value, dict) or not all(isinstance(one, str) for one in value.values()):
        raise InputError(f"The summaries {shown(file.name)} hold something else: name a new file, or one that was written here.")
    return value
