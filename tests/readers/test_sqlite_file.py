"""SQLite files of strangers: what a query gives is bounded by the file."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from ctxcore.readers.document import Document
from ctxcore.readers.sqlite_file import json_of, rows, rows_of, tables


def database(tmp_path: Path, script: str) -> bytes:
    path = tmp_path / "some.db"
    with sqlite3.connect(path) as connection:
        connection.executescript(script)
    connection.close()
    return path.read_bytes()


FILLED = """CREATE TABLE t (x TEXT);
INSERT INTO t WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400) SELECT hex(zeroblob(500)) FROM n;"""


def test_rows_that_hold_more_than_the_file_end_the_reading(tmp_path: Path):
    """400 texts of 1,000 characters each: all of them once can be read, every pair of them cannot."""
    data = database(tmp_path, FILLED)
    assert len(rows(data, "SELECT x FROM t")[0]) == 400
    found, fault = rows(data, "SELECT a.x FROM t AS a, t AS b")
    assert fault == "its rows hold more than the file"
    assert 400 < len(found) < 160_000


def test_columns_and_tables_that_are_missing_are_empty(tmp_path: Path):
    document = Document(
        name="some.db", data=database(tmp_path, "CREATE TABLE t (x TEXT, n INTEGER); INSERT INTO t VALUES ('b', 2), ('a', 1);"), shape="text"
    )
    assert rows_of(document, "t", ("x", "y"), order=("n", "z")) == [{"x": "a", "y": None}, {"x": "b", "y": None}]
    assert rows_of(document, "t", ("n",), where="x > 'a'") == [{"n": 2}]
    assert rows_of(document, "u", ("x",)) == []
    assert document.problems == []


def test_json_of_a_column():
    assert [json_of(value) for value in ('{"a": 1}', b"[2]", "{", b"\xff", 5, None, "[" * 100_000)] == [{"a": 1}, [2], None, None, None, None, None]


def test_damage_whose_message_is_no_text_is_damage(tmp_path: Path):
    """The words of the error quote the broken schema, in which a byte is no UTF-8."""
    data = database(tmp_path, "CREATE TABLE birds (name TEXT);").replace(b"(name TEXT)", b"\xf5\xf6\xf7me TEXT)")
    assert tables(data) == {}
    assert rows(data, "SELECT 1 FROM birds")[1]
