"""TOML of a user: every command that takes one refuses what would keep the parser for ever, and takes long texts."""

from __future__ import annotations

from pathlib import Path

import pytest

from ctxcore import InputError
from ctxcore.measures.prices import price_table, read_prices
from ctxcore.runtime.scenario.form import read_scenario
from ctxcore.toml_text import MOST_BYTES, MOST_DOTS, toml_table
from ctxcore.views.gate import read_gate

READERS = {"gate": read_gate, "prices": price_table, "scenario": read_scenario}

ENDLESS = {
    "bare": "a." * 400_000 + "b = 1",
    "spaced": "a . " * 200_000 + "b = 1",
    "header": "[" + "a." * 400_000 + "b]",
    "quoted": '"a.\\"". ' * 200_000 + "b = 1",
    "inline": "x = { " + "'a'." * 200_000 + "b = 1 }",
}


@pytest.mark.parametrize("text", ENDLESS.values(), ids=ENDLESS)
@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_an_endless_key_is_refused_before_it_is_read(read, text: str, tmp_path: Path) -> None:
    """The parser would take an hour for the longest."""
    file = tmp_path / "bomb.toml"
    file.write_text(f"\n{text}\n")
    with pytest.raises(InputError, match=f"bomb.toml has a key with more than {MOST_DOTS} dots in line 2"):
        read(file)


@pytest.mark.parametrize(
    "text", ["..." * 500, "One. " * 500, "a.b. " * 500, "1.2.3, " * 500, ".a" * 500], ids=["dots", "sentences", "names", "versions", "chain"]
)
def test_dots_of_a_text_are_no_key(text: str) -> None:
    assert toml_table(f'system = "{text}"', "It") == {"system": text}


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"x = ", "is not TOML"),
        (b"x = " + b"9" * 5_000, "is not TOML"),
        (b"x = " + b"[" * 5_000, "is not TOML"),
        (b"x = '\xff'", "is not TOML"),
        (b"#" * (MOST_BYTES + 1), "is too big"),
    ],
    ids=["cut", "digits", "deep", "bytes", "big"],
)
@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_what_is_no_toml_is_one_sentence(read, data: bytes, says: str, tmp_path: Path) -> None:
    file = tmp_path / "odd.toml"
    file.write_bytes(data)
    with pytest.raises(InputError, match=says):
        read(file)


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_a_missing_file_is_told(read, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read: No such file"):
        read(tmp_path / "none.toml")


def test_prices_of_an_upload_are_guarded_too() -> None:
    with pytest.raises(InputError, match="dots"):
        read_prices(ENDLESS["bare"], "bomb.toml")
