"""The noun phrase that a value is said of, as written: before it (总价250万, the gate is 3, 预算不超过5000) or after it (a $500 deposit)."""

from __future__ import annotations

import re

from ctxcore.state.text_rules import key_words
from ctxcore.state.text_rules.alternatives import any_of
from ctxcore.state.text_rules.currencies import MONEY_NOUNS_EN, MONEY_NOUNS_ZH

NOUNS_ZH = (*MONEY_NOUNS_ZH, *key_words.NOUNS_ZH.split())
_FILL_ZH = (
    r"(?:\s|每[月年晚天人个日周件]|一个月|一[晚天年]|还有|的|是|为|為|就|也|都|在|到|由|从|定在|定于|定為|定为|设为|设成|改成|改为|改為|改到|调到|调成|调整为|提高到|降到|降低到|增加到|涨到|减到|变成|变为|换成|控制在|保持在|大约|大概|差不多|约|約|"
    r"不是|并非|另算|不要超过|不能超过|别超过|不超过|不超過|超过|不(?:能|可|得)?(?:高于|低于|少于)|不高于|不低于|高于|低于|最多|至多|最少|至少|起码|上限|只有|只|共|一共|总共|合计|应该|应|还是|现在|先|再|收|付|给|花|可以|希望|大致|左右|[:：=]|有|要|需|需要|从|至|"
    r"不少于|大于|小于|少于|多于|等于|仅|才|能|会|得|已经|已|说好|按|按照|算|打算|想|在于|了|人民币|[¥￥$€£])"
)
_TAIL_ZH = re.compile(rf"{_FILL_ZH}$")
MOST_FILL_WORDS = 12
"""Words between a key and its value, taken away one by one."""
_KNOWN_ZH = re.compile(rf"({any_of(NOUNS_ZH)})$")
_COPULA_ZH = re.compile(r"(?:^|[\s，,。的我你您])([\u4e00-\u9fff]{2,8}?)(?:是|为|為|定在|定于|设为|改成|改为|[:：=])")
_VERBS_ZH = re.compile(r"[我你您他她它们这那想要请把给买订去来说就不没有吗呢吧啊什么怎可以能会应该还但如果]")

_NOUN_ZH = re.compile(r"[\u4e00-\u9fff]{2,4}")
_NO_NOUNS_ZH = frozenset(key_words.NO_NOUNS_ZH.split())

_FILL_EN = frozenset(key_words.FILL_EN.split())
_WORD_EN = re.compile(r"[A-Za-z][A-Za-z'-]*")
_STOP_EN = frozenset(key_words.NEVER_EN.split())
NUMBERED = frozenset(key_words.NUMBERED_EN.split())
"""English nouns that a number follows directly."""
SMALL_WORDS = _FILL_EN | _STOP_EN
"""English words that are no noun."""
_DEGREES_EN = frozenset(key_words.DEGREES_EN.split())
_LOOSE_EN = frozenset(key_words.LOOSE_EN.split())
_NOUNS_EN = frozenset(key_words.NOUNS_EN.split())
_COPULA_EN = re.compile(r"\b(?:is|are|was|were|to|of|at|be|equals?|must|should|will|has)\b|[:=]", re.IGNORECASE)
_MAKES_EN = re.compile(r"\b(?:make|set|keep) (?:the|my|our) (?:[a-z-]+ ){1,3}$", re.IGNORECASE)
_SHORT_EN = re.compile(r"n't$|'(?:d|ll|m|re|ve)$", re.IGNORECASE)
_OWN_COST = frozenset(key_words.OWN_COST.split())
_KNOWN_EN = re.compile(rf"\b({any_of(MONEY_NOUNS_EN)})$", re.IGNORECASE)
_AFTER = re.compile(rf"\s?的?({any_of(NOUNS_ZH)}|(?i:{any_of(MONEY_NOUNS_EN)})(?![A-Za-z]))")
_CHECK = re.compile(r"\b(check[ -]?(?:in|out)|drop[ -]off|pick[ -]?up)(?: date| day)?\W*(?:(?:is|on|at|by|=|:|for)\W*){0,2}$", re.IGNORECASE)
LONGEST_KEY_WORDS = 3
"""English words of a key."""


def key_before(words: str) -> str:
    """The key in the words before a value, from the start of its clause; empty where none is said."""
    if check := _CHECK.search(words):
        return check[1]
    return _chinese(words) or _english(words)


def key_after(words: str) -> str:
    """The noun right after a value that it belongs to (3万元存款, a $75 fee); empty where there is none."""
    noun = _AFTER.match(words)
    return noun[1] if noun else ""


def known_noun(words: str) -> str:
    """The money noun in the words before a value; empty if its key is another noun or none."""
    chinese = _known_zh(words)
    if chinese in MONEY_NOUNS_ZH or chinese in ("另加", "另收"):
        return chinese
    key = _english(words)
    return key if key and _KNOWN_EN.search(key) else ""


def _known_zh(words: str) -> str:
    for _ in range(MOST_FILL_WORDS):
        if known := _KNOWN_ZH.search(words):
            return known[1]
        shorter = _TAIL_ZH.sub("", words)
        if shorter == words:
            break
        words = shorter
    return ""


def plain_clause(words: str) -> str:
    """A short Chinese clause that is nothing but a noun (利润1.2亿元); empty for any other."""
    noun = words
    for _ in range(MOST_FILL_WORDS):
        shorter = _TAIL_ZH.sub("", noun)
        if shorter == noun:
            break
        noun = shorter
    noun = noun.strip()
    return noun if _NOUN_ZH.fullmatch(noun) and not _VERBS_ZH.search(noun) and noun not in _NO_NOUNS_ZH else ""


def _chinese(words: str) -> str:
    if known := _known_zh(words):
        return known
    if (copula := _COPULA_ZH.search(words)) and not _VERBS_ZH.search(copula[1]) and copula[1] not in _NO_NOUNS_ZH:
        return copula[1]
    return ""


def _english(words: str) -> str:
    if words.rstrip().endswith("(") and not _KNOWN_EN.search(words.rstrip(" (")):
        return ""
    pieces = re.split(r"\s+", words.lstrip().rstrip(" \t\n$€£¥~≈<>≤≥=:(\"'"))
    while pieces and pieces[-1].lower().strip(":=") in _FILL_EN:
        pieces.pop()
    between = {piece.lower() for piece in words.split()[len(pieces) :]} - _DEGREES_EN
    direct = not between and not words.rstrip().endswith((":", "="))
    if between and between <= _LOOSE_EN and not (pieces and _KNOWN_EN.search(pieces[-1])):
        return ""
    if len(pieces) > 1 and pieces[-1].lower() in ("cost", "costs") and pieces[-2].lower() not in _OWN_COST:
        pieces.pop()
    key: list[str] = []
    for piece in reversed(pieces):
        word = piece.strip("\"':=*")
        if not _WORD_EN.fullmatch(word) or word.lower() in _STOP_EN or len(key) == LONGEST_KEY_WORDS or _SHORT_EN.search(word):
            break
        key.append(word)
    if key and len(pieces) > len(key) and not words.rstrip().endswith("=") and pieces[-len(key) - 1][-1:].isdigit():
        return ""
    phrase = " ".join(reversed(key))
    if len(key) == len(pieces) == 1 and phrase[0].isupper() and not direct and not _COPULA_EN.search(words) and not _KNOWN_EN.search(phrase):
        return ""
    if direct and key and not _MAKES_EN.search(words) and key[0].lower() not in NUMBERED and not _KNOWN_EN.search(phrase):
        return ""
    return "" if len(key) == 1 and phrase.lower().endswith(("ed", "ing", "ly")) and phrase.lower() not in _NOUNS_EN else phrase
