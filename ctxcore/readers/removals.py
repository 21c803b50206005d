"""Messages that an agent took out of its list again: ``RemoveMessage`` by id, or all at once, as LangGraph's message lists do it.

Source: format notes, 2.9; ``add_messages`` of LangGraph.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from ctxcore.model import Call, Event, Message, SourceRef
from ctxcore.readers.build import ThreadDraft
from ctxcore.units import merge_ranges

REMOVE_ALL = "__remove_all__"
"""Id of a removal that empties the list."""

LISTED = 8
"""Messages that a note names; the rest is counted."""

SUMMARY_STARTS = ("Here is a summary of the conversation", "This is a summary of the conversation", "Summary of the conversation")
"""First words of what the library's own summarisation puts in place of the history."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Removal:
    """One recorded removal."""

    before: int
    """How many messages of the thread stand before it."""
    id: str
    """Of the message that goes, or ``REMOVE_ALL``."""
    source: SourceRef


def apply_removals(thread: ThreadDraft, ids: Sequence[str], removals: Sequence[Removal]) -> None:
    """Take removed messages out of the contexts of the calls behind their removal; an event for each place where some go.

    Args:
        thread: With its calls, each on all that stands before it.
        ids: Of its messages; empty where one has none.
        removals: In order.
    """
    waiting, calls, done = list(thread.calls), [], 0
    held: list[int] = []
    for before, group in groupby(removals, key=lambda removal: removal.before):
        behind = [call for call in waiting if _end(call, thread) >= before]
        calls += [_on(call, held, done) for call in waiting[: len(waiting) - len(behind)]]
        held, waiting = [*held, *range(done, before)], behind
        done = before
        listed = list(group)
        named = {removal.id for removal in listed}
        gone = [index for index in held if REMOVE_ALL in named or (ids[index] and ids[index] in named)]
        held = [index for index in held if index not in set(gone)]
        if gone:
            thread.events.append(_event(thread, len(calls), gone, before, listed[0].source))
    calls += [_on(call, held, done) for call in waiting]
    last = len(thread.messages) - 1
    thread.calls = [replace(call, known="reconstructed") for call in calls if call.reply is not None or last in call.messages()]


def _end(call: Call, thread: ThreadDraft) -> int:
    """Messages that stand before the reply."""
    return len(thread.messages) if call.reply is None else call.reply


def _on(call: Call, held: Sequence[int], done: int) -> Call:
    """The call on what is held of the first ``done`` messages, and on those behind them that it had."""
    return replace(call, context=merge_ranges([*held, *(index for index in call.messages() if index >= done)])) if done else call


def _event(thread: ThreadDraft, call: int, gone: Sequence[int], before: int, source: SourceRef) -> Event:
    summary = summary_in(thread.messages, gone, before if before < len(thread.messages) else None)
    if summary is not None:
        thread.messages[summary] = replace(thread.messages[summary], injected="summary")
    then = "" if summary is None else "; a summary stands in their place"
    return Event(kind="compaction", call=call, summary=summary, source=source, note=f"{went(gone)} removed{then}.")


def went(gone: Sequence[int]) -> str:
    """Which messages went, as the beginning of a sentence."""
    more = f" and {len(gone) - LISTED:,} more" if len(gone) > LISTED else ""
    shown = ", ".join(map(str, gone[:LISTED]))
    return f"1 message ({shown}) was" if len(gone) == 1 else f"{len(gone):,} messages ({shown}{more}) were"


def summary_in(messages: Sequence[Message], gone: Sequence[int], first: int | None) -> int | None:
    """The message that stands for those that went, or None.

    The first new one is it where it says so, or where it is a system text that was not there before in place of several messages.
    """
    if first is None or len(gone) < 2:
        return None
    message = messages[first]
    new = message.role == "system" and message.text not in {messages[index].text for index in gone}
    return first if new or says_summary(message) else None


def says_summary(message: Message) -> bool:
    """True for what the library's own summarisation writes."""
    return any(extra.get("lc_source") == "summarization" for extra in _extras(message)) or message.text.lstrip().startswith(SUMMARY_STARTS)


def _extras(message: Message) -> Iterator[dict[str, object]]:
    """The message's own additional fields, in whatever dump."""
    record = message.raw if isinstance(message.raw, dict) else {}
    for holder in (record, record.get("kwargs"), record.get("data")):
        extra = holder.get("additional_kwargs") if isinstance(holder, dict) else None
        if isinstance(extra, dict):
            yield extra
