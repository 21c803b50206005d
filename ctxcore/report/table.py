"""Tables of a report as plain values, before anybody decides how they are written."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Cell = str | int | float | bool | None
"""None is unknown and stays empty."""

Kind = Literal["number", "money", "words", "text"]
"""A whole number; dollars; words of ours or a name such as a tool's; text of the session, which may be left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column."""

    name: str
    """For people, and the key in JSON."""
    kind: Kind = "words"
    """What its cells are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """One table."""

    name: str
    """Of its file: small letters and hyphens."""
    title: str
    """For people."""
    columns: tuple[Column, ...]
    """In order."""
    rows: tuple[tuple[Cell, ...], ...]
    """Each as long as ``columns``."""
    note: str = ""
    """What one should know to read it."""
    basis: str = ""
    """Where its numbers come from: recorded, exact, reconstructed, estimate."""
    group: str = ""
    """Heading under which it stands."""


def columns(*names: str) -> tuple[Column, ...]:
    """Columns from their names: ``#name`` is a number, ``$name`` is dollars, ``"name`` is text of the session."""
    kinds: dict[str, Kind] = {"#": "number", "$": "money", '"': "text"}
    return tuple(Column(name=name.lstrip('#$"'), kind=kinds.get(name[0], "words")) for name in names)


def rows(found: Iterable[Iterable[Cell]]) -> tuple[tuple[Cell, ...], ...]:
    """Rows as a table holds them."""
    return tuple(tuple(row) for row in found)
