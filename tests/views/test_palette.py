"""The palette can be told from the page; WCAG 2.2, 1.4.11 asks 3 to 1 of what carries meaning, 1.4.3 asks 4.5 to 1 of letters."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from ctxcore.views.palette import INKS, PALETTE, contrast

THEMES = tomllib.loads((Path(__file__).resolve().parent.parent.parent / ".streamlit" / "config.toml").read_text(encoding="utf-8"))["theme"]

LARGE_FILLS = {"tool_calls", "tool_results", "frame"}
"""Areas lighter than that on a white page: the tables beside the charts hold the same numbers by name."""


def mixed(ink: str, page: str, share: float) -> str:
    """A colour laid over another."""
    pairs = [(int(ink[at : at + 2], 16), int(page[at : at + 2], 16)) for at in (1, 3, 5)]
    return "#" + "".join(f"{round(over * share + under * (1 - share)):02x}" for over, under in pairs)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_what_carries_meaning_stands_out_from_the_page(theme: str) -> None:
    page = THEMES[theme]["backgroundColor"]
    weak = {name for name, colour in PALETTE[theme].items() if contrast(colour, page) < 3}
    assert weak <= LARGE_FILLS


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_letters_links_and_faded_notes_can_be_read(theme: str) -> None:
    """Streamlit writes captions in the page's ink at 60 %."""
    colours = THEMES[theme]
    assert colours["textColor"].upper() == INKS[theme]
    for page in (colours["backgroundColor"], colours["secondaryBackgroundColor"]):
        for ink in (colours["textColor"], colours["linkColor"], colours["primaryColor"], mixed(colours["textColor"], page, 0.6)):
            assert contrast(ink, page) >= 4.5, (theme, ink, page)
