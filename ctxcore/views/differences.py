"""Two requests message by message: what stayed is folded, what came, went, moved or changed its size is listed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Literal

from ctxcore.counted import count
from ctxcore.measures.attribution import message_tools
from ctxcore.measures.request_diff import Change, Differing, Sent, recorded_request, request_diff, trimmed_request
from ctxcore.replay import Replay
from ctxcore.sizes.measure import home_category
from ctxcore.views.message_text import message_text, preview
from ctxcore.views.visible import shortened
from ctxcore.views.words import visible_lines

Form = Literal["recorded", "trimmed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One of the two requests."""

    call: int
    """Index in the thread."""
    form: Form
    """As it was recorded, or as the policy would send it."""

    def __str__(self) -> str:
        """For people: ``call #12`` or ``call #12 after the policy``."""
        return f"call #{self.call:,}{' after the policy' if self.form == 'trimmed' else ''}"


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffRow:
    """One line that is drawn: a message, or a run of messages that stayed."""

    change: Change
    """What became of it."""
    count: int
    """Messages that the line stands for; more than one only in a fold."""
    before: str
    """Place, or first and last place, in the first request; empty where it is not in it."""
    after: str
    """The same in the second."""
    old_size: int | None
    """In the replay's unit; None where the first request does not hold it."""
    new_size: int | None
    """The same for the second."""
    role: str = ""
    """As recorded; empty in a fold."""
    what: str = ""
    """Tools that it calls or answers."""
    category: str = "other"
    """Whose colour it has."""
    preview: str = ""
    """First lines."""


def sides(call: int, against: str) -> tuple[Side, Side]:
    """The two requests that an address means.

    Args:
        call: The picked call.
        against: As in ``Link.against``; a call that the thread does not have is the caller's affair.
    """
    if against == "trimmed":
        return Side(call=call, form="recorded"), Side(call=call, form="trimmed")
    if not against:
        return Side(call=max(0, call - 1), form="recorded"), Side(call=call, form="recorded")
    form: Form = "trimmed" if against.endswith("t") else "recorded"
    return Side(call=int(against.removesuffix("t")), form=form), Side(call=call, form=form)


def request_of(replay: Replay, side: Side) -> tuple[Sent, ...]:
    """The messages of one side."""
    return trimmed_request(replay, side.call) if side.form == "trimmed" else recorded_request(replay, side.call)


def differences(replay: Replay, old: Side, new: Side) -> tuple[Differing, ...]:
    """Every message of the two requests."""
    return request_diff(replay.thread, request_of(replay, old), request_of(replay, new))


def total(replay: Replay, side: Side) -> int:
    """Size of a request, tools included; 0 where the policy refuses it."""
    return max(0, int((replay.after if side.form == "trimmed" else replay.before)[side.call]))


WORDS: dict[Change, str] = {"gone": "gone", "new": "new", "moved": "moved", "shortened": "shortened", "grown": "grown", "same": "unchanged"}
"""For people, in the order that they are told in."""


def differences_sentence(replay: Replay, old: Side, new: Side, lines: Sequence[Differing]) -> str:
    """What the comparison says, in plain words."""
    refused = [str(side) for side in (old, new) if side.form == "trimmed" and replay.refused[side.call]]
    if refused:
        return f"The policy refuses {' and '.join(refused)} at this budget: nothing would be sent."
    found = Counter(line.change for line in lines)
    told = [f"{found[change]:,} {word}" for change, word in WORDS.items() if found[change]]
    before, after = total(replay, old), total(replay, new)
    by = f"{after - before:+,}".replace("-", "−") if after != before else "no difference"
    messages = count(len(lines), "message")
    return f"From {old} to {new}, {messages}: {', '.join(told) or 'none'}. {before:,} → {after:,} {replay.unit} ({by}), tools included."


def diff_rows(replay: Replay, lines: Sequence[Differing], *, unfold: bool) -> tuple[DiffRow, ...]:
    """Lines to draw.

    Args:
        replay: Of the thread.
        lines: Of a comparison.
        unfold: Draw messages that stayed one by one.
    """
    rows: list[DiffRow] = []
    for same, run in groupby(lines, key=lambda line: line.change == "same" and not unfold):
        found = list(run)
        rows += [_fold(found)] if same else [_row(replay, line) for line in found]
    return tuple(rows)


def _fold(run: Sequence[Differing]) -> DiffRow:
    size = sum(line.new.size for line in run if line.new)
    first, last = run[0], run[-1]
    before, after = _span(first.before, last.before), _span(first.after, last.after)
    return DiffRow(change="same", count=len(run), before=before, after=after, old_size=size, new_size=size)


def _span(first: int | None, last: int | None) -> str:
    if first is None or last is None:
        return ""
    return f"{first:,}" if first == last else f"{first:,}–{last:,}"


def _row(replay: Replay, line: Differing) -> DiffRow:
    row = DiffRow(
        change=line.change,
        count=1,
        before=_span(line.before, line.before),
        after=_span(line.after, line.after),
        old_size=line.old.size if line.old else None,
        new_size=line.new.size if line.new else None,
    )
    sent = line.new or line.old
    return row if sent is None else _told(replay, row, sent)


def _told(replay: Replay, row: DiffRow, sent: Sent) -> DiffRow:
    """The line with what the message says."""
    if sent.message < 0:
        return replace(row, role="system", what="put in by the policy", category="system", preview=visible_lines(preview(sent.text)))
    message = replay.thread.messages[sent.message]
    names = [f"result of {label}" if is_result else label for label, is_result in message_tools(replay.thread, replay.sizes, sent.message)]
    return replace(
        row,
        role=shortened(message.role, 40),
        what=shortened(", ".join(names), 160),
        category=home_category(message),
        preview=visible_lines(preview(message_text(message))),
    )
