"""The chains of a state as lanes: each change marked where its words stand, each value a bar from when it counts, its words under the pointer."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

import numpy as np
import plotly.graph_objects as go

from ctxcore.measures.state_sight import StateSight, call_moments
from ctxcore.measures.state_words import current_values
from ctxcore.model import Json, Thread
from ctxcore.state.entries import Entry, FieldChain, State
from ctxcore.state.reading import said_times
from ctxcore.views.plan_looks import PICKED, TITLE_CELLS, bars, lay_out, plain, title_above
from ctxcore.views.state_fields import STATUS_WORDS, WHY_WORDS, status_words, value_text
from ctxcore.views.state_strips import strips
from ctxcore.views.visible import fitted, one_line, shortened, visible

Axis = Literal["Round", "Call", "Time"]

LANES, STEPS = 20, 80
"""Fields in one figure; bars of a lane: of more the newest are drawn."""

NARROW = 0.03
"""Share of the axis under which a bar has no text: it would not fit, and looking at each costs seconds where there are hundreds."""

LANE_PIXELS = 58
"""Height of a lane."""

BAR_ROWS, BAR_SHIFT, WAIT_ROWS = 0.4, 0.2, 0.1
"""Height of a bar in rows, by how much it stands lower than its row, and height of the stretch in which a value was only asked about."""

TINTS = (
    "rgba(0,114,178,.26)",
    "rgba(230,159,0,.30)",
    "rgba(0,158,115,.26)",
    "rgba(204,121,167,.30)",
    "rgba(86,180,233,.30)",
    "rgba(135,148,163,.30)",
)
"""Fills: the same value of a field has the same; hues of Okabe and Ito."""

LEAD = "\u00a0" * 4
"""In front of a value in its bar: room for the mark at its start."""

MARKS: dict[str, tuple[str, str]] = {
    "initial_selection": ("circle", "#0072B2"),
    "user_correction": ("triangle-up", "#D55E00"),
    "user_reversion": ("triangle-left", "#7A3E9D"),
    "tool_update": ("square", "#56B4E9"),
    "cleared_by_rule": ("x", "#66707D"),
    "expired": ("hourglass", "#8794A3"),
}
"""Symbol and colour of each reason for a change."""

WAITING = "asked, not decided yet"
"""In the legend, of the stretch in front of a value."""

FAINT: dict[str, str] = {"asked": "circle-open", "refused": "x-open", "withdrawn": "triangle-down-open"}
"""Symbols of what never counted, or no longer."""


@dataclass(frozen=True, slots=True)
class _Scale:
    """Where messages stand on the axis."""

    places: Sequence[Any]
    end: Any

    def of(self, message: int) -> Any:
        return self.places[min(message, len(self.places) - 1)]


def axes(thread: Thread, state: State) -> tuple[Axis, ...]:
    """Axes that this thread has, the best first: rounds, unless tools change more than the user does."""
    tools = sum(entry.why == "tool_update" for chain in state.fields.values() for entry in chain.entries)
    entries = sum(len(chain.entries) for chain in state.fields.values())
    found: tuple[Axis, ...] = ("Call", "Round") if 2 * tools > entries or state.rounds < 2 else ("Round", "Call")
    return (*found, "Time") if any(said_times(thread)) else found


def lanes(state: State) -> tuple[str, ...]:
    """Fields in the order in which they are drawn: what changed most first, then as first said."""
    order = list(state.fields)
    return tuple(sorted(order, key=lambda name: (-state.fields[name].changes, order.index(name))))


def chains_figure(
    thread: Thread, state: State, names: Sequence[str], *, axis: Axis, picked: int, sight: StateSight | None = None, ink: str | None = None
) -> go.Figure:
    """One lane for each field. A mark's ``customdata`` begins with its field's place in ``names`` and its message.

    Args:
        thread: That the state was read from.
        state: At its end.
        names: Fields to show.
        axis: What is drawn to the right.
        picked: The picked call.
        sight: Drawn as a strip under each lane; only with calls to the right.
        ink: Colour of what is written; None leaves it to the page.
    """
    scale = _scale(thread, state, axis)
    figure = go.Figure()
    strip = sight if axis == "Call" else None
    chains = [state.fields[name] for name in names]
    _bars(figure, chains, scale, axis, ink)
    _waits(figure, chains, scale, axis)
    _marks(figure, chains, scale)
    if strip is not None:
        strips(figure, names, strip)
    for row, chain in enumerate(chains):
        more = f"  (newest {STEPS} of {chain.changes + 1:,} values)" if chain.changes >= STEPS else ""
        title_above(figure, row, plain(f"{fitted(visible(chain.name), TITLE_CELLS)}{more}"))
    if axis == "Call" and picked >= 0:
        line = {"width": 1.5, "dash": "dot", "color": PICKED}
        figure.add_scatter(name=f"picked call #{picked:,}", mode="lines", x=[picked, picked], y=[-0.5, len(names) - 0.5], line=line, hoverinfo="skip")
    _axis(figure, thread, state, axis)
    lay_out(figure, len(names), ink)
    figure.update_layout(uniformtext={"minsize": 10, "mode": "hide"}, bargap=0, height=130 + LANE_PIXELS * len(names))
    return figure


def _axis(figure: go.Figure, thread: Thread, state: State, axis: Axis) -> None:
    match axis:
        case "Call":
            figure.update_xaxes(
                title="call", tickprefix="#", tickformat=",d", range=[-0.6, max(0.6, len(thread.calls) - 0.4)], rangemode="nonnegative"
            )
        case "Round":
            step = {"dtick": 1} if state.rounds <= 24 else {}
            figure.update_xaxes(title="round", tickformat=",d", range=[0.6, state.rounds + 0.95], **step)
        case "Time":
            figure.update_xaxes(title="time", type="date")


def _scale(thread: Thread, state: State, axis: Axis) -> _Scale:
    messages = range(len(thread.messages) + 1)
    match axis:
        case "Call":
            moments = np.maximum.accumulate(call_moments(thread)) if thread.calls else np.zeros(0, np.int64)
            return _Scale((np.searchsorted(moments, np.asarray(messages), side="right") - 0.5).tolist(), len(thread.calls) - 0.5)
        case "Round":
            starts = [entry.message for entry in state.log if entry.round]
            return _Scale([max(1, bisect_right(starts, message)) for message in messages], state.rounds + 0.9)
        case "Time":
            times = _known(said_times(thread))
            return _Scale([*times, times[-1]], times[-1])


def _known(times: Sequence[datetime | None]) -> list[datetime]:
    """Each message's time; one of unknown time has that of the message before it."""
    last = next(time for time in times if time is not None)
    found = []
    for time in times:
        last = last if time is None else max(last, time)
        found.append(last)
    return found


def _values(chain: FieldChain, scale: _Scale) -> Iterator[tuple[Entry, int, Any, Any]]:
    """The values of a chain: entry, message from which it counts, start and end on the axis."""
    moments = list(current_values(chain))[-STEPS:]
    for (start, place, _), following in zip(moments, [*moments[1:], None], strict=True):
        yield chain.entries[place], start, scale.of(start), scale.end if following is None else scale.of(following[0])


def _bars(figure: go.Figure, chains: Sequence[FieldChain], scale: _Scale, axis: Axis, ink: str | None) -> None:
    rows, starts, lengths, fills, texts, facts = [], [], [], [], [], []
    room = (scale.end - scale.of(0)) * NARROW
    for row, chain in enumerate(chains):
        tints: dict[str, str] = {}
        for entry, message, start, end in _values(chain, scale):
            if entry.value is None or end == start:
                continue
            rows.append(row + BAR_SHIFT)
            starts.append(start)
            lengths.append(_length(start, end, axis))
            grows = isinstance(entry.value, (list, tuple))
            fills.append(TINTS[0] if grows else tints.setdefault(_same(entry.value), TINTS[len(tints) % len(TINTS)]))
            texts.append(LEAD + plain(value_text(entry, 48)) if end - start > room else "")
            facts.append([row, message, _hover(chain, entry)])
    figure.add_bar(
        orientation="h",
        y=rows,
        base=starts,
        x=lengths,
        width=BAR_ROWS,
        text=texts,
        textposition="inside",
        insidetextanchor="start",
        insidetextfont={"size": 11, **({"color": ink} if ink else {})},
        textangle=0,
        customdata=facts,
        marker={"color": fills, "line": {"width": 1, "color": "rgba(102,112,125,.55)"}},
        hovertemplate="%{customdata[2]}<extra></extra>",
        showlegend=False,
    )


def _length(start: Any, end: Any, axis: Axis) -> float:
    return float((end - start).total_seconds() * 1000 if axis == "Time" else end - start)


def _waits(figure: go.Figure, chains: Sequence[FieldChain], scale: _Scale, axis: Axis) -> None:
    """From where a value was asked about to where it counts: a thin stretch in front of its bar."""
    places, facts = [], []
    for row, chain in enumerate(chains):
        for entry, _, start, _ in _values(chain, scale):
            asked = scale.of(entry.at)
            if entry.before == "asked" and asked < start:
                places.append((row + BAR_SHIFT, asked, _length(asked, start, axis)))
                facts.append([row, entry.at, _hover(chain, entry)])
    bars(figure, WAITING, (PICKED, "/"), places, facts, width=WAIT_ROWS, hovertemplate="%{customdata[2]}<extra></extra>")


def _same(value: Json) -> str:
    return str(value).casefold()


def _hover(chain: FieldChain, entry: Entry) -> str:
    quote = plain(shortened(one_line(entry.source.quote), 140))
    said = f"“{quote}” in message {entry.source.message:,}" if entry.why != "expired" else "no words: it ended by time"
    status = "" if (words := status_words(entry)) == STATUS_WORDS["accepted"] else f" ({words})"
    rule = f" ({plain(shortened(entry.rule, 60))})" if entry.rule else ""
    return f"{plain(visible(chain.name))}: {plain(value_text(entry))}<br>{WHY_WORDS[entry.why]}{rule} in round {entry.round:,}{status}<br>{said}"


def _marks(figure: go.Figure, chains: Sequence[FieldChain], scale: _Scale) -> None:
    found: dict[tuple[str, str, float, str], list[tuple[Any, float, list[Any]]]] = {}
    for row, chain in enumerate(chains):
        for entry in {id(one): one for one, *_ in _values(chain, scale)}.values():  # one that came back stands in the chain once
            symbol, colour = MARKS[entry.why]
            faint = 0.5 if entry.why == "expired" else 1.0
            key = (WHY_WORDS[entry.why], symbol, faint, colour)
            found.setdefault(key, []).append((scale.of(entry.at), row + BAR_SHIFT, [row, entry.at, _hover(chain, entry)]))
        for entry in [one for one in chain.entries if one.status != "accepted"][-STEPS:]:
            key = (STATUS_WORDS[entry.status], FAINT[entry.status], 0.55, PICKED)
            found.setdefault(key, []).append((scale.of(entry.at), row + BAR_SHIFT + 0.2, [row, entry.source.message, _hover(chain, entry)]))
    for (words, symbol, opacity, colour), points in found.items():
        figure.add_scatter(
            name=words,
            mode="markers",
            x=[x for x, _, _ in points],
            y=[y for _, y, _ in points],
            customdata=[facts for _, _, facts in points],
            marker={
                "symbol": symbol,
                "size": 7 if symbol == "square" else 11,
                "color": colour,
                "opacity": opacity,
                "line": {"color": "white", "width": 1},
            },
            hovertemplate="%{customdata[2]}<extra></extra>",
        )
