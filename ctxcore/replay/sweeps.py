"""What a policy does to every call of a thread at many budgets."""

from __future__ import annotations

from dataclasses import dataclass

from ctxcore.columns import BoolArray, IntArray
from ctxcore.model import Thread
from ctxcore.policies import Policy


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """A policy over all calls at many budgets; arrays are read-only with shape (budgets, calls)."""

    thread: Thread
    """The thread, as read."""
    policy: Policy
    """The policy with its settings."""
    budgets: IntArray
    """One entry per row."""
    unit: str
    """Unit of measure."""
    before: IntArray
    """One entry per call."""
    after: IntArray
    """Size of what would be sent; -1 where refused."""
    refused: BoolArray
    """The request cannot be made to fit."""
    missing: IntArray
    """By how much, after every cut; 0 where not refused."""
    dropped_messages: IntArray
    """Messages left out; 0 where refused."""
    dropped_turns: IntArray
    """Whole earlier user turns left out."""
    dropped_exchanges: IntArray
    """Exchanges left out."""
    edited: IntArray
    """Parts of messages that stay with another text, or go."""
