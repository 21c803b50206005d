"""JSON is distilled at its structure: what stands is JSON again, made of the original's members."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxcore.compaction.json_members import json_tree, pieces_of, rebuilt
from ctxcore.compaction.traces import extractive

ROWS = [{"berth": f"B-{n}", "draught_m": n + 0.5, "free": n % 2 == 0, "note": "The crane needs a day of notice before any load."} for n in range(30)]
LOG = 'All gates were read.\nGate 4 stuck because the E77 relay in src/gate.py failed.\nNothing else was seen on "any" gate. ' + "Quiet water. " * 40

JSONS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=300),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=20,
)


def is_part(part: Any, whole: Any) -> bool:
    """True where a value is another one with things left out, in order; of a text, words."""
    if isinstance(whole, dict):
        return isinstance(part, dict) and all(key in whole and is_part(value, whole[key]) for key, value in part.items())
    if isinstance(whole, list):
        rest = iter(whole)
        return isinstance(part, list) and all(any(is_part(one, other) for other in rest) for one in part)
    if isinstance(whole, str):
        rest = iter(whole)
        return isinstance(part, str) and all(sign in rest for sign in part if not sign.isspace())
    return part == whole


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("name", ["", "list_berths "])
def test_rows_stay_whole(indent: int | None, name: str) -> None:
    made = extractive(name + json.dumps(ROWS, indent=indent))
    told = json.loads(made.text)
    assert told
    assert is_part(told, ROWS)
    assert len(made.text) < 400
    assert made.why.startswith("Whole members of its JSON")


def test_of_a_long_text_a_sentence_stands_in_its_member() -> None:
    text = json.dumps({"exit_code": 1, "output": LOG})
    made = extractive(text)
    told = json.loads(made.text)
    assert "E77 relay in src/gate.py failed." in told["output"]
    assert is_part(told, json.loads(text))
    assert all(text[start:end] in made.text for start, end in made.spans)


@given(JSONS, st.sampled_from([None, 2]), st.booleans())
def test_what_is_left_of_any_json_is_json_with_nothing_new(value: Any, indent: int | None, ascii_only: bool) -> None:
    text = json.dumps([value], indent=indent, ensure_ascii=ascii_only)
    tree = json_tree(text, len(text))
    assert tree is not None
    every = pieces_of(tree, len(text))
    for chosen in (every, every[::2], every[:1]):
        told = rebuilt(text, tree, chosen)
        assert is_part(json.loads(told or "[]", strict=False), [value])


@pytest.mark.parametrize("text", ["", "{", '{"a": 1', "[1, 2] and more", "{'a': 1}", "a b {}", "[" * 100_000 + "]" * 100_000])
def test_what_does_not_parse_is_no_json(text: str) -> None:
    assert json_tree(text, 20_000) is None
