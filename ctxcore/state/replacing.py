"""A value that is said together with the one it replaces (0.92, not 0.90): the old value tells the field; where it cannot, an alert does."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from ctxcore.state.board import Board
from ctxcore.state.candidates import Candidate
from ctxcore.state.conflicts import plain
from ctxcore.state.resolving import NUMBERS, same_value, takes

CODE = "UNTIED_CORRECTION"
"""A value is to replace one that no field is known to have."""

MOST_WORDS = 200
"""Code points of a message that is nothing but a correction."""

_NOT = re.compile(
    r"\W*(?:(?:and|but) )?(?:not\b|instead of\b|rather than\b|而?不是)[^.。!?！？\n]{0,16}$"
    r"|[^.。!?！？\n]{0,40}\b(?:instead of|rather than)\b[^.。\n]{0,10}$",
    re.IGNORECASE,
)
_CHANGES = re.compile(
    r"(?:改成|改为|改到|换成|提高到|提到|降到|加到|减到|调到|调整[到为成]|"
    r"\b(?:make|change|raise|lower|reduce|increase|bump|drop|bring|cut|set) (?:it|that) (?:\w+ )?(?:to )?)\s*[$€£¥￥]?$",
    re.IGNORECASE,
)


def tied(board: Board, found: Sequence[tuple[str, Candidate]], text: str) -> list[tuple[str, Candidate]]:
    """The same candidates; one beside the value that it replaces belongs to the one field that has this value.

    Args:
        board: What has been understood so far.
        found: Candidates with their fields, empty where unknown.
        text: The message.
    """
    tied = [*found]
    for place, ((name, new), (_, old)) in enumerate(pairwise(found)):
        if name not in board.chains and _replaces(new, old, text):
            holders = [field for field in board.newest_fields() if same_value(board.value(field), old.value) and takes(board, field, new)]
            if len(holders) == 1:
                tied[place], tied[place + 1] = (holders[0], new), (holders[0], old)
    return tied


def _replaces(new: Candidate, old: Candidate, text: str) -> bool:
    both = plain(new) and "negated" in old.shades and {new.kind, old.kind} <= NUMBERS
    return both and bool(_NOT.match(text[new.source.end : old.source.start]))


def alert_untied(board: Board, found: Sequence[tuple[str, Candidate]], text: str) -> None:
    """Say so where a value is to replace another and nothing tells which field it belongs to."""
    for place, (name, new) in enumerate(found):
        later = found[place + 1][1] if place + 1 < len(found) else None
        told = later is not None and _replaces(new, later, text)
        alone = len(text) <= MOST_WORDS and bool(_CHANGES.search(text[: new.source.start])) and bool(board.chains)
        if not name and plain(new) and (told or alone):
            board.alert(CODE, f"“{new.source.quote}” is to replace a value, but nothing tells which.", "", new.source)
