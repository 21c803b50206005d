"""Where and how the page Search looks, as an address says it: ``regex,tools,dropped``, ``seen12``, ``lost8000``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, cast

from ctxcore.errors import InputError

Where = Literal["everywhere", "messages", "tools", "files"]
"""What is looked through: all, what was said and thought, tool calls with results and definitions, or files that tool calls name."""

State = Literal["all", "dropped", "seen", "lost"]
"""Which hits are listed: all, those that some call would not receive, those that one call would, those lost to some call at another budget."""

WHERES: tuple[Where, ...] = ("everywhere", "messages", "tools", "files")
STATES: tuple[State, ...] = ("all", "dropped", "seen", "lost")

NUMBERED = re.compile(r"(seen|lost)([0-9]{1,18})")
"""A state with the call or budget that it is about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchWish:
    """Where and how to look."""

    regex: bool = False
    """The text is a pattern."""
    where: Where = "everywhere"
    """What is looked through."""
    state: State = "all"
    """Which hits are listed."""
    number: int | None = None
    """The call of ``seen``, the budget of ``lost``; None is the picked call, or half of the budget."""


def search_query(wish: SearchWish) -> str:
    """A wish as an address says it; empty for the defaults."""
    state = "" if wish.state == "all" else f"{wish.state}{'' if wish.number is None else wish.number}"
    return ",".join(filter(None, ("regex" if wish.regex else "", "" if wish.where == "everywhere" else wish.where, state)))


def read_search(text: str) -> SearchWish:
    """A wish from an address.

    Raises:
        InputError: A word that means nothing.
    """
    regex, where, state, number = False, "everywhere", "all", None
    for word in filter(None, text.split(",")):
        numbered = NUMBERED.fullmatch(word)
        if word == "regex":
            regex = True
        elif word in WHERES:
            where = word
        elif word in STATES:
            state = word
        elif numbered:
            state, number = numbered[1], int(numbered[2])
        else:
            raise InputError(f"{word[:40]!r} is not regex, {', '.join((*WHERES, *STATES))}.")
    return SearchWish(regex=regex, where=cast("Where", where), state=cast("State", state), number=number)
