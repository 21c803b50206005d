"""What changed from one request to another: messages that stayed, came, went, moved, or say less than before.

A request is a call as it was recorded, or what a policy would have sent for it. A message is the same where the thread holds it once; a message
that was written anew is recognised by the tool call that it answers or makes.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ctxcore.model import Message, Thread, ToolCall, ToolResult
from ctxcore.policies.applied import editing
from ctxcore.replay import DROPPED, Replay

Change = Literal["same", "gone", "new", "moved", "shortened", "grown"]
"""What became of a message; one that both moved and changed its size is ``shortened`` or ``grown``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """One message of a request."""

    message: int
    """Index in the thread; -1 for one that a policy puts in."""
    size: int
    """In the replay's unit; what a policy cuts out of it is not counted."""
    text: str = ""
    """Of a message that a policy puts in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Differing:
    """One line of a comparison."""

    change: Change
    """What became of it."""
    before: int | None
    """Place in the first request, from 0; None where it is not in it."""
    after: int | None
    """Place in the second request."""
    old: Sent | None
    """As the first request has it."""
    new: Sent | None
    """As the second request has it."""

    @property
    def by(self) -> int:
        """What the message adds to the size of the second request; negative where it takes away."""
        return (self.new.size if self.new else 0) - (self.old.size if self.old else 0)


def recorded_request(replay: Replay, call: int) -> tuple[Sent, ...]:
    """The messages of a call as it was recorded.

    Raises:
        IndexError: No such call.
    """
    return tuple(Sent(message=index, size=int(replay.sizes.message[index])) for index in replay.thread.calls[call].messages())


def trimmed_request(replay: Replay, call: int) -> tuple[Sent, ...]:
    """The messages that the policy would send for a call; none where it refuses the call.

    Raises:
        IndexError: No such call.
    """
    if replay.refused[call]:
        return ()
    cut, inserts, sent = _cut_out(replay, call), list(replay.inserts(call)), []
    context, state = replay.thread.calls[call].messages(), replay.message_status(call)
    for place, message in enumerate((*context, -1)):
        while inserts and (message < 0 or inserts[0].place <= place):
            one = inserts.pop(0)
            sent.append(Sent(message=-1, size=one.size - replay.sizes.separator, text=one.text))
        if message >= 0 and state[place] != DROPPED:
            sent.append(Sent(message=message, size=int(replay.sizes.message[message]) - cut.get(place, 0)))
    return tuple(sent)


def _cut_out(replay: Replay, call: int) -> dict[int, int]:
    """Per place of the context: what a policy's edits take out of a message that stays."""
    epoch, column = replay.place(call)
    line, found = replay.timelines[epoch], dict[int, int]()
    for layer in editing(replay.fits[epoch].plan(0)):
        pieces = layer.at(column)
        for position, freed in zip(line.history.pieces.message[pieces].tolist(), layer.freed[layer.rank[pieces]].tolist(), strict=True):
            found[position] = found.get(position, 0) + freed
    return found


def request_diff(thread: Thread, old: Sequence[Sent], new: Sequence[Sent]) -> tuple[Differing, ...]:
    """Every message of two requests, in the order of the second, with what went at the place where it stood.

    Args:
        thread: Of both.
        old: The first request.
        new: The second.
    """
    pairs = _pairs(thread, old, new)
    still = _in_order([place for place in pairs if place is not None])
    lines: list[Differing] = []
    upto = 0
    taken = {place for place in pairs if place is not None}
    for after, (sent, before) in enumerate(zip(new, pairs, strict=True)):
        if before is not None and before in still:
            lines += [_gone(old, place) for place in range(upto, before) if place not in taken]
            upto = before + 1
        lines.append(_line(old, before, sent, after, moved=before is not None and before not in still))
    return (*lines, *(_gone(old, place) for place in range(upto, len(old)) if place not in taken))


def _gone(old: Sequence[Sent], place: int) -> Differing:
    return Differing(change="gone", before=place, after=None, old=old[place], new=None)


def _line(old: Sequence[Sent], before: int | None, sent: Sent, after: int, *, moved: bool) -> Differing:
    if before is None:
        return Differing(change="new", before=None, after=after, old=None, new=sent)
    was = old[before]
    change: Change = "moved" if moved else "same"
    if sent.size != was.size:
        change = "shortened" if sent.size < was.size else "grown"
    return Differing(change=change, before=before, after=after, old=was, new=sent)


def _pairs(thread: Thread, old: Sequence[Sent], new: Sequence[Sent]) -> list[int | None]:
    """Per message of the second request its place in the first: the same message, else one that was written anew."""
    places: dict[object, list[int]] = {}
    for place in range(len(old) - 1, -1, -1):
        places.setdefault(old[place].message if old[place].message >= 0 else old[place].text, []).append(place)
    found = [places[key].pop() if places.get(key := sent.message if sent.message >= 0 else sent.text) else None for sent in new]
    taken = set(found)
    rewritten: dict[object, list[int]] = {}
    for place in range(len(old) - 1, -1, -1):
        if place not in taken and (name := _name(thread, old[place])) is not None:
            rewritten.setdefault(name, []).append(place)
    for after, sent in enumerate(new):
        if found[after] is None and (name := _name(thread, sent)) is not None and rewritten.get(name):
            found[after] = rewritten[name].pop()
    return found


def _name(thread: Thread, sent: Sent) -> object:
    """What a message is known by when it is written anew: the tool calls that it makes or answers; None where it has none."""
    if sent.message < 0:
        return None
    message: Message = thread.messages[sent.message]
    ids = tuple(part.id if isinstance(part, ToolCall) else part.call_id for part in message.parts if isinstance(part, ToolCall | ToolResult))
    return (message.role, ids) if any(ids) else None


def _in_order(places: Sequence[int]) -> set[int]:
    """A longest ascending run of these: messages that kept their order; all others moved."""
    tails: list[int] = []
    ends: list[int] = []
    links: list[int] = []
    for index, place in enumerate(places):
        rank = bisect_left(tails, place)
        links.append(ends[rank - 1] if rank else -1)
        tails[rank : rank + 1], ends[rank : rank + 1] = [place], [index]
    found: set[int] = set()
    index = ends[-1] if ends else -1
    while index >= 0:
        found.add(places[index])
        index = links[index]
    return found
