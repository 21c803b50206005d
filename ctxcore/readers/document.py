"""One file (or member of an archive) as JSON records with their places; nothing here knows a session format."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from ctxcore.errors import UnreadableFile
from ctxcore.model import Json, Problem, SourceRef

HEAD_RECORDS = 200
"""Records that detection looks at."""

EXCERPT_CHARS = 80
"""Of a line that could not be read."""

BLANK = re.compile(r"[ \t\r\n\ufeff]*")


@dataclass(frozen=True, slots=True)
class Record:
    """One JSON value of the file."""

    value: Json
    """As ``json.loads`` gives it; NaN and infinities became the words."""
    line: int
    """Physical line, from 1; 0 where the file is one JSON value."""


@dataclass(slots=True)
class Document:
    """A file whose records can be read once or more; each pass parses anew and keeps nothing."""

    name: str
    """File or member name."""
    data: bytes
    """Unpacked bytes, UTF-8 (converted where the file was UTF-16)."""
    shape: Literal["json", "lines", "text"]
    """One JSON value, one a line, or neither."""
    value: Json = None
    """The value, where the file is one."""
    problems: list[Problem] = field(default_factory=list)
    """Of the last complete pass over the records."""
    record_count: int = 0
    """Records met in the last pass, readable or not."""

    def records(self) -> Iterator[Record]:
        """Each readable value in file order; what cannot be read goes to ``problems``."""
        if self.shape == "json":
            self.record_count = 1
            yield Record(self.value, 0)
            return
        self.problems = []
        self.record_count = 0
        for number, line, complete in _lines(self.data):
            yield from self._values(number, line, complete)

    def head(self) -> list[Json]:
        """The first values, for detection."""
        values: list[Json] = []
        for record in self.records():
            values.append(record.value)
            if len(values) == HEAD_RECORDS:
                break
        return values

    def source(self, record: Record, path: str = "") -> SourceRef:
        """The place of a record, or of a value inside it."""
        return SourceRef(file=self.name, line=record.line, path=path)

    def report(self, what: str, line: int, kind: str, excerpt: str = "") -> None:
        """Note a problem."""
        self.problems.append(Problem(what=what, kind=kind, source=SourceRef(file=self.name, line=line), excerpt=excerpt[:EXCERPT_CHARS]))

    def _values(self, number: int, line: bytes, complete: bool) -> Iterator[Record]:
        text = self._decode(number, line)
        position = _skip(text, 0)
        if position == len(text):
            return
        self.record_count += 1
        while position < len(text):
            try:
                value, position = parse_at(text, position, lambda word: self._odd_number(number, word))
            except (ValueError, RecursionError) as error:
                self._unreadable(number, text[position:], error, complete)
                return
            yield Record(value, number)
            position = _skip(text, position)

    def _decode(self, number: int, line: bytes) -> str:
        try:
            return line.decode()
        except UnicodeDecodeError as error:
            self.report(f"Line {number} is not UTF-8 at byte {error.start}; the bad bytes became \N{REPLACEMENT CHARACTER}.", number, "not_utf8")
            return line.decode(errors="replace")

    def _odd_number(self, number: int, word: str) -> str:
        self.report(f"Line {number} holds {word}, which JSON has no number for; kept as the word.", number, "not_a_number")
        return word

    def _unreadable(self, number: int, rest: str, error: Exception, complete: bool) -> None:
        if not complete:
            self.report(f"Line {number} is incomplete and was left out; the file was probably still being written.", number, "incomplete_line", rest)
        elif isinstance(error, RecursionError):
            self.report(f"Line {number} is nested too deeply and was left out.", number, "too_deep", rest)
        else:
            self.report(f"Line {number} is not JSON and was left out ({error}).", number, "unreadable_line", rest)


def _lines(data: bytes) -> Iterator[tuple[int, bytes, bool]]:
    """Line number, bytes without the end, and whether an end was there."""
    start, number = 0, 0
    while start < len(data):
        number += 1
        stop = data.find(b"\n", start)
        if stop < 0:
            yield number, data[start:], False
            return
        yield number, data[start:stop], True
        start = stop + 1


def _skip(text: str, position: int) -> int:
    match = BLANK.match(text, position)
    return match.end() if match else position


def _wide_int(digits: str) -> int | str:
    """An integer, or its digits where CPython's limit refuses it."""
    try:
        return int(digits)
    except ValueError:
        return digits


def parse_at(text: str, position: int, on_odd_number: Callable[[str], Any]) -> tuple[Json, int]:
    """The JSON value at a position and where it ends.

    Args:
        text: Decoded text.
        position: Of the value's first character.
        on_odd_number: Gets NaN, Infinity or -Infinity and returns what to keep.

    Raises:
        ValueError: Not JSON.
        RecursionError: Nested too deeply.
    """
    try:
        return json.JSONDecoder(parse_constant=on_odd_number).raw_decode(text, position)
    except json.JSONDecodeError:
        raise
    except ValueError:  # an integer over CPython's digit limit
        return json.JSONDecoder(parse_constant=on_odd_number, parse_int=_wide_int).raw_decode(text, position)


def make_document(name: str, data: bytes) -> Document:
    """Look at the bytes and say what kind of file it is.

    Raises:
        UnreadableFile: Empty or blank.
    """
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        data = data.decode("utf-16", errors="replace").encode(errors="surrogatepass")
    data = data.removeprefix(b"\xef\xbb\xbf")
    if not data.strip():
        what = "the file is empty" if not data else "the file holds only white space"
        raise UnreadableFile(name, what, advice="Choose the recording itself")
    document = Document(name=name, data=data, shape="lines")
    first = next(_lines(data.lstrip()))[1].strip()
    one_line = len(first) == len(data.strip())
    if not one_line and _is_json(first):
        return document
    text = data.decode(errors="replace")
    try:
        value, stop = parse_at(text, _skip(text, 0), lambda word: document._odd_number(0, word))
    except (ValueError, RecursionError):
        return document
    if _skip(text, stop) != len(text):
        return document
    document.shape, document.value, document.data = "json", value, b""
    return document


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True
