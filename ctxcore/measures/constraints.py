"""Constraints: sentences that forbid or demand something, and in which calls they still stand after a policy.

A lower bound on harm: a sentence that stays to the letter may still be overlooked. Source: the notes on policies, 5.2.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ctxcore.atoms import atoms
from ctxcore.columns import read_only
from ctxcore.measures.needles import Followed, Needles, follow, text_needles
from ctxcore.measures.survival import Survival
from ctxcore.model import Text, Thread
from ctxcore.replay import Replay

CONSTRAINT_WORDS = ("must", "never", "do not", "don't", "always", "only", "required", "until", "before")
"""Words that make a sentence a constraint. Source: the notes on policies, 5.2."""

CHINESE_CONSTRAINT_WORDS = ("必须", "不要", "不得", "禁止", "只能", "务必", "直到", "之前")
"""The same in Chinese."""

CONSTRAINT = re.compile(
    rf"\b(?:{'|'.join(word.replace(' ', r'[ ]+') for word in CONSTRAINT_WORDS)})\b|{'|'.join(CHINESE_CONSTRAINT_WORDS)}", re.IGNORECASE
)

SENTENCE_END = re.compile(r"(?<=[.!?;])\s|(?<=[。！？；])|\n")

SHORTEST, LONGEST = 6, 600
"""Characters of a sentence that counts: less is a heading, more is no sentence."""

MOST_CONSTRAINTS = 1_000
"""Sentences followed, in order; a longer list is a manual, not a list of constraints."""

BULLET = " \t-*•#>0123456789.)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Constraint:
    """A sentence that forbids or demands something."""

    text: str
    """As it stands, without the mark of a list."""
    word: str
    """What makes it a constraint, in small letters."""
    message: int
    """First thread message that holds it."""
    role: str
    """Of that message."""


def constraints(thread: Thread) -> tuple[Constraint, ...]:
    """Sentences of system, developer and user messages that forbid or demand something, each once; made once per thread."""
    if "constraints" not in thread.memo:
        thread.memo["constraints"] = _constraints(thread)
    made: tuple[Constraint, ...] = thread.memo["constraints"]
    return made


def _constraints(thread: Thread) -> tuple[Constraint, ...]:
    found: dict[str, Constraint] = {}
    for index, message in enumerate(thread.messages):
        if message.role not in ("system", "developer") and not message.is_real_user:
            continue
        for part in message.parts:
            for sentence in sentences(part.text) if isinstance(part, Text) else ():
                mark = CONSTRAINT.search(sentence.replace("’", "'"))
                if mark and sentence not in found and len(found) < MOST_CONSTRAINTS:
                    word = " ".join(mark[0].lower().split())
                    found[sentence] = Constraint(text=sentence, word=word, message=index, role=message.role)
    return tuple(found.values())


def sentences(text: str) -> list[str]:
    """Sentences of a text, by its ends and lines; headings and endless ones are left out."""
    pieces = (piece.strip().lstrip(BULLET).strip() for piece in SENTENCE_END.split(text))
    return [piece for piece in pieces if SHORTEST <= len(piece) <= LONGEST]


def constraint_survival(replay: Replay) -> Survival:
    """Whether constraints are there: the sentence itself, or all of its evidence and the word that makes it one.

    Args:
        replay: A policy over all calls of a thread.
    """
    needles, needed = _constraint_needles(replay.thread)
    count = len(needed)
    found = follow(replay, needles)
    held, kept = found.held[:count], found.kept[:count].copy()
    for number, some in enumerate(needed):
        if len(some) > 1:  # the word alone says nothing
            kept[number] |= held[number] & found.kept[some].all(axis=0)
    whole = Needles(names=needles.names[:count], standing=needles.standing, inside=needles.inside)
    return Survival(followed=Followed(needles=whole, held=read_only(held), kept=read_only(kept), sent=found.sent))


def _constraint_needles(thread: Thread) -> tuple[Needles, list[list[int]]]:
    """Sentences, then all that is in them, and per sentence which of these it takes: its evidence and its word; made once per thread."""
    if "constraint_needles" not in thread.memo:
        sources = constraints(thread)
        inside = [[*sorted({atom.value for atom in atoms(one.text)}), one.word] for one in sources]
        names = sorted({name for some in inside for name in some})
        place = {name: len(sources) + number for number, name in enumerate(names)}
        needles = text_needles(thread, [*(one.text for one in sources), *names])
        thread.memo["constraint_needles"] = needles, [[place[name] for name in some] for some in inside]
    made: tuple[Needles, list[list[int]]] = thread.memo["constraint_needles"]
    return made
