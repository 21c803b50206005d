"""Ways to break a recording. Each is a plain function of the file and a few small numbers, which Hypothesis draws and shrinks."""

from __future__ import annotations

import copy
import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import yaml
from hypothesis import strategies as st

HUGE, DEEP = "@huge@", "@deep@"
"""Stand for what ``json.dumps`` cannot write: an integer of 5,000 digits, lists 20,000 deep."""

RAW = {HUGE: "7" * 5_000, DEEP: "[" * 20_000 + "]" * 20_000}

ODD: tuple[Any, ...] = (
    None, True, 0, -1, 7, 1.5, 1e308, float("nan"), float("-inf"), 2**63, 10**30, -(10**18), HUGE, DEEP,
    "", " ", "x", "\ud800", "\0", "[{", '{"a": 1}', '["x"]', "2026-13-45T99:99:99Z", "1780000000", "assistant", "tool", "system", "y" * 3_000,
    [], [None], [[1]], [{}], ["x", 1], {}, {"": ""}, {"type": "text"}, {"role": {}}, {"role": "user", "content": "Hi"}, {"id": [1]},
)  # fmt: skip
"""What may stand anywhere."""

Path = tuple[Any, ...]


@dataclass(frozen=True)
class Mutation:
    """One change."""

    way: str
    record: int
    """Picks a line, or a row."""
    place: int
    """Picks a value in it, or a byte."""
    odd: int
    """Picks what to put there, or how much."""


WAYS = ("odd", "odd", "delete", "repeat", "list", "object", "to text", "from text", "swap", "steal", "rename", "inside")
"""Of the values of a record; "odd" counts twice."""

LINE_WAYS = ("drop line", "repeat line", "swap lines", "glue lines", "cut line", "odd line", "blank line", "cut file")

BYTE_WAYS = ("flip", "insert", "remove", "copy", "cut file", "zeros", "not utf-8", "half")

MUTATIONS = st.lists(
    st.builds(Mutation, st.sampled_from(WAYS * 2 + LINE_WAYS), st.integers(0, 400), st.integers(0, 4_000), st.integers(0, len(ODD) - 1)),
    min_size=1,
    max_size=3,
)

BYTE_MUTATIONS = st.lists(
    st.builds(Mutation, st.sampled_from(BYTE_WAYS), st.integers(0, 255), st.integers(0, 2**20), st.integers(0, 60)), min_size=1, max_size=4
)


def mutated(data: bytes, mutations: list[Mutation]) -> bytes:
    """The file with all changes, one after the other."""
    for mutation in mutations:
        data = _lines(data, mutation) if mutation.way in LINE_WAYS else _values(data, mutation)
    return data


def mutated_bytes(data: bytes, mutations: list[Mutation]) -> bytes:
    """The same for changes that know nothing of JSON."""
    for mutation in mutations:
        data = _bytes(data, mutation)
    return data


def _values(data: bytes, mutation: Mutation) -> bytes:
    if data.startswith(b"SQLite format 3\0"):
        return _row(data, mutation)
    try:
        return _dump(changed(json.loads(data), mutation)).encode()
    except (ValueError, RecursionError):
        pass
    lines = data.split(b"\n")
    number = mutation.record % len(lines)
    try:
        lines[number] = _dump(changed(json.loads(lines[number]), mutation)).encode()
    except (ValueError, RecursionError):
        return _yaml(data, mutation)
    return b"\n".join(lines)


def _yaml(data: bytes, mutation: Mutation) -> bytes:
    try:
        value = yaml.load(data, yaml.CSafeLoader)
        if not isinstance(value, dict):
            return data
        text = yaml.dump(json.loads(json.dumps(changed(value, mutation), default=str)), Dumper=yaml.CSafeDumper)
    except (yaml.YAMLError, ValueError, RecursionError):
        return data
    for word, raw in RAW.items():
        text = text.replace(f"'{word}'", raw)
    return text.encode()


def _row(data: bytes, mutation: Mutation) -> bytes:
    """An odd value in one cell of a database, or inside the JSON of one."""
    with closing(sqlite3.connect(":memory:")) as base:
        try:
            base.deserialize(data)
            tables = [name for (name,) in base.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")]
            table = tables[mutation.record % len(tables)]
            columns = [name for (name,) in base.execute("SELECT name FROM pragma_table_info(?)", (table,))]
            column = columns[mutation.place % len(columns)]
            ids = [row for (row,) in base.execute(f'SELECT rowid FROM "{table}"')]  # noqa: S608 - names of our own file
            row = ids[mutation.place % len(ids)]
            found = base.execute(f'SELECT "{column}" FROM "{table}" WHERE rowid = ?', (row,)).fetchone()  # noqa: S608 - as above
            old = found[0] if found else None  # an earlier change broke the tree of the table
            new = _dump(changed(json.loads(old), mutation)) if isinstance(old, str) and old[:1] in "[{" else _cell(ODD[mutation.odd])
            base.execute(f'UPDATE "{table}" SET "{column}" = ? WHERE rowid = ?', (new, row))  # noqa: S608 - as above
            base.commit()
            return base.serialize()
        except (sqlite3.Error, ValueError, OverflowError, ZeroDivisionError, RecursionError):
            return data


def _cell(value: Any) -> Any:
    return value if value is None or isinstance(value, (float, bool)) else _dump(value)


def _dump(value: Any) -> str:
    text = json.dumps(value)
    for word, raw in RAW.items():
        text = text.replace(json.dumps(word), raw)
    return text


def places(value: Any, path: Path = ()) -> Iterator[Path]:
    """Paths to everything in a value, itself included."""
    yield path
    for key, entry in _entries(value):
        yield from places(entry, (*path, key))


def _entries(value: Any) -> list[tuple[Any, Any]]:
    return list(value.items()) if isinstance(value, dict) else list(enumerate(value)) if isinstance(value, list) else []


def changed(value: Any, mutation: Mutation) -> Any:
    """A copy of a JSON value with one change in one place."""
    every = list(places(value))
    path = every[mutation.place % len(every)]
    if not path:
        return ODD[mutation.odd] if mutation.way == "odd" else _retyped(value, mutation)
    made = copy.deepcopy(value)
    holder = made
    for key in path[:-1]:
        holder = holder[key]
    key = path[-1]
    if mutation.way == "steal":
        other: Any = value
        for step in every[(mutation.place * 31 + mutation.odd) % len(every)]:
            other = other[step]
        holder[key] = copy.deepcopy(other)
    else:
        CHANGES.get(mutation.way, _put)(holder, key, mutation)
    return made


def _put(holder: Any, key: Any, mutation: Mutation) -> None:
    holder[key] = ODD[mutation.odd] if mutation.way == "odd" else _retyped(holder[key], mutation)


def _delete(holder: Any, key: Any, mutation: Mutation) -> None:
    del holder[key]


def _repeat(holder: Any, key: Any, mutation: Mutation) -> None:
    if isinstance(holder, list):
        holder.insert(key, copy.deepcopy(holder[key]))
    else:
        other = list(holder)[mutation.odd % len(holder)]
        holder[other] = copy.deepcopy(holder[key])


def _swap(holder: Any, key: Any, mutation: Mutation) -> None:
    keys = [name for name, _ in _entries(holder)]
    other = keys[mutation.odd % len(keys)]
    holder[key], holder[other] = holder[other], holder[key]


def _rename(holder: Any, key: Any, mutation: Mutation) -> None:
    if isinstance(holder, dict):
        holder[("", "type", "role", "content", f"{key}_2")[mutation.odd % 5]] = holder.pop(key)


CHANGES: dict[str, Callable[[Any, Any, Mutation], None]] = {"delete": _delete, "repeat": _repeat, "swap": _swap, "rename": _rename}


def _retyped(value: Any, mutation: Mutation) -> Any:
    match mutation.way:
        case "list":
            return [value]
        case "object":
            return {"value": value}
        case "to text":
            return json.dumps(value)
        case "from text" | "inside" if isinstance(value, str):
            return _inside(value, mutation)
    return value


def _inside(text: str, mutation: Mutation) -> Any:
    """JSON in a string: as the value, or changed and back in its string."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text[: mutation.odd]
    if mutation.way == "from text":
        return value
    return json.dumps(changed(value, Mutation("odd", mutation.record, mutation.place // 3, mutation.odd)))


def _lines(data: bytes, mutation: Mutation) -> bytes:
    lines = data.split(b"\n")
    number, other = mutation.record % len(lines), mutation.place % len(lines)
    match mutation.way:
        case "drop line":
            del lines[number]
        case "repeat line":
            lines.insert(other, lines[number])
        case "swap lines":
            lines[number], lines[other] = lines[other], lines[number]
        case "glue lines":
            lines[number : number + 2] = [b"".join(lines[number : number + 2])]
        case "cut line":
            lines[number] = lines[number][: mutation.place % (len(lines[number]) + 1)]
        case "odd line":
            lines.insert(number, _dump(ODD[mutation.odd]).encode())
        case "blank line":
            lines[number] = b" \t" * mutation.odd
        case "cut file":
            return data[: mutation.place % (len(data) + 1)]
    return b"\n".join(lines)


def _bytes(data: bytes, mutation: Mutation) -> bytes:
    at, count = mutation.place % (len(data) + 1), mutation.odd
    before, after = data[:at], data[at:]
    changes = {
        "flip": before + bytes([mutation.record]) + after[1:],
        "insert": before + bytes([mutation.record]) * count + after,
        "remove": before + after[count:],
        "copy": before + after[: 9 * count] + after,
        "cut file": before,
        "zeros": before + b"\0" * count + after[count:],
        "not utf-8": before + (b"\xff\xfe", b"\xc3", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\xe2\x80\xa8")[count % 5] + after,
        "half": data[len(data) // 2 :] + data[: len(data) // 2],
    }
    return changes[mutation.way]
