"""One agent with a window of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from ctxcore.model.calls import Call
from ctxcore.model.events import Event, JournalEntry
from ctxcore.model.messages import Message
from ctxcore.model.words import Json, ThreadKind

if TYPE_CHECKING:
    from ctxcore.columns import Epoch, Sizes

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Thread:
    """One agent with a window of its own, and all its model calls."""

    id: str
    """Unique in the session."""
    kind: ThreadKind
    """Main agent, sub-agent or side call."""
    messages: tuple[Message, ...]
    """Every message of the thread once, unique text only; contexts are ranges over it."""
    calls: tuple[Call, ...]
    """In order of request."""
    parent: str = ""
    """Id of the thread that started it, or empty."""
    parent_call: int | None = None
    """Index of the parent's call that started it, or None where the log does not link them."""
    title: str = ""
    """What it is for, in the log's words."""
    events: tuple[Event, ...] = ()
    """Compactions and other changes of the context."""
    journal: tuple[JournalEntry, ...] = ()
    """What the program that ran the agent recorded beside its calls, in order; empty for most formats."""
    tool_sets: tuple[tuple[Json, ...], ...] = ()
    """Distinct lists of tool definitions; ``Call.tools`` points here."""
    window: int | None = None
    """Tokens that the model takes at most, as recorded; None where the log does not say."""
    chars: Sizes
    """Character sizes."""
    epochs: tuple[Epoch, ...]
    """Runs of calls that extend one context, with their units."""
    memo: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)
    """Results that derive from the rest and cost time (token sizes and the like); never part of the value. See ``once``."""

    def once(self, name: str, make: Callable[[], T], of: object = None) -> T:
        """A result that derives from this thread: made when it is first asked for, then kept.

        Args:
            name: Of the result; one maker per name.
            make: Makes it.
            of: What else it derives from, such as sizes: for another object it is made anew, and only the newest result is kept.
        """
        kept = self.memo.get(name)
        if kept is None or kept[0] is not of:
            kept = self.memo[name] = (of, make())
        made: T = kept[1]
        return made
