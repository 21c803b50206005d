"""What calls would see of each field, as a strip under its lane."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import plotly.graph_objects as go

from ctxcore.measures.state_sight import GONE, NEWEST, NOT_SENT, PARTLY, REFUSED, REPEATED, STALE, UNKNOWN, StateSight
from ctxcore.views.plan_looks import bars

STRIP_ROWS, STRIP_SHIFT = 0.11, 0.45
"""Height of a strip in rows and by how much it stands lower than its row."""

STRIPS: dict[int, tuple[str, str, str]] = {
    NEWEST: ("newest value in the request", "#009E73", ""),
    REPEATED: ("only repeated elsewhere", "#56B4E9", "."),
    PARTLY: ("some of its items", "#56B4E9", "/"),
    STALE: ("outdated value, correction gone", "#C2183C", "x"),
    GONE: ("trimmed away", "#8794A3", "/"),
    NOT_SENT: ("not in the recorded request", "#A05A2C", "|"),
    UNKNOWN: ("only a summary could tell", "#E69F00", "."),
    REFUSED: ("call refused", "#7A3E9D", "x"),
}
"""Words, colour and pattern of what a call would see of a field."""


def strips(figure: go.Figure, names: Sequence[str], sight: StateSight) -> None:
    """Draw one strip for each field: a stretch for calls that see the same of it."""
    known = {field.name: row for row, field in enumerate(sight.fields)}
    found: dict[int, list[tuple[int, int, int]]] = {code: [] for code in STRIPS}
    for row, name in enumerate(names):
        line = sight.code[known[name]]
        edges = [0, *(np.flatnonzero(np.diff(line)) + 1).tolist(), len(line)]
        for start, stop in pairwise(edges):
            if stop > start and int(line[start]) in found:
                found[int(line[start])].append((row, start, stop))
    for code, stretches in found.items():
        words, colour, pattern = STRIPS[code]
        places = [(row + STRIP_SHIFT, start - 0.5, float(stop - start)) for row, start, stop in stretches]
        facts = [[row, -1, f"{words}<br>from call #{start:,} to #{stop - 1:,}"] for row, start, stop in stretches]
        bars(figure, words, (colour, pattern), places, facts, width=STRIP_ROWS, hovertemplate="%{customdata[2]}<extra></extra>")
