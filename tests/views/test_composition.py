"""The icicle and its table: sizes that sum up after small parts are put together, names that stay text, colours that can be read."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from ctxcore.measures.composition import composition
from ctxcore.readers.detect import read_session
from ctxcore.replay import replay
from ctxcore.views.composition import composition_figure, composition_frame, merged
from ctxcore.views.palette import DARK, INKS, LIGHT, contrast, ink_on
from tests.pages.conftest import chat

TALK = read_session(chat(("first", 60), ("second", 3)), "a.json").threads[0]


def test_small_parts_are_put_together_and_nothing_is_lost() -> None:
    pieces = merged(composition(replay(TALK, "whole-units", 4_000), len(TALK.calls) - 1), 10)
    sums: Counter[int] = Counter()
    children: Counter[int] = Counter()
    for piece in pieces:
        sums[piece.parent] += piece.size
        children[piece.parent] += 1
    assert all(size == pieces[place].size for place, size in sums.items() if place >= 0)
    assert max(children.values()) <= 11
    assert any("smaller ones" in piece.name for piece in pieces)


def test_a_name_with_markup_is_text_in_the_figure() -> None:
    tool = '<b>x</b><a href="j:">&amp;'
    call = {"id": "c", "type": "function", "function": {"name": tool, "arguments": json.dumps({"<i>k</i>": 1})}}
    messages = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "ok"},
        {"role": "assistant", "content": "done"},
    ]
    thread = read_session(json.dumps(messages).encode(), "a.json").threads[0]
    pieces = composition(replay(thread, "none", 9_000), 1)
    icicle = composition_figure(pieces, "chars", "light").data[0]
    shown = [*icicle.labels, *icicle.hovertext]
    assert any("&lt;b&gt;x&lt;/b&gt;&lt;a href=" in label for label in shown)
    assert not any("<b>" in label or "<i>" in label or "<a" in label for label in shown)
    assert any("&amp;amp;" in label for label in shown)
    assert "<i>k</i>" in composition_frame(pieces, "fields")["what"].tolist()


@pytest.mark.parametrize(("palette", "theme"), [(LIGHT, "light"), (DARK, "dark")])
def test_letters_on_every_colour_can_be_read(palette: dict[str, str], theme: str) -> None:
    """WCAG 2.2, 1.4.3: 4.5 to 1."""
    assert all(contrast(ink_on(colour), colour) >= 4.5 for colour in palette.values())
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21)
    assert contrast("#777777", "#FFFFFF") == pytest.approx(4.48, abs=0.01)
    assert contrast(INKS[theme], {"light": "#FFFFFF", "dark": "#12171F"}[theme]) >= 7
