"""Everything in a thread that writes a plan, in order: tool calls, texts of replies, recorded events."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ctxcore.model import JournalEntry, SourceRef, Text, Thread
from ctxcore.plan.families import FAMILIES, JOURNAL, TEXT_FAMILIES
from ctxcore.plan.families.check_list import boxes
from ctxcore.plan.families.journal import PLAN_EVENT, PROGRESS_EVENT, STATE_EVENT, state_write
from ctxcore.plan.values import Write
from ctxcore.tool_uses import ToolUse, message_calls, tool_uses


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """One place that writes a plan."""

    order: tuple[int, int, int]
    """Where it stands: tool uses before it, thread message (-1 for an event), number."""
    family: str
    """Name of its family."""
    write: Write
    """What it says."""
    call: int
    """Model call after whose reply it counts."""
    tool: str
    """As ``Revision.tool``."""
    source: SourceRef
    """Where it is recorded."""
    turn: int = 0
    """Ordinal of the turn."""
    message: int | None = None
    """Thread message."""
    at: float | None = None
    """Unix seconds."""
    use: ToolUse | None = None
    """The tool call, where it is one."""

    @property
    def uses(self) -> int:
        """Tool uses before it."""
        return self.order[0]


def written(thread: Thread) -> list[Written]:
    """All of them in recorded order.

    A reply that gives a plan as JSON is left out where the program that ran the agent recorded what became of it.
    """
    uses = tool_uses(thread)
    is_ours = any(entry.event == PLAN_EVENT for entry in thread.journal)
    texts = () if is_ours else _texts(thread, uses)
    return sorted((*_tools(thread, uses), *texts, *_events(thread, uses)), key=lambda one: one.order)


def family_of(use: ToolUse) -> tuple[str, Write] | None:
    """Name of the family and write of a tool call that writes a plan."""
    for family in FAMILIES:
        write = family.read(use)
        if write is not None:
            return family.name, write
    return None


def _tools(thread: Thread, uses: Sequence[ToolUse]) -> Iterator[Written]:
    for number, use in enumerate(uses):
        found = family_of(use)
        if found is not None:
            yield Written(
                order=(number, use.message, 0),
                family=found[0],
                write=found[1],
                call=use.call,
                tool=use.tool.name,
                source=use.source,
                turn=use.turn,
                message=use.message,
                at=thread.messages[use.message].at,
                use=use,
            )


def _texts(thread: Thread, uses: Sequence[ToolUse]) -> Iterator[Written]:
    places = [use.message for use in uses]
    calls = message_calls(thread)
    turn = 0
    for index, message in enumerate(thread.messages):
        turn += message.is_real_user
        if message.role != "assistant":
            continue
        for part in message.parts:
            found = _text_write(part.text) if isinstance(part, Text) else None
            if found is not None:
                yield Written(
                    order=(bisect_left(places, index), index, -1),
                    family=found[0],
                    write=found[1],
                    call=calls[index],
                    tool="message",
                    source=message.source,
                    turn=turn,
                    message=index,
                    at=message.at,
                )


def _text_write(text: str) -> tuple[str, Write] | None:
    for family in TEXT_FAMILIES:
        write = family.read_text(text)
        if write is not None:
            return family.name, write
    return None


def _events(thread: Thread, uses: Sequence[ToolUse]) -> Iterator[Written]:
    places = [use.call for use in uses]
    is_sorted = all(left <= right for left, right in pairwise(places))
    for number, entry in enumerate(thread.journal):
        found = _event_write(entry)
        if found is not None:
            before = bisect_left(places, entry.call) if is_sorted else len(uses)
            call = max(0, entry.call - 1)
            turn = thread.calls[min(call, len(thread.calls) - 1)].turn if thread.calls else 0
            order = (before, -1, number)
            yield Written(order=order, family=found[0], write=found[1], call=call, tool=entry.event, source=entry.source, turn=turn, at=entry.at)


def _event_write(entry: JournalEntry) -> tuple[str, Write] | None:
    if entry.event == STATE_EVENT:
        return state_write(entry)
    if entry.event == PROGRESS_EVENT:
        text = entry.facts.get("text")
        items = boxes(text) if isinstance(text, str) else ()
        return ("check-list", Write(items=items)) if items else None
    write = JOURNAL.read_entry(entry)
    return None if write is None else (JOURNAL.name, write)
