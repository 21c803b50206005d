"""Links and ways to a call on the page Calls, and the address of what is looked at."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlencode

import streamlit as st
from _sessions import default_session
from _visit import go, link, offer_address

from ctxcore.views.words import literal

HERE = Path(__file__).resolve().parent

SEEN, WHAT_IF, DONE, SHARE = "What was seen", "What if", "What was done", "Share"
"""Groups of pages, by the question that they answer."""

SHOWS_SESSION = (
    ("overview.py", "Overview", ":material/dashboard:", ""),
    ("calls.py", "Calls", ":material/stacked_bar_chart:", SEEN),
    ("search.py", "Search", ":material/search:", SEEN),
    ("differences.py", "Differences", ":material/difference:", SEEN),
    ("dropped.py", "Dropped units", ":material/content_cut:", WHAT_IF),
    ("compare.py", "Compare", ":material/balance:", WHAT_IF),
    ("side.py", "Side by side", ":material/splitscreen_left:", WHAT_IF),
    ("plan.py", "Plan", ":material/checklist:", DONE),
    ("state.py", "State", ":material/history:", DONE),
    ("compaction.py", "Compaction", ":material/compress:", DONE),
    ("report.py", "Report", ":material/description:", SHARE),
)
"""File, title, icon and group of the pages about one session."""


def address_text() -> str:
    """The visit as a query string, with its question mark, for a chart that writes it into the address."""
    return f"?{urlencode(offer_address())}"


def call_link(label: str, call: int) -> None:
    """A link to a call on the page Calls; the rest of the visit stays.

    Args:
        label: Of the link; shown literally.
        call: Index of the call, from 0.
    """
    query = {"session": default_session(), **link().query(), "call": str(call)}
    st.page_link(str(HERE / "calls.py"), label=literal(label), icon=":material/arrow_forward:", query_params=query)


def report_link() -> None:
    """A link to the page Report; the visit stays."""
    query = {"session": default_session(), **link().query()}
    st.page_link(str(HERE / "report.py"), label="Report on this", icon=":material/description:", query_params=query)


def open_call(call: int) -> None:
    """Go to the page Calls with this call picked; for a selection in a table or figure (not in a callback)."""
    go(call=call)
    st.switch_page(str(HERE / "calls.py"), query_params=link().query())


def page_links() -> None:
    """Links to the pages that show a session, with the visit as it is."""
    query = {"session": default_session(), **link().query()}
    for file, title, icon, _ in SHOWS_SESSION:
        st.page_link(str(HERE / file), label=title, icon=icon, query_params=query)
