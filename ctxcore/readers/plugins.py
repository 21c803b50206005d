"""Formats that other installed packages add: an entry point of the group ``ctxscope.readers`` names a ``Reader`` or a class of one.

Such code may raise anything. What it costs is its own format, or the file that only it reads, and one sentence that names the package.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from traceback import walk_tb
from typing import TypeVar, cast

from ctxcore.errors import CtxscopeError, InputError, ReaderPluginError
from ctxcore.installed import load_point, package_of
from ctxcore.readers import READERS
from ctxcore.readers.document import Document
from ctxcore.readers.protocol import Reader

T = TypeVar("T")

GROUP = "ctxscope.readers"
"""Entry point group."""

TEXTS = ("name", "family", "level", "detects")
"""Texts that a reader must have."""

_packages: dict[int, tuple[Reader, str]] = {}
"""Each reader of a plug-in by its identity, with its package."""

_faults: dict[str, None] = {}
"""Sentences, each once, in the order met."""


@lru_cache(maxsize=1)
def all_readers() -> tuple[Reader, ...]:
    """Every format in the order they are tried: those of other packages first (they know their own marks best), then ``READERS``.

    One that cannot be loaded is left out and among ``plugin_faults``.
    """
    _packages.clear()
    _faults.clear()
    added: dict[str, Reader] = {}
    for point in entry_points(group=GROUP):
        try:
            reader = _loaded(point, {reader.name for reader in READERS} | added.keys())
        except InputError as error:
            _faults[f"{error} It is left out."] = None
        else:
            added[reader.name] = reader
            _packages[id(reader)] = reader, package_of(point)
    return (*added.values(), *READERS)


def plugin_faults() -> tuple[str, ...]:
    """What plug-ins failed in so far without costing more than their own format, one sentence each."""
    return tuple(_faults)


def _loaded(point: EntryPoint, taken: set[str]) -> Reader:
    """The reader that an entry point names.

    Raises:
        InputError: It cannot be loaded, lacks something, or its name is taken.
    """
    reader = load_point(point, "format", made=True)
    lacking = [f"a text as {name}" for name in TEXTS if not isinstance(getattr(reader, name, None), str)]
    lacking += [f"a function {name}" for name in ("matches", "read") if not callable(getattr(reader, name, None))]
    if lacking:
        raise InputError(f"The format {point.name} of the package {package_of(point)} lacks {', '.join(lacking)}.")
    if reader.name in taken:
        raise InputError(f"The package {package_of(point)} calls a format {reader.name!r}, and there is one of that name.")
    return cast(Reader, reader)


def has_marks(document: Document, reader: Reader) -> bool:
    """True if the file has this reader's marks; one without a readable value has none, and none has those of a reader that fails to look."""
    head = document.head()
    return bool(head or document.shape == "text") and bool(_asked(reader, "look at a file", lambda: reader.matches(document, head), False))


def roots_of(reader: Reader, names: Sequence[str]) -> Sequence[str]:
    """What ``ArchiveReader.roots`` answers; nothing for another reader, or one that fails to."""
    roots = getattr(reader, "roots", None)
    return _asked(reader, "look at the names in an archive", lambda: [str(root) for root in roots(names)], []) if roots else ()


def _asked(reader: Reader, what: str, question: Callable[[], T], otherwise: T) -> T:
    """The answer of a reader, or what stands for one where a plug-in fails to give it."""
    try:
        return question()
    except Exception as error:
        if id(reader) not in _packages:
            raise
        where = _place(reader, error)
        _faults[f"The format {reader.name} of the package {_packages[id(reader)][1]} could not {what}: it raised {where}. It is left out there."] = (
            None
        )
        return otherwise


@contextmanager
def reading(reader: Reader, name: str) -> Iterator[None]:
    """Say of an exception in the block which plug-in it comes from; readers that ship raise on.

    Args:
        reader: Who reads.
        name: Of the file.

    Raises:
        ReaderPluginError: A plug-in raised something, or gave something that no session can be made of.
    """
    try:
        yield
    except CtxscopeError:
        raise
    except Exception as error:
        if id(reader) not in _packages:
            raise
        raise ReaderPluginError(name, plugin=_packages[id(reader)][1], format=reader.name, what=_place(reader, error)) from error


def _place(reader: Reader, error: BaseException) -> str:
    """What was raised, and the innermost line of the plug-in that was running; not the words, which may quote the file."""
    own = type(reader).__module__.partition(".")[0]
    lines = [line for frame, line in walk_tb(error.__traceback__) if str(frame.f_globals.get("__name__", "")).partition(".")[0] == own]
    return f"{type(error).__name__}{f' at its line {lines[-1]:,}' if lines else ''}"
