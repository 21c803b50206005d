"""A state while it is being made: chains that only grow, and the log of the round."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice, takewhile
from typing import Any

from ctxcore.model import Json
from ctxcore.state.domain import Domain
from ctxcore.state.entries import Alert, Entry, FieldChain, LogEntry, LogItem, LogKind, Restated, Source, State, Status, is_missing
from ctxcore.state.index import Index

MOST_ASKED = 50
"""Entries that a reply can say yes to."""

MOST_FIELDS = 200
"""Fields that a value without a name may belong to."""


class Board:
    """What has been understood so far."""

    def __init__(self, domain: Domain) -> None:
        """Nothing yet."""
        self.domain = domain
        self.chains: dict[str, list[Entry]] = {}
        self.restated: dict[str, list[Restated]] = {}
        self.alerts: list[Alert] = []
        self.log: list[LogEntry] = []
        self.items: list[LogItem] = []
        self.touched: dict[str, None] = {}
        self.index = Index()
        self.round, self.message = 0, 0
        self._begun = 0

    def begin_round(self, message: int) -> None:
        """A user message begins the next round."""
        self.end_round()
        self.round, self.message, self._begun = self.round + 1, message, message

    def end_round(self) -> None:
        """Put the round's items into the log."""
        if self.round or self.items:
            self.log.append(LogEntry(round=self.round, message=self._begun, items=tuple(self.items)))
        self.items = []

    def current(self, name: str) -> Entry | None:
        """Last accepted entry of a field."""
        places = self.index.accepted.get(name)
        return self.chains[name][places[-1]] if places else None

    def value(self, name: str) -> Json:
        """Current value of a field, or None."""
        entry = self.current(name)
        return entry.value if entry else None

    def told(self, name: str) -> str:
        """Current value of a field with its unit, for a sentence."""
        entry = self.current(name)
        value = entry.value if entry else None
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        unit = f" {entry.unit}" if entry and number and entry.unit else ""
        return f"{f'{value:,}' if number else value}{unit}"

    def values(self) -> dict[str, Json]:
        """Fields that have a value."""
        found = {name: self.value(name) for name in self.chains}
        return {name: value for name, value in found.items() if not is_missing(value)}

    def add(self, name: str, entry: Entry) -> None:
        """Append to a chain."""
        chain = self.chains.setdefault(name, [])
        self.index.add(name, len(chain), entry)
        chain.append(entry)
        self.touch(name)
        self.note(
            "transformed" if entry.status in ("accepted", "asked") else "refused",
            name,
            entry.value,
            entry.rule or entry.why,
            entry.extractor,
            entry.source,
        )

    def touch(self, name: str) -> None:
        """The field was talked about last."""
        self.touched.pop(name, None)
        self.touched[name] = None

    def decide(self, name: str, place: int, status: Status, **more: Any) -> None:
        """What was proposed or asked is settled; the entry stays where it is."""
        entry = self.chains[name][place]
        self.chains[name][place] = replace(entry, status=status, before=entry.status, decided=self.message, decided_round=self.round, **more)
        self.index.settle(name, place, entry, self.chains[name][place])
        self.note("transformed" if status == "accepted" else "refused", name, entry.value, status, entry.extractor, entry.source)

    def restate(self, name: str, source: Source, value: Json, extractor: str) -> None:
        """The current value was said again."""
        self.restated.setdefault(name, []).append(Restated(round=self.round, source=source))
        self.touch(name)
        self.note("extracted", name, value, "restated", extractor, source)

    def note(self, kind: LogKind, field: str, value: Json, code: str, extractor: str = "", source: Source | None = None) -> None:
        """One item of the round's log."""
        self.items.append(LogItem(kind=kind, field=field, value=value, code=code, extractor=extractor, source=source))

    def alert(self, code: str, text: str, field: str = "", source: Source | None = None) -> None:
        """Something to look at."""
        self.alerts.append(Alert(code=code, round=self.round, text=text, field=field, source=source))

    def doubted(self) -> list[str]:
        """Fields with a value that a remark of this round spoke against."""
        of_round = takewhile(lambda alert: alert.round == self.round, reversed(self.alerts))
        return [alert.field for alert in of_round if alert.code == "CONFLICTING_REMARK" and self.current(alert.field)]

    def asked(self) -> list[tuple[str, int, Entry]]:
        """The newest entries that wait for an answer: field, place in its chain, entry."""
        return [(name, place, self.chains[name][place]) for name, place in self.index.waiting()[-MOST_ASKED:]]

    def of_round(self, number: int) -> list[tuple[str, int, Entry]]:
        """Entries of a round: field, place in its chain, entry."""
        return [(name, place, self.chains[name][place]) for name, place in self.index.of_round(number)]

    def newest_fields(self) -> list[str]:
        """Fields that were talked about, the last one first; only so many."""
        return list(islice(reversed(self.touched), MOST_FIELDS))

    def state(self) -> State:
        """All of it as a value."""
        self.end_round()
        fields = {name: self._chain(name, entries) for name, entries in self.chains.items()}
        return State(domain=self.domain.name, fields=fields, alerts=tuple(self.alerts), log=tuple(self.log), rounds=self.round)

    def _chain(self, name: str, entries: Sequence[Entry]) -> FieldChain:
        return FieldChain(name=name, entries=tuple(entries), restated=tuple(self.restated.get(name, ())))
