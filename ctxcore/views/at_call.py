"""What pages that hold sides against each other say of the picked call."""

from __future__ import annotations

from collections.abc import Sequence

from ctxcore.counted import count
from ctxcore.measures.alignment import Alignment, Turn
from ctxcore.measures.compare import Compared
from ctxcore.replay import Replay
from ctxcore.views.search import Hit
from ctxcore.views.words import number


def sides_at_call(rows: Sequence[Compared], call: int) -> str:
    """What each policy would send at a call, beside what was recorded.

    Args:
        rows: Of one thread, in one unit of measure.
        call: Index in the thread.
    """
    first = rows[0].replay
    told = "; ".join(_side(row, call) for row in rows)
    return f"Call #{number(call)}, recorded with {number(int(first.before[call]))} {first.unit}: {told}."


def _side(row: Compared, call: int) -> str:
    one = row.replay
    if one.refused[call]:
        return f"{row.name} would refuse it"
    left_out, lost = int(one.dropped_messages[call]), int(row.lost_per_call[call])
    losing = f", lose {count(lost, 'reference')}" if lost else ""
    return f"{row.name} would send {number(int(one.after[call]))} and leave out {count(left_out, 'message')}{losing}"


def aligned_call(found: Alignment, call: int) -> tuple[str, int | None]:
    """Where a call of the first side stands, and the call of the second at the same place of the paired turn.

    Args:
        found: Turns of both sides.
        call: Of the first side.

    Returns:
        A sentence, and the call of the second side; None where the turn has no partner, or the partner fewer calls.
    """
    pair = next((one for one in found.pairs if one.first is not None and call in one.first.calls), None)
    if pair is None or pair.first is None:
        return f"Call #{number(call)} belongs to no turn.", None
    place = pair.first.calls.index(call)
    where = f"Call #{number(call)} is {_place(pair.first, place)} of the first"
    if pair.second is None:
        return f"{where}; the second has no such turn.", None
    if place >= len(pair.second.calls):
        return f"{where}; turn {number(pair.second.number)} of the second has only {count(len(pair.second.calls), 'call')}.", None
    other = pair.second.calls[place]
    return f"{where}; beside it stands call #{number(other)}, {_place(pair.second, place)} of the second.", other


def _place(turn: Turn, place: int) -> str:
    return f"call {number(place + 1)} of {number(len(turn.calls))} in turn {number(turn.number)}"


def hits_at_call(hits: Sequence[Hit], replay: Replay, call: int) -> tuple[str, int | None]:
    """How many hits stand in the request of a call, and the newest message of them.

    Args:
        hits: Of a search; those of other threads and of tool definitions count for nothing here.
        replay: Of the call's thread.
        call: Index in the thread.

    Returns:
        A sentence, and an index of a message of the thread; None where the call has none.
    """
    held = set(replay.thread.calls[call].messages())
    found = sorted({hit.piece.message for hit in hits if hit.thread is replay.thread} & held)
    if not found:
        return f"No listed hit stands in a message of call #{number(call)}.", None
    return f"{count(len(found), 'message')} of call #{number(call)} as recorded {'holds' if len(found) == 1 else 'hold'} a listed hit.", found[-1]
