"""One file (or member of an archive) as JSON records with their places; nothing here knows a session format."""

from __future__ import annotations

import json
import re
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Literal

from ctxcore.frozen import Later, quick_init
from ctxcore.model import Json, Problem, SourceRef
from ctxcore.readers.fingerprint import Fingerprint
from ctxcore.readers.jsontext import MAX_DEPTH, Decoder, depth, quick_value, skip_blank, wide_integers
from ctxcore.readers.recorded import RecordedLine
from ctxcore.readers.stopping import reached
from ctxcore.redaction.masking import masked_part

HEAD_LINES = 200
"""Lines that detection looks at."""

HEAD_BYTES = 2**23
"""Detection stops behind the line that reaches this; what it read is kept for the first pass."""

EXCERPT_CHARS = 80
"""Of a line that could not be read."""

LISTED_PROBLEMS = 20
"""Of each kind and file; the rest is counted."""

LINES_A_LOOK = 16
"""Lines between two looks at whether the reading is to stop."""

SMALL_LINE_BYTES = 1000
"""Lines that are shorter on average take more memory when they are decoded than as bytes."""

LOOK_BYTES = 2**20
"""From whose lines that is told."""

BLANK = b" \t\r\n"
NOT_BLANK = re.compile(rb"[^ \t\r\n]")


@quick_init
@dataclass(frozen=True, slots=True)
class Record:
    """One JSON value of the file."""

    value: Json
    """As ``json.loads`` gives it; NaN, infinities and endless integers became text."""
    line: int
    """Physical line, from 1; 0 where the file is one JSON value."""
    start: int | None = None
    """Byte at which the line begins, where it holds this value and nothing else."""


@dataclass(slots=True)
class Document:
    """A file whose records can be read once or more; each pass parses anew and keeps nothing."""

    name: str
    """File or member name."""
    data: bytes
    """Unpacked bytes, UTF-8 (converted where the file was UTF-16); empty where values were made of them already."""
    shape: Literal["json", "lines", "text"]
    """One JSON value, one a line (or several that span lines), or neither."""
    value: Json = None
    """The value, where the file is one."""
    given: Sequence[Record] = ()
    """The values, where each spans several lines."""
    fingerprint: Fingerprint = field(default_factory=lambda: Fingerprint(b""))
    """Of the unpacked bytes as they came, perhaps still being made."""
    kept: list[Problem] = field(default_factory=list)
    """Problems of the file as a whole."""
    problems: list[Problem] = field(default_factory=list)
    """Of the last pass over the records, ``kept`` included; at most ``LISTED_PROBLEMS`` of each kind."""
    found: Counter[str] = field(default_factory=Counter)
    """How often each kind of problem was met in the last pass."""
    unreadable: Counter[str] = field(default_factory=Counter)
    """Records that no value came of in the last pass, by kind of problem."""
    record_count: int = 0
    """Values met in the last pass, and places where one could not be read."""
    check_depth: bool = False
    """Leave out values that are nested deeper than ``MAX_DEPTH`` (asked for only after something tripped over one)."""
    fault: tuple[str, str] = ("", "")
    """Why the file is no JSON, where it begins like some: what, and line and byte."""
    _ahead: deque[list[Record]] = field(default_factory=deque)
    _pass: Iterator[list[Record]] | None = None
    _offset: int = 0
    _line: int = 0
    _small_lines: bool = False

    @property
    def digest(self) -> str:
        """SHA-256 of the unpacked bytes as they came, in hexadecimal."""
        return self.fingerprint.hexdigest()

    def records(self) -> Iterator[Record]:
        """Each readable value in file order; what cannot be read goes to ``problems``."""
        if self._pass is None:
            self._ahead.clear()
        lines = self._pass or self._start()
        self._pass = None
        while self._ahead:
            yield from self._ahead.popleft()
        for values in lines:
            yield from values

    def head(self) -> list[Json]:
        """The first ``HEAD_LINES`` values, for detection; the next pass goes on behind what was parsed, so nothing is parsed twice."""
        if self._pass is None:
            self._ahead.clear()
            self._pass = self._start()
            for values in self._pass:
                self._ahead.append(values)
                if len(self._ahead) == HEAD_LINES or self._offset > HEAD_BYTES:
                    break
        return [record.value for record in islice(chain.from_iterable(self._ahead), HEAD_LINES)]

    def first(self) -> Record | None:
        """The first value; the next pass begins with it all the same, and nothing is parsed twice."""
        self.head()
        return next(chain.from_iterable(self._ahead), None)

    def source(self, record: Record, path: str = "") -> SourceRef:
        """The place of a record, or of a value inside it."""
        return SourceRef(file=self.name, line=record.line, path=path)

    def raw(self, record: Record) -> Json | Later:
        """What to keep as ``Message.raw`` where little else of the record is kept: in a file of small lines its bytes, else its value."""
        return record.value if record.start is None or not self._small_lines else RecordedLine(self.data, record.start)

    def report(self, what: str, line: int, kind: str, excerpt: str = "") -> None:
        """Note a problem."""
        self.found[kind] += 1
        if self.found[kind] <= LISTED_PROBLEMS:
            self.problems.append(
                Problem(what=what, kind=kind, source=SourceRef(file=self.name, line=line), excerpt=masked_part(excerpt, 0, EXCERPT_CHARS))
            )

    def lost(self, what: str, line: int, kind: str, excerpt: str = "") -> None:
        """Note a problem that cost a record."""
        self.unreadable[kind] += 1
        self.report(what, line, kind, excerpt)

    def reported(self) -> tuple[Problem, ...]:
        """All problems of the last pass, and how many are not listed."""
        return tuple(self.problems) + tuple(
            Problem(what=f"{count - LISTED_PROBLEMS:,} more of the kind {kind} are not listed.", kind=kind, source=SourceRef(file=self.name))
            for kind, count in sorted(self.found.items())
            if count > LISTED_PROBLEMS
        )

    def odd_number(self, word: str) -> str:
        """Note a number that is none in strict JSON; the text to keep for it."""
        place = f"Line {self._line}" if self._line else "The file"
        if len(word) > EXCERPT_CHARS:
            self.report(f"{place} holds an integer of {len(word):,} digits; kept as text.", self._line, "huge_integer", word)
        else:
            self.report(f"{place} holds {word}, which JSON has no number for; kept as text.", self._line, "not_a_number", word)
        return word

    def _start(self) -> Iterator[list[Record]]:
        """A new pass."""
        self.problems, self.found, self.unreadable = [*self.kept], Counter(p.kind for p in self.kept), Counter()
        self.record_count = self._offset = self._line = 0
        if self.shape == "json":
            return self._made([Record(self.value, 0)])
        if self.given:
            return self._made(self.given)
        return self._lines() if self.shape == "lines" else iter(())

    def _made(self, records: Sequence[Record]) -> Iterator[list[Record]]:
        for record in records:
            self.record_count += 1
            reached(self.record_count / len(records))
            yield self._shallow([record])

    def _lines(self) -> Iterator[list[Record]]:
        decoder = Decoder(self.odd_number)
        wide = iter(wide_integers(self.data))
        next_wide = next(wide, len(self.data))
        looked_at = min(len(self.data), LOOK_BYTES)
        self._small_lines = looked_at < SMALL_LINE_BYTES * self.data.count(b"\n", 0, looked_at)
        for number, start, stop in lines_of(self.data):
            self._line, self._offset = number, stop
            if not number % LINES_A_LOOK:
                reached(stop / len(self.data))
            while next_wide < start:
                next_wide = next(wide, len(self.data))
            records = self._plain(number, start, stop) if stop <= next_wide else None
            yield self._shallow(list(self._values(decoder, number, start, stop)) if records is None else records)

    def _plain(self, number: int, start: int, stop: int) -> list[Record] | None:
        """The usual line, one value of strict JSON; None for any other."""
        try:
            value = quick_value(self.data[start:stop])
        except ValueError:
            return None
        self.record_count += 1
        return [Record(value, number, start)]

    def _values(self, decoder: Decoder, number: int, start: int, stop: int) -> Iterator[Record]:
        """The values of one line: usually one, several where lines are glued together."""
        text = self._text(number, start, stop)
        position = skip_blank(text, 0)
        while position < len(text):
            self.record_count += 1
            try:
                value, position = decoder.value_at(text, position)
            except (ValueError, RecursionError) as error:
                self._unreadable(number, text, position, error, complete=stop < len(self.data))
                return
            yield Record(value, number)
            position = skip_blank(text, position)

    def _text(self, number: int, start: int, stop: int) -> str:
        line = memoryview(self.data)[start:stop]
        try:
            return str(line, "utf-8")
        except UnicodeDecodeError as error:
            advice = "save the file as UTF-8 to keep them"
            self.report(
                f"Line {number} is not UTF-8 at byte {error.start + 1}; the bad bytes became \N{REPLACEMENT CHARACTER}, {advice}.", number, "not_utf8"
            )
            return str(line, "utf-8", "replace")

    def _unreadable(self, number: int, text: str, position: int, error: Exception, *, complete: bool) -> None:
        rest = masked_part(text, position, position + EXCERPT_CHARS)
        if isinstance(error, RecursionError):
            self.lost(f"Line {number} is nested too deeply and was left out.", number, "too_deep", rest)
        elif not complete:
            damaged = any(problem.kind == "incomplete_archive" for problem in self.kept)
            why = "" if damaged else "; the file was probably still being written"
            self.lost(f"Line {number} is incomplete and was left out{why}.", number, "incomplete_line", rest)
        else:
            byte = byte_at(text, error.pos if isinstance(error, json.JSONDecodeError) else position)
            self.lost(f"Line {number} is not JSON at byte {byte} ({reason(error)}) and was left out.", number, "unreadable_line", rest)

    def _shallow(self, records: list[Record]) -> list[Record]:
        """The records without those that are nested too deeply, where that is checked."""
        if not self.check_depth:
            return records
        good: list[Record] = []
        for record in records:
            if depth(record.value) <= MAX_DEPTH:
                good.append(record)
            else:
                place = f"Line {record.line}" if record.line else "The file"
                self.lost(f"{place} is nested deeper than {MAX_DEPTH} levels and was left out.", record.line, "too_deep")
        return good


FAULTS = (
    ("Unterminated string", "a text in quotes has no end"),
    ("Expecting property name", "a name in double quotes is missing"),
    ("Expecting value", "a value is missing"),
    ("Expecting ',' delimiter", "a comma or the end is missing"),
    ("Expecting ':' delimiter", "a colon is missing"),
    ("Invalid control character", "a text holds a control character"),
    ("Invalid \\", "a text holds a backslash that escapes nothing"),
    ("Illegal trailing comma", "a comma has nothing behind it"),
    ("Extra data", "more follows after the value"),
)
"""How the decoder's messages begin, and a clause that says the same without needing the place behind it."""


def reason(error: Exception) -> str:
    """What a decoder found wrong, a clause."""
    told = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
    return next((clause for start, clause in FAULTS if told.startswith(start)), told.lower())


def is_cut(error: json.JSONDecodeError) -> bool:
    """True where a text in quotes goes on to the end of the file."""
    return error.msg.startswith("Unterminated string")


def byte_at(text: str, position: int) -> int:
    """The byte of a position in UTF-8, from 1."""
    return len(text[:position].encode(errors="replace")) + 1


def lines_of(data: bytes) -> Iterator[tuple[int, int, int]]:
    """Number, start and stop of each line that is not blank; the stop equals the length of the data where no end of line follows."""
    number, start = 1, 0
    while start < len(data):
        if data[start] in BLANK:  # any number of blank lines is passed at once
            found = NOT_BLANK.search(data, start)
            if found is None:
                return
            number += data.count(b"\n", start, found.start())
            start = max(start, data.rfind(b"\n", start, found.start()) + 1)
        stop = data.find(b"\n", start)
        if stop < 0:
            yield number, start, len(data)
            return
        yield number, start, stop
        number, start = number + 1, stop + 1
