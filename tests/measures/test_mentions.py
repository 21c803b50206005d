"""Where atoms stand: bounded, in any spelling, inside longer atoms; and never where only a part of a word is the same."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxcore.atoms import Atom, atoms
from ctxcore.mentions import Mentions, readable

STANDS = [
    (Atom("path", "src/a.py"), "in /repo/src/a.py:12", True),
    (Atom("path", "src/a.py"), "in src/a.pyx", False),
    (Atom("path", "src/a.py"), "in mysrc/a.py", False),
    (Atom("path", "C:/x/y.txt"), "C:\\x\\y.txt", True),
    (Atom("path", "src/a.py"), '{"out":"first\\nsrc/a.py"', True),
    (Atom("number", "1234567"), "total 1,234,567 rows", True),
    (Atom("number", "1234"), "12345", False),
    (Atom("number", "15gb"), "15 GB free", True),
    (Atom("number", "$15"), "for $ 15", True),
    (Atom("id", "#W2378156"), "order #W2378156.", True),
    (Atom("id", "id=42"), '{"id": 42}', True),
    (Atom("id", "id=42"), "42 and id: 421", False),
    (Atom("quote", "connection refused by peer"), "E: Connection  refused\nby peer!", True),
    (Atom("quote", "今天北京的天气非常好不会下雨"), "他说今天北京的天气非常好不会下雨了", True),
    (Atom("error", "exit code 1"), "exited with code 1", True),
    (Atom("error", "exit code 1"), "exit code 12", False),
    (Atom("error", "http 404"), "404 Not Found", True),
    (Atom("identifier", "get_user"), "get_user_details", False),
]


@pytest.mark.parametrize(("atom", "text", "expected"), STANDS)
def test_where_an_atom_stands(atom: Atom, text: str, expected: bool) -> None:
    assert Mentions([atom]).found(text) == ({0} if expected else set())


@given(st.text(alphabet="aAbxE019_./:-#\"'` \n=,$%id中“”\\", max_size=60))
def test_an_atom_of_a_text_stands_in_it(text: str) -> None:
    found = sorted(atoms(text))
    assert Mentions(found).found(text) == set(range(len(found))), found


FILLER = [Atom("identifier", f"filler_word_{number}") for number in range(40)]

TEXTS = st.lists(
    st.sampled_from(
        ["src/a.py", "order_id", "=", "#W12", "1,234", ".50", " ", "\n", "\\n", '"', "some words here", "deadbee1", "-", "a", "C:\\", "中"]
    ),
    max_size=10,
).map("".join)


@given(TEXTS, TEXTS)
def test_few_values_and_many_are_found_alike(one: str, other: str) -> None:
    """A search for few values takes a shorter way."""
    wanted = sorted(atoms(one))
    assert Mentions(wanted).found(other) == Mentions([*wanted, *FILLER]).found(other)


@given(TEXTS, st.lists(TEXTS, min_size=1, max_size=12).map(" ".join))
def test_a_long_text_is_looked_through_in_pieces_with_the_same_answer(one: str, other: str) -> None:
    wanted = [*sorted(atoms(one)), *FILLER]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ctxcore.mentions.WINDOW", 1)
        in_pieces = Mentions(wanted).found(other)
    assert in_pieces == Mentions(wanted).found(other)


def test_a_value_across_the_end_of_a_piece_is_found_and_a_part_of_a_longer_word_there_is_not() -> None:
    wanted = [Atom("quote", "refused by the peer"), Atom("identifier", "get_user"), *FILLER]
    for place in range(16_350, 16_420):
        text = "x" * (place - 1) + " "
        assert Mentions(wanted).found(text + "refused by the peer, get_user_details " * 3) == {0}
        assert Mentions(wanted).found(text + "refused by the peers get_user() " + "word " * 9_000) == {1}


def test_json_is_read_by_its_values() -> None:
    text = json.dumps({"path": "a\nsrc/x.py", "n": [1, True, None], "order_id": "中1"})
    assert readable(text) == "path: a\nsrc/x.py\nn: 1\norder_id: 中1"
    assert readable(text, keys=False) == "a\nsrc/x.py\n1\norder_id: 中1"
    assert readable("{broken") == "{broken"
    assert readable("[" * 100_000) == "[" * 100_000
