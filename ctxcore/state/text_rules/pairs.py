"""What one value says about its neighbour: ranges (500到800元), corrections (21, no wait, 19), taking back (…取消了), and keys that must stay apart."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace

from ctxcore.state.found import Found, FoundKind, Shade
from ctxcore.state.text_rules.reading import Reading

FARTHEST = 48
"""Code points between two values that may speak of each other."""

_I = re.IGNORECASE
_TO = re.compile(r"\s*(?:元|块)?\s*(?:到|至|-|–|—|~|～|to|through|and)\s*[$€£¥￥]?\s*", _I)
_AND = re.compile(r"\s*and\s*[$€£¥]?\s*", _I)
_BETWEEN = re.compile(r"\bbetween\s+[$€£¥]?\s*$", _I)
_CHANGES = re.compile(r"改|降|涨|升|调|换|变|\b(?:went|gone|goes|chang|rais|reduc|lower|increas|drop|mov|switch|rose|fell|cut)", _I)
_CORRECTS = re.compile(
    r"不对|(?<![\u4e00-\u9fff])不[，,]|哦不|啊不|噢不|更正|[说讲写记搞]错|错了|改成|改为|改為|改到|改回|换成|换为|换到|应该是|降到|降至|涨到|升到|调到|提高到|加到|减到|变成|"
    r"\bno,? wait\b|\bwait,? no\b|\bwait\b|\bsorry\b|\bI mean\b|\bI meant\b|\bmake (?:that|it)\b|\bscratch that\b|\bcorrection\b|\bactually\b|\bor rather\b|\bno,|\bchange(?:d)? (?:it )?to\b|\bto be precise\b|\bnow\b",
    _I,
)
_CONTRASTS = re.compile(r"[，,]?\s*(?:而?是|要|换|but|it's|use|make it)", _I)
_OR = re.compile(r"\s*(?:or|或者?是?|还是)\s*[$€£¥￥]?", _I)
_MINE = re.compile(r"\bmine\b|我(?:自己)?的?(?:只|就|才)?(?:有|是)?$", _I)
_HAN = re.compile(r"[\u4e00-\u9fff]{1,6}$")
_VERB = re.compile(r"[我你您他她它这那想要请把给买订去来说就不没有的是和与跟及]")
_NUMBERS = frozenset(("money", "count"))
_DAYS = frozenset(("date", "period"))
_ASSUMED: frozenset[Shade] = frozenset(("assumed_unit",))
_MIN: frozenset[Shade] = frozenset(("min",))
_MAX: frozenset[Shade] = frozenset(("max",))
_CLOSED: frozenset[Shade] = frozenset(("negated", "asked", "condition", "hearsay"))


def heard_together(reading: Reading, found: list[Found]) -> list[Found]:
    """The same values in the same order, after each pair of neighbours was looked at."""
    after = list(found)
    for place in range(1, len(after)):
        earlier, later = after[place - 1], after[place]
        if later.start - earlier.end <= FARTHEST and _alike(earlier, later):
            after[place - 1], after[place] = _pair(reading, earlier, later)
    return _apart(reading, _taken_back(reading, after))


def _alike(earlier: Found, later: Found) -> bool:
    if earlier.kind in _NUMBERS and later.kind in _NUMBERS:
        units = {one.unit for one in (earlier, later) if one.unit and "assumed_unit" not in one.shades}
        return len(units) < 2
    if earlier.kind in _DAYS:
        return later.kind in _DAYS
    return earlier.kind == later.kind in ("attribute", "choice") and earlier.unit == later.unit and earlier.unit not in ("intent", "preference")


def _pair(reading: Reading, earlier: Found, later: Found) -> tuple[Found, Found]:
    between = reading.text[earlier.end : later.start]
    before = reading.before(earlier.start)
    if _TO.fullmatch(between):
        return _from_to(earlier, later, before, between)
    if _OR.fullmatch(between):
        return _open(earlier), _open(later)
    if later.key and later.key != earlier.key:
        return earlier, later
    return _after_another(reading, earlier, later, between)


def _after_another(reading: Reading, earlier: Found, later: Found, between: str) -> tuple[Found, Found]:
    """A second value of the same noun: the user's own beside a friend's, the right one beside a wrong one."""
    if "others" in earlier.shades and _MINE.search(between):
        return earlier, replace(later, key=earlier.key)
    if "negated" in earlier.shades:
        return earlier, _like(earlier, later) if _CONTRASTS.match(between) else later
    if _CORRECTS.search(between) and reading.text.count("\n", earlier.end, later.start) == 0:
        return _corrected(earlier, later)
    return earlier, later


def _open(found: Found) -> Found:
    return replace(found, shades=found.shades | {"undecided"})


def _from_to(earlier: Found, later: Found, before: str, between: str) -> tuple[Found, Found]:
    if _CHANGES.search(before) and not _AND.fullmatch(between):
        return _corrected(earlier, later)
    if earlier.kind in _NUMBERS and (not _AND.fullmatch(between) or _BETWEEN.search(before)):
        return _range(earlier, later)
    return earlier, later


def _range(low: Found, high: Found) -> tuple[Found, Found]:
    said = [one.unit for one in (high, low) if one.unit and "assumed_unit" not in one.shades]
    unit = said[0] if said else high.unit or low.unit
    kind: FoundKind = "money" if "money" in (low.kind, high.kind) else "count"
    key = low.key or high.key
    assumed: frozenset[Shade] = frozenset() if high.unit else high.shades & _ASSUMED
    first = replace(low, kind=kind, unit=unit, key=key, extractor=high.extractor, shades=(low.shades - _ASSUMED - _MAX) | _MIN | assumed)
    return first, replace(high, kind=kind, unit=unit, key=key, shades=(high.shades - _MIN) | _MAX)


def _corrected(earlier: Found, later: Found) -> tuple[Found, Found]:
    closed = _CLOSED & later.shades - earlier.shades
    return (earlier, later) if closed else (replace(earlier, shades=earlier.shades | {"corrected"}), _like(earlier, later))


def _like(earlier: Found, later: Found) -> Found:
    """A later value is said of what the earlier one was said of."""
    key = later.key or earlier.key
    if earlier.kind == "money" and later.kind == "count" and not later.unit:
        kept = earlier.shades & {"assumed_unit", "max", "min"}
        return replace(later, kind="money", unit=earlier.unit, key=key, extractor="money", shades=later.shades | kept)
    return replace(later, key=key, shades=later.shades | (earlier.shades & {"max"} if later.kind == "money" else frozenset()))


def _taken_back(reading: Reading, found: list[Found]) -> list[Found]:
    after = list(found)
    for place, one in enumerate(found):
        if one.extractor == "cancel" and not one.shades & _CLOSED:
            for near in range(max(0, place - 3), min(len(found), place + 3)):
                if near != place and _covers(reading, one, found[near]):
                    after[near] = replace(after[near], shades=after[near].shades | {"cancelled"})
    return after


def _covers(reading: Reading, cancel: Found, other: Found) -> bool:
    if other.extractor == "cancel":
        return False
    same_clause = reading.clause_at(cancel.start) == reading.clause_at(other.start)
    follows = reading.clause_at(other.start).end == reading.clause_at(cancel.start).start and cancel.quote != "取消"
    return same_clause or (follows and reading.sentence_at(cancel.start) == reading.sentence_at(other.start))


def _apart(reading: Reading, found: list[Found]) -> list[Found]:
    """Values of one noun with different words before it (装修预算, 家具预算) get the whole phrase as key."""
    places: dict[str, list[int]] = defaultdict(list)
    for place, one in enumerate(found):
        if one.key and not one.key.isascii():
            places[one.key].append(place)
    after = list(found)
    for key, group in places.items():
        phrases = [_phrase(reading, found[place]) for place in group] if len(group) > 1 else []
        if len(set(phrases)) > 1 and key not in phrases:
            for place, phrase in zip(group, phrases, strict=True):
                after[place] = replace(found[place], key=phrase)
    return after


def _phrase(reading: Reading, one: Found) -> str:
    clause = reading.clause_at(one.start)
    start = max(clause.start, one.start - FARTHEST)
    at = reading.text.rfind(one.key, start, one.start)
    words = _HAN.search(reading.text[start:at]) if at > start else None
    return (words[0] if words and not _VERB.search(words[0]) else "") + one.key
