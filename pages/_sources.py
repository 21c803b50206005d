"""Files that a visitor can open: samples, files named on the command line, uploads."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

from pydantic import TypeAdapter, ValidationError

from ctxcore.readers.plugins import all_readers

HERE = Path(__file__).resolve().parent

SAMPLE_FOLDERS = (HERE / "sample_sessions", HERE.parent / "sample_sessions")
"""Where samples lie in an installed package and in a checkout."""

SUFFIXES = (".jsonl", ".json", ".jsonl.gz", ".json.gz", ".zip")
"""Names that a sample may end with."""

OPEN_VARIABLE = "CTXSCOPE_OPEN"
"""Environment variable with a JSON list of absolute paths: the files named on the command line."""

FORMAT_VARIABLE = "CTXSCOPE_FORMAT"
"""Environment variable with the format that those files are to be read as; not set where their marks tell."""


ABOUT = {
    "coding-agent": "A coding agent calls a step done while two tests still fail, and works from a file it read before its own edit.",
    "long-research": "171 calls through many documents: at the default budget the rules of the first turn are gone long before the end.",
    "shop-order-zh": "In Chinese: the budget grows, the colour goes from black to red and back, an invoice is asked for before it is wanted.",
    "travel-desk-zh": "In Chinese: a customer changes date, hotel and budget, takes some of it back, and mentions an allergy only once.",
    "trip-booking": "Dates move and come back, one against the order of the journey, and the agent books before it was told from where.",
}
"""What each sample shows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One file that every visitor of this server may open."""

    key: str
    """Its name in an address."""
    label: str
    """For people."""
    kind: Literal["sample", "file"]
    """Shipped, or named on the command line."""
    path: Path
    """Where it lies."""
    about: str
    """One sentence."""
    format: str = ""
    """As which it is to be read; empty finds it by its marks."""


@lru_cache(maxsize=1)
def samples() -> tuple[Source, ...]:
    """The sample sessions that ship, by name."""
    folder = next((f for f in SAMPLE_FOLDERS if f.is_dir()), None)
    if folder is None:
        return ()
    paths = sorted(p for p in folder.iterdir() if p.name.endswith(SUFFIXES))
    return tuple(Source(key=_stem(p), label=_label(_stem(p)), kind="sample", path=p, about=ABOUT.get(_stem(p), "")) for p in paths)


def named_files() -> tuple[Source, ...]:
    """The files named on the command line, in that order; a name that is taken gets its number behind it."""
    taken = {source.key for source in samples()}
    found: list[Source] = []
    asked = _named_format()
    for path in _named_paths():
        key, number = path.name, 1
        while key in taken:
            number += 1
            key = f"{path.name}-{number}"
        taken.add(key)
        found.append(Source(key=key, label=key, kind="file", path=path, about="Named on the command line.", format=asked))
    return tuple(found)


PATHS = TypeAdapter(list[Path])


def _named_paths() -> list[Path]:
    """What the launcher put into the environment; nothing where somebody else put something else there."""
    try:
        return PATHS.validate_json(os.environ.get(OPEN_VARIABLE) or "[]")
    except ValidationError:
        return []


def _named_format() -> str:
    """What the launcher put into the environment; empty where somebody else put no format there."""
    name = os.environ.get(FORMAT_VARIABLE, "")
    return name if any(reader.name == name for reader in all_readers()) else ""


def _label(key: str) -> str:
    return key.replace("_", " ").replace("-", " ").capitalize().replace(" zh", " (Chinese)")


def _stem(path: Path) -> str:
    return path.name.split(".", 1)[0]
