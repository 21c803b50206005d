"""Where entries stand, by field, status, value and round, kept while the chains grow: no message looks through all before it."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import Counter, defaultdict
from collections.abc import Hashable
from typing import cast

from ctxcore.model import Json
from ctxcore.state.entries import Entry

KEPT_APART = frozenset({"the", "a", "an", "my", "our", "your"})
"""Words that are no part of a name."""


def plain_name(name: str) -> str:
    """A name as names are compared: small letters, one spelling, without articles."""
    words = name.casefold().replace("color", "colour").split()
    while len(words) > 1 and words[0] in KEPT_APART:
        words = words[1:]
    return " ".join(words)


def value_key(value: Json) -> Hashable:
    """Equal where ``same_value`` holds: whatever the case of the letters or the kind of the number."""
    if isinstance(value, str):
        return ("text", value.strip().casefold())
    return (isinstance(value, bool), _frozen(value))


def _frozen(value: Json) -> Hashable:
    if isinstance(value, list):
        return ("list", *map(_frozen, value))
    if isinstance(value, dict):
        return ("object", frozenset((key, _frozen(one)) for key, one in value.items()))
    return cast("Hashable", value)


class Index:
    """Places of entries in their chains.

    Attributes:
        accepted: Per field, places of accepted entries, ascending.
        asked: Per field, places of entries that wait for an answer, ascending.
        said: Per field, values of all entries.
        names: Fields by their plain names; of several the first.
    """

    def __init__(self) -> None:
        """Nothing yet."""
        self.accepted: dict[str, list[int]] = defaultdict(list)
        self.asked: dict[str, list[int]] = defaultdict(list)
        self.said: dict[str, set[Hashable]] = defaultdict(set)
        self.names: dict[str, str] = {}
        self._taken: dict[str, Counter[Hashable]] = defaultdict(Counter)
        self._count: Counter[str] = Counter()
        self._of_round: dict[int, list[tuple[str, int]]] = defaultdict(list)
        self._rank: dict[str, int] = {}

    def add(self, name: str, place: int, entry: Entry) -> None:
        """An entry joins its chain."""
        if name not in self._rank:
            self._rank[name] = len(self._rank)
            self.names.setdefault(plain_name(name), name)
        self.said[name].add(value_key(entry.value))
        self._of_round[entry.round].append((name, place))
        self._enter(name, place, entry)

    def settle(self, name: str, place: int, before: Entry, entry: Entry) -> None:
        """An entry has another status now."""
        self._leave(name, place, before)
        self._enter(name, place, entry)

    def was_taken(self, name: str, value: Json) -> bool:
        """An accepted entry of the field has this value."""
        return self._taken[name][value_key(value)] > 0

    def took_any(self, name: str) -> bool:
        """An accepted entry of the field has a value."""
        return self._count[name] > 0

    def of_round(self, number: int) -> list[tuple[str, int]]:
        """Field and place of all entries of a round, fields in the order of their first entry."""
        return sorted(self._of_round.get(number, ()), key=lambda one: (self._rank[one[0]], one[1]))

    def waiting(self) -> list[tuple[str, int]]:
        """Field and place of all that wait for an answer, fields in the order of their first entry."""
        names = sorted((name for name, places in self.asked.items() if places), key=self._rank.__getitem__)
        return [(name, place) for name in names for place in self.asked[name]]

    def _enter(self, name: str, place: int, entry: Entry) -> None:
        if entry.status == "asked":
            insort(self.asked[name], place)
        if entry.status == "accepted":
            insort(self.accepted[name], place)
            if entry.value is not None:
                self._taken[name][value_key(entry.value)] += 1
                self._count[name] += 1

    def _leave(self, name: str, place: int, entry: Entry) -> None:
        places = {"asked": self.asked, "accepted": self.accepted}.get(entry.status)
        if places is not None:
            del places[name][bisect_left(places[name], place)]
        if entry.status == "accepted" and entry.value is not None:
            self._taken[name][value_key(entry.value)] -= 1
            self._count[name] -= 1
