"""An extractive summary: the lines of a stretch of history that carry most evidence, in their order, each with its message's number.

The same text for the same messages, always. Source: the notes on policies, section 2, stand-in 2.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Sequence
from typing import NamedTuple

from ctxcore.atoms import Atom, atoms
from ctxcore.model import Thread
from ctxcore.policies.history import ASSISTANT, USER, History
from ctxcore.policies.pieces import part_text

IMPERATIVE = re.compile(r"\b(?:must|never|do not|don't|always|only)\b|必须|不要|不得|禁止|务必|始终|只能", re.IGNORECASE)
"""Words that make a line a rule."""

ATOM, PERSON, RULE, ANSWER, LENGTH = 4, 2, 2, 1, 0.1 / 200
"""Weights: each new atom of a line, a user's line, a rule, the last answer of a turn, and what each character costs."""

LONGEST_LINE = 2_000
"""Characters of a line that are looked at; the rest of a longer one is left out."""


class _Line(NamedTuple):
    message: int
    place: int
    text: str
    base: float
    atoms: frozenset[Atom]


def extract(history: History, before: str, messages: Sequence[int], target: int) -> str:
    """Lines of an earlier summary and of messages, up to a size.

    Args:
        history: Of the epoch.
        before: The summary that is merged; empty for none.
        messages: Positions of what goes newly.
        target: Size in the unit of the history; not exceeded.
    """
    lines = [*_summary_lines(history.thread, before), *(line for message in messages for line in _lines(history, message))]
    sizes = history.measure.many([line.text + "\n" for line in lines])
    chosen, room, taken = [], target, set[Atom]()
    heap = [(-_score(line, taken), number) for number, line in enumerate(lines)]
    heapq.heapify(heap)
    while heap and room > 0:
        worth, number = heapq.heappop(heap)
        score = _score(lines[number], taken)
        if score < -worth and heap and -heap[0][0] > score:  # atoms taken meanwhile made it worth less: it waits for its turn
            heapq.heappush(heap, (-score, number))
            continue
        if sizes[number] <= room and score > 0:
            chosen.append(number)
            room -= sizes[number]
            taken |= lines[number].atoms
    return "\n".join(lines[number].text for number in sorted(chosen))


def _score(line: _Line, taken: set[Atom]) -> float:
    return line.base + ATOM * len(line.atoms - taken)


def _evidence(thread: Thread, line: str) -> tuple[frozenset[Atom], bool]:
    """Atoms of a line, and whether it is a rule; each line of a thread is read once, whatever is summarised how often."""
    known: dict[str, tuple[frozenset[Atom], bool]] = thread.memo.setdefault("evidence_of_lines", {})
    if line not in known:
        known[line] = (atoms(line), bool(IMPERATIVE.search(line)))
    return known[line]


def _summary_lines(thread: Thread, text: str) -> list[_Line]:
    return [_Line(-1, number, line, -LENGTH * len(line), _evidence(thread, line)[0]) for number, line in enumerate(text.splitlines()) if line.strip()]


def _lines(history: History, message: int) -> list[_Line]:
    role = history.role[message]
    follows = message + 1 >= len(history.role) or history.role[message + 1] == USER
    extra = PERSON * bool(history.person[message]) + ANSWER * bool(role == ASSISTANT and not history.asks[message] and follows)
    found: list[_Line] = []
    for part in history.messages[message].parts:
        for line in filter(None, map(str.strip, part_text(part).splitlines())):
            said = line[:LONGEST_LINE]
            text = f"[{message}] {said}"
            evidence, is_rule = _evidence(history.thread, said)
            found.append(_Line(message, len(found), text, extra + RULE * is_rule - LENGTH * len(text), evidence))
    return found
