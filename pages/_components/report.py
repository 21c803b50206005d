"""Facts in a grid and tables of parts with bars: kept in colour, dropped striped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import streamlit as st

from _components.assets import loader, style
from ctxcore.views.palette import PALETTE
from ctxcore.views.tables import Fact, PartsTable

REPORT = st.components.v2.component(
    "ctxscope_report",
    html="<div class='report'><div class='known'></div><div class='tables'></div></div>",
    css=style("report.css"),
    js=loader("report"),
)


def report(facts: Sequence[Fact], tables: Sequence[PartsTable], *, key: str) -> None:
    """Draw facts and tables; every text is shown literally."""
    REPORT(data={"facts": [asdict(fact) for fact in facts], "tables": [asdict(table) for table in tables], "palette": PALETTE}, key=key)
