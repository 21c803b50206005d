"""Stable values by key: a few that every request must hold, and others that are looked up."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterable
from dataclasses import dataclass

from ctxcore.errors import InputError
from ctxcore.model import Json
from ctxcore.runtime.memory.texts import Texts, keep_forever, words_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A value under its key."""

    number: int
    """Order in the store, from 1; a newer value of the same key has a higher one."""
    key: str
    """Stable name."""
    value: Json
    """Any JSON value."""
    core: bool
    """Goes whole into every request."""
    reference: str = ""
    """Where it was learnt, or empty."""


class SemanticStore:
    """The newest value of a key counts; older ones stay in ``history``."""

    def __init__(self, connection: sqlite3.Connection, lock: threading.RLock) -> None:
        """Use a database; see ``Memory``."""
        self._connection, self._lock = connection, lock
        with lock, connection:
            connection.execute(
                "CREATE TABLE IF NOT EXISTS facts (number INTEGER PRIMARY KEY, key TEXT NOT NULL, value TEXT NOT NULL, core INTEGER NOT NULL, "
                "reference TEXT NOT NULL)"
            )
            connection.execute("CREATE INDEX IF NOT EXISTS facts_by_key ON facts(key, number)")
            keep_forever(connection, "facts")
        self._texts = Texts(connection, lock, "fact_texts")

    def put(self, key: str, value: Json, *, core: bool = False, reference: str = "") -> Fact:
        """Set the value of a key.

        Args:
            key: Stable name, not blank.
            value: Any JSON value.
            core: Part of every request; few and short, since the budget must hold them all.
            reference: See ``Fact``.

        Raises:
            InputError: A blank key, or a value that JSON has no form for.
        """
        if not key.strip():
            raise InputError("A fact needs a key that is not blank.")
        try:
            written = json.dumps(value, allow_nan=False)
        except (TypeError, ValueError, RecursionError) as error:
            raise InputError(f"The value of {key[:60]!r} is not JSON: {error}.") from error
        with self._lock, self._connection:
            values = (json.dumps(key), written, int(core), json.dumps(reference))
            added = self._connection.execute("INSERT INTO facts(key, value, core, reference) VALUES (?, ?, ?, ?)", values)
            number = int(added.lastrowid or 0)
            self._texts.add(number, f"{key} {spoken(value)}")
        return Fact(number=number, key=key, value=json.loads(written), core=core, reference=reference)

    def __len__(self) -> int:
        return len(self.all())

    def all(self) -> tuple[Fact, ...]:
        """The newest value of every key, in order of their first values."""
        newest: dict[str, Fact] = {}
        for fact in self._facts("SELECT * FROM facts ORDER BY number"):
            newest[fact.key] = fact
        return tuple(newest.values())

    def core(self) -> tuple[Fact, ...]:
        """What every request must hold."""
        return tuple(fact for fact in self.all() if fact.core)

    def extended(self) -> tuple[Fact, ...]:
        """What is looked up."""
        return tuple(fact for fact in self.all() if not fact.core)

    def history(self, key: str) -> tuple[Fact, ...]:
        """Every value that a key ever had, oldest first."""
        return self._facts("SELECT * FROM facts WHERE key = ? ORDER BY number", (json.dumps(key),))

    def search(self, query: str, limit: int = 20) -> tuple[Fact, ...]:
        """Newest values that hold every word of a query in key or value, best first; core ones too.

        Args:
            query: Any text; nothing in it is a command.
            limit: Facts at most.
        """
        return self._current(self._texts.with_all(query.split()), self.all())[:limit]

    def retrieve(self, text: str, limit: int = 5) -> tuple[Fact, ...]:
        """Extended facts that share words with a text, the closest first.

        Args:
            text: Of a step.
            limit: Facts at most.
        """
        return self._current(self._texts.with_any(words_of(text)), self.extended())[:limit]

    @staticmethod
    def _current(numbers: Iterable[int], among: Iterable[Fact]) -> tuple[Fact, ...]:
        known = {fact.number: fact for fact in among}
        return tuple(known[number] for number in numbers if number in known)

    def _facts(self, query: str, values: tuple[str, ...] = ()) -> tuple[Fact, ...]:
        with self._lock:
            rows = self._connection.execute(query, values).fetchall()
        return tuple(
            Fact(number=n, key=json.loads(key), value=json.loads(value), core=bool(core), reference=json.loads(reference))
            for n, key, value, core, reference in rows
        )


def spoken(value: Json) -> str:
    """A value as text: text as itself, all else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
