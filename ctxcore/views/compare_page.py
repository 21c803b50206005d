"""What the page Compare draws: policies in a table, two of them call by call, and the frontier of size or money against lost references."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from ctxcore.columns import IntArray
from ctxcore.counted import count
from ctxcore.measures.compare import Compared, by_merit, first_difference
from ctxcore.measures.recorded_cost import Calibration
from ctxcore.replay import Replay
from ctxcore.views.policies import policy_label
from ctxcore.views.visible import visible

SPARK_POINTS = 80
"""Points of the small chart of a row; the largest call of each stretch is shown."""

FRONTIER_BUDGETS = 8
"""Budgets tried for the frontier."""

LINE_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C7AD1", "#8C564B")
"""Lines of the frontier, in turn; hues of Okabe and Ito."""

DASHES = ("solid", "dash", "dot", "dashdot")
"""Told apart without colour as well."""

STOPPED = "%{customdata[1]:,} calls refused or rejected"

MARKERS = ("circle", "square", "diamond", "triangle-up", "x", "cross", "star", "pentagon")


def compared_frame(rows: Sequence[Compared]) -> pd.DataFrame:
    """One row per policy, in the order given, what counts most in front, for narrow screens; unknown money is missing."""
    return pd.DataFrame(
        {
            "policy": [policy_label(row.name) for row in rows],
            "dollars": [None if row.cost is None else row.cost.total for row in rows],
            "lost": [int(row.lost_per_call.sum()) for row in rows],
            "refused": [row.refused_calls for row in rows],
            "rejected": [row.rejected_calls for row in rows],
            "size": [row.size for row in rows],
            "per call": [spark(row.replay) for row in rows],
            "worst": [row.worst_call for row in rows],
            "basis": [row.basis for row in rows],
            "name": [row.name for row in rows],
        }
    )


def spark(replay: Replay) -> list[int]:
    """Size of each call after the policy for a small chart, 0 where refused; long threads by the largest of each stretch."""
    return spark_of(np.maximum(replay.after, 0))


def spark_of(sizes: IntArray) -> list[int]:
    """Sizes of calls for a small chart: the largest of each stretch where there are many."""
    if len(sizes) <= SPARK_POINTS:
        found: list[int] = sizes.tolist()
        return found
    peaks: list[int] = np.maximum.reduceat(sizes, spark_calls(len(sizes))).tolist()
    return peaks


def spark_calls(count: int) -> IntArray:
    """First call of each stretch of a small chart."""
    edges: IntArray = np.arange(count) if count <= SPARK_POINTS else np.linspace(0, count, SPARK_POINTS + 1).astype(np.int64)[:-1]
    return edges


def compare_sentence(rows: Sequence[Compared], untrimmed: Compared | None = None) -> str:
    """What the comparison says, in plain words: who sends every call, and of those the cheapest and the one that loses least, each with both numbers.

    Args:
        rows: Of one thread at one budget.
        untrimmed: The thread with nothing trimmed, whose money the others are weighed against.
    """
    sound = [row for row in rows if not row.unsent_calls]
    if not sound:
        return "No policy sends every call of this thread at this budget in a form that its provider takes."
    verb = "sends" if len(sound) == 1 else "send"
    words = [f"{len(sound)} of {count(len(rows), 'policy', 'policies')} {verb} every call in a form that its provider takes."]
    priced = any(row.cost for row in sound)
    cheap, safe = min(sound, key=_price if priced else _size), by_merit(sound)[0]
    lead = "cheapest" if priced else "smallest"
    words.append(f"It is {cheap.name} ({_told(cheap)})." if len(sound) == 1 else f"Of these the {lead} is {cheap.name} ({_told(cheap)}).")
    if not _losses(safe) < _losses(cheap):
        words.extend(["None of these loses less."] * (len(sound) > 1))
    elif not _losses(safe):
        words.append(f"The {lead} that loses nothing is {safe.name} ({_told(safe)}).")
    else:
        words.append(f"None loses nothing; {safe.name} loses least ({_told(safe)}).")
    if untrimmed is not None and untrimmed.cost is not None:
        words.append(f"With nothing trimmed the same count gives {_amount(untrimmed)}.")
    return " ".join(words)


def _price(row: Compared) -> float:
    return np.inf if row.cost is None else row.cost.total


def _size(row: Compared) -> int:
    return row.size


def _losses(row: Compared) -> int:
    return int(row.lost_per_call.sum())


def _told(row: Compared) -> str:
    return f"{_amount(row)}, {count(_losses(row), 'lost reference') if _losses(row) else 'nothing lost'}"


def _amount(row: Compared) -> str:
    return f"{row.size:,} {row.replay.unit}" if row.cost is None else f"${row.cost.total:,.{2 if row.cost.total >= 1 else 4}f}"


def differences_frame(one: Replay, other: Replay) -> pd.DataFrame:
    """Calls that two policies send differently."""
    calls = first_difference(one, other)
    first, second = (np.where(replay.refused[calls], 0, replay.after[calls]) for replay in (one, other))
    return pd.DataFrame(
        {
            "call": calls,
            "first": pd.array(first, dtype="Int64"),
            "second": pd.array(second, dtype="Int64"),
            "difference": second - first,
            "dropped first": one.dropped_messages[calls],
            "dropped second": other.dropped_messages[calls],
            "edited first": one.edited[calls],
            "edited second": other.edited[calls],
            "refused": [_refused(bool(one.refused[c]), bool(other.refused[c])) for c in calls.tolist()],
        }
    )


def _refused(first: bool, second: bool) -> str:
    return "both" if first and second else "first" if first else "second" if second else ""


def differences_figure(one: Replay, other: Replay, names: tuple[str, str], picked: int) -> go.Figure:
    """Sizes of all calls as recorded and under two policies.

    Args:
        one: The first.
        other: Of the same thread.
        names: For the legend.
        picked: Index of the picked call.
    """
    figure = go.Figure()
    calls = np.arange(len(one.before))
    lines = (
        ("as recorded", one.before, "#8F8F8F", "dot"),
        (names[0], one.after, LINE_COLOURS[0], "solid"),
        (names[1], other.after, LINE_COLOURS[1], "dash"),
    )
    for name, sizes, colour, dash in lines:
        shown = np.where(sizes < 0, np.nan, sizes)
        figure.add_scatter(x=calls, y=shown, name=name, mode="lines", line={"color": colour, "dash": dash, "width": 2, "shape": "hv"})
    figure.add_vline(x=picked + 0.5, line={"color": "#8F8F8F", "width": 2}, annotation_text=f"#{picked:,}", annotation_position="top")
    figure.add_hline(y=one.budget, line={"color": "#C2183C", "dash": "dot", "width": 1.5}, annotation_text="budget")
    _lay_out(figure, "call", f"{one.unit} sent")
    figure.update_xaxes(tickprefix="#", tickformat=",d")
    return figure


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontierLine:
    """One policy at several budgets."""

    name: str
    """Of the policy."""
    budgets: tuple[int, ...]
    """Ascending."""
    sizes: tuple[int, ...]
    """Sent in all, per budget."""
    dollars: tuple[float | None, ...]
    """Cost, per budget."""
    lost: tuple[int, ...]
    """Lost references, per budget."""
    stopped: tuple[int, ...]
    """Calls refused or rejected, per budget: a point with some sends less than it should."""


def frontier_budgets(peak: int) -> tuple[int, ...]:
    """Budgets from an eighth of the largest request up to all of it, evenly in proportion.

    Args:
        peak: Size of the largest request.
    """
    steps = np.geomspace(max(peak / 8, 1), max(peak, 1), FRONTIER_BUDGETS)
    return tuple(dict.fromkeys(max(1, round(step)) for step in steps.tolist()))


def frontier_figure(lines: Sequence[FrontierLine], *, money: bool, unit: str) -> go.Figure:
    """Size or money against lost references, one line per policy; a point with refused or rejected calls is hollow.

    Args:
        lines: Of policies.
        money: Dollars instead of size.
        unit: Of the sizes.
    """
    figure = go.Figure()
    for number, line in enumerate(lines):
        values = line.dollars if money else line.sizes
        colour = LINE_COLOURS[number % len(LINE_COLOURS)]
        marker = MARKERS[number % len(MARKERS)]
        figure.add_scatter(
            x=list(values),
            y=list(line.lost),
            name=line.name,
            mode="lines+markers",
            line={"color": colour, "dash": DASHES[number // len(LINE_COLOURS) % len(DASHES)], "width": 1.5},
            marker={"size": 9, "color": colour, "symbol": [f"{marker}-open" if stopped else marker for stopped in line.stopped]},
            customdata=[[budget, stopped] for budget, stopped in zip(line.budgets, line.stopped, strict=True)],
            hovertemplate=f"{line.name}<br>budget %{{customdata[0]:,}}<br>lost %{{y:,}}<br>{STOPPED}<extra></extra>",
        )
    _lay_out(figure, "dollars" if money else f"{unit} sent in all", "lost references")
    figure.update_yaxes(rangemode="tozero")
    if money:
        figure.update_xaxes(tickprefix="$")
    return figure


def _lay_out(figure: go.Figure, across: str, up: str) -> None:
    figure.update_layout(
        height=420,
        margin={"l": 8, "r": 8, "t": 8, "b": 8},
        legend={"orientation": "h", "y": -0.2, "yanchor": "top", "x": 0},
        hoverlabel={"align": "left"},
    )
    figure.update_xaxes(title=across, zeroline=False)
    figure.update_yaxes(title=up, zeroline=False, tickformat=",d")


def frontier_frame(lines: Sequence[FrontierLine]) -> pd.DataFrame:
    """The same as a table."""
    rows = [
        {"policy": line.name, "budget": b, "size": s, "dollars": d, "lost": lost, "refused or rejected": stopped}
        for line in lines
        for b, s, d, lost, stopped in zip(line.budgets, line.sizes, line.dollars, line.lost, line.stopped, strict=True)
    ]
    return pd.DataFrame(rows, columns=["policy", "budget", "size", "dollars", "lost", "refused or rejected"])


def money_sentence(rows: Sequence[Compared], known: Calibration | None) -> str:
    """Where the money comes from: prices and their source, cache rules and clock, and how well they predict what was recorded.

    Args:
        rows: Of one thread.
        known: Of the thread.
    """
    priced = next((row.cost for row in rows if row.cost is not None), None)
    if priced is None:
        return "The price of this model is not known: give your own with --prices on the command line."
    clock = {"recorded": "entries expire by the recorded times", "warm": "entries never expire, for want of times", "cold": "nothing is cached"}
    words = [f"Money: {visible(priced.models)} by {visible(priced.rates.source)}; cache: {CACHES[priced.rules.model]}, {clock[priced.clock]}."]
    if known is not None:
        words.append(
            f"Predicted cached tokens differ from recorded ones by {known.median_error:.1%} of the input (median of {count(known.calls, 'call')})."
        )
    return " ".join(words)


CACHES = {"none": "none", "entry": "exact prefixes at breakpoints", "block": "common prefixes in whole blocks"}
"""Kinds of caches, in words."""
