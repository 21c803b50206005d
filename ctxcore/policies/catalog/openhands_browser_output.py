"""OpenHands' browser output condenser: only the newest pages of a browser keep their text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ctxcore.policies.edits import Plan, rewritten, window
from ctxcore.policies.history import History
from ctxcore.policies.pieces import RESULT
from ctxcore.policies.planned import PlannedPolicy
from ctxcore.policies.protocol import Parameter

RULE = "Browser output older than those kept"

TOOLS = ("browser", "browse", "browse_interactive", "web_read")
"""Tools of OpenHands that give a page. Source: OpenHands, agenthub/codeact_agent/tools."""

ADDRESS = re.compile(r"https?://[^\s\"'\\\])>]+")
"""The first address of a browser's output or of the call that asked for it."""


@dataclass(frozen=True, slots=True)
class OpenhandsBrowserOutput(PlannedPolicy):
    """Chosen anew for every call."""

    attention_window: int = 1
    tools: tuple[str, ...] = TOOLS

    name: ClassVar[str] = "openhands-browser-output"
    title: ClassVar[str] = "OpenHands: browser outputs"
    about: ClassVar[str] = (
        "All browser outputs but the newest become two lines that name the page. Everything else stays. It acts on every request whatever its size: "
        "the budget only tells which are refused."
    )
    source: ClassVar[str] = "OpenHands at 156d0686, openhands/memory/condenser/impl/browser_output_condenser.py."
    rejects: ClassVar[str] = "Nothing: every call keeps an answer. What an older page said is gone."
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(name="attention_window", type="int", default=1, help="Newest browser outputs that stay."),
        Parameter(name="tools", type="names", default=TOOLS, help="Tools whose results are browser outputs."),
    )

    def plan(self, history: History, budget: int) -> Plan:
        """See ``PlannedPolicy.plan``."""
        pieces = history.pieces
        browsers = [number for number, name in enumerate(pieces.tools) if name in self.tools]
        items = np.flatnonzero((pieces.kind == RESULT) & np.isin(pieces.tool, browsers)).astype(np.int64)

        def text(piece: int) -> str:
            return visited(history, piece)

        stop = np.maximum(history.begun_pieces(items) - self.attention_window, 0)
        layer = window(history, "mask", RULE, items, stop=stop, freed=rewritten(history, items, text), text=text)
        return Plan(layers=(layer,), assumed=("The page is the first address in the output, else in the call that asked for it.",))


def visited(history: History, piece: int) -> str:
    """What stands in place of a browser's output."""
    asked = int(history.pieces.partner[piece])
    found = ADDRESS.search(history.text(piece)) or (ADDRESS.search(history.text(asked)) if asked >= 0 else None)
    return f"Visited URL {found.group() if found else '(unknown)'}\nContent omitted"
