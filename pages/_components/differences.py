"""Two requests message by message."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import streamlit as st

from _components.assets import loader, style
from ctxcore.views.differences import DiffRow
from ctxcore.views.palette import PALETTE

DIFFERENCES = st.components.v2.component(
    "ctxscope_differences",
    html="<div class='differences'><ol class='list'></ol></div>",
    css=style("differences.css"),
    js=loader("differences"),
)


def difference_list(rows: Sequence[DiffRow], *, unit: str, key: str) -> None:
    """Draw the lines of a comparison.

    Args:
        rows: In order; one page of them.
        unit: Of the sizes.
        key: Of the component.
    """
    DIFFERENCES(data={"rows": [asdict(row) for row in rows], "unit": unit, "palette": PALETTE}, key=key)
