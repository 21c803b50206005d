"""The sessions that a visitor can open: uploads of their own, and files that every visitor of this server may see, each read once."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path

import streamlit as st
from _formats import chosen_formats
from _sources import Source, named_files, samples
from _visit import link, uploads

from ctxcore.errors import ReadError
from ctxcore.model import Session
from ctxcore.readers.detect import read_sessions
from ctxcore.readers.folder import folder_stamp
from ctxcore.views.visible import visible

SHARED_FILES = 6
"""Samples and command-line files kept in memory, for all visitors together."""


NUMBER = re.compile("[0-9]{1,9}")
"""Which session of a file an address names."""


@st.cache_data(max_entries=64, show_spinner=False)
def _digest(path: str, changed_ns: int, size: int) -> str:  # noqa: ARG001 - part of the cache key
    """SHA-256 of a file; read again only when its time or size changed."""
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


@st.cache_resource(max_entries=SHARED_FILES, show_spinner="Reading the session …", show_time=True)
def _shared_sessions(digest: str, name: str, format: str, _path: str) -> tuple[Session, ...]:  # noqa: ARG001 - the cache key is the content
    """Sessions of a file that every visitor may see, by its content."""
    return read_sessions(_path, name, format=format)


def source_sessions(source: Source) -> tuple[Session, ...]:
    """Sessions of a sample, or of a file or folder named on the command line; parsed once per content.

    Raises:
        ReadError: The file gives no session.
    """
    asked = chosen_formats().get(source.key, source.format)
    if source.path.is_dir():
        return _shared_sessions(f"{source.path} {folder_stamp(source.path)}", source.path.name, asked, str(source.path))
    if not source.path.is_file():
        return read_sessions(source.path)
    stat = source.path.stat()
    return _shared_sessions(_digest(str(source.path), stat.st_mtime_ns, stat.st_size), source.path.name, asked, str(source.path))


def sources() -> tuple[Source, ...]:
    """Files that every visitor of this server may open."""
    return (*named_files(), *samples())


def uploaded_sessions() -> list[Session]:
    """Every session of this visitor's uploads, upload order."""
    return [session for one in uploads().values() for session in one.sessions]


def default_session() -> str:
    """Key of the session that opens by itself: the first file named on the command line, else the newest upload, else none."""
    files = named_files()
    if files:
        return files[0].key
    mine = uploaded_sessions()
    return mine[-1].digest if mine else ""


def session_at(key: str) -> Session | None:
    """The session that an address names; None where it is not open here.

    Raises:
        ReadError: It names a file that gives no session.
    """
    for session in uploaded_sessions():
        if session.digest == key:
            return session
    name, _, number = key.partition("~")
    for source in sources():
        if source.key in (key, name) or source.path.name == key:
            found = source_sessions(source)
            place = int(number) - 1 if NUMBER.fullmatch(number) and source.key == name else 0
            return found[place] if 0 <= place < len(found) else found[0]
    return None


def source_at(key: str) -> Source | None:
    """The file that an address names; None where it names an upload, or nothing that is open here."""
    return next((source for source in sources() if source.key in (key, key.partition("~")[0]) or source.path.name == key), None)


def session_choices() -> Sequence[tuple[str, str]]:
    """Key and label of every session that can be opened now."""
    mine = {s.digest: _label(one.name, s, len(one.sessions)) for one in uploads().values() for s in one.sessions}
    return [*mine.items(), *(choice for source in sources() for choice in _source_choices(source))]


def _source_choices(source: Source) -> list[tuple[str, str]]:
    """One choice, or one for each session of the file that is open."""
    if session_key().partition("~")[0] != source.key:
        return [(source.key, visible(source.label))]
    try:
        found = source_sessions(source)
    except ReadError:
        return [(source.key, visible(source.label))]
    return [(f"{source.key}~{n}" if n > 1 else source.key, _label(source.label, s, len(found))) for n, s in enumerate(found, 1)]


def _label(name: str, session: Session, count: int) -> str:
    return visible(f"{name} · {session.id}" if count > 1 else name)


def session_key() -> str:
    """Key of the session that the visitor looks at, or wants to."""
    return link().session or default_session()
