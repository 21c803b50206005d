"""Evidence atoms: each type by example, near-misses, overlaps, and hostile texts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxcore.atoms import TYPES, Atom, atoms
from tests.hostile import ATOMS as HOSTILE
from tests.hostile import repeated

# One row: a text, and all of its atoms as "type:value". Written by hand from the definition of the types.
EXAMPLES = [
    ("see https://example.com/a/b?id=abc123).", ["url:https://example.com/a/b?id=abc123"]),
    ("open postgres://db.local:5432/main now", ["url:postgres://db.local:5432/main"]),
    ("run 550E8400-e29b-41d4-a716-446655440000", ["uuid:550e8400-e29b-41d4-a716-446655440000"]),
    ("commit deadbee1 at 0xDEADBEEF12", ["hex:deadbee1", "hex:0xdeadbeef12"]),
    ("defaced, 1234567, abc123: no hex id without both, none under seven", ["number:1234567"]),
    ("in src/app/main.py:12:5, line", ["path:src/app/main.py", "loc:src/app/main.py:12:5"]),
    ("README.md and ./x/y.txt", ["path:README.md", "path:x/y.txt"]),
    ("C:\\Users\\me\\a.txt", ["path:C:/Users/me/a.txt"]),
    ("and/or, 1/2, n/a, he/she, console.log, e.g. this, </div>", ["identifier:console.log"]),
    ("raised ValueError: no", ["error:ValueError"]),
    ("ENOENT, TS2322, ORA-00942", ["error:ENOENT", "error:TS2322", "error:ORA-00942"]),
    ("ERROR in ELSE, EOF, UTF-8", []),
    ("Process exited with code 137", ["error:exit code 137"]),
    ('{"exit_code": 2}', ["error:exit code 2"]),
    ("HTTP 404, then 503 Service Unavailable, then status: 429", ["error:http 404", "error:http 503", "error:http 429"]),
    ("room 404, code 404, HTTP/1.1 200", []),
    ('{"order_id": "#W2378156"}', ["id:#W2378156", "identifier:order_id"]),
    ("id: 42; id = abc; paid: 77", ["id:id=42"]),
    ("PROJ-12 and #123", ["id:PROJ-12", "id:#123"]),
    ("1,234,567 and 80443 and 3.14", ["number:1234567", "number:80443", "number:3.14"]),
    ("in 2024, 1.5, 123, 1.2.3, 10.0.0.1", []),
    ("after 2050", ["number:2050"]),
    ("15 GB in 12ms at 3.5% for $15 or $1,234.50", ["number:15gb", "number:12ms", "number:3.5%", "number:$15", "number:1234.50"]),
    ("价格是120元，共3 小时", ["number:120元", "number:3小时"]),
    ('it says "connection refused by peer" twice', ["quote:connection refused by peer"]),
    ('"too short" and "a: b", "c"; don\'t, can\'t or won\'t', []),
    ("说“今天北京的天气非常好不会下雨”。", ["quote:今天北京的天气非常好不会下雨"]),
    ('"see src/app/main.py for more"', ["path:src/app/main.py"]),
    ("`some_function_name`", ["identifier:some_function_name"]),
    ("call get_user_details, obj.attr.name, camelCaseName", ["identifier:get_user_details", "identifier:obj.attr.name", "identifier:camelCaseName"]),
    ("a_b, fooBar, x.y, lowercase, Capitalised", []),
    ("请打开/tmp/a.txt文件", ["path:/tmp/a.txt"]),
    ("", []),
]


@pytest.mark.parametrize(("text", "expected"), EXAMPLES, ids=[text[:40] for text, _ in EXAMPLES])
def test_types_by_example(text: str, expected: list[str]) -> None:
    assert atoms(text) == {Atom(*one.split(":", 1)) for one in expected}


def test_each_type_has_an_example() -> None:
    assert {one.split(":")[0] for _, expected in EXAMPLES for one in expected} == set(TYPES)


@given(st.text(alphabet="aAbE019_./:-#\"'` \n=,$%id中“”\\", max_size=80))
def test_any_text_has_atoms_of_known_types_with_a_value(text: str) -> None:
    for atom in atoms(text):
        assert atom.type in TYPES
        assert atom.value
        assert atom.value == atom.value.strip()


HELD = {"a/": {"path"}, "a.": {"identifier"}, "a_": {"identifier"}, "1元": {"number"}}
"""By the definition of the types, what hostile texts may hold: three are one long name, and one is an amount again and again."""


@pytest.mark.parametrize("piece", HOSTILE)
def test_what_nearly_matches_again_and_again_is_no_atom(piece: str) -> None:
    found = atoms(repeated(piece, 20_000))
    assert len(found) <= 1
    assert {atom.type for atom in found} <= HELD.get(piece, set())
