"""Size of each call of two sides on one scale, with the turns that belong together one under the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from ctxcore.columns import IntArray
from ctxcore.measures.alignment import Alignment, columns_of
from ctxcore.views.visible import shortened

COLOURS, DASHES, GREY = ("#2E86C9", "#D9601A"), ("solid", "dash"), "#8F8F8F"
"""Of the first and the second side; seen on light and dark pages, and told apart without colour."""

POINTS = 600
"""Points of a line; of more calls the largest of each stretch is drawn."""

MOST_TURNS = 40
"""Turns whose beginnings are marked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One line of the chart."""

    name: str
    """For the legend; shown literally."""
    sizes: IntArray
    """Per call: size of the request; -1 where nothing is sent."""


def by_call(sides: tuple[Side, Side]) -> tuple[IntArray, IntArray]:
    """Places on the axis where calls are simply numbered."""
    first, second = (np.arange(len(side.sizes)) for side in sides)
    return first, second


def by_turn(found: Alignment, sides: tuple[Side, Side]) -> tuple[IntArray, IntArray]:
    """Places on the axis where turns that are a pair begin at one place."""
    first, second = (np.zeros(len(side.sizes), np.int64) for side in sides)
    for begin, pair in zip(columns_of(found.pairs), found.pairs, strict=False):
        for places, turn in ((first, pair.first), (second, pair.second)):
            if turn is not None:
                places[list(turn.calls)] = begin + np.arange(len(turn.calls))
    return first, second


def sizes_figure(
    sides: tuple[Side, Side],
    places: tuple[IntArray, IntArray],
    unit: str,
    *,
    starts: Sequence[int] = (),
    picked: tuple[int | None, int | None] = (None, None),
) -> go.Figure:
    """Two lines on one scale.

    Args:
        sides: The first and the second.
        places: Per call of each side: where it stands on the axis.
        unit: Of the sizes.
        starts: Places at which a pair of turns begins.
        picked: A call of each side that is marked.
    """
    figure = go.Figure()
    for side, place, colour, dash in zip(sides, places, COLOURS, DASHES, strict=True):
        order, name = _drawn(side.sizes, place), _plain(side.name)
        across, shown, order = _gapped(place[order], np.where(side.sizes[order] < 0, np.nan, side.sizes[order].astype(np.float64)), order)
        figure.add_scatter(
            x=across,
            y=shown,
            name=name,
            customdata=order,
            mode="lines+markers" if len(order) <= 60 else "lines",
            marker={"size": 5, "symbol": "circle" if dash == "solid" else "diamond"},
            line={"color": colour, "dash": dash, "width": 2, "shape": "hv"},
            hovertemplate=f"{name}<br>call #%{{customdata:,}}: %{{y:,}} {unit}<extra></extra>",
        )
    for place, call, colour in zip(places, picked, COLOURS, strict=True):
        if call is not None:
            figure.add_vline(x=int(place[call]), line={"color": colour, "width": 2}, opacity=0.5, annotation_text=f"#{call:,}")
    for start in starts[1:] if len(starts) <= MOST_TURNS else ():
        figure.add_vline(x=start - 0.5, line={"color": GREY, "width": 1, "dash": "dot"})
    figure.update_layout(
        height=380, margin={"l": 8, "r": 8, "t": 8, "b": 8}, legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0}, hovermode="x"
    )
    figure.update_xaxes(title="calls, turns side by side" if starts else "call", zeroline=False, showticklabels=not starts, tickformat=",d")
    figure.update_yaxes(title=unit, zeroline=False, rangemode="tozero", tickformat=",d")
    return figure


def _drawn(sizes: IntArray, place: IntArray) -> NDArray[np.int64]:
    """Calls that are drawn, by their place: all, or the largest of each stretch."""
    order = np.argsort(place, kind="stable")
    if len(order) <= POINTS:
        return order
    edges = np.linspace(0, len(order), POINTS + 1).astype(np.int64)
    return np.asarray([order[a:b][np.argmax(sizes[order[a:b]])] for a, b in pairwise(edges.tolist())])


def _gapped(place: IntArray, shown: NDArray[np.float64], order: IntArray) -> tuple[IntArray, NDArray[np.float64], IntArray]:
    """The same with a gap behind a turn that is shorter than its partner: nothing was sent there."""
    if len(place) >= POINTS:
        return place, shown, order
    holes = np.flatnonzero(np.diff(place) > 1) + 1
    return np.insert(place, holes, place[holes - 1] + 1), np.insert(shown, holes, np.nan), np.insert(order, holes, order[holes - 1])


def _plain(name: str) -> str:
    """A name in which a chart finds no markup: its own marks and brackets are shown as themselves."""
    return shortened(name, 60).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("%{", "% {")
