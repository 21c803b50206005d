"""Notes on calls and units: kept in order, handed on, and taken back only where they belong."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxcore import read_session
from ctxcore.errors import InputError
from ctxcore.views.json_output import strict_json
from ctxcore.views.notes import MOST_CHARS, MOST_NOTES, Note, notes_json, notes_markdown, notes_on, read_notes, with_note
from tests.chat import conversation, upload

SESSION = read_session(upload(conversation("Fix it.", ("read", {"path": "a"}, "1"), "Thanks.")), "a.json")
THREAD = SESSION.threads[0].id
HOSTILE = "<img src=x onerror=alert(1)> **bold** [a](javascript:b) $x$ `c`\n# Heading"


def note(text: str, number: int = 0, about: str = "call") -> Note:
    return Note(thread=THREAD, about=about, number=number, text=text)  # type: ignore[arg-type]


def written(*notes: Note) -> bytes:
    return strict_json(notes_json(SESSION, notes)).encode()


def test_notes_stand_by_thread_calls_before_units() -> None:
    notes: tuple[Note, ...] = ()
    for one in (note("c", 0, "unit"), note("b", 1), note("a", 0), note("a", 0), note("  ")):
        notes = with_note(notes, one)
    assert [(one.about, one.number, one.text) for one in notes] == [("call", 0, "a"), ("call", 1, "b"), ("unit", 0, "c")]
    assert notes_on(notes, THREAD, "call", 1) == (note("b", 1),)
    assert notes_on(notes, "other", "call", 1) == ()


def test_a_long_note_and_one_too_many_are_refused() -> None:
    with pytest.raises(InputError, match="at most 300"):
        with_note((), note("x" * (MOST_CHARS + 1)))
    with pytest.raises(InputError, match="no more are taken"):
        with_note(tuple(note(f"{n}") for n in range(MOST_NOTES)), note("one more"))


@given(st.lists(st.builds(note, st.text(min_size=1, max_size=60), st.integers(0, 1), st.sampled_from(["call", "unit"])), max_size=5))
def test_what_is_handed_on_comes_back_the_same(notes: list[Note]) -> None:
    assert read_notes(written(*notes), SESSION) == tuple(notes)


def test_notes_of_another_recording_are_refused() -> None:
    other = read_session(upload(conversation("Other.")), "b.json")
    with pytest.raises(InputError, match="another recording"):
        read_notes(written(note("a")), other)


@pytest.mark.parametrize("place", [("call", 99), ("unit", 99)])
def test_notes_that_lead_nowhere_are_refused(place: tuple[str, int]) -> None:
    with pytest.raises(InputError, match="does not have"):
        read_notes(written(note("a", place[1], place[0])), SESSION)


@pytest.mark.parametrize(
    "data",
    [b"", b"[]", b"{", b"null", b'{"schema": "ctxscope.notes/2", "session": "", "notes": []}', b"[" * 100_000, b"\xff\xfe", b"x" * (2 << 20)],
)
def test_what_is_no_file_of_notes_is_told_in_one_sentence(data: bytes) -> None:
    with pytest.raises(InputError):
        read_notes(data, SESSION)


def test_a_file_with_a_note_of_another_form_is_refused() -> None:
    for change in ({"number": -1}, {"number": "0"}, {"about": "page"}, {"text": ""}, {"text": "x" * 301}, {"thread": None}):
        body = json.loads(written(note("a")))
        body["notes"][0].update(change)
        with pytest.raises(InputError, match="no file of notes"):
            read_notes(json.dumps(body).encode(), SESSION)


def test_markdown_holds_the_text_as_text() -> None:
    text = notes_markdown(SESSION, (note(HOSTILE), note("plain", 2, "unit")))
    assert "- **Unit 2**: plain" in text
    bare = re.sub(r"\\.", "", text)
    assert not re.search(r"[<`$\[]", bare)
    assert "\n# Heading" not in text
    assert bare.count("**") == 4
