"""What the page Calls shows of the make-up of one request: an icicle and the same numbers as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

import pandas as pd
import plotly.graph_objects as go

from ctxcore.counted import count
from ctxcore.measures.composition import Piece
from ctxcore.replay import DROPPED, EDITED, KEPT, PINNED
from ctxcore.views.palette import PALETTE, ink_on
from ctxcore.views.plan_looks import plain
from ctxcore.views.visible import one_line, shortened
from ctxcore.views.words import amount, number, percent

Level = Literal["groups", "messages", "parts", "fields"]

LEVELS: Mapping[Level, frozenset[str]] = {
    "groups": frozenset({"group", "turn"}),
    "messages": frozenset({"tool", "message"}),
    "parts": frozenset({"tool", "part"}),
    "fields": frozenset({"field"}),
}
"""What the table can list: kinds of nodes by level."""

STATES = {KEPT: "kept", PINNED: "kept", DROPPED: "dropped", EDITED: "in part"}
"""What became of a node, in words."""

PATTERNS = {KEPT: "", PINNED: "", DROPPED: "/", EDITED: "."}
"""How it is drawn: colour alone says nothing."""

NAMED, SHALLOW, NAME_CHARS = 40, 3, 40
"""Children of a node that are drawn one by one, levels drawn at once, characters of a name in the figure."""

ROWS = 300
"""Rows of the table."""


def merged(pieces: Sequence[Piece], named: int = NAMED) -> tuple[Piece, ...]:
    """The tree with the smallest children of each node put together, so that a figure stays readable; sizes still sum up.

    Args:
        pieces: Of ``composition``.
        named: Children that a node keeps.
    """
    children: dict[int, list[int]] = {}
    for place, piece in enumerate(pieces):
        children.setdefault(piece.parent, []).append(place)
    kept: list[Piece] = []
    waiting = [(0, -1)]
    while waiting:
        place, parent = waiting.pop()
        at = len(kept)
        kept.append(replace(pieces[place], parent=parent))
        below = children.get(place, [])
        large = set(sorted(below, key=lambda one: -pieces[one].size)[:named]) if len(below) > named + 1 else set(below)
        small = [pieces[one] for one in below if one not in large]
        waiting += [(one, at) for one in reversed(below) if one in large]
        if small:
            states = {one.state for one in small}
            size = sum(one.size for one in small)
            name = f"{number(len(small))} smaller ones"
            state = states.pop() if len(states) == 1 else EDITED
            kept.append(replace(small[0], name=name, kind="rest", size=size, parent=at, message=-1, position=-1, category="", state=state))
    return tuple(kept)


def composition_figure(pieces: Sequence[Piece], unit: str, theme: str) -> go.Figure:
    """The icicle; a click opens a node.

    Args:
        pieces: Of ``composition``.
        unit: Of the sizes.
        theme: ``light`` or ``dark``.
    """
    shown = merged(pieces)
    palette = PALETTE[theme]
    colours = [palette[piece.category or "frame"] for piece in shown]
    names = [plain(shortened(one_line(piece.name), NAME_CHARS)) for piece in shown]
    whole = shown[0].size
    hover = [
        f"{name}<br>{amount(piece.size, unit)}{' (a share)' if piece.estimated else ''}, {percent(piece.size, whole)}<br>{STATES[piece.state]}"
        for name, piece in zip(names, shown, strict=True)
    ]
    icicle = go.Icicle(
        ids=[str(place) for place in range(len(shown))],
        labels=names,
        parents=["" if piece.parent < 0 else str(piece.parent) for piece in shown],
        values=[piece.size for piece in shown],
        branchvalues="total",
        sort=False,
        maxdepth=SHALLOW,
        marker={
            "colors": colours,
            "line": {"width": 1},
            "pattern": {"shape": ["", *(PATTERNS[piece.state] for piece in shown[1:])], "solidity": 0.25},
        },
        textfont={"color": [ink_on(colour) for colour in colours], "size": 12},
        tiling={"orientation": "v"},
        hovertext=hover,
        hoverinfo="text",
        texttemplate="%{label}",
        pathbar={"visible": True, "textfont": {"size": 12}},
    )
    figure = go.Figure(icicle)
    figure.update_layout(height=430, uniformtext={"minsize": 9, "mode": "hide"}, margin={"l": 0, "r": 0, "t": 8, "b": 8})
    return figure


def composition_frame(pieces: Sequence[Piece], level: Level) -> pd.DataFrame:
    """The largest nodes of a level.

    Args:
        pieces: Of ``composition``.
        level: Which.
    """
    found = sorted((piece for piece in pieces if piece.kind in LEVELS[level]), key=lambda piece: -piece.size)[:ROWS]
    rows = [
        (
            shortened(one_line(piece.name), 80),
            _inside(pieces, piece),
            piece.size,
            STATES[piece.state],
            piece.position if piece.position >= 0 else None,
        )
        for piece in found
    ]
    return pd.DataFrame(rows, columns=["what", "in", "size", "becomes", "message"]).astype({"message": "Int64"})


def _inside(pieces: Sequence[Piece], piece: Piece) -> str:
    """What holds a node, up to its message."""
    names: list[str] = []
    while piece.parent > 0 and piece.kind not in {"message", "tool"}:
        piece = pieces[piece.parent]
        names.append(shortened(one_line(piece.name), 30))
    return " · ".join(reversed(names))


def composition_sentence(pieces: Sequence[Piece], unit: str) -> str:
    """What takes most room, in words."""
    groups = [piece for piece in pieces if piece.parent == 0]
    messages = sum(piece.kind == "message" for piece in pieces)
    largest = max(groups, key=lambda piece: piece.size)
    guessed = sum(piece.estimated for piece in pieces)
    tools = sum(piece.kind == "tool" for piece in pieces)
    told = f"{count(messages, 'message')} and {count(tools, 'tool definition')}, {amount(pieces[0].size, unit)} in all."
    told += f" {largest.name} takes most: {amount(largest.size, unit)}, {percent(largest.size, pieces[0].size)}."
    return f"{told} Parts whose tokens run across their ends are given by their share." if guessed else told
