"""Where in each request a text stands, for people: a strip over calls, a sentence, and the user's words that stand only in the middle."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import NDArray

from ctxcore.counted import count
from ctxcore.measures.positions import FIRST, LAST, MIDDLE, InTheMiddle, only_in_the_middle, spans
from ctxcore.model import Thread
from ctxcore.plan.history import plan_history
from ctxcore.replay import Replay
from ctxcore.state.chains import change_chains
from ctxcore.views.masking import masked
from ctxcore.views.visible import LONE_SURROGATES, line_at, one_line, visible
from ctxcore.views.words import number

LANES = ((FIRST, "first 20 %", "#0072B2"), (MIDDLE, "middle", "#E69F00"), (LAST, "last 20 %", "#009E73"))
"""Lanes of the strip, from the beginning of a request to its end; hues of Okabe and Ito."""

MOST_SPANS = 400
"""Bars of a lane; beyond that, neighbours are joined over the smallest gaps."""

MOST_WISHES = 300
"""Plan steps and values offered."""

SHORTEST_VALUE, LONGEST_VALUE = 2, 200
"""Characters of a value that can be looked for."""

EXCERPT = 120
"""Characters of a message in a table."""


def places_sentence(replay: Replay, marks: NDArray[np.int8]) -> str:
    """Which calls have a text as whole words, and where in the request.

    Args:
        replay: A policy at a budget.
        marks: One row of ``Places.marks``.
    """
    have = int((marks > 0).sum())
    if not have:
        return "As whole words it would stand in no call."
    counts = [f"{number(int((marks & mark > 0).sum()))} in the {name}" for mark, name, _ in LANES]
    middle = int(only_in_the_middle(marks).sum())
    tail = f"; {count(middle, 'call')} would have it in the middle only, where models read least well" if middle else ""
    return f"As whole words {number(have)} of {count(len(replay.before), 'call')} would have it: {', '.join(counts)} of the request{tail}."


def places_figure(marks: NDArray[np.int8], picked: int) -> go.Figure:
    """A strip over calls with a lane for each part of the request.

    Args:
        marks: One row of ``Places.marks``.
        picked: Call that is marked.
    """
    figure = go.Figure()
    for mark, name, colour in LANES:
        runs = joined(spans(np.flatnonzero(marks & mark).tolist()), MOST_SPANS)
        figure.add_bar(
            base=[first - 0.5 for first, _ in runs],
            x=[last - first + 1 for first, last in runs],
            y=[name] * len(runs),
            orientation="h",
            name=name,
            marker={"color": colour, "line": {"width": 0}},
            width=0.7,
            customdata=[[f"#{first:,}" if first == last else f"#{first:,} to #{last:,}"] for first, last in runs],
            hovertemplate=f"{name}: call %{{customdata[0]}}<extra></extra>",
        )
    figure.add_vline(x=picked, line={"color": "#66707D", "width": 1.5, "dash": "dot"})
    figure.update_layout(height=150, margin={"l": 8, "r": 8, "t": 4, "b": 4}, showlegend=False, barmode="overlay", dragmode=False)
    figure.update_xaxes(range=[-0.5, max(len(marks) - 0.5, 0.5)], tickprefix="#", tickformat=",d", zeroline=False, fixedrange=True)
    order = [name for _, name, _ in reversed(LANES)]
    figure.update_yaxes(categoryorder="array", categoryarray=order, range=[-0.5, len(order) - 0.5], fixedrange=True)
    return figure


def joined(runs: Sequence[tuple[int, int]], most: int) -> list[tuple[int, int]]:
    """Runs of calls, joined over the smallest gaps until there are few enough.

    Args:
        runs: First and last of each, ascending.
        most: How many may be left.
    """
    if len(runs) <= most:
        return list(runs)
    gaps = sorted(second[0] - first[1] for first, second in pairwise(runs))
    widest = gaps[len(runs) - most - 1]
    found = [runs[0]]
    for first, last in runs[1:]:
        if first - found[-1][1] <= widest:
            found[-1] = (found[-1][0], last)
        else:
            found.append((first, last))
    return found


def wishes(thread: Thread) -> tuple[str, ...]:
    """What may be looked for without typing: titles of plan steps, and the newest values of the state; each once.

    Args:
        thread: Of a session.
    """
    steps = [step.title for step in plan_history(thread).steps]
    values = [chain.value if chain.kind == "value" else chain.name for chain in change_chains(thread)]
    fitting = (text.strip() for text in (*steps, *values))
    return tuple(dict.fromkeys(text for text in fitting if SHORTEST_VALUE <= len(text) <= LONGEST_VALUE and _can_be_typed(text)))[:MOST_WISHES]


def _can_be_typed(text: str) -> bool:
    """A box can hold it and may show it: one line, no secret, no half of a character."""
    return "\n" not in text and not LONE_SURROGATES.search(text) and masked(text) == text


def wish_title(text: str) -> str:
    """What stands for a wish in a list."""
    return visible(one_line(text))


def middle_frame(thread: Thread, found: Sequence[InTheMiddle]) -> pd.DataFrame:
    """The user's goal and newest corrections that some calls have only in the middle.

    Args:
        thread: Of a session.
        found: Of a replay.
    """
    rows = [
        {
            "what": one.kind,
            "message": one.message,
            "text": line_at(thread.messages[one.message].text.strip(), 0, EXCERPT),
            "calls": len(one.calls),
            "first call": one.calls[0],
            "last call": one.calls[-1],
        }
        for one in found
    ]
    return pd.DataFrame(rows, columns=["what", "message", "text", "calls", "first call", "last call"])


def middle_sentence(found: Sequence[InTheMiddle]) -> str:
    """How many of the user's words stand only in the middle somewhere."""
    if not found:
        return "Every call would have the goal and the three newest corrections in its first or last fifth, as far as they are sent."
    goal = next((len(one.calls) for one in found if one.kind == "goal"), 0)
    corrections = sum(one.kind == "correction" for one in found)
    words = [f"The goal would stand only in the middle of {count(goal, 'call')}." if goal else ""]
    words.append(f"{count(corrections, 'correction')} would, while among the three newest." if corrections else "")
    return " ".join(filter(None, words))
