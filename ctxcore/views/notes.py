"""Notes that a reader writes on calls and units: short texts, handed on as JSON or Markdown and taken back from JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ctxcore.counted import count
from ctxcore.errors import InputError
from ctxcore.model import Session, Thread
from ctxcore.units import catalog
from ctxcore.views.visible import shortened
from ctxcore.views.words import literal, number

About = Literal["call", "unit"]
"""What a note is on."""

MOST_CHARS, MOST_NOTES, MOST_BYTES = 300, 500, 1 << 20
"""Of one note, of one session, and of a file of notes."""

SCHEMA = "ctxscope.notes/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """One note."""

    thread: str
    """Id of the thread."""
    about: About
    """What it is on."""
    number: int
    """Of the call or the unit, from 0."""
    text: str
    """As written."""


def with_note(notes: Sequence[Note], note: Note) -> tuple[Note, ...]:
    """The notes and one more, by thread, calls before units, by number; a blank or an equal one changes nothing.

    Raises:
        InputError: Too long, or one too many.
    """
    if not note.text.strip() or note in notes:
        return tuple(notes)
    if len(note.text) > MOST_CHARS:
        raise InputError(f"This note has {len(note.text):,} characters; at most {MOST_CHARS} are taken. Write several short ones.")
    if len(notes) >= MOST_NOTES:
        raise InputError(f"There are {MOST_NOTES:,} notes on this session already; no more are taken.")
    return tuple(sorted((*notes, note), key=lambda one: (one.thread, one.about, one.number)))


def notes_on(notes: Sequence[Note], thread: str, about: About, place: int) -> tuple[Note, ...]:
    """Notes on one call or unit."""
    return tuple(note for note in notes if (note.thread, note.about, note.number) == (thread, about, place))


def notes_json(session: Session, notes: Sequence[Note]) -> dict[str, Any]:
    """``ctxscope.notes/1``: the notes on a session, which is named by its digest.

    Args:
        session: As read.
        notes: On it.
    """
    listed = [{"thread": one.thread, "about": one.about, "number": one.number, "text": one.text} for one in notes]
    return {"schema": SCHEMA, "session": session.digest, "file": session.name, "notes": listed}


def notes_markdown(session: Session, notes: Sequence[Note]) -> str:
    """The notes as a list in Markdown; every text stays text."""
    lines = [f"# Notes on {literal(shortened(session.name, 120))}", ""]
    for thread in dict.fromkeys(note.thread for note in notes):
        lines += [f"## Thread {literal(shortened(thread, 60))}", ""]
        for note in (one for one in notes if one.thread == thread):
            said = " ".join(literal(line) for line in note.text.splitlines() if line.strip())
            lines.append(f"- **{note_place(note)}**: {said}")
        lines.append("")
    return "\n".join(lines)


def note_place(note: Note) -> str:
    """What a note is on, in words."""
    return f"Call #{number(note.number)}" if note.about == "call" else f"Unit {number(note.number)}"


class _Entry(BaseModel):
    """A note in a file."""

    model_config = ConfigDict(strict=True)

    thread: Annotated[str, Field(max_length=500)]
    about: About
    number: Annotated[int, Field(ge=0, le=10**9)]
    text: Annotated[str, Field(min_length=1, max_length=MOST_CHARS)]


class _File(BaseModel):
    """A file of notes."""

    model_config = ConfigDict(strict=True)

    schema_name: Annotated[Literal["ctxscope.notes/1"], Field(alias="schema")]
    session: str
    notes: Annotated[list[_Entry], Field(max_length=MOST_NOTES)]


def read_notes(data: bytes, session: Session) -> tuple[Note, ...]:
    """Notes from a file that ``notes_json`` wrote for the same session.

    Args:
        data: Of the file.
        session: That they are to be on.

    Raises:
        InputError: No file of notes, of another recording, or on calls that the session does not have.
    """
    if len(data) > MOST_BYTES:
        raise InputError(f"This file of notes has {len(data):,} bytes; at most {MOST_BYTES:,} are taken.")
    try:
        found = _File.model_validate_json(data)
    except ValidationError as error:
        wrong = error.errors()[0]
        place = ".".join(str(step) for step in wrong["loc"])
        raise InputError(f"This is no file of notes as ctxscope writes it: {place or 'the file'}: {wrong['msg']}.") from error
    if found.session != session.digest:
        raise InputError(f"These notes are on another recording ({shortened(found.session, 12)}); the one that is open is {session.digest[:12]}.")
    threads = {thread.id: thread for thread in session.threads}
    notes = tuple(Note(thread=one.thread, about=one.about, number=one.number, text=one.text) for one in found.notes)
    lost = [note for note in notes if note.thread not in threads or note.number >= _places(threads[note.thread], note.about)]
    if lost:
        raise InputError(
            f"{count(len(lost), 'note')} of this file lead nowhere: the first is on {note_place(lost[0])}, which this session does not have."
        )
    return notes


def _places(thread: Thread, about: About) -> int:
    return len(thread.calls) if about == "call" else len(catalog(thread).first)


def notes_rows(notes: Sequence[Note]) -> list[dict[str, str]]:
    """One row per note: what it is ``on``, the ``note`` and its ``thread``."""
    return [{"on": note_place(note), "note": shortened(note.text, MOST_CHARS), "thread": shortened(note.thread, 40)} for note in notes]
