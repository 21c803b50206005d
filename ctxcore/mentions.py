"""Whether an evidence atom stands in a text: in any spelling, alone or inside a longer atom.

``atoms`` says what a text is about, without overlaps. Whether a model could read a value in a text is another question: a path stands in a longer
path, a quoted sentence in a log without quotes, an id in an address. A value stands in a text where it is bounded: no letter or digit goes on at
its ends.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from ctxcore.atoms import Atom, worded_atoms
from ctxcore.model import Json

WORD = re.compile(r"[a-z0-9_][a-z0-9_]*")

WORD_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_")

BETWEEN_WORDS = {code: " " for code in range(128) if chr(code) not in WORD_CHARACTERS}

THOUSANDS = re.compile(r"[0-9](?<![a-z0-9_.].)[0-9]{0,14}(?:,[0-9]{3}(?![0-9])){1,5}")

ESCAPES = re.compile(r"\\[nrt\"/]")
"""What a JSON text writes for line ends, tabs, quotes and slashes."""

BACKSLASHES = re.compile(r"\\\\*")

AMOUNT = re.compile(r"([$€£¥]?)([0-9.]+)(\D*)")


def folded(text: str) -> str:
    """A text as values are looked for in it: small letters and single spaces, and whatever can be read in two ways in both, one after the other.

    Numbers with thousands separators stand without them as well. Backslashes are escapes of a JSON text or slashes of a path. Only lines that can be
    read in two ways stand twice.
    """
    lower = text.lower()
    plain = " ".join(lower.split())
    if "\\" not in plain and ("," not in plain or not THOUSANDS.search(plain)):
        return plain
    lines = (" ".join(line.split()) for line in lower.split("\n") if "," in line or "\\" in line)
    return "\n".join((plain, *(form for line in lines for form in _other_forms(line))))


def _other_forms(line: str) -> list[str]:
    """A folded line in the other ways in which it can be read."""
    joined = THOUSANDS.sub(lambda number: number[0].replace(",", ""), line) if "," in line else line
    forms = [] if joined == line else [joined]
    if "\\" in line:
        forms += [read for form in (line, *forms) for read in (ESCAPES.sub(_unescaped, form), BACKSLASHES.sub("/", form))]
    return forms


def _unescaped(escape: re.Match[str]) -> str:
    return escape[0][1] if escape[0][1] in '"/' else " "


def words_of(plain: str) -> set[str]:
    """Words of a folded text."""
    return set(plain.translate(BETWEEN_WORDS).split()) if plain.isascii() else set(WORD.findall(plain))


def stands(value: str, text: str) -> bool:
    """True where a folded value stands in a folded text, bounded."""
    open_left, open_right = value[:1] not in WORD_CHARACTERS, value[-1:] not in WORD_CHARACTERS
    place = text.find(value)
    while place >= 0:
        stop = place + len(value)
        left = open_left or place == 0 or text[place - 1] not in WORD_CHARACTERS
        if left and (open_right or stop == len(text) or text[stop] not in WORD_CHARACTERS):
            return True
        place = text.find(value, place + 1)
    return False


def is_worded(atom: Atom) -> bool:
    """True for a code or a short id, which other words may name as well."""
    return (atom.type == "error" and " " in atom.value) or (atom.type == "id" and "=" in atom.value)


def spellings(atom: Atom) -> tuple[str, ...]:
    """Folded forms in which an atom's value may stand; none for those that only the words around them make."""
    value = folded(atom.value).partition("\n")[0]
    if is_worded(atom):
        return ()
    if atom.type == "number" and (parts := AMOUNT.fullmatch(value)) and (parts[1] or parts[3]):
        return value, " ".join(filter(None, parts.groups()))
    return (value,)


def readable(text: str, *, keys: bool = True) -> str:
    """A JSON object or list as lines of its values, unescaped; any other text as it is.

    Args:
        text: Of a result, or the arguments of a call.
        keys: Each value after its key; else only ids have theirs.
    """
    if text.lstrip()[:1] not in ("{", "["):
        return text
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return "\n".join(_lines(value, keys=keys))


def _lines(value: Json, *, keys: bool) -> Iterator[str]:
    """Leaves in order, without recursion: a hostile text may nest deeply."""
    waiting: list[tuple[str, Json]] = [("", value)]
    while waiting:
        key, one = waiting.pop()
        if isinstance(one, dict):
            waiting += reversed(list(one.items()))
        elif isinstance(one, list):
            waiting += [(key, entry) for entry in reversed(one)]
        elif isinstance(one, (str, int, float)) and not isinstance(one, bool):
            yield f"{key}: {one}" if key and (keys or key.lower() == "id" or key.lower().endswith("_id")) else str(one)


WINDOW = 16_384
"""Characters of a long text that are looked at together: a value that stands elsewhere in it is not looked for in them."""


def _windows(plain: str, longest: int) -> Iterator[str]:
    """Pieces of a folded text that begin and end between words; each value of up to so many characters stands whole in one of them."""
    size = max(WINDOW, 4 * longest)
    start = 0
    while len(plain) - start > size + longest:
        stop = start + size
        ahead = stop + longest
        yield plain[start : _between(plain, ahead)]
        start = _between(plain, stop)
    yield plain[start:]


def _between(plain: str, place: int) -> int:
    """The first position from there on at which a word ends, or the text."""
    while place < len(plain) and plain[place] in WORD_CHARACTERS:
        place += 1
    return place


FEW = 16
"""Values that are looked for word by word before a text is read."""


class Mentions:
    """Looks for many atoms in many texts, each text read once."""

    def __init__(self, known: Sequence[Atom], only: Iterable[int] | None = None) -> None:
        """Prepare.

        Args:
            known: Atoms; they are told by their place in this list.
            only: Places of those to look for; all if left out.
        """
        self._by_word: dict[str, list[tuple[int, str, frozenset[str]]]] = defaultdict(list)
        self._wordless: list[tuple[int, str]] = []
        self._worded: dict[Atom, int] = {}
        for number in range(len(known)) if only is None else only:
            atom = known[number]
            for spelling in spellings(atom):
                words = frozenset(WORD.findall(spelling))
                if words:
                    self._by_word[max(words, key=lambda word: (len(word), word))].append((number, spelling, words))
                else:
                    self._wordless.append((number, spelling))
            if is_worded(atom):
                self._worded[atom] = number
        self._longest = max((len(spelling) for values in self._by_word.values() for _, spelling, _ in values), default=0)

    def found(self, text: str) -> set[int]:
        """Places in the list of the atoms that stand in a text.

        Args:
            text: Any; JSON should be ``readable`` before.
        """
        hits = self._at_once(text)
        if hits is not None:
            return hits
        plain = folded(text)
        hits = {number for number, spelling in self._wordless if spelling in plain}
        for window in _windows(plain, self._longest):
            self._take(window, hits)
        if self._worded:
            hits.update(self._worded[atom] for atom in worded_atoms(text) & self._worded.keys())
        return hits

    def _take(self, plain: str, hits: set[int]) -> None:
        """Add what stands in a piece of a folded text."""
        words = words_of(plain)
        for word in self._by_word.keys() & words:
            for number, spelling, needed in self._by_word[word]:
                if number not in hits and needed <= words and (spelling == word or stands(spelling, plain)):
                    hits.add(number)

    def _at_once(self, text: str) -> set[int] | None:
        """The answer for few values where it can be told without reading the text both ways: each stands there as it is, or a word of it does not."""
        if self._worded or self._wordless or len(self._by_word) > FEW:
            return None
        lower = text.lower()
        hits: set[int] = set()
        for word, values in self._by_word.items():
            if word in lower or (word.isdigit() and "," in lower):
                found = {number for number, spelling, _ in values if stands(spelling, lower)}
                if found != {number for number, _, _ in values}:
                    return None
                hits |= found
        return hits
