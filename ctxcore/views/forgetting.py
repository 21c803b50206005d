"""The forgetting test on a page: of which core fields a deletion would be noticed."""

from __future__ import annotations

import plotly.graph_objects as go

from ctxcore.model import Thread
from ctxcore.state.domain import Domain
from ctxcore.state.editor import edit
from ctxcore.state.forgetting import TRIALS, Forgotten, forgetting_test, recorded_agent
from ctxcore.views.editing import untold_words
from ctxcore.views.palette import PALETTE


def tested_actions(domain: Domain) -> tuple[str, ...]:
    """Actions of a domain that need a field."""
    return tuple(name for name, action in domain.actions.items() if action.required)


def why_not(domain: Domain) -> str:
    """Why the test cannot be made; empty where it can."""
    if tested_actions(domain):
        return ""
    return f"The domain {domain.name} has no action that needs a field, so nothing tells when a loss must be noticed."


def forgotten(thread: Thread, domain: Domain, action: str) -> Forgotten:
    """A hundred trials on the state at the end of a thread, always the same ones."""
    agent, reasons = recorded_agent(thread, domain, action)
    return forgetting_test(domain, edit(thread, domain), action, agent, trials=TRIALS, reasons=reasons)


def forgotten_sentences(told: Forgotten) -> tuple[str, ...]:
    """What came out, and what each field's answer is read from."""
    whole = (
        f"Core fields were taken away {told.trials:,} times at random, before {told.action}. As far as the recording shows, the agent "
        f"asked or waited {told.noticed:,} times and went on {told.went_on:,} times{untold_words(told)}. "
        f"A check of required fields stops {told.gate_refused:,}."
    )
    return (whole, *(f"{name}: {reason}." for name, reason in told.reasons.items()))


def forgetting_figure(told: Forgotten, *, dark: bool, ink: str | None = None) -> go.Figure:
    """Per required field: trials that took it away, noticed and not; the second kind is hatched.

    Args:
        told: Of the test.
        dark: For a dark page.
        ink: Colour of words; None leaves it to the page.
    """
    hues = PALETTE["dark" if dark else "light"]
    names = list(told.by_field)
    noticed = [told.by_field[name][1] for name in names]
    untold = [told.untold[name] for name in names]
    went_on = [deleted - count - unknown for (deleted, count), unknown in zip(told.by_field.values(), untold, strict=True)]
    figure = go.Figure()
    for label, counts, colour, shape in (
        ("noticed", noticed, "exact", ""),
        ("went on", went_on, "distilled", "/"),
        ("cannot tell", untold, "other", "."),
    ):
        figure.add_bar(
            name=label,
            x=counts,
            y=names,
            orientation="h",
            marker={"color": hues[colour], "pattern": {"shape": shape}},
            text=[f"{label} {count}" if count else "" for count in counts],
            textposition="inside",
            insidetextanchor="start",
            hovertemplate=f"%{{y}}<br>{label}: %{{x}} trials<extra></extra>",
        )
    figure.update_layout(
        barmode="stack",
        height=90 + 44 * max(1, len(names)),
        margin={"l": 8, "r": 8, "t": 8, "b": 8},
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "traceorder": "normal", "itemclick": False, "itemdoubleclick": False},
        **({"font": {"color": ink}} if ink else {}),
    )
    figure.update_xaxes(title="trials that took the field away", rangemode="tozero")
    figure.update_yaxes(autorange="reversed", automargin=True)
    return figure
