"""The domains that ship: one file and one name here each."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from ctxcore.errors import InputError
from ctxcore.state.domain import Domain
from ctxcore.state.domain_file import read_domain

NAMES = (
    "open",
    "shop",
    "travel",
    "finance",
    "medical",
    "coding",
    "task",
)
"""In the order in which they are offered; the first is taken where none is named."""

SUFFIXES = (".yaml", ".yml")
"""By which a path is known from a name."""


@cache
def shipped_domain(name: str) -> Domain:
    """A domain that ships."""
    return read_domain(Path(__file__).parent / f"{name}.yaml")


def domain_named(name: str) -> Domain:
    """A domain by the name of one that ships, or by the path of its file.

    Raises:
        InputError: No such domain, or a file that is none.
    """
    if name in NAMES:
        return shipped_domain(name)
    if name.endswith(SUFFIXES):
        return read_domain(Path(name).expanduser())
    raise InputError(f"No domain {name!r:.80}. There are {', '.join(NAMES)}; a file of your own is named by its path, ending in .yaml.")
