"""Domain terms and exact values of a text: what a summary must not lose and must not make up."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from ctxcore.atoms import Atom, atoms
from ctxcore.compaction.sentences import CJK, is_chinese
from ctxcore.mentions import Mentions, folded, stands

FIGURE = re.compile(r"(?<![A-Za-z0-9_.])[-+]?[$€£¥]?[0-9][0-9,]*(?:\.[0-9]+)?(?:\s?[A-Za-zµΩ%‰°℃]{1,5}(?![A-Za-z])|[%‰℃])?")
"""A number with the unit right behind it."""

NUMERAL = "零〇一二两三四五六七八九十百千万亿"

CHINESE_FIGURE = re.compile(rf"[{NUMERAL}]{{1,12}}(?:[个天年月号次元块件台条岁米斤分秒时周度]|(?<=[{NUMERAL}][{NUMERAL}])(?![{NUMERAL}]))")
"""Chinese numerals with a measure word, or at least two of them."""


LATIN_NAME = re.compile(
    r"(?<![A-Za-z0-9_])(?:[A-Z][A-Za-z0-9+#]*[A-Z0-9+#][A-Za-z0-9+#]*|[A-Za-z]+[0-9]+[A-Za-z0-9]*|[A-Za-z]+(?:[_-][A-Za-z0-9]+)+)"
)
"""Acronyms, mixed case, words with digits, joined words."""

ANY_LATIN = re.compile(r"(?<![A-Za-z0-9])[A-Za-z][A-Za-z0-9+#-]+")

PLAIN_CHINESE = re.compile(r"[\u3400-\u9fff]{2,}")

FUNCTION = re.compile(
    "的|了|是|在|和|与|及|或|把|被|对|从|到|中|为|因|以|可|能|会|要|也|都|就|而|并|其|这|那|我|你|他|她|它|们|个|一|不|没|有|上|下|来|去|很|更|最|所|于|等|让|"
    "使|给|用|该|此|之|得|着|过|吗|呢|吧|啊|什么|怎么|如果|但|则|将|还|又|再|只|通过|进行|可以|能够|因此|所以|由于|然后|首先|其次|达"
)
"""Words between which Chinese terms stand."""

APART = re.compile(r"[ \t](?<=[0-9].)(?=[a-zµω%‰°℃\u3400-\u9fff])|[ \t](?<=[\u3400-\u9fff].)(?=[0-9])|,(?<=[0-9],)(?=[0-9]{3})")
"""What may stand inside a figure."""

REPEATED = 2
"""A Chinese piece that comes so often in a text is a term of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What counts as a domain term."""

    known: tuple[str, ...] = ()
    """Terms of the domain, as its file lists them; where a text holds any of them, only these and exact values count."""

    def of(self, text: str) -> tuple[str, ...]:
        """Terms that a text holds, in order of first appearance by kind: known ones, exact values, then names that it makes."""
        named = self._named(text)
        exact = figures(text) + [atom.value for atom in sorted(atoms(text)) if atom.type != "quote"]
        return tuple(dict.fromkeys([*named, *exact, *([] if named else _made(text))]))

    def _named(self, text: str) -> list[str]:
        plain = folded(text) if self.known else ""
        return [term for term in self.known if folded(term) in plain]

    def any_kept(self, text: str, original: str) -> bool:
        """True if a shorter text has a term of the original; told by the terms of the shorter one, which takes no time."""
        plain, close = folded(original), squeezed(original)
        named = [term for term in self.known if folded(term) in plain]
        if any(folded(term) in folded(text) for term in named):
            return True
        exact = figures(text) + [atom.value for atom in atoms(text) if atom.type != "quote"]
        return any(bounded(squeezed(term), close) for term in exact) or (not named and any(folded(term) in plain for term in _made(text)))


NO_TERMS = Terms()
"""No list: exact values and names that a text makes."""


def _made(text: str) -> list[str]:
    """Names without a list: acronyms, joined words, and Chinese pieces between function words, as pairs of characters."""
    names = [match[0] for match in LATIN_NAME.finditer(text)]
    if is_chinese(text):
        names += [match[0] for match in ANY_LATIN.finditer(text)]
    return names + _chinese(text)


def _chinese(text: str) -> list[str]:
    runs = [piece for run in PLAIN_CHINESE.findall(text) for piece in FUNCTION.split(run) if len(piece) >= 2]
    return list(dict.fromkeys(run[at : at + 2] for run in runs for at in range(len(run) - 1)))


def counted_terms(text: str, terms: Terms) -> int:
    """Distinct terms, Chinese pieces only where the text repeats them: how technical a text is."""
    if not CJK.search(text):
        return len(terms.of(text))
    pairs = Counter(pair for run in PLAIN_CHINESE.findall(text) for piece in FUNCTION.split(run) for pair in _pairs(piece))
    chinese = set(_chinese(text))
    return sum(term not in chinese or pairs[term] >= REPEATED for term in terms.of(text))


def _pairs(piece: str) -> list[str]:
    return [piece[at : at + 2] for at in range(len(piece) - 1)]


def figures(text: str) -> list[str]:
    """Numbers with the unit right behind them, as they stand, each once."""
    found = [match[0].strip().rstrip(",") for match in FIGURE.finditer(text)] + [match[0] for match in CHINESE_FIGURE.finditer(text)]
    return list(dict.fromkeys(found))


@lru_cache(maxsize=8)
def squeezed(text: str) -> str:
    """A text in small letters, with no space between a figure and its unit and no thousands separators."""
    return APART.sub("", text.lower())


@lru_cache(maxsize=512)
def not_in(text: str, original: str) -> tuple[str, ...]:
    """Exact values of a text that the original does not have: numbers and units, ids, paths, addresses, codes, names in Latin letters.

    Args:
        text: A summary.
        original: What it stands for.
    """
    new = _new_atoms(sorted(atom for atom in atoms(text) if atom.type != "quote"), original)
    close, plain = squeezed(original), folded(original)
    new += [figure for figure in figures(text) if not bounded(squeezed(figure), close)]
    names = [match[0] for match in (ANY_LATIN if is_chinese(text) else LATIN_NAME).finditer(text)]
    new += [name for name in names if not stands(folded(name), plain) and not any(name in one for one in new)]
    return tuple(dict.fromkeys(new))


def _new_atoms(known: Sequence[Atom], original: str) -> list[str]:
    there = Mentions(known).found(original)
    close = squeezed(original)
    return [atom.value for number, atom in enumerate(known) if number not in there and not bounded(squeezed(atom.value), close)]


DIGITS = frozenset("0123456789")


def bounded(value: str, text: str) -> bool:
    """True where a squeezed value stands in a squeezed text and no digit goes on at its ends."""
    at = text.find(value)
    while at >= 0:
        before, after = text[at - 1 : at] if at else "", text[at + len(value) : at + len(value) + 2]
        goes_on = value[-1:] in DIGITS and (after[:1] in DIGITS or (after[:1] == "." and after[1:2] in DIGITS))
        if not (value[:1] in DIGITS and (before in DIGITS or before == ".")) and not goes_on:
            return True
        at = text.find(value, at + 1)
    return False
