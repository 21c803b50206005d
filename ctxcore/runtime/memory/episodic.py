"""The whole of what happened, in order: it only grows, and is searched."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterable
from dataclasses import dataclass

from ctxcore.runtime.memory.texts import Texts, keep_forever, words_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """One thing that happened."""

    number: int
    """Order in the store, from 1."""
    kind: str
    """``user``, ``assistant``, ``tool``, or a word of the application."""
    text: str
    """Whole."""
    run: str = ""
    """Conversation that it belongs to, or empty."""
    reference: str = ""
    """Where the raw data is, or empty."""


class EpisodicStore:
    """Append-only; not even the database lets an episode be changed or removed."""

    def __init__(self, connection: sqlite3.Connection, lock: threading.RLock) -> None:
        """Use a database; see ``Memory``."""
        self._connection, self._lock = connection, lock
        with lock, connection:
            connection.execute(
                "CREATE TABLE IF NOT EXISTS episodes (number INTEGER PRIMARY KEY, kind TEXT NOT NULL, text TEXT NOT NULL, run TEXT NOT NULL, "
                "reference TEXT NOT NULL)"
            )
            keep_forever(connection, "episodes")
        self._texts = Texts(connection, lock, "episode_texts")

    def append(self, text: str, *, kind: str = "note", run: str = "", reference: str = "") -> Episode:
        """Keep something that happened.

        Args:
            text: Whole; any text, as JSON can write it.
            kind: See ``Episode``.
            run: See ``Episode``.
            reference: See ``Episode``.
        """
        with self._lock, self._connection:
            values = tuple(json.dumps(one) for one in (kind, text, run, reference))  # a lone surrogate is no SQLite text, its escape is
            added = self._connection.execute("INSERT INTO episodes(kind, text, run, reference) VALUES (?, ?, ?, ?)", values)
            number = int(added.lastrowid or 0)
            self._texts.add(number, text)
        return Episode(number=number, kind=kind, text=text, run=run, reference=reference)

    def __len__(self) -> int:
        with self._lock:
            return int(self._connection.execute("SELECT count(*) FROM episodes").fetchone()[0])

    def all(self) -> tuple[Episode, ...]:
        """Every episode, in order."""
        return self._of(self._numbers())

    def search(self, query: str, limit: int = 20) -> tuple[Episode, ...]:
        """Episodes that hold every word of a query, as typed between blanks; best first.

        Args:
            query: Any text; nothing in it is a command. Blank finds all, newest first.
            limit: Episodes at most.
        """
        return self._of(self._texts.with_all(query.split())[:limit])

    def retrieve(self, text: str, limit: int = 5, *, not_of: Iterable[str] = (), without: Iterable[str] = ()) -> tuple[Episode, ...]:
        """Episodes that share words with a text, the closest first.

        Args:
            text: Of a step.
            limit: Episodes at most.
            not_of: Runs that are left out, such as the one whose messages are in the request anyway.
            without: Kinds that are left out.
        """
        left_out, kinds = frozenset(not_of), frozenset(without)
        found = self._of(self._texts.with_any(words_of(text)))
        return tuple(one for one in found if one.run not in left_out and one.kind not in kinds)[:limit]

    def _numbers(self) -> list[int]:
        with self._lock:
            return [int(row[0]) for row in self._connection.execute("SELECT number FROM episodes ORDER BY number")]

    def _of(self, numbers: Iterable[int]) -> tuple[Episode, ...]:
        with self._lock:
            rows = [
                self._connection.execute("SELECT number, kind, text, run, reference FROM episodes WHERE number = ?", (n,)).fetchone() for n in numbers
            ]
        return tuple(Episode(number=n, **dict(zip(("kind", "text", "run", "reference"), map(json.loads, rest), strict=True))) for n, *rest in rows)
