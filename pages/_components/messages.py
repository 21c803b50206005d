"""The messages of one call, with what became of each; long text and JSON only when asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Any

import streamlit as st

from _components.assets import loader, style
from ctxcore.views.messages import MessageRow
from ctxcore.views.palette import PALETTE

MESSAGES = st.components.v2.component(
    "ctxscope_messages",
    html="<div class='messages'><ol class='list'></ol></div>",
    css=style("messages.css", "written.css"),
    js=loader("messages"),
)


NAMES = tuple(field.name for field in fields(MessageRow))


def message_list(
    rows: Sequence[MessageRow],
    *,
    notice: tuple[str, int] | None,
    reply: MessageRow | None = None,
    unit: str,
    key: str,
    on_open: Callable[[], None],
    on_keep: Callable[[], None],
    reveal: tuple[int, int] | None = None,
    search: str = "",
) -> None:
    """Draw one page of messages.

    Args:
        rows: In request order.
        notice: Text and size of the omission notice in front, or None.
        reply: What answered the call, drawn behind the rows and set off from them, or None.
        unit: Of the sizes.
        key: Of the component.
        on_open: Runs when a message is to be opened or closed: ``st.session_state[key].opened`` is its index and ``text`` or ``raw``.
        on_keep: Runs when a message's unit is to be kept, or no longer: ``st.session_state[key].kept`` is its number in the thread.
        reveal: Place in the request of the message to scroll to (-1 is the reply), and the number of the request to do so: each is followed once.
        search: Marked wherever it stands in a text that is shown.
    """
    first = {"text": notice[0], "size": notice[1]} if notice else None
    drawn = {"rows": [_drawn(row) for row in rows], "notice": first, "reply": _drawn(reply) if reply else None}
    data = {**drawn, "unit": unit, "palette": PALETTE, "reveal": reveal, "search": search}
    MESSAGES(data=data, key=key, on_opened_change=on_open, on_kept_change=on_keep)


def _drawn(row: MessageRow) -> dict[str, Any]:
    return {name: getattr(row, name) for name in NAMES}
