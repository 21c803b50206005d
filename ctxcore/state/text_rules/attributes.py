"""Rule for colours, sizes and styles, and for the words that a user adds."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from ctxcore.state.text_rules.alternatives import any_of
from ctxcore.state.text_rules.attribute_words import COLOR_FOLLOWS, COLORS_EN, COLORS_ZH, SIZE_LETTERS, SIZES_EN, SIZES_ZH, STYLES
from ctxcore.state.text_rules.reading import Draft, Reading
from ctxcore.state.text_rules.things import counts_a_thing

ATTRIBUTES = ("color", "size", "style")
"""Names of `words` that extend the attributes; other names are lists to choose from."""


def _turned(table: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    return {word: value for value, words in table.items() for word in words}


_COLOR_EN, _COLOR_ZH, _SIZE_EN = _turned(COLORS_EN), _turned(COLORS_ZH), _turned(SIZES_EN)
_STYLE_EN = _turned({value: pair[0] for value, pair in STYLES.items()})
_STYLE_ZH = _turned({value: pair[1] for value, pair in STYLES.items()})

_PATTERN = re.compile(
    rf"(?P<color_zh>{any_of([*_COLOR_ZH])})(?:色(?!盲|情|彩|素|狼|谱|调)|(?=的(?:[，。！？、,.!?吧吗呢\s]|$|那|这)))"
    rf"|(?<![A-Za-z_/-])(?P<color_en>(?i:{any_of([*_COLOR_EN])}))(?![A-Za-z'’_/-])"
    rf"|(?P<size_zh>{any_of([*SIZES_ZH])})"
    rf"|(?<![A-Za-z0-9])(?P<letters>{any_of([*SIZE_LETTERS])})(?=[码碼号號])[码碼号號]"
    rf"|(?:(?<=[Ss]ize )|(?<=[Ss]ize: )|(?<=尺码)|(?<=尺码：)|(?<=尺码是)|(?<=尺码要)|(?<=尺寸))(?P<labelled>{any_of([*SIZE_LETTERS])})(?![A-Za-z0-9])"
    rf"|(?<![A-Za-z])(?:(?<=size )|(?<=in )|(?<=in a )|(?<=size: )|(?<=size is )|(?<=[Mm]ake it )|(?<=[Mm]ake them ))(?P<size_en>(?i:{any_of([*_SIZE_EN])}))(?=\s*(?:$|[.,!?;]|size|please|instead|or\b|and\b))"
    rf"|(?<![A-Za-z])(?P<sized>(?i:{any_of([*_SIZE_EN])}))(?= (?:size|one)\b)"
    rf"|(?P<style_zh>{any_of([*_STYLE_ZH])})(?:风格|風格|款(?!项|待)|风(?!险|景|格)|型)"
    rf"|(?<![A-Za-z])(?P<style_en>(?i:{any_of([*_STYLE_EN])}))(?:[ -]style(?:d)?| look| fit| design| cut)(?![A-Za-z])"
)
_COLOR_FOLLOWS = frozenset(COLOR_FOLLOWS.split())
_VALUES = {
    "color_zh": ("color", _COLOR_ZH), "color_en": ("color", _COLOR_EN), "size_zh": ("size", SIZES_ZH), "letters": ("size", SIZE_LETTERS), "labelled": ("size", SIZE_LETTERS),
    "size_en": ("size", _SIZE_EN), "sized": ("size", _SIZE_EN), "style_zh": ("style", _STYLE_ZH), "style_en": ("style", _STYLE_EN),
}  # fmt: skip


def attributes(reading: Reading) -> Iterator[Draft]:
    """Each colour, size and style, and each word that was added."""
    yield from _added(reading)
    for match in _PATTERN.finditer(reading.text):
        if not (reading.is_code(*match.span()) or _is_phrase(reading, match)):
            yield _draft(match)


def _draft(match: re.Match[str]) -> Draft:
    name = match.lastgroup or ""
    unit, values = _VALUES[name]
    word = match[name]
    return Draft(
        kind="attribute",
        value=values.get(word) or values[word.lower()],
        unit=unit,
        start=match.start(),
        end=match.end(),
        extractor="attribute",
    )


def _is_phrase(reading: Reading, match: re.Match[str]) -> bool:
    if match.lastgroup != "color_en":
        return False
    following = reading.text[match.end() : match.end() + 16]
    if _followed(following) or (match[0].isupper() and not reading.text.isupper()):
        return True
    return match[0][0].isupper() and match.start() > reading.sentence_at(match.start()).start + 1 and bool(re.match(r"\s?[A-Z]", following))


def is_before_noun(text: str, start: int, end: int) -> bool:
    """An English word that belongs to the noun after it (the blue backpack): it is said of nothing before it."""
    return text[start:end].isascii() and counts_a_thing(text, end)


def _followed(following: str) -> bool:
    word = re.match(r"[\s-]+([A-Za-z]+)", following)
    return word is not None and word[1].lower() in _COLOR_FOLLOWS


def _added(reading: Reading) -> Iterator[Draft]:
    for name, table in reading.words.items():
        pattern = _word_pattern(tuple(table))
        for match in pattern.finditer(reading.text) if pattern else ():
            yield Draft(
                kind="attribute" if name in ATTRIBUTES else "choice",
                value=table[match[0]] if match[0] in table else _folded(table)[match[0].lower()],
                unit=name,
                start=match.start(),
                end=match.end(),
                extractor="words",
            )


def _folded(table: Mapping[str, str]) -> dict[str, str]:
    return {word.lower(): value for word, value in table.items()}


@lru_cache(maxsize=64)
def _word_pattern(words: tuple[str, ...]) -> re.Pattern[str] | None:
    """Words of letters stand alone; Chinese words stand anywhere."""
    forms = [
        rf"(?<![A-Za-z0-9]){re.escape(word)}(?![A-Za-z0-9])" if word.isascii() else re.escape(word)
        for word in sorted(words, key=len, reverse=True)
        if word.strip()
    ]
    return re.compile("|".join(forms), re.IGNORECASE) if forms else None
