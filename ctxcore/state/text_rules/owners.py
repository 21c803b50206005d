"""Whose value it is: what is said of a friend, a sister or of "her" is not the user's."""

from __future__ import annotations

import re

_I = re.IGNORECASE
_WITH = "[给跟和与帮替为陪带同对让请叫向]"
_KIN_ZH = (
    "男朋友|女朋友|朋友|同事|同学|室友|邻居|老公|老婆|丈夫|妻子|太太|爸妈|父母|妈妈|爸爸|母亲|父亲|爷爷|奶奶|外公|外婆|姐姐|妹妹|哥哥|弟弟|表哥|表姐|表弟|表妹|"
    "姐夫|嫂子|儿子|女儿|亲戚|叔叔|阿姨|舅舅|闺蜜|哥们|孙子|孙女"
)
_ZH = re.compile(
    rf"(?<!{_WITH})(?<!{_WITH}我)(?<!{_WITH}我的)(?:(?:{_KIN_ZH}|(?<=我)[妈爸姐妹哥弟])(?:们|家)?|(?<![其吉])[他她](?:们|的|家)?|别人|人家|对方)(?P<rest>[^我咱俺]*)$"
)
_KIN_EN = (
    r"(?:boy|girl)?friends?|colleagues?|co-?workers?|classmates?|room-?mates?|flat-?mates?|neighbou?rs?|husband|wife|partner|parents?|mother|father|mom|mum|dad|"
    r"grand(?:mother|father|parents|ma|pa)|sisters?|brothers?|sons?|daughters?|uncles?|aunts?|cousins?|nephews?|nieces?|boss|buddy|buddies|in-laws"
)
_SELF_EN = r"(?!.*\b(?:i|i'[a-z]+|me|my|mine|we|us|our|ours)\b)"
_EN = re.compile(
    rf"(?<!\bfor )(?<!\bwith )(?<!\band )(?<!\bto )\b(?:(?:my|our|his|her|their|a|an) (?:\w+ )?(?:{_KIN_EN})(?:'s|’s|'|’)?|[sS]?he(?:'s|’s)?|(?:his|her|their)(?= [a-z]))\b{_SELF_EN}.*$",
    _I,
)
_ON_BEHALF = re.compile(
    rf"[帮给替为]我?的?(?:{_KIN_ZH}|[妈爸姐妹哥弟]|[他她]们?)(?:们)?(?:买|订|选|挑|找|看|预订|安排|下单)|\bfor (?:my|our) (?:\w+ )?(?:{_KIN_EN})\b",
    _I,
)
NAMES_A_PERSON = re.compile(rf"\b(?:{_KIN_EN})\b", _I)
"""A noun phrase that says itself whose value it is: friend's budget."""


def of_others(text: str, before: str) -> bool:
    """The words up to a value, back to the start of its clause, speak of somebody else, and the text is no errand for that person.

    Args:
        text: All that was said before the value.
        before: The part of it that is in the value's clause.
    """
    found = _ZH.search(before) or _EN.search(before)
    return bool(found) and not _ON_BEHALF.search(text[-400:])
