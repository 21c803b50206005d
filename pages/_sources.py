"""Files that a visitor can open: samples, files named on the command line, uploads."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

HERE = Path(__file__).resolve().parent

SAMPLE_FOLDERS = (HERE / "sample_sessions", HERE.parent / "sample_sessions")
"""Where samples lie in an installed package and in a checkout."""

SUFFIXES = (".jsonl", ".json", ".jsonl.gz", ".json.gz", ".zip")
"""Names that a sample may end with."""

OPEN_VARIABLE = "CTXSCOPE_OPEN"
"""Environment variable with a JSON list of absolute paths: the files named on the command line."""


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


@lru_cache(maxsize=1)
def samples() -> tuple[Source, ...]:
    """The sample sessions that ship, by name."""
    folder = next((f for f in SAMPLE_FOLDERS if f.is_dir()), None)
    if folder is None:
        return ()
    paths = sorted(p for p in folder.iterdir() if p.name.endswith(SUFFIXES))
    return tuple(Source(key=_stem(p), label=_stem(p).replace("_", " ").replace("-", " ").capitalize(), kind="sample", path=p) for p in paths)


def named_files() -> tuple[Source, ...]:
    """The files named on the command line, in that order; a name that is taken gets its number behind it."""
    taken = {source.key for source in samples()}
    found: list[Source] = []
    for path in map(Path, json.loads(os.environ.get(OPEN_VARIABLE, "[]"))):
        key, number = path.name, 1
        while key in taken:
            number += 1
            key = f"{path.name}-{number}"
        taken.add(key)
        found.append(Source(key=key, label=key, kind="file", path=path))
    return tuple(found)


def _stem(path: Path) -> str:
    return path.name.split(".", 1)[0]
