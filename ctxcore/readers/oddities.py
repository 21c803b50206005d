"""Counts, times and tool definitions that no reader can use, told once a file: what they are, how many, and the first place."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ctxcore.model import Json, Problem, SourceRef
from ctxcore.readers.document import Document
from ctxcore.readers.noted import Kind, Oddities, form
from ctxcore.readers.places import step_to
from ctxcore.redaction.masking import masked_part

SENTENCES: Mapping[Kind, str] = {
    "usage_no_count": "usage that is no count, taken as unknown",
    "time_unusable": "a time that cannot be one, taken as unknown",
    "tools_unreadable": "tool definitions in a shape that cannot be read; their size is missing in that of the request",
}

KEYS: Mapping[Kind, re.Pattern[str]] = {
    "usage_no_count": re.compile("token|usage|count|metric|stats", re.IGNORECASE),
    "time_unusable": re.compile(r"time|date|created|start|end|finish|(?:^|[_.])(?:ts|at|on)$|[a-z]At$"),
    "tools_unreadable": re.compile(r"(?:tools|functions)$"),
}
"""What the path of such a value holds: an equal value elsewhere is something else."""

SHOWN_CHARS = 60


def tell(heard: Oddities, documents: Sequence[Document]) -> None:
    """Report each kind once for each file that holds such values, with their number and the first place.

    Values that stand in no file as they are (a body inside a text, a row of a database) are told of the first file, without a place.

    Args:
        heard: In one reading.
        documents: What was read.
    """
    for kind, values in heard.noted.items():
        found = [_tell(kind, values, document) for document in documents]
        if not any(found) and documents:
            _report(documents[0], kind, "", SourceRef(file=documents[0].name), next(iter(values.values())))


def _tell(kind: Kind, values: Mapping[str, Json], document: Document) -> bool:
    places = _places(kind, values, document)
    first = next(places, None)
    if first is None:
        return False
    number = 1 + sum(1 for _ in places)
    _report(document, kind, f"{number:,} place{'' if number == 1 else 's'}", *first)
    return True


def _report(document: Document, kind: Kind, number: str, source: SourceRef, value: Json) -> None:
    shown = masked_part(form(value), 0, SHOWN_CHARS).partition(" ")[2]
    first = f"first {source.path} = {shown}" if source.path else f"for example {shown}"
    what = f"{SENTENCES[kind][0].upper()}{SENTENCES[kind][1:]}: {number + ', ' if number else ''}{first}."
    document.problems.append(Problem(what=what, kind=kind, source=source))


def _places(kind: Kind, values: Mapping[str, Json], document: Document) -> Iterator[tuple[SourceRef, Json]]:
    """Where these values stand in a file, in its order; the file's own findings stay as they are."""
    again = replace(document, kept=[], problems=[], found=type(document.found)(), unreadable=type(document.unreadable)(), _ahead=deque(), _pass=None)
    for record in again.records():
        for path, value in _entries(record.value):
            if KEYS[kind].search(path) and form(value) in values:
                yield document.source(record, path), value


def _entries(root: Json) -> Iterator[tuple[str, Json]]:
    """Every entry of an object inside a value, with its path."""
    waiting: list[tuple[str, Json]] = [("", root)]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, dict):
            inner = [(step_to(path, str(key)), item) for key, item in value.items()]
            yield from inner
        elif isinstance(value, list):
            inner = [(f"{path}[{number}]", item) for number, item in enumerate(value)]
        else:
            continue
        waiting += [one for one in reversed(inner) if isinstance(one[1], (dict, list))]
