"""Texts in SQLite that are found by any of their substrings, in any script.

Source: SQLite FTS5, "The Trigram Tokenizer" and "The bm25() function".
"""

from __future__ import annotations

import re
import sqlite3
import threading
from collections.abc import Sequence
from pathlib import Path

SHORTEST = 3
"""Characters that the trigram index finds; shorter words are looked for in every text."""

MOST_WORDS = 60
"""Of a query; the rest is not looked for."""

UNSAFE = re.compile("[\0\ud800-\udfff]")
"""No SQLite text: replaced in what is searched, never in what is stored."""

HAN = "\u3400-\u9fff\uf900-\ufaff\u3040-\u30ff\uac00-\ud7af"
"""Scripts that put no blanks between words."""

WORDS = re.compile(f"[{HAN}]+|[^\\W{HAN}]+")
"""Runs of one kind of script."""

LEAST_LETTERS = 3
"""Of a word that a step's text is looked up by; shorter ones stand everywhere."""


def searchable(text: str) -> str:
    """The text as it is searched: what SQLite has no text for is replaced."""
    return UNSAFE.sub("\ufffd", text)


def words_of(text: str) -> tuple[str, ...]:
    """What a step's text is looked up by: its words, and of scripts without blanks every two and three characters, each once."""
    found: dict[str, None] = {}
    for run in WORDS.findall(searchable(text)):
        if not re.match(f"[{HAN}]", run):
            found |= {run: None} if len(run) >= LEAST_LETTERS else {}
            continue
        for size in (SHORTEST, SHORTEST - 1):
            found |= {run[start : start + size]: None for start in range(max(1, len(run) - size + 1))}
    return tuple(found)[:MOST_WORDS]


def quoted(word: str) -> str:
    """A word as FTS5 must get it to look for exactly these characters, whatever they mean in its language."""
    return '"' + word.replace('"', '""') + '"'


def pattern(word: str) -> str:
    """A word as LIKE must get it, with a backslash as escape character."""
    escaped = re.sub(r"([\\%_])", r"\\\1", word)
    return f"%{escaped}%"


class Texts:
    """One table of searched texts, which only grows.

    Attributes:
        lock: Held while the connection is used; runs work in threads of their own.
    """

    def __init__(self, connection: sqlite3.Connection, lock: threading.RLock, name: str) -> None:
        """Use a database.

        Args:
            connection: Open, shared by all stores of a memory.
            lock: Of the connection.
            name: Of the table, a constant of the caller.
        """
        self._connection, self.lock, self._name = connection, lock, name
        with lock, connection:
            connection.execute(f"CREATE VIRTUAL TABLE IF NOT EXISTS {name} USING fts5(text, tokenize = 'trigram')")

    def add(self, number: int, text: str) -> None:
        """Make a text findable; call it inside the caller's transaction.

        Args:
            number: Of the row that the text belongs to.
            text: Any.
        """
        self._connection.execute(f"INSERT INTO {self._name}(rowid, text) VALUES (?, ?)", (number, searchable(text)))  # noqa: S608 - our own name

    def with_all(self, words: Sequence[str]) -> list[int]:
        """Rows whose text holds every word, the best first by bm25, newest first among equals; all rows where no word is given."""
        given = [searchable(word) for word in words if word][:MOST_WORDS]
        long = " AND ".join(quoted(word) for word in given if len(word) >= SHORTEST)
        short = [pattern(word) for word in given if len(word) < SHORTEST]
        tests = [f"{self._name} MATCH ?"] * bool(long) + ["text LIKE ? ESCAPE '\\'"] * len(short)
        order = "rank, rowid DESC" if long else "rowid DESC"
        where = f" WHERE {' AND '.join(tests)}" if tests else ""
        return self._rows(f"SELECT rowid FROM {self._name}{where} ORDER BY {order}", [long] * bool(long) + short)  # noqa: S608 - values are bound

    def with_any(self, words: Sequence[str]) -> list[int]:
        """Rows whose text holds at least one word: by bm25 where one has three characters or more, behind them by the count of shorter ones."""
        given = [searchable(word) for word in words if word][:MOST_WORDS]
        long = " OR ".join(quoted(word) for word in given if len(word) >= SHORTEST)
        first = self._rows(f"SELECT rowid FROM {self._name} WHERE {self._name} MATCH ? ORDER BY rank, rowid DESC", [long]) if long else []  # noqa: S608
        short = [pattern(word) for word in given if len(word) < SHORTEST]
        if not short:
            return first
        hits = " + ".join(["(text LIKE ? ESCAPE '\\')"] * len(short))
        found = self._rows(f"SELECT rowid FROM (SELECT rowid, {hits} AS hits FROM {self._name}) WHERE hits ORDER BY hits DESC, rowid DESC", short)  # noqa: S608
        known = set(first)
        return [*first, *(number for number in found if number not in known)]

    def _rows(self, query: str, values: Sequence[str]) -> list[int]:
        with self.lock:
            return [int(row[0]) for row in self._connection.execute(query, values)]


def connect(path: str | Path | None) -> sqlite3.Connection:
    """A database for a memory.

    Args:
        path: Of a file, made if it is not there; None keeps everything in memory.
    """
    return sqlite3.connect(":memory:" if path is None else str(path), check_same_thread=False)


def keep_forever(connection: sqlite3.Connection, table: str) -> None:
    """Let nothing change or leave a table.

    Args:
        connection: Open.
        table: Its name, a constant of the caller.
    """
    for event in ("UPDATE", "DELETE"):
        told = f"{table} only grows"
        connection.execute(
            f"CREATE TRIGGER IF NOT EXISTS {table}_no_{event.lower()} BEFORE {event} ON {table} BEGIN SELECT RAISE(ABORT, '{told}'); END"
        )
