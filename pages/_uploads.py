"""A visitor's uploads: each file read once, files of one agent log read together, nothing kept of a file that is removed."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

import streamlit as st
from _reading import keep_reading, read_apart
from _visit import Upload, uploads

from ctxcore.errors import ReadError
from ctxcore.model import Session
from ctxcore.readers import READERS
from ctxcore.readers.detect import read_sessions, read_uploads
from ctxcore.views.words import literal

JOINED_FORMATS = frozenset(reader.name for reader in READERS if reader.family == "agent logs")
"""Formats whose sessions may lie in several files: a main log and those of its sub-agents, or a log that goes on in another."""


class File(Protocol):
    """What the uploader holds for one file."""

    file_id: str
    """Of the uploader."""
    name: str
    """As the visitor's computer calls it."""
    size: int
    """Bytes."""

    def getvalue(self) -> bytes:
        """Its bytes."""
        ...


def drop_removed(files: Sequence[File]) -> frozenset[str]:
    """Forget the files that the visitor removed, and what was read together with them; digests of the sessions that are open no more."""
    known = uploads()
    removed = {file_id for file_id, upload in known.items() if not upload.made} - {file.file_id for file in files}
    removed |= {mate for file_id in removed for mate in known[file_id].group}
    gone = {session.digest for file_id in removed if file_id in known for session in known.pop(file_id).sessions}
    return frozenset(gone - {session.digest for upload in known.values() for session in upload.sessions})


def add_new(files: Sequence[File]) -> str:
    """Read the files that are new; the digest of the session to show, or an empty string. A long one comes with a later run of the page."""
    known, shown = uploads(), ""
    keep_reading({file.file_id for file in files})
    for file in files:
        if file.file_id in known:
            continue
        with st.spinner(literal(f"Reading {file.name}, {file.size / 2**20:,.1f} MB …"), show_time=True):
            read = _read_apart(file)
            if read is not None:
                known[file.file_id] = read
                shown = _join([one for one in files if one.file_id in known], file) or shown
    return shown


def read_as(file: File, format: str) -> str:
    """Read a file anew as the format that the visitor names; the digest of the session to show, or an empty string."""
    known = uploads()
    with st.spinner(literal(f"Reading {file.name} as {format} …"), show_time=True):
        read = _read(file, format)
    known[file.file_id] = replace(read, candidates=known[file.file_id].candidates)
    return read.sessions[0].digest if read.sessions else ""


def _read(file: File, format: str = "") -> Upload:
    """One file by itself; the sessions of the same bytes uploaded before are used again."""
    data = file.getvalue()
    begun = _begun(file, data, format)
    try:
        return begun if begun.sessions else replace(begun, sessions=read_sessions(data, file.name, format=format))
    except ReadError as error:
        return _failed(begun, error)


def _read_apart(file: File) -> Upload | None:
    """The same in a thread of its own; None while it goes on."""
    data = file.getvalue()
    begun = _begun(file, data, "")
    if begun.sessions:
        return begun
    try:
        found = read_apart(file.file_id, f"{file.name}, {file.size / 2**20:,.1f} MB", lambda: read_sessions(data, file.name))
    except ReadError as error:
        return _failed(begun, error)
    return None if found is None else replace(begun, sessions=found)


def _begun(file: File, data: bytes, format: str) -> Upload:
    """The upload with the sessions of the same bytes uploaded before, if any."""
    digest = hashlib.sha256(data).hexdigest()
    same = next((one.sessions for one in uploads().values() if one.digest == digest and one.sessions and format in ("", one.format)), ())
    return Upload(name=file.name, digest=digest, format=format, sessions=same)


def _failed(begun: Upload, error: ReadError) -> Upload:
    told = error.question or str(error)
    return replace(begun, error=told, details=error.details, asks=bool(error.question), candidates=error.formats)


def _join(files: Sequence[File], new: File) -> str:
    """Read a new file together with others of its format where that makes fewer sessions of them; the digest of its session."""
    known = uploads()
    mine = known[new.file_id].sessions
    if not mine or known[new.file_id].format:
        return mine[0].digest if mine else ""
    mates = [file for file in files if file.file_id in known and _format(known[file.file_id]) == mine[0].format and _apart(file, new)]
    if mates and mine[0].format in JOINED_FORMATS:
        group = [file for file in files if file in mates or file is new or file.file_id in {m for x in mates for m in known[x.file_id].group}]
        reading = read_uploads([(file.name, file.getvalue()) for file in group])
        apart = {session.id for file in group for session in known[file.file_id].sessions}
        if len({session.id for session in reading.sessions}) <= len(apart) and _differs(reading.sessions, group):
            _keep_together(group, reading.sessions)
            ids = {session.id for session in mine}
            return next((s.digest for s in reading.sessions if s.id in ids), reading.sessions[0].digest)
    return mine[0].digest


def _format(upload: Upload) -> str:
    """Of a file that may be read together with others; one that the visitor named a format for is read by itself."""
    return upload.sessions[0].format if upload.sessions and not upload.format else ""


def _apart(file: File, new: File) -> bool:
    """True for another file with other bytes."""
    known = uploads()
    return file is not new and known[file.file_id].digest != known[new.file_id].digest


def _differs(sessions: Sequence[Session], group: Sequence[File]) -> bool:
    """True if reading the files together told more than reading each by itself."""
    known = uploads()
    before = sorted(len(session.threads) for file in group for session in known[file.file_id].sessions)
    notes = sum(len(session.notes) for file in group for session in known[file.file_id].sessions)
    return before != sorted(len(session.threads) for session in sessions) or notes != sum(len(session.notes) for session in sessions)


def _keep_together(group: Sequence[File], sessions: Sequence[Session]) -> None:
    """The first file of the group holds the sessions; each knows the others, so that removing one reads the rest anew."""
    known, ids = uploads(), tuple(file.file_id for file in group)
    for number, file in enumerate(group):
        known[file.file_id] = replace(known[file.file_id], sessions=tuple(sessions) if number == 0 else (), group=ids)
