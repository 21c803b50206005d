"""Which step of the plan before is which entry of the plan after: by id, then by title, then by position.

Ids that only number the list (1, 2, 3, ...) are positions, not identities: a step inserted above would otherwise seem to rename all below.
Where nothing but the place in the list speaks for a match, a step that was completed is never matched to one that is not:
a step too many is a smaller fault than a step that seems to reopen.
Source: the planner's rules, "From recordings".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from ctxcore.plan.rewording import Known, Rewording, may_be_one
from ctxcore.plan.values import Item, read_status


@dataclass(slots=True)
class _Pairs:
    """Matches found so far, both ways."""

    old_of: dict[int, int]
    new_of: dict[int, int]

    def add(self, old: int, new: int) -> None:
        if old not in self.new_of and new not in self.old_of:
            self.old_of[new] = old
            self.new_of[old] = new


def are_positions(ids: Sequence[str]) -> bool:
    """True where the ids only number a list from 0 or 1 on."""
    return all(id_ == str(place) for place, id_ in enumerate(ids)) or all(id_ == str(place) for place, id_ in enumerate(ids, 1))


def match(before: Sequence[Known], after: Sequence[Item], rewording: Rewording) -> list[int | None]:
    """Per entry of the plan after: its step of the plan before, or None for a new one."""
    if _is_same_list(before, after):
        return list(range(len(after)))
    pairs = _Pairs({}, {})
    ids_are_names = not (are_positions([k.id for k in before]) and are_positions([i.id for i in after]))
    if ids_are_names:
        _by_key(pairs, [k.id for k in before], [i.id for i in after])
    _by_key(pairs, [plain_title(k.title) for k in before], [plain_title(i.title or "") for i in after])
    if _is_new_plan(pairs, before, after):
        return [None] * len(after)
    _by_place(pairs, before, after, rewording)
    return [pairs.old_of.get(new) for new in range(len(after))]


def _is_same_list(before: Sequence[Known], after: Sequence[Item]) -> bool:
    """Only statuses differ, and each step can be told by its title."""
    return len(before) == len(after) and all(
        old.title == new.title and old.id == new.id and not old.title.isspace() and old.title for old, new in zip(before, after, strict=True)
    )


def _is_new_plan(pairs: _Pairs, before: Sequence[Known], after: Sequence[Item]) -> bool:
    """True where everything was finished, most of what comes is new, and nothing of the old stays finished.

    A title that both share is then another step of the same name, not one that reopened.
    """
    finished = all(known.status in ("completed", "cancelled") for known in before)
    stays = any(read_status(after[new].word or "") == before[old].status for new, old in pairs.old_of.items())
    return finished and not stays and 2 * len(pairs.old_of) < len(after)


def plain_title(title: str) -> str:
    """A title as titles are compared: small letters, single spaces."""
    return " ".join(title.split()).casefold()


def _by_key(pairs: _Pairs, before: Sequence[str], after: Sequence[str]) -> None:
    """Pair equal keys, first with first."""
    places: dict[str, list[int]] = defaultdict(list)
    for old, key in enumerate(before):
        if key and old not in pairs.new_of:
            places[key].append(old)
    for new, key in enumerate(after):
        if places.get(key) and new not in pairs.old_of:
            pairs.add(places[key].pop(0), new)


def _by_place(pairs: _Pairs, before: Sequence[Known], after: Sequence[Item], rewording: Rewording) -> None:
    """Pair what stands between the same matched neighbours: similar titles first, then the rest if it is as many."""
    olds = _gaps([old if old in pairs.new_of else None for old in range(len(before))])
    news = _gaps([pairs.old_of.get(new) for new in range(len(after))])
    anchored = bool(pairs.old_of)
    for gap, places in news.items():
        left = olds.get(gap, [])
        for old, new in rewording.pairs([before[old] for old in left], [after[new] for new in places]):
            pairs.add(left[old], places[new])
        left = [old for old in left if old not in pairs.new_of]
        rest = [new for new in places if new not in pairs.old_of]
        if anchored and len(rest) == len(left):
            for old, new in zip(left, rest, strict=True):
                if may_be_one(before[old], after[new]):
                    pairs.add(old, new)


def _gaps(anchors: Sequence[int | None]) -> dict[tuple[int, int], list[int]]:
    """Unmatched places by the matched old steps around them (-1: none)."""
    following = [-1] * (len(anchors) + 1)
    for place in range(len(anchors) - 1, -1, -1):
        anchor = anchors[place]
        following[place] = following[place + 1] if anchor is None else anchor
    gaps: dict[tuple[int, int], list[int]] = defaultdict(list)
    previous = -1
    for place, anchor in enumerate(anchors):
        if anchor is None:
            gaps[previous, following[place]].append(place)
        else:
            previous = anchor
    return gaps
