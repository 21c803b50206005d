"""Messages that stand in several threads of a session: branches begin with what the main path said before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ctxcore.model import Message, Thread

Key = tuple[str, int, str, str]


def shared_messages(threads: Sequence[Thread]) -> tuple[int, ...]:
    """Per thread: how many of its messages stand in a thread before it as well, so that they count once in a sum.

    Args:
        threads: Of a session, in order.
    """
    seen: Counter[Key] = Counter()
    found = []
    for thread in threads:
        mine = Counter(filter(None, map(_place, thread.messages)))
        found.append((mine & seen).total())
        seen |= mine
    return tuple(found)


def distinct_messages(threads: Sequence[Thread]) -> int:
    """Messages of all threads together, one that stands in several counted once."""
    return sum(len(thread.messages) for thread in threads) - sum(shared_messages(threads))


def _place(message: Message) -> Key | None:
    """Where a message is recorded, and what it is: the same record is the same message; None where the record is not known."""
    source = message.source
    return (source.file, source.line, source.path, message.role) if source.line or source.path else None
