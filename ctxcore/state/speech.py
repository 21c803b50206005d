"""What a message does in a conversation: asks, answers, corrects, confirms, refuses, takes back. Chinese and English, by phrases alone."""

from __future__ import annotations

import re
from dataclasses import dataclass

_SENTENCE_END = re.compile(r"[。！？!?\n]|\.(?=\s|$)")

_CLAUSE_END = re.compile(r"[，。！？；,;!?\n]|\.(?=\s|$)|\b(?:and|then|but)\b|然后|但是?")

CORRECTS = re.compile(
    r"改成|改为|改到|改回|换成|换到|换回|更正|不对|应该是|还是|变成|调到|加到|降到|提高到|提到|提高为|上调|下调|调高|调低|调整[到为成]|减到|降至|涨到|升到|增加到|减少到"
    r"|\b(?:rais|increas|lower|reduc|bump|bring|drop|cut|push|set|put)\w* (?:it|that|this)(?: up| down| back)? to"
    r"|\b(?:instead|make (?:it|that)|chang\w* (?:it |that |this )?(?:back )?to|actually|rather|back to|move (?:it|that) to"
    r"|i meant|correction|no wait|now)\b",
    re.IGNORECASE,
)
"""Words by which a value without a name is known to replace another."""

WITHDRAWS = re.compile(
    r"^\W*(?:ok(?:ay)?|好的?|嗯)?\W*(?:never ?mind|forget (?:it|that)|leave it|scrap that|算了|不改了|当我没说|别改了|不用改了|保持原样|还是原来的)",
    re.IGNORECASE,
)
"""How a message begins that takes back what was asked for last."""

KEEPS = re.compile(r"\b(?:keep\w*|kept|stay\w*|stick\w*|remains?|still)\b|保持|维持|仍|还是|依然|不变|以.{1,12}为准", re.IGNORECASE)
"""How a reply holds on to a value against a remark."""

EARLIER_STATE = re.compile(
    r"as it was|(?:like|as) before|the way it was|the previous (?:one|value)|what it was"
    r"|恢复(?:到)?(?:原来|之前|上一个)|(?:跟|和|像)?(?:原来|之前|以前)(?:的)?(?:一样|那样)|改回(?:原来|之前)",
    re.IGNORECASE,
)
"""Words that mean an earlier value without saying which."""

_REFUSES = re.compile(
    r"\b(?:can(?:no|')?t|cannot|unable|not (?:possible|available|allowed|permitted)|limit is|over the limit|exceeds?|out of stock)\b"
    r"|\btoo (?:high|many|much|large)\b"
    r"|无法|不能|不可以|超出|超过|上限|缺货|没货|售罄|不支持|办不了|不允许",
    re.IGNORECASE,
)
_TOO_MUCH = re.compile(
    r"\s+(?:is|are|was|would be|seems?|feels?)\s+(?:way |far |a bit |much )?too \w+|(?:也|都|真|就|实在|有点|确实|会)?太\S", re.IGNORECASE
)
_REGRETS = re.compile(
    r"^\W*(?:i'?m |i am )?(?:sorry|unfortunately|i(?:'m| am) afraid)|^\W*(?:非常|很|实在)?(?:抱歉|对不起|遗憾|不好意思)", re.IGNORECASE
)

_AFFIRMS = re.compile(
    r"有的?|可以|是的|没问题|现货|\b(?:yes|yep|sure|we (?:do )?(?:have|carry)|available|in stock|comes in|it does)\b", re.IGNORECASE
)
_DENIES = re.compile(
    r"没有|没货|缺货|无货|售罄|断货|不提供|不好意思|抱歉|\b(?:no|not|n't|sold out|out of stock|unavailable|unfortunately|sorry)\b|n't\b",
    re.IGNORECASE,
)
_DECLINES = re.compile(r"^\W*(?:不要|不用|不了|算了|不行|不是|别|no\b|nope|not\b|never mind|forget)", re.IGNORECASE)

_NO_NOUN = r"(?:should|would|do|does|did|is|are|was|were|can|could|will|shall|has|have|else|you|i|we|they|it|he|she|about|happens?|if|the|\w+ly)\b"
_WHICH = (
    re.compile(
        rf"\b(?:which|what)\s+(?!{_NO_NOUN})((?:[a-z][\w-]*\s+){{0,2}}?[a-z][\w-]*?)"
        r"(?=\s+(?:should|would|do|does|did|is|are|was|were|can|could|will|shall|has|have|to|for|of)\b|\s*\?)",
        re.IGNORECASE,
    ),
    re.compile(r"\bwhat(?:'s| is| are) (?:your|the) ((?:[a-z][\w-]*\s+){0,2}?[a-z][\w-]*)\s*\?", re.IGNORECASE),
    re.compile(
        r"(?:哪个|哪家|哪座|哪种|哪款|什么|哪一?[个家座种款])(?!可以|能|需要|想|要|事|问题|时候|样|都|也)([\u4e00-\u9fff]{1,6}?)(?=[？?呢吗，,]|出发|作为|比较)"
    ),
    re.compile(r"(?:您的|你的|请问)?([\u4e00-\u9fff]{2,6}?)(?:是|想要|定在|定为)?(?:多少|什么|几号|哪天|哪个|哪里)(?:[呢啊]|钱)?[？?]"),
)
_NOT_AN_ANSWER = re.compile(
    r"[?？]|^\W*(?:what|who|why|how|where|when|which|yes|no|ok|okay|sure|thanks?|thank you|hello|hi|please|maybe|not|don't|i|do|can|could"
    r"|would|is|are"
    r"|好|嗯|是的|对|不|谢谢|你好|您好|可以|行|随便|都|没|什么|为什么|怎么|哪|谁|还|再|先|帮|请|那|我)(?![\w-])"
    r"|谁|吗|什么|怎么|为何|[哪啊呢呀吧]$"
    r"|^\W*(?:不|好的|谢谢|什么|为什么|怎么|随便|都行|没有|还没|帮我|请|我)",
    re.IGNORECASE,
)

MOST_CLAUSE = 80
"""Code points of a clause on each side of a value."""

MOST_ANSWER_WORDS, MOST_ANSWER_CHARS = 4, 40
"""Of a message that is nothing but the answer to a question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question of the assistant that still waits for its answer."""

    noun: str
    """What it asks for, as written."""
    start: int
    """Place of the noun in the message."""


def question_nouns(text: str) -> tuple[Asked, ...]:
    """What a message asks for, in order."""
    if "?" not in text and "？" not in text:
        return ()
    found = [(match.start(1), match.group(1).strip()) for pattern in _WHICH for match in pattern.finditer(text)]
    seen: dict[str, Asked] = {}
    for start, noun in sorted(found):
        if noun:
            seen.setdefault(noun.casefold(), Asked(noun=noun, start=start))
    return tuple(seen.values())


def short_answer(text: str) -> tuple[int, int] | None:
    """Span of the answer, where a message is nothing else; None for questions, yes and no, and longer messages."""
    stripped = text.strip()
    if not stripped or len(stripped) > MOST_ANSWER_CHARS or len(stripped.split()) > MOST_ANSWER_WORDS or "\n" in stripped:
        return None
    answer = stripped.rstrip(" .。！!,，；;~")
    if not answer or _NOT_AN_ANSWER.search(stripped) or _SENTENCE_END.search(answer) or "，" in answer or "," in answer:
        return None
    start = text.index(answer)
    return start, start + len(answer)


def clause_around(text: str, start: int, end: int) -> str:
    """The clause around a span: up to the next punctuation or "and" on both sides."""
    after = _CLAUSE_END.search(text, end, end + MOST_CLAUSE)
    return clause_before(text, start) + text[start : after.start() if after else end + MOST_CLAUSE]


def clause_before(text: str, start: int) -> str:
    """The clause up to a place."""
    first = max(0, start - MOST_CLAUSE)
    ends = [match.end() for match in _CLAUSE_END.finditer(text, first, start)]
    return text[ends[-1] if ends else first : start]


def sentence_before(text: str, end: int) -> str:
    """The sentence that ends at a place or goes on behind it, up to that place."""
    ends = [match.end() for match in _SENTENCE_END.finditer(text, 0, end)]
    return text[ends[-1] if ends else 0 : end]


def sentence_around(text: str, start: int, end: int) -> str:
    """The whole sentence around a span."""
    stop = _SENTENCE_END.search(text, end)
    return sentence_before(text, start) + text[start : stop.start() if stop else len(text)]


LONG_TEXT = 400
"""Code points from which a message is read as prose: only the clause before a value says that it corrects another."""


def corrects(text: str, start: int, end: int) -> bool:
    """A value at this span is said to replace another."""
    if len(text) > LONG_TEXT:
        return bool(CORRECTS.search(clause_before(text, start)))
    return bool(CORRECTS.search(sentence_around(text, start, end)))


def complains(text: str, end: int) -> bool:
    """The value that ends here is said to be too much or too little: it stands already, and what shall replace it follows, if anything."""
    return bool(_TOO_MUCH.match(text, end))


def refuses(text: str, quote: str) -> bool:
    """A reply turns down the value with these words: it says that it cannot be, with regret or naming the value."""
    opening = text[:160]
    return bool(_REFUSES.search(opening)) and (bool(_REGRETS.search(opening)) or (bool(quote) and quote in opening))


def confirms(text: str, words: tuple[str, ...]) -> tuple[int, int] | None:
    """Span in which a reply says yes to what was asked: one of the words in a sentence that affirms and does not deny."""
    folded = text.casefold()
    for word in words:
        place = folded.find(word.casefold()) if word else -1
        if place >= 0 and len(folded) == len(text):
            around = sentence_around(text, place, place + len(word))
            if _AFFIRMS.search(around) and not _DENIES.search(around):
                return place, place + len(word)
    return None


def declines(text: str) -> bool:
    """A message begins by saying no."""
    return bool(_DECLINES.search(text))
