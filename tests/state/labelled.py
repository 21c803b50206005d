"""The labelled sentences: what may be found in each, and how findings are held against it."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ctxcore.state.found import Found
from ctxcore.state.text_rules import read_text

SAID_AT = datetime.date(2025, 3, 10)
FOLDER = Path(__file__).parent
PARTS = ("seen", "once_held_out", "held_out")

OPEN = frozenset(("asked", "negated", "hearsay", "condition", "corrected", "cancelled", "ambiguous", "relative_change"))
"""Shades that keep a value from being asserted: to miss one is as wrong as a wrong value."""

BOUNDS = frozenset(("max", "min", "approximate"))


@dataclass(frozen=True)
class Label:
    kind: str
    value: str
    unit: str
    shades: frozenset[str]
    key: str

    @property
    def extractor(self) -> str:
        return self.kind


@dataclass(frozen=True)
class Sentence:
    text: str
    labels: tuple[Label, ...]

    @property
    def chinese(self) -> bool:
        return sum("\u4e00" <= char <= "\u9fff" for char in self.text) * 3 > len(self.text)

    @property
    def asserts_nothing(self) -> bool:
        return all(label.shades & OPEN for label in self.labels)


def sentences(part: str) -> Iterator[Sentence]:
    for line in (FOLDER / f"labelled_{part}.txt").read_text("utf-8").splitlines():
        if not line.startswith("#"):
            text, _, labels = line.rpartition(" ||")
            yield Sentence(text, tuple(_label(label.strip()) for label in labels.split(";") if label.strip()))


def _label(words: str) -> Label:
    words, _, key = words.partition("@")
    kind, value, unit, shades = [*words.split(":"), "", ""][:4]
    return Label(kind, value, unit, frozenset(shades.split(",")) - {""}, key)


def same_value(found: Found, label: Label) -> bool:
    return (found.kind, str(found.value), found.unit) == (label.kind, label.value, label.unit)


def right(found: Found, label: Label) -> bool:
    """The value is the labelled one, and whatever keeps it from being asserted was heard."""
    return same_value(found, label) and found.shades & OPEN == label.shades & OPEN


@dataclass(frozen=True)
class Score:
    found: Counter[str]
    labelled: Counter[str]
    right: Counter[str]
    bounds_right: int
    keys_right: int
    keys_labelled: int
    faults: tuple[str, ...]


def score(part: str) -> Score:
    found_n, labelled, right_n = Counter[str](), Counter[str](), Counter[str]()
    bounds = keys = keys_labelled = 0
    faults: list[str] = []
    for sentence in sentences(part):
        found, left = list(read_text(sentence.text, said_at=SAID_AT)), list(sentence.labels)
        labelled.update(label.kind for label in left)
        found_n.update(one.kind for one in found)
        keys_labelled += sum(bool(label.key) for label in left)
        for one in found:
            label = next((label for label in left if right(one, label)), None)
            if label is None:
                faults.append(f"wrong   {sentence.text}   {one.kind} {one.value} {one.unit} {sorted(one.shades)}")
                continue
            left.remove(label)
            right_n[one.kind] += 1
            same_bounds, same_key = one.shades & BOUNDS == label.shades & BOUNDS, not label.key or one.key == label.key
            bounds += same_bounds
            keys += same_key and bool(label.key)
            if not (same_bounds and same_key):
                faults.append(f"shade   {sentence.text}   {one.value} {sorted(one.shades)} key {one.key!r}, not {sorted(label.shades)} {label.key!r}")
        faults.extend(f"missed  {sentence.text}   {label.kind} {label.value} {sorted(label.shades)}" for label in left)
    return Score(found_n, labelled, right_n, bounds, keys, keys_labelled, tuple(faults))
