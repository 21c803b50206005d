"""SQLite files of strangers: opened in memory, read only, and never trusted to end.

Source: SQLite file format (bytes 18 and 19: 2 for a write-ahead log); ``PRAGMA trusted_schema`` and ``query_only``.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ctxcore.model import Json
from ctxcore.readers.document import Document

MAGIC = b"SQLite format 3\0"
"""First bytes of every such file."""

MAX_STEPS = 200_000_000
"""Instructions of the database's machine that all reading of one file may take; a million rows take about ten million."""

STEPS_AT_ONCE = 1_000_000

MAX_REPEATS = 2
"""How often the rows of a query may hold what the file has bytes for: the pages of a value can belong to many rows of a prepared file."""

ROOM_BYTES = 2**20
"""Beyond that, for text that takes more bytes in UTF-8 than in the file."""

FAULTS = (sqlite3.Error, MemoryError, OverflowError, UnicodeError)
"""What a damaged file raises; its words can stand in the message, in no known encoding."""

LATE_ROWS = "The newest rows may be missing: the program keeps them in a -wal file beside the database until it closes."


def is_sqlite(data: bytes) -> bool:
    """True for the bytes of an SQLite file."""
    return data.startswith(MAGIC)


def has_lost_log(data: bytes) -> bool:
    """True where the file may miss its newest rows: they stand in a ``-wal`` file beside it until the program closes."""
    return is_sqlite(data) and data[18:20] == b"\x02\x02"


@contextmanager
def opened(data: bytes) -> Iterator[sqlite3.Connection]:
    """The database in memory.

    Raises:
        sqlite3.Error: Damaged.
    """
    connection = sqlite3.connect(":memory:")
    steps = 0

    def count() -> int:
        nonlocal steps
        steps += STEPS_AT_ONCE
        return int(steps > MAX_STEPS)

    try:
        connection.deserialize(data[:18] + b"\x01\x01" + data[20:])
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA query_only = ON")
        connection.set_progress_handler(count, STEPS_AT_ONCE)
        connection.text_factory = lambda value: value.decode("utf-8", "replace")
        yield connection
    finally:
        connection.close()


def tables(data: bytes) -> dict[str, tuple[str, ...]]:
    """Tables of a file with their columns; none where it cannot be read."""
    try:
        with opened(data) as connection:
            names = [name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
            return {name: _columns(connection, name) for name in names}
    except FAULTS:
        return {}


def _columns(connection: sqlite3.Connection, table: str) -> tuple[str, ...]:
    return tuple(name for (name,) in connection.execute("SELECT name FROM pragma_table_info(?)", (table,)))


def rows(data: bytes, query: str, parameters: Sequence[Any] = ()) -> tuple[list[tuple[Any, ...]], str]:
    """Rows of a query of ours, and why it stopped where the file is damaged: a clause, else empty.

    Args:
        data: Of the file.
        query: A SELECT on tables whose columns were looked at.
        parameters: Its values.
    """
    found: list[tuple[Any, ...]] = []
    room = len(data) * MAX_REPEATS + ROOM_BYTES
    try:
        with opened(data) as connection:
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, max(len(data), ROOM_BYTES))
            for row in connection.execute(query, parameters):
                room -= sum(len(value) for value in row if isinstance(value, (str, bytes)))
                if room < 0:
                    return found, "its rows hold more than the file"
                found.append(row)
    except FAULTS as error:
        return found, str(error) or type(error).__name__
    return found, ""


def rows_of(document: Document, table: str, columns: Sequence[str], *, where: str = "", order: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Rows of a table by column; None in columns that the table has not, no rows where the file has no such table. Damage is reported.

    Args:
        document: The database.
        table: A name of ours.
        columns: Names of ours.
        where: A condition of ours on columns that every version has.
        order: Columns to sort by.
    """
    known = tables(document.data).get(table, ())
    if not known:
        return []
    chosen = ", ".join(f'"{column}"' if column in known else "NULL" for column in columns)
    sort = ", ".join(f'"{column}"' for column in order if column in known)
    query = f'SELECT {chosen} FROM "{table}"' + (f" WHERE {where}" if where else "") + (f" ORDER BY {sort}" if sort else "")  # noqa: S608 - names of ours
    found, fault = rows(document.data, query)
    if fault:
        document.report(f"The database is damaged ({fault}); {len(found):,} rows of {table} before that were read.", 0, "damaged_database")
    return [dict(zip(columns, row, strict=True)) for row in found]


def json_of(value: Any) -> Json:
    """The value of a column that holds JSON as text or bytes; None where it does not."""
    if not isinstance(value, (str, bytes)):
        return None
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return None
