"""Which reader a file is for: the one whose two marks it has, or the one that a person named."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence

from ctxcore.errors import FormatAmbiguous, FormatNotReadYet, FormatNotRecognized, InputError, ReadError, UnreadableFile, did_you_mean
from ctxcore.readers import READERS
from ctxcore.readers.document import Document
from ctxcore.readers.marks import AFTER_BYTES, AFTER_READERS, known_without_reader
from ctxcore.readers.plugins import all_readers, has_marks, roots_of
from ctxcore.readers.protocol import Reader

SEEN_KEYS = 8
"""Keys that a refusal names."""

JSON_WORDS = {type(None): "null", bool: "true or false", str: "a text", list: "a list"}
"""What JSON calls a value that is no object; any other is a number."""

GENERAL = frozenset({"gemini", "openai-responses", "anthropic-messages", "openai-chat", "answers"})
"""Formats whose marks are the messages of a provider, which files of other formats hold as well: the marks of any other format come first."""

CONTAINED = {"openinference": "otel-genai", "terminal-bench-v1": "litellm"}
"""Formats whose files are files of another format too, with marks of their own on top."""


def find_reader(document: Document) -> Reader:
    """The reader whose marks the file has.

    Raises:
        FormatNotRecognized: None knows it.
        FormatAmbiguous: More than one does, and none of them is the more special one.
    """
    head = document.head()
    known, advice = known_without_reader(document, head)
    if not known:
        found = most_special([reader for reader in all_readers() if has_marks(document, reader)])
        if len(found) > 1:
            raise FormatAmbiguous(document.name, formats=[reader.name for reader in found])
        if found:
            return found[0]
        known, advice = known_without_reader(document, head, AFTER_READERS, AFTER_BYTES)
    if known:
        raise FormatNotReadYet(document.name, known_as=known, looked_for=looked_for(), advice=advice)
    if document.fault[0]:
        what, where = document.fault
        raise UnreadableFile(document.name, what, where=where, advice="choose the recording itself, unchanged")
    raise FormatNotRecognized(document.name, seen=seen(document), looked_for=looked_for())


def most_special(found: Sequence[Reader]) -> list[Reader]:
    """Those of several matching readers that no other one of them goes before.

    Readers of other packages go before all of ``READERS``: they know their own marks best.
    """
    own = [reader for reader in found if reader not in READERS]
    if own:
        return own
    special = [reader for reader in found if reader.name not in GENERAL] or found
    contained = {CONTAINED.get(reader.name) for reader in special}
    return [reader for reader in special if reader.name not in contained]


def named_reader(name: str) -> Reader:
    """The reader of this name.

    Raises:
        InputError: There is none.
    """
    for reader in all_readers():
        if reader.name == name:
            return reader
    near = did_you_mean(name, [reader.name for reader in all_readers()])
    raise InputError(f"No format {name!r:.80}.{near} ctxscope formats lists them all.")


def owners_of(names: Sequence[str], named: Reader | None) -> dict[str, Reader]:
    """Which reader gets a file of an archive whatever its own marks are, because the archive, or a folder in it, is one recording.

    Args:
        names: Of all files of the upload.
        named: The reader that a person asked for.
    """
    owners: dict[str, Reader] = {}
    for reader in (named,) if named else all_readers():
        roots = _outermost(roots_of(reader, names))
        for name in names if roots else ():
            place = bisect_right(roots, name) - 1
            if place >= 0 and name.startswith(roots[place]):
                owners[name] = reader
    return owners


def _outermost(roots: Iterable[str]) -> list[str]:
    """The beginnings, sorted, without those that begin with another one: then only the last one before a name can be its."""
    outer: list[str] = []
    for root in sorted(roots):
        if not outer or not root.startswith(outer[-1]):
            outer.append(root)
    return outer


def why_left_out(fault: ReadError) -> str:
    """Why a file of an archive gives no session, a clause; what was looked for is a list too long to stand beside every file."""
    if isinstance(fault, FormatNotReadYet):
        return f"this is {fault.known_as}, of which no session can be made" + (f"; {fault.advice}" if fault.advice else "")
    if isinstance(fault, FormatNotRecognized):
        return f"no known session format; seen: {fault.seen}"
    return str(fault).removeprefix(f"{fault.name}: ")


def looked_for() -> list[str]:
    """One line per format: its name and its marks."""
    return [f"{reader.name} ({reader.detects})" for reader in all_readers()]


def seen(document: Document) -> str:
    """What a file looks like, a clause."""
    head = document.head()
    if not head:
        return "binary data" if b"\0" in document.data[:4096] else "text without a JSON value"
    first = head[0]
    kind = "one JSON value" if document.shape == "json" else "JSON lines"
    if isinstance(first, list) and first and isinstance(first[0], dict):
        kind, first = f"{kind}, a list of objects", first[0]
    if isinstance(first, dict):
        return f"{kind} with the keys {', '.join(repr(str(key)[:40]) for key in list(first)[:SEEN_KEYS]) or 'none'}"
    return f"{kind}, {JSON_WORDS.get(type(first), 'a number')}"
