"""What the page State shows of injections, of the edit log and of the forgetting test."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import pandas as pd
import plotly.graph_objects as go

from ctxcore.counted import count
from ctxcore.model import Thread
from ctxcore.sizes.measure import thread_counter
from ctxcore.state.domain import Domain
from ctxcore.state.entries import LogEntry, State
from ctxcore.state.forgetting import Forgotten
from ctxcore.state.injection import Fragment, context_for, state_preview
from ctxcore.state.reading import spoken
from ctxcore.views.state_fields import QUOTE_CHARS, VALUE_CHARS, plain_value
from ctxcore.views.visible import one_line, shortened, visible
from ctxcore.views.words import number

Language = Literal["zh", "en"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """What one action would get before a call."""

    fragment: Fragment
    """As it would be put in."""
    tokens: int
    """Of its text, as this thread's tokens are counted."""

    @property
    def sentence(self) -> str:
        """Its size, and what it lacks."""
        size = f"{count(self.fragment.chars, 'character')}, {count(self.tokens, 'token')}; it counts against the budget of the call."
        return f"{size} It holds {count(len(self.fragment.fields), 'field')}."


def preview(thread: Thread, domain: Domain, before: State, action: str, language: Language) -> Preview:
    """The fragment of an action.

    Args:
        thread: Says how tokens are counted.
        domain: Has the action.
        before: The state before the call.
        action: Name.
        language: Of the questions.
    """
    fragment = context_for(domain, before, action, language=language)
    return Preview(fragment=fragment, tokens=_tokens(thread, fragment.text))


def whole_state(thread: Thread, before: State) -> tuple[str, str]:
    """The whole state in its tag, and its size in words: no action gets it."""
    text = state_preview(before)
    return text, f"{count(len(text), 'character')}, {count(_tokens(thread, text), 'token')}"


def _tokens(thread: Thread, text: str) -> int:
    return thread_counter(thread).count(text)


def language_of(thread: Thread) -> Language:
    """Chinese where the user's first messages have any of its letters."""
    first = [spoken(message) for message in thread.messages if message.is_real_user][:5]
    return "zh" if any("\u4e00" <= letter <= "\u9fff" for text in first for letter in text[:2_000]) else "en"


LOG_COLUMNS = ("round", "step", "field", "value", "code", "words", "extractor", "message")
"""Columns of the table of the log."""


def log_sentence(table: pd.DataFrame) -> str:
    """How many steps of how many rounds a table of ``log_table`` shows: an entry of the log is a round and holds all its steps."""
    return f"{count(len(table), 'step')} in {count(int(table['round'].nunique()), 'round')}."


def log_table(log: Iterable[LogEntry], kinds: Sequence[str] = (), wanted: str = "") -> pd.DataFrame:
    """One row for each thing that the editor did, in order.

    Args:
        log: Rounds.
        kinds: Steps to show; none are all.
        wanted: Part of a field, a code, a value or the words, in any case.
    """
    rows = []
    for entry in log:
        for item in entry.items:
            if kinds and item.kind not in kinds:
                continue
            quote = "" if item.source is None else item.source.quote
            value = plain_value(item.value)
            if wanted.casefold() not in f"{item.field}\n{item.code}\n{value}\n{quote}".casefold():
                continue
            rows.append(
                {
                    "round": entry.round,
                    "step": item.kind,
                    "field": visible(item.field),
                    "value": shortened(value, VALUE_CHARS),
                    "code": visible(item.code),
                    "words": shortened(one_line(quote), QUOTE_CHARS),
                    "extractor": item.extractor,
                    "message": entry.message if item.source is None else item.source.message,
                }
            )
    return pd.DataFrame(rows, columns=LOG_COLUMNS)


def forgetting_sentences(tested: Forgotten) -> tuple[str, ...]:
    """How the trials went, the agent and the gate apart."""
    whole = f"The recorded agent noticed in {number(tested.noticed)} of {count(tested.trials, 'trial')}. {_verdict(tested)}"
    return (
        f"{whole} Each trial took {count(tested.taken, 'field')} away, never all {count(len(tested.by_field), 'core field')}.",
        f"The built-in gate, which asks no agent, would refuse the action in {number(tested.gate_refused)} of {number(tested.trials)}.",
    )


def _verdict(tested: Forgotten) -> str:
    if tested.reasons and all(reason == "the action is never performed" for reason in tested.reasons.values()):
        return "The recording never performs this action, so it cannot tell."
    if not tested.went_on and not tested.cannot_tell:
        return "It noticed every time."
    went_on = f"In {number(tested.went_on)} it went on without what it needed."
    untold = (
        f"Of {number(tested.cannot_tell)} the recording cannot tell: it never shows the agent without these fields." if tested.cannot_tell else ""
    )
    return f"{went_on} {untold}".strip()


def forgetting_table(tested: Forgotten) -> pd.DataFrame:
    """One row for each required field."""
    rows: list[dict[str, Any]] = [
        {
            "field": name,
            "deleted": deleted,
            "noticed": noticed,
            "went on": deleted - noticed - tested.untold[name],
            "cannot tell": tested.untold[name],
            "read from": shortened(tested.reasons.get(name, "the action does not need it"), 120),
        }
        for name, (deleted, noticed) in tested.by_field.items()
    ]
    return pd.DataFrame(rows, columns=["field", "deleted", "noticed", "went on", "cannot tell", "read from"])


def forgetting_figure(tested: Forgotten, ink: str | None = None) -> go.Figure:
    """Trials by the field that was taken away: noticed, and went on."""
    figure = go.Figure()
    names = [visible(name) for name in tested.by_field]
    noticed = [n for _, n in tested.by_field.values()]
    untold = [tested.untold[name] for name in tested.by_field]
    went_on = [deleted - n - unknown for (deleted, n), unknown in zip(tested.by_field.values(), untold, strict=True)]
    kinds = (("noticed", noticed, "#0072B2", ""), ("went on", went_on, "#C2183C", "/"), ("cannot tell", untold, "#8F8F8F", "."))
    for words, values, colour, shape in kinds:
        figure.add_bar(
            name=words,
            x=names,
            y=values,
            marker={"color": colour, "pattern": {"shape": shape, "fgcolor": colour, "fillmode": "replace", "fgopacity": 1, "size": 6}},
            hovertemplate=f"%{{x}} taken away<br>%{{y:,}} times: {words}<extra></extra>",
        )
    figure.update_layout(
        barmode="stack",
        bargap=0.7,
        height=280,
        margin={"l": 8, "r": 8, "t": 8, "b": 8},
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "traceorder": "normal", "itemclick": False, "itemdoubleclick": False},
        **({"font": {"color": ink}} if ink else {}),
    )
    figure.update_yaxes(title="trials", tickformat=",d", rangemode="tozero")
    return figure
