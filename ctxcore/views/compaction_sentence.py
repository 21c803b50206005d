"""What the compactions of one session did, in plain words, and how many pieces stand for how many messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ctxcore.compaction.facts import FactKind
from ctxcore.compaction.survival import Kept
from ctxcore.counted import count
from ctxcore.measures.compaction_sizes import Change, request_tokens
from ctxcore.measures.compactions import UNTOLD, RecordedCompaction
from ctxcore.measures.simulated import SimulatedCompaction
from ctxcore.model import Thread
from ctxcore.views.compaction_pieces import Piece
from ctxcore.views.compaction_shown import Shown, judged_of

NAMED = 4
"""Calls, or kinds of facts, that a sentence names."""


def session_sentence(thread: Thread, found: Sequence[Shown]) -> str:
    """How often this session was compacted and what that kept, and what our own would make of the picked call.

    Args:
        thread: Of the session.
        found: Its recorded compactions, then ours.
    """
    recorded = [one for one in found if isinstance(one, RecordedCompaction)]
    ours = [one for one in found if isinstance(one, SimulatedCompaction)]
    return " ".join([*_recorded(thread, recorded), *map(_simulated, ours)])


def pieces_sentence(every: Sequence[Piece]) -> str:
    """Of how many messages the pieces are: one sentence of the user may be a value and an instruction."""
    messages = {piece.place.message for piece in every if piece.place is not None}
    return f"{count(len(every), 'piece')} of {count(len(messages), 'message')}: a sentence may stand as a value and as an instruction."


def _recorded(thread: Thread, recorded: Sequence[RecordedCompaction]) -> list[str]:
    if not recorded:
        return [
            f"This thread was never compacted in {count(len(thread.calls), 'call')}: its largest request has {max(request_tokens(thread)):,} tokens."
        ]
    calls = [f"#{one.event.call:,}" for one in recorded]
    more = f" and {len(calls) - NAMED:,} more" if len(calls) > NAMED else ""
    often = "once, before call" if len(calls) == 1 else f"{len(calls):,} times, before calls"
    told = [f"This thread was compacted {often} {', '.join(calls[:NAMED])}{more}."]
    largest = max(recorded, key=lambda one: one.before or 0)
    change = judged_of(largest)
    if change is not None:
        which = "It" if len(calls) == 1 else f"The largest, before call #{largest.event.call:,},"
        told.append(f"{which} left {_size(change)}{_kept_of(largest)}.")
    faulty = sum(any(fault.level == "fault" for fault in one.faults) for one in recorded)
    told.append(f"The checks find a fault in {faulty:,} of {len(calls):,}." if faulty else "No check finds a fault.")
    return told


def _kept_of(one: RecordedCompaction) -> str:
    return "" if one.table is None or UNTOLD & set(one.codes) else f" and, at least, {_facts(one.table)}"


def _simulated(one: SimulatedCompaction) -> str:
    if one.compaction.rolled_back:
        return f"Our own of call #{one.call:,} would lose a core field, so it would leave the request as it is."
    return f"Our own of call #{one.call:,} would leave {_size(one.part)} and keep {_facts(one.table)}."


def _size(change: Change) -> str:
    share = "" if change.ratio is None else f" ({100 * change.ratio:.1f} %)"
    return f"{change.after:,} of {change.before:,} tokens{share}"


def _facts(table: Mapping[FactKind, Kept]) -> str:
    """Kinds in the order of the table."""
    rows = [f"{row.kept:,} of {count(row.total, kind.replace('_', ' '))}" for kind, row in list(table.items())[:NAMED]]
    return ", ".join(rows) if rows else "no fact that was looked for"
