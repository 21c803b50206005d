"""Money on the page Compare: which prices and which clock, what breaks the cache, and when a firing pays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

import _ui
import streamlit as st
from _components.rows import Column, rows_table
from _visit import Visit

from ctxcore.errors import InputError
from ctxcore.measures.caching import Clock
from ctxcore.measures.compare import Compared
from ctxcore.measures.cost import thread_model
from ctxcore.measures.paying import paying
from ctxcore.measures.prices import DEAREST, Overrides, Rates, Tier, read_prices
from ctxcore.sizes.models import model_key
from ctxcore.views.money import CLOCKS, broken_sentence, paying_frame, paying_sentence
from ctxcore.views.words import literal

CLOCK, UPLOAD, ROWS, MOST_BYTES = "compare_clock", "compare_prices", "compare_firings", 1 << 20
FIELDS = {"input": "Input", "cache_read": "Cache read", "cache_write": "Cache write", "cache_write_1h": "Cache write for an hour", "output": "Output"}
"""Keys in the session state, the largest price table, and the prices that can be entered."""

COLUMNS = {
    "call": Column(label="Call", number=True),
    "rule": Column(label="What changed first", wide=True),
    "freed": Column(label="Frees", number=True, help="Taken from this and every later request"),
    "tail": Column(label="Sent anew", number=True, help="Stood behind the edit and was in the cache"),
    "break-even": Column(label="Break-even after", help="Calls until the saving has paid for what is sent anew"),
    "left": Column(label="Calls left", number=True),
    "pays": Column(label="Pays"),
}
"""How firings are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Money:
    """How money is counted."""

    own: Overrides | None = None
    """Prices of the visitor's, or None."""
    clock: Clock | None = None
    """When cache entries expire; None is by the recorded times."""
    key: str = ""
    """Another one for other prices or another clock."""


def money_controls(visit: Visit) -> Money:
    """A box with prices and the clock; draw it inside the fragment.

    Args:
        visit: As it stands.
    """
    model = thread_model(visit.thread)
    with st.popover("Prices and cache", icon=":material/payments:"):
        clock = st.radio("The cache expires", list(CLOCKS), key=CLOCK, format_func=CLOCKS.__getitem__, persist_state="session")
        st.caption(
            literal(f"Your own prices for {model or 'this model'} in dollars per million tokens, in place of the list; input and output are needed.")
        )
        with st.container(horizontal=True):
            typed = {
                name: st.number_input(label, 0.0, DEAREST, None, key=f"compare_price_{name}", width=150, placeholder="list", persist_state="session")
                for name, label in FIELDS.items()
            }
        file = st.file_uploader("Or a price table (TOML)", "toml", key=UPLOAD, max_upload_size=1)
        st.caption(
            'A section per model, for example \\["gpt-5"\\], with input, output, cache_read, cache_write and cache_write_1h. '
            "What is entered above goes first."
        )
        own = {**_uploaded(file), **_typed(model, typed)}
    return Money(own=own or None, clock=cast("Clock", clock) if clock else None, key=f"{clock}/{sorted(own.items())}")


def _typed(model: str, typed: Mapping[str, float | None]) -> Overrides:
    """Prices from the fields; none while input or output is missing."""
    plain, output = typed["input"], typed["output"]
    if plain is None or output is None:
        return {}
    read, write = (plain if typed[name] is None else typed[name] for name in ("cache_read", "cache_write"))
    hour = write if typed["cache_write_1h"] is None else typed["cache_write_1h"]
    tier = Tier(start=0, input=plain, cache_read=read or 0.0, cache_write=write or 0.0, cache_write_1h=hour or 0.0, output=output)
    return {model_key(model): Rates(model=model, tiers=(tier,), source="your own prices, as entered")}


def _uploaded(file: object) -> Overrides:
    """Prices from a file; what is wrong with it is said."""
    data: bytes = file.getvalue() if hasattr(file, "getvalue") else b""
    if not data:
        return {}
    try:
        return read_prices(data[:MOST_BYTES].decode("utf-8"), f"your file {getattr(file, 'name', '')}")
    except UnicodeDecodeError:
        st.error("The price table is no UTF-8 text.")
    except InputError as error:
        st.error(literal(str(error)))
    return {}


def firings_section(row: Compared) -> None:
    """What breaks the cache under one policy, and when each firing pays.

    Args:
        row: Of the policy.
    """
    if row.cost is None:
        st.caption("Without a price of the model nothing can be said about when a firing pays.")
        return
    found = paying(row.replay, row.cost)
    st.write(literal(f"{broken_sentence(row.cost)} {paying_sentence(found)}"))
    if found:
        note = f"Sizes in {row.replay.unit}."
        rows_table(paying_frame(found), COLUMNS, key=ROWS, pick="Open this call", on_row=_chosen, height=320, note=note)
        chosen = st.session_state.pop(CHOSEN, None)
        if chosen is not None and chosen < len(found):
            _ui.open_call(found[chosen].call)


CHOSEN = "compare_firing_row"
"""Key of the row that was picked."""


def _chosen() -> None:
    st.session_state[CHOSEN] = int(st.session_state[ROWS].row)
