"""Evidence atoms of a text: addresses, ids, paths, codes, numbers, quotes and names that a later call may need to the letter.

Atoms are lexical. A kept atom is no kept knowledge, so whatever is measured by them is a lower bound on harm.
Source: the notes on policies, 5.1: types in this order, the longest match wins, overlaps removed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from ctxcore.atom_forms import (
    CODE_NUMBER,
    EVIDENT,
    EXIT_WORDS,
    HTTP_CODE,
    HTTP_WORDS,
    KEY,
    KEY_ID,
    MONEY,
    NOT_IN_TOKENS,
    NUMBERED,
    PLAIN_WORDS,
    QUANTITY,
    QUOTES,
    SCHEME,
    STATUS_NAME,
    TOKEN,
    TOKEN_FORMS,
    URL,
    path_and_place,
    plain_number,
)

TYPES = ("url", "uuid", "hex", "path", "loc", "error", "id", "number", "quote", "identifier")
"""Types of atoms, strongest first: of two matches of the same length the earlier type counts. ``loc`` is a path with its line."""

LONGEST_TOKEN = 512
"""Characters. What stands longer without a space or a comma is a payload (base64, a minified file), not evidence."""

BLOCK = 1 << 20
"""Characters looked at in one go, so that the pieces of a large text never stand beside it all at once."""

OUTSIDE = ".,;:!?()[]{}*=&"
"""Punctuation around a word."""

SHORTEST_NUMBER = 4
"""Digits of a number that is evidence without a unit or decimals."""

GAP = "\x00"
"""Stands where an atom was taken out: nothing matches across it."""


class Atom(NamedTuple):
    """One piece of evidence."""

    type: str
    """One of ``TYPES``."""
    value: str
    """Normalised: outer punctuation gone, numbers without thousands separators, small letters in uuids, hex ids, units and quotes."""


def atoms(text: str) -> frozenset[Atom]:
    """Evidence atoms of a text.

    Takes time in proportion to the text, whatever stands in it.

    Args:
        text: As a model reads it; JSON strings unescaped.
    """
    found: set[Atom] = set()
    for block in _blocks(text):
        rest = _take_phrases(block, found)
        tokens = _tokens(rest)
        long = max(map(len, tokens), default=0) > LONGEST_TOKEN  # hardly ever, and then each token is looked at
        found.update(chain.from_iterable(map(_atoms_of if long else token_atoms, tokens)))
    return frozenset(found)


def _blocks(text: str) -> Iterator[str]:
    """The text in blocks that end at a line or a space."""
    start = 0
    while len(text) - start > BLOCK:
        stop = start + BLOCK
        cut = max(text.rfind("\n", start, stop), text.rfind(" ", start, stop)) + 1
        yield text[start : cut if cut > start else stop]
        start = cut if cut > start else stop
    yield text[start:] if start else text


def _take_phrases(text: str, found: set[Atom]) -> str:
    """Take out the atoms that may hold spaces or quotation marks, strongest first; the rest of the text, with gaps."""

    def take(kind: str, value: str) -> str:
        found.add(Atom(kind, value))
        return GAP

    def address(match: re.Match[str]) -> str:
        scheme = SCHEME.search(match.string, max(0, match.start() - 20), match.start())
        value = match[0].rstrip(".,;:!?)]}*\\")
        return take("url", scheme[0] + value) + match[0][len(value) :] if scheme and len(value) > len("://") else match[0]

    def known_id(match: re.Match[str]) -> str:
        value = _id_value(match)
        return match[1] + match[2] + take("id", value) if value else match[0]

    def quote(match: re.Match[str]) -> str:
        return take("quote", quote_value(match[1])) if _is_quote(match[1]) else match[0]

    if "://" in text:
        text = URL.sub(address, text)
    text = _take_codes(text.replace("</", GAP), found)
    text = KEY_ID.sub(known_id, text)
    if "$" in text or "€" in text or "£" in text or "¥" in text:
        text = MONEY.sub(lambda match: take("number", money_value(match[0])), text)
    text = QUANTITY.sub(lambda match: take("number", match[1].replace(",", "") + match[2].strip().lower()), text)
    for mark, pattern in QUOTES:
        if mark in text:
            text = pattern.sub(quote, text)
    return text


def worded_atoms(text: str) -> set[Atom]:
    """Atoms that only the words around a number make: exit codes, HTTP codes, short ids after their key; overlaps not removed."""
    found = {Atom("id", value) for match in KEY_ID.finditer(text) if "=" in (value := _id_value(match))}
    _take_codes(text, found)
    return found


def _take_codes(text: str, found: set[Atom]) -> str:
    """Take out exit codes and HTTP codes."""

    def take(match: re.Match[str], name: str) -> str:
        if name:
            found.add(Atom("error", name))
        return GAP if name else match[0]

    if "ode" in text or "tatus" in text or "ODE" in text or "TATUS" in text:  # quicker than the pattern, which says the same
        text = CODE_NUMBER.sub(lambda match: take(match, _code_name(match)), text)
    if "ttp" in text or "TTP" in text:
        text = HTTP_CODE.sub(lambda match: take(match, f"http {match[1]}"), text)
    return STATUS_NAME.sub(lambda match: take(match, f"http {match[0][:3]}"), text)


def _code_name(match: re.Match[str]) -> str:
    """What a number after "code" or "status" is: of a process, of an HTTP answer, or nothing."""
    before = match.string[max(0, match.start() - 24) : match.start()]
    if EXIT_WORDS.search(before):
        return f"exit code {match[1]}"
    says_http = match[0][0] in "sS" or HTTP_WORDS.search(before)
    return f"http {match[1]}" if says_http and len(match[1]) == 3 and match[1][0] in "45" else ""


def _id_value(match: re.Match[str]) -> str:
    """An id named by its key; nothing where the value is a word, or of a stronger type without its key.

    A short number keeps its key, since alone it says nothing.
    """
    bare = match[3].strip("-.")
    if not any(character.isdigit() for character in bare) or any(TYPES.index(atom.type) < TYPES.index("id") for atom in token_atoms(match[3])):
        return ""
    if len(bare) >= 4 or (len(bare) == 3 and not bare.isdigit()):
        return bare
    key = KEY.search(match.string, max(0, match.start() - 62), match.start())
    return f"{key[0] if key else ''}{match[1]}={bare}".lower()


def money_value(text: str) -> str:
    """An amount; the sign stays where the number alone would be none."""
    amount = text[1:].strip()
    return plain_number(amount) or text[0] + amount.replace(",", "")


def quote_value(text: str) -> str:
    """A quote in small letters, each run of spaces as one."""
    return " ".join(text.lower().split())


def _is_quote(text: str) -> bool:
    """True unless a stronger atom stands in it, or it is one name and nothing else: then that is the evidence."""
    inside = [atom for token in _tokens(text) for atom in token_atoms(token)]
    if any(atom.type != "identifier" for atom in inside):
        return False
    return not (len(inside) == 1 and inside[0].value == text)


def _tokens(text: str) -> set[str]:
    """Runs of characters that can be inside an atom; words that can be none are left out."""
    if text.isascii():
        return set(text.translate(NOT_IN_TOKENS).split())
    return set(TOKEN.findall(text))


def _atoms_of(token: str) -> Iterable[Atom]:
    return token_atoms(token) if len(token) <= LONGEST_TOKEN else _long_token(token)


def _long_token(token: str) -> Iterator[Atom]:
    for piece in re.split(r"[,;(){}\[\]=&\x00]+", token):
        if len(piece) <= LONGEST_TOKEN:
            yield from token_atoms(piece)


@lru_cache(maxsize=1 << 17)
def token_atoms(token: str) -> tuple[Atom, ...]:
    """Atoms of one token, overlaps removed."""
    word = token.strip(OUTSIDE)
    if NUMBERED.fullmatch(word):  # longer than the number and whatever else could stand in it
        return (Atom("id", word),)
    if not EVIDENT.search(word) or (word.isalpha() and word.istitle()):
        return ()
    if word.isdecimal() and len(word) < SHORTEST_NUMBER:
        return ()
    found: list[tuple[int, int, int, tuple[Atom, ...]]] = []
    for order, (kind, needs, pattern) in enumerate(TOKEN_FORMS):
        if needs.search(word):
            for match in pattern.finditer(token):
                if made := _made(kind, match[0]):
                    found.append((match.start() - match.end(), order, match.start(), made))
    return _without_overlaps(found) if len(found) > 1 else found[0][3] if found else ()


def _without_overlaps(found: Sequence[tuple[int, int, int, tuple[Atom, ...]]]) -> tuple[Atom, ...]:
    """Atoms of matches (negative length, order of the type, start, atoms): the longest first, then what does not overlap it."""
    taken: list[tuple[int, int]] = []
    kept: list[Atom] = []
    for length, _, start, made in sorted(found, key=lambda one: one[:3]):
        stop = start - length
        if all(stop <= a or start >= b for a, b in taken):
            taken.append((start, stop))
            kept += made
    return tuple(kept)


def _made(kind: str, match: str) -> tuple[Atom, ...]:
    """Atoms of one match; none where it only looks like one."""
    match kind:
        case "path":
            return tuple(Atom(word, value) for word, value in path_and_place(match))
        case "number":
            value = plain_number(match)
            return (Atom("number", value),) if value else ()
        case "error" | "id" if match in PLAIN_WORDS:
            return ()
        case "uuid" | "hex":
            return (Atom(kind, match.lower()),)
        case _:
            return (Atom(kind, match),)
