"""Letters that stand for a thing of a list (compare A and C, option B, 选B): not articles, grades, units, places, or parts of a name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

_CUES = r"option|choice|product|item|candidate|alternative|variant|offer|page"
"""Nouns in front of a letter that stands for one of several things."""

_ALONE = re.compile(r"^\W*([A-Za-z])\W*(?:please|thanks|thank you|吧|呢|谢谢)?\W*$")
"""A message that is a letter."""

_LETTER = re.compile(r"(?<![A-Za-z0-9_&+/°.$-])[A-Z](?!['’](?!s\b))(?![A-Za-z0-9_&+/°$-]|\.[A-Za-z])")
"""A capital by itself: no part of a word, a name with a hyphen, initials, or a unit."""

_NOUN_BEFORE = re.compile(rf"(?:\b(?:{_CUES})\s+|(?:方案|选项|產品|产品|商品|选择|選項)\s*)$", re.IGNORECASE)
_SMALL = re.compile(rf"\b(?:{_CUES})\s+([a-z])(?=\s*(?:$|[.,;!?]|(?:and|or|is|has|please|instead)\b))", re.IGNORECASE)

_BEFORE = re.compile(
    r"(?:^|[.,;:!?()，。；：！？、（）“”\"\n]|\b(?:the|take|taking|took|want|like|prefer|choose|chose|pick|buy|order|get|with|on|compare|about|than|"
    r"between|drop|remove|keep|add|put|see|show|show me|give me|mean|meant|towards?|open|try|not|is|are|was|does|do|did|has|have"
    r"|can|could|will|would|of|for|yes|no|ok|okay|"
    r"maybe|just|only|both|either|neither|then|but|so|also|rather|(?:it|what|how|where)['’]?s|and|or|vs\.?|versus)\s"
    r"|[选選择擇要买買看较較比和跟与與及或是就给給成订訂拿挑荐欢歡于於把对對换換加掉除那不]|[那这哪這]个|[给給帮幫]我|一下|看看)\s*$",
    re.IGNORECASE,
)
"""What may stand in front of it: the start of a clause, a verb of choosing, comparing or asking."""

_NAMED = re.compile(
    r"\b(?:Mr|Mrs|Ms|Dr|Prof|St|No)\.\s*$"
    r"|\b(?:type|label|class|rating|grade|size|group|letter|name|initial|team|level|block|gate|mark|drive|score)s?\s+(?:is|was"
    r"|are)\s*$|[级級类類型号號码碼组組区區座分](?:别|別)?是\s*$",
    re.IGNORECASE,
)
"""In front of a letter that is a name, a grade or a size."""

_AFTER = re.compile(
    r"\s*(?:$|[.,;!?)，。；！？、）”\"\n]|['’]s\b|(?:one|option|and|or|vs\.?|versus|is|isn['’]t|was|has|have|had|does|doesn['’]t|did"
    r"|costs?|looks?|seems?|please|"
    r"instead|then|too|also|again|but|than|if|because|over|against|for|at|in|into|on|with|now|first|only|would|will|could|should"
    r"|can|side by side|once|comes?|works?|fits?|weighs?|includes?|so|such|very|to (?:my|the|your)|(?:[a-z]+er|more \w+"
    r"|less \w+) than)\b"
    r"|[和跟与與及或比吧呢吗嗎的款那这多是有好更贵貴便怎如哪价價还還也都了不就行可能加放从從]|方案|选项|產品|产品|商品|项)"
)
"""What may stand behind it: the end of a clause, a word that no noun begins."""

_JOINED = re.compile(r"\s*(?:,|，|、|,?\s*(?:and|or|vs\.?|versus|to|than|with)\b|和|跟|与|與|及|或|还是|還是|比)\s*", re.IGNORECASE)
"""Between two letters that are both meant, or neither."""

_MARKER = re.compile(r"^[ \t]*([A-Z])[.):、．：][ \t]*\S", re.MULTILINE)
"""A letter that the text itself gives to something."""


def meant_letters(text: str) -> tuple[tuple[int, str], ...]:
    """Place and capital of each letter that means a thing of a list that was shown, in order.

    Args:
        text: What the user says.
    """
    alone = _ALONE.match(text)
    if alone:
        return ((alone.start(1), alone[1].upper()),)
    own = set(_MARKER.findall(text))
    if len(own) > 1:
        return ()
    found = {match.start(1): match[1].upper() for match in _SMALL.finditer(text)}
    return tuple(sorted({**found, **dict(_capitals(text))}.items()))


def _capitals(text: str) -> Iterator[tuple[int, str]]:
    letters = list(_LETTER.finditer(text))
    meant = [_stands(text, match) for match in letters]
    for place, (one, other) in enumerate(pairwise(letters), 1):
        if _JOINED.fullmatch(text[one.end() : other.start()]):
            meant[place] = meant[place - 1] and bool(_AFTER.match(text, other.end()))
    yield from ((match.start(), match.group()) for match, yes in zip(letters, meant, strict=True) if yes)


def _stands(text: str, match: re.Match[str]) -> bool:
    before = text[: match.start()]
    if _NOUN_BEFORE.search(before):
        return True
    prefers = re.search(r"\bprefer\s$", before) and re.match(r"\s+to\s+[A-Z]\b", text[match.end() :])
    after = prefers or _AFTER.match(text, match.end())
    return match.group() != "I" and not _NAMED.search(before) and bool(_BEFORE.search(before)) and bool(after)
