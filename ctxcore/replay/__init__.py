"""One policy over all calls of a thread, at one budget or many."""

from __future__ import annotations

from ctxcore.replay.budgets import DEFAULT_BUDGET_CHARS, LARGEST, check_budget
from ctxcore.replay.lines import timelines
from ctxcore.replay.results import ABSENT, DROPPED, EDITED, KEPT, PINNED, Drop, Replay
from ctxcore.replay.runs import COLUMNS, replay, sweep
from ctxcore.replay.sweeps import Sweep

__all__ = [
    "ABSENT",
    "COLUMNS",
    "DEFAULT_BUDGET_CHARS",
    "DROPPED",
    "EDITED",
    "KEPT",
    "LARGEST",
    "PINNED",
    "Drop",
    "Replay",
    "Sweep",
    "check_budget",
    "replay",
    "sweep",
    "timelines",
]
