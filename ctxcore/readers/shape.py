"""What kind of file some bytes are: one JSON value, lines of them, a broken one, or text."""

from __future__ import annotations

import json
from itertools import islice

from ctxcore.errors import UnreadableFile
from ctxcore.model import Json, Problem, SourceRef
from ctxcore.readers.cassette_yaml import cassette_value
from ctxcore.readers.document import EXCERPT_CHARS, NOT_BLANK, Document, Record, byte_at, is_cut, lines_of, reason
from ctxcore.readers.encoding import to_utf8
from ctxcore.readers.fingerprint import Fingerprint
from ctxcore.readers.jsontext import Decoder, quick_value, readable_part, skip_blank, wide_integers
from ctxcore.readers.sqlite_file import is_sqlite
from ctxcore.redaction.masking import masked_part

LOOK_LINES = 20
"""Lines in which a log shows itself when its first line is broken."""

SAVED_TWICE = 2
"""How often JSON may stand in a JSON string."""


def make_document(name: str, data: bytes) -> Document:
    """Look at the bytes and say what kind of file it is.

    Args:
        name: For messages.
        data: Unpacked; hand over the only reference to a large file.

    Raises:
        UnreadableFile: Empty or blank.
    """
    fingerprint = Fingerprint(data)
    what = "the file holds only white space" if data else "the file is empty"
    if is_sqlite(data):
        return Document(name=name, data=data, shape="text", fingerprint=fingerprint)
    data, lossy = to_utf8(data)
    if NOT_BLANK.search(data) is None:
        raise UnreadableFile(name, what, advice="choose the recording itself")
    document = Document(name=name, data=data, shape="lines", fingerprint=fingerprint)
    if lossy:
        document.kept.append(Problem(what=lossy, kind="not_utf8", source=SourceRef(file=name)))
    if not _starts_with_json_line(data):
        del data
        _whole(document)
    return document


def _starts_with_json_line(data: bytes) -> bool:
    """True if there are several lines and the first is a JSON value by itself."""
    spans = lines_of(data)
    _, start, stop = next(spans)
    return next(spans, None) is not None and _is_json(data[start:stop])


def _has_json_line(data: bytes) -> bool:
    """True if one of the first lines is an object with something in it: a log whose first line is broken."""
    return any(_is_json(data[start:stop], filled=True) for _, start, stop in islice(lines_of(data), LOOK_LINES))


def _is_json(line: bytes, *, filled: bool = False) -> bool:
    """True for one JSON value (``filled``: an object that is not empty)."""
    try:
        value = json.loads(line.decode(errors="replace"), parse_int=str)
    except (ValueError, RecursionError):
        return False
    return not filled or (isinstance(value, dict) and bool(value))


def _whole(document: Document) -> None:
    """Take the file as one JSON value, as several that each span lines, as a broken one, or as text."""
    decoder = Decoder(document.odd_number)
    if _plain(document, decoder):
        return
    text = _text(document)
    position = skip_blank(text, 0)
    try:
        value, stop = decoder.value_at(text, position)
    except (ValueError, RecursionError) as error:
        if not _has_json_line(document.data) and not _is_cassette(document):
            _broken(document, text, decoder, error)
        return
    rest = skip_blank(text, stop)
    if rest == len(text):
        _take(document, value, decoder)
    elif "\n" in text[position:rest]:
        _several(document, text, decoder)


def _is_cassette(document: Document) -> bool:
    """True for the YAML of recorded HTTP calls, which becomes the file's value."""
    found = cassette_value(document.data)
    if found is None:
        return False
    value, problem, line = found
    if problem:
        document.report(problem, line, "broken_file")
    document.shape, document.value, document.data = "json", value, b""
    document.kept = [*document.kept, *document.problems]
    return True


def _plain(document: Document, decoder: Decoder) -> bool:
    """Take the file where it is one value of strict JSON, as it usually is."""
    if wide_integers(document.data):
        return False
    try:
        value = quick_value(document.data)
    except ValueError:
        return False
    _take(document, value, decoder)
    return True


def _text(document: Document) -> str:
    try:
        return document.data.decode()
    except UnicodeDecodeError as error:
        line = document.data.count(b"\n", 0, error.start) + 1
        what = f"The file is not UTF-8 at byte {error.start + 1:,}; bad bytes became \N{REPLACEMENT CHARACTER}, save it as UTF-8 to keep them."
        document.report(what, line, "not_utf8")
        return document.data.decode(errors="replace")


def _take(document: Document, value: Json, decoder: Decoder) -> None:
    """The file is this value, or the JSON that stands in it as a string."""
    for _ in range(SAVED_TWICE):
        if not isinstance(value, str) or value.lstrip()[:1] not in ("{", "["):
            break
        try:
            inner, stop = decoder.value_at(value, skip_blank(value, 0))
        except (ValueError, RecursionError):
            break
        if skip_blank(value, stop) != len(value):
            break
        value = inner
    document.shape, document.value, document.data = "json", value, b""
    document.kept = [*document.kept, *document.problems]


def _several(document: Document, text: str, decoder: Decoder) -> None:
    """Values one after the other, of which the first spans several lines."""
    position, line, seen = skip_blank(text, 0), 1, 0
    values: list[Record] = []
    while position < len(text):
        line += text.count("\n", seen, position)
        seen = position
        try:
            value, position = decoder.value_at(text, position)
        except (ValueError, RecursionError) as error:
            what = f"From line {line} on the file is not JSON ({reason(error)}); that part was left out."
            document.report(what, line, "unreadable_rest", masked_part(text, position, position + EXCERPT_CHARS))
            break
        values.append(Record(value, line))
        position = skip_blank(text, position)
    document.given, document.data = values, b""
    document.kept = [*document.kept, *document.problems]
    if len(values) == 1:
        document.shape, document.value = "json", values[0].value


def _broken(document: Document, text: str, decoder: Decoder, error: Exception) -> None:
    """Keep what is readable of one JSON value; without any, the file is text."""
    document.shape = "text"
    if not isinstance(error, json.JSONDecodeError):
        document.fault = ("the file is nested too deeply to be read", "")
        return
    stop = min(error.pos, len(text))
    if text[skip_blank(text, 0) :][:1] in ("{", "["):
        document.fault = (f"the file is not JSON, {reason(error)}", _place(text, stop))
    part = readable_part(text, stop)
    if part is None:
        return
    value, _ = decoder.value_at(part[0], skip_blank(part[0], 0))
    cut = stop >= len(text.rstrip()) or is_cut(error)
    what = "The JSON ends too early" if cut else f"The JSON is broken ({reason(error)})"
    document.report(
        f"{what} at {_place(text, stop)}; what stands before {_place(text, part[1])} was read.",
        text.count("\n", 0, stop) + 1,
        "incomplete_file" if cut else "broken_file",
        masked_part(text, part[1], part[1] + EXCERPT_CHARS),
    )
    _take(document, value, decoder)


def _place(text: str, position: int) -> str:
    """Line and byte of a position, both from 1."""
    return f"line {text.count(chr(10), 0, position) + 1}, byte {byte_at(text, position):,}"
