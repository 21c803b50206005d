"""How a reply sets its tools: limits and modes of their output, and the names of their arguments; none of it is evidence from earlier messages.

A limit is told by its name, so that a line number or an id, which an earlier result may have given, stays evidence.
"""

from __future__ import annotations

import json
import re

from ctxcore.atoms import Atom
from ctxcore.measures.searched import USED_PARTS, searched_text
from ctxcore.mentions import Mentions, readable
from ctxcore.model import Json, Message, ToolCall

SETTING = frozenset(["max", "min", "limit", "timeout", "ms", "seconds", "tokens", "mode", "yield", "verbosity", "format", "depth", "size"])
"""Words in the name of an argument that sets how long a tool may run, and how much it gives in which form."""

WORD = re.compile(r"[A-Z]?[a-z]+")
"""A word of a name, whether joined by lines or by capitals."""

PLAIN = re.compile(r"[A-Za-z_-]+|[0-9.]+")
"""A word or a number, the only values of a setting."""


def only_set(reply: Message, wanted: dict[int, Atom]) -> set[int]:
    """Atoms that stand in a reply as a setting of a tool or the name of an argument and nowhere else.

    Args:
        reply: Of a call.
        wanted: Place of each atom in the evidence → the atom.
    """
    settings: set[str] = set()
    rest: list[str] = []
    for part in reply.parts:
        if isinstance(part, ToolCall) and (arguments := _arguments(part)):
            settings |= arguments.keys() | {str(value) for name, value in arguments.items() if _sets(name, value)}
            rest += [_text(value) for name, value in arguments.items() if not _sets(name, value)]
        elif isinstance(part, USED_PARTS):
            rest.append(searched_text(part))
    doubtful = [place for place, atom in wanted.items() if atom.value in settings]
    if not doubtful:
        return set()
    elsewhere = Mentions([wanted[place] for place in doubtful]).found("\n".join(rest))
    return {place for number, place in enumerate(doubtful) if number not in elsewhere}


def _arguments(call: ToolCall) -> dict[str, Json]:
    try:
        value: Json = json.loads(call.arguments)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _sets(name: str, value: Json) -> bool:
    plain = isinstance(value, (int, float)) or (isinstance(value, str) and PLAIN.fullmatch(value) is not None)
    return plain and any(word.lower() in SETTING for word in WORD.findall(name))


def _text(value: Json) -> str:
    return value if isinstance(value, str) else readable(json.dumps(value, ensure_ascii=False), keys=False)
