"""Where in a recorded value a part of it stands, in the form of ``SourceRef.path``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ctxcore.model import Json

DEPTH = 6
"""Levels in which a list of messages or a reply is looked for."""

FIRST = 8
"""Entries of a list that are looked into."""


def path_to(root: Json, target: Json) -> str | None:
    """Path of an object or a list that is a part of the value (the very one, not an equal one); None if it is none."""
    waiting: list[tuple[Json, str, int]] = [(root, "", 0)]
    while waiting:
        value, path, depth = waiting.pop()
        if value is target:
            return path
        if depth < DEPTH:
            waiting += [(inner, step_to(path, step), depth + 1) for step, inner in _inner(value)]
    return None


def _inner(value: Json) -> Iterator[tuple[str, Json]]:
    if isinstance(value, dict):
        yield from ((str(key), inner) for key, inner in value.items() if isinstance(inner, (dict, list)))
    elif isinstance(value, list):
        yield from ((f"[{number}]", inner) for number, inner in enumerate(value[:FIRST]) if isinstance(inner, (dict, list)))


def step_to(path: str, step: str) -> str:
    """A path and one step more: a key, or a number in brackets."""
    return f"{path}{step}" if not path or step.startswith("[") else f"{path}.{step}"


def numbers(values: Sequence[Json]) -> dict[int, int]:
    """Place of each entry by its ``id``; for entries that are told apart as they are."""
    return {id(value): number for number, value in enumerate(values)}
