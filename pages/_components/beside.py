"""Pieces of a compaction: the original beside the result, with colour, edge and word for what became of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from _components.assets import loader, style
from ctxcore.views.compaction_pieces import FATE_WORDS, Piece
from ctxcore.views.palette import PALETTE

BESIDE = st.components.v2.component("ctxscope_beside", html="<div class='beside'></div>", css=style("beside.css", "written.css"), js=loader("beside"))

HUES = {"kept": "exact", "distilled": "distilled", "dropped": "dropped", "unfound": "refused"}
"""Colour of the palette by what became of a piece."""


def beside(pieces: Sequence[Piece], *, key: str, on_open: Callable[[], None], height: int = 560) -> None:
    """Draw the pieces; every text is shown literally.

    Args:
        pieces: In order.
        key: Of the component; the piece whose source is asked for is ``st.session_state[key].row``.
        on_open: Runs when a source is asked for.
        height: Pixels after which the list scrolls.
    """
    rows = [
        {"fate": p.fate, "word": FATE_WORDS[p.fate], "kind": p.kind, "original": p.original, "result": p.result, "why": p.why, "message": _message(p)}
        for p in pieces
    ]
    hues = {theme: {fate: colours[hue] for fate, hue in HUES.items()} for theme, colours in PALETTE.items()}
    BESIDE(data={"rows": rows, "hues": hues, "height": height}, key=key, on_row_change=on_open)


def _message(piece: Piece) -> int:
    return -1 if piece.place is None else piece.place.message
