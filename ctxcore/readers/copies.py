"""Snapshots of one session: a log that was copied while it grew is the same session as the longer one, whatever its format."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from ctxcore.model import Message
from ctxcore.readers.build import ThreadDraft
from ctxcore.readers.protocol import SessionDraft

COPY = "earlier copy of the same session"
"""Why the records of a shorter snapshot are skipped."""

TASK_IDS = frozenset({"inspect", "swe-agent", "mini-swe-agent", "openhands", "tau-bench", "tau2-bench"})
"""Formats of benchmarks, whose ids can name a task or a sample: two runs of it may begin alike, and none is a copy of the other."""


def without_earlier_copies(drafts: Sequence[SessionDraft]) -> list[SessionDraft]:
    """The drafts without those of which another one of the same id says all and goes on; the longer one accounts for their records.

    Args:
        drafts: Of one reader.
    """
    kept: dict[str, list[SessionDraft]] = defaultdict(list)
    copies: set[int] = set()
    for draft in sorted(drafts, key=_length, reverse=True):
        longer = next((one for one in kept[draft.id] if _goes_on(one, draft)), None) if draft.id and draft.documents else None
        if longer is None:
            kept[draft.id].append(draft)
        else:
            copies.add(id(draft))
            longer.skipped[COPY] += draft.used + draft.skipped.total()
            longer.documents = (*longer.documents, *(one for one in draft.documents if not any(one is known for known in longer.documents)))
    return [draft for draft in drafts if id(draft) not in copies]


def _length(draft: SessionDraft) -> tuple[int, int]:
    return sum(len(thread.messages) for thread in draft.threads), sum(len(thread.calls) for thread in draft.threads)


def _goes_on(longer: SessionDraft, draft: SessionDraft) -> bool:
    """True if every thread of a draft that lies in other files is the beginning of one of the longer."""
    if any(one is other for one in longer.documents for other in draft.documents):
        return False
    threads = {thread.id: thread for thread in longer.threads}
    return bool(_length(draft)[0]) and all(thread.id in threads and _begins(threads[thread.id], thread) for thread in draft.threads)


def _begins(longer: ThreadDraft, thread: ThreadDraft) -> bool:
    """True if the messages are those that the longer one begins with, and it has their calls."""
    return (
        len(thread.messages) <= len(longer.messages) and len(thread.calls) <= len(longer.calls) and all(map(_same, longer.messages, thread.messages))
    )


def _same(one: Message, other: Message) -> bool:
    return (one.role, one.parts, one.at) == (other.role, other.parts, other.at)
