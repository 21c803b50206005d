"""Labelled conversations: which fields must have which value at their end, and how a state is held against it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.state.talk import MONDAY, state_of

FOLDER = Path(__file__).parent
PARTS = ("seen", "held_out")


@dataclass(frozen=True)
class Talk:
    """What the user says in turn, and what must and may be known at the end."""

    domain: str
    turns: tuple[str, ...]
    labels: frozenset[tuple[str, str]]
    allowed: frozenset[tuple[str, str]]


@dataclass(frozen=True)
class FieldScore:
    found: int
    labelled: int
    right: int
    faults: tuple[str, ...]


def talks(part: str) -> Iterator[Talk]:
    for line in (FOLDER / f"labelled_fields_{part}.txt").read_text("utf-8").splitlines():
        if not line.startswith("#"):
            said, _, labels = line.rpartition("||")
            domain, _, turns = said.partition(" | ")
            words = [label.strip() for label in labels.split(";") if label.strip()]
            must, may = (frozenset(_pair(word) for word in words if word.startswith("?") == optional) for optional in (False, True))
            yield Talk(domain, tuple(turn.strip() for turn in turns.split(" / ")), must, may)


def _pair(words: str) -> tuple[str, str]:
    field, _, value = words.lstrip("?").partition("=")
    return field, value


def known(talk: Talk) -> frozenset[tuple[str, str]]:
    """Every current value; the currency goes with its amount and is not counted apart."""
    lines = [f"{speaker}: {text}" for turn in talk.turns for speaker, text in (("u", turn), ("a", "…"))]
    read = state_of(talk.domain, *lines, at=[MONDAY + 60 * place for place in range(len(lines))])
    return frozenset((field, str(value)) for field, value in read.values().items() if field != "currency")


def score(part: str) -> FieldScore:
    found = labelled = right = 0
    faults: list[str] = []
    for talk in talks(part):
        current = known(talk) - talk.allowed
        found, labelled, right = found + len(current), labelled + len(talk.labels), right + len(current & talk.labels)
        said = " / ".join(talk.turns)
        faults += [f"wrong   {talk.domain}: {said}   {one}" for one in sorted(current - talk.labels)]
        faults += [f"missed  {talk.domain}: {said}   {one}" for one in sorted(talk.labels - current)]
    return FieldScore(found, labelled, right, tuple(faults))
