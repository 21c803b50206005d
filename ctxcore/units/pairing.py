"""Which tool call a result belongs to, found in one pass over the messages.

Source: the whole-unit rule, "Strict and lenient".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from ctxcore.units.shapes import Key


@dataclass(slots=True)
class Ask:
    """One tool call that waits for its result."""

    message: int
    """Position of the message that asks."""
    position: int
    """Position of the first message of its unit."""
    key: Key
    """What its result is matched by."""
    order: int = 0
    """Among the calls of its message, from 0."""
    answered: bool = False
    """A result was matched to it."""


@dataclass(slots=True)
class Pairing:
    """Matches results to calls in one pass; knows only what came before."""

    asks: list[Ask] = field(default_factory=list)
    """Every call so far."""
    open_by_id: dict[str, list[Ask]] = field(default_factory=lambda: defaultdict(list))
    """Calls in order; those answered are taken off its end."""
    newest_by_id: dict[str, Ask] = field(default_factory=dict)
    """Whether it has an answer or not."""
    open_by_name: dict[str, list[Ask]] = field(default_factory=lambda: defaultdict(list))
    """As ``open_by_id``; the empty name holds all. Filled when a result without an id asks for it, which is rare."""
    named: int = 0
    """How many calls are in ``open_by_name``."""

    def ask(self, message: int, position: int, keys: Sequence[Key]) -> None:
        """Note the calls of a message; ``position`` is that of the first message of its unit."""
        for order, key in enumerate(keys):
            ask = Ask(message, position, key, order)
            self.asks.append(ask)
            if key.id:
                self.open_by_id[key.id].append(ask)
                self.newest_by_id[key.id] = ask

    def answer(self, key: Key) -> tuple[Ask | None, bool]:
        """The call that a result belongs to (None: an orphan), and whether that call had an answer already."""
        ask = self._newest_open(self.open_by_id[key.id]) if key.id else self._next(key.name)
        if ask is not None:
            ask.answered = True
            return ask, False
        newest = self.newest_by_id.get(key.id)
        return newest, newest is not None

    @staticmethod
    def _newest_open(asked: list[Ask]) -> Ask | None:
        while asked and asked[-1].answered:
            asked.pop()
        return asked[-1] if asked else None

    def _next(self, name: str) -> Ask | None:
        """The first open call, of this name if it is not empty, of the newest message that has one."""
        for ask in self.asks[self.named :]:
            self.open_by_name[""].append(ask)
            if ask.key.name:
                self.open_by_name[ask.key.name].append(ask)
        self.named = len(self.asks)
        asked = self.open_by_name[name]
        found = self._newest_open(asked)
        if found is None:
            return None
        run = takewhile(lambda ask: ask.message == found.message, reversed(asked))
        return [ask for ask in run if not ask.answered][-1]
