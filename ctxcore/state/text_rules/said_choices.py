"""Rules for what is no number: taking back (取消, never mind) and likes and dislikes (我喜欢…, I can't stand …)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ctxcore.state.text_rules.reading import Draft, Reading

_CANCEL = re.compile(
    r"(?P<zh>取消(?!了?吗)|作废|算了(?![一下]|算)|当我没说|(?:撤销|撤回|退订)(?!键|按钮))"
    r"|(?<![A-Za-z])(?P<en>cancel(?!l?ation|l?ed (?:order|flight)s|s\b|-)(?:l?ed)?|never ?mind|forget (?:it|about it|that)|call it off|scratch that)(?![A-Za-z])|(?P<gone>取消(?=了?吗))",
    re.IGNORECASE,
)
_THING = re.compile(r"[^\w\s]*\s?(?:cancel(?:l?ed)?) (?:button|token|event|signal|scope|dialog|request handler|context)", re.IGNORECASE)

_LIKES = r"(?P<like>(?:非常|很|最|特别|更|比较|超)?(?:喜欢|喜歡|爱吃|爱喝|偏爱|偏好)|(?<![A-Za-z])(?:I|[Ww]e) (?:really |do |absolutely |also |still |actually |just )?(?:love|like|adore|enjoy|prefer)(?![A-Za-z]))"
_DISLIKES = (
    r"(?P<dislike>(?:不再|很不|最不|不太|不|从不)(?:喜欢|喜歡|爱吃|爱喝)|(?:很|最|特别)?讨厌|討厭|受不了(?!了)|(?<![A-Za-z])(?:I|[Ww]e) (?:really |also |absolutely |still )?(?:hate|dislike|detest|can't stand|cannot stand|can't bear|"
    r"(?:don't|do not|never|no longer)(?: really)? (?:like|love|enjoy))(?![A-Za-z]))"
)
_SPEAKER = re.compile(
    r"(?:^|[，。！？,.;；\s])(?:但|但是|其实|而且|不过|所以|因为|另外)?(?:我们|我|俺|咱们)(?:家)?(?:也|都|还|真的|现在|一直|最近|其实|平时|从来|确实)*$|(?:^|[，。！？；\s])$"
)
_PREFERENCE = re.compile(rf"(?:{_DISLIKES}|{_LIKES})(?:吃|喝|用|穿|看|去|住)?\s?(?P<what>[^\s，。！？、；;,.!?\n][^，。！？；;,.!?\n]{{0,40}})")
_CUT_EN = re.compile(
    r"\s+(?:any ?more|any ?longer|now|at all|so much|very much|a lot|too|please|but|and|because|since|when|if|for|with|in|on|these days|as well|though|better|more|most)\b.*$",
    re.IGNORECASE,
)
_CUT_ZH = re.compile(r"(?:了|的|啊|呢|吧|哦|，|但是?|因为|所以|而且).*$")
_NO_THING = re.compile(
    r"^(?:to |it$|that$|this$|them$|you |your |how |what |the idea|when |if |那个|这个|这样|那样|你|他|她|它|什么|哪|谁|怎么|the \w+ one|about)",
    re.IGNORECASE,
)
LONGEST_THING_WORDS = 4
"""English words of what is liked; a longer one is a clause."""
LONGEST_THING_ZH = 8
"""Chinese characters of it."""


def cancels(reading: Reading) -> Iterator[Draft]:
    """Each word that takes something back: kind `choice`, unit `intent`, value `cancel`."""
    for match in _CANCEL.finditer(reading.text):
        if not (reading.is_code(*match.span()) or _THING.match(reading.text, match.start())):
            yield Draft(kind="choice", value="cancel", unit="intent", start=match.start(), end=match.end(), extractor="cancel", key="")


def preferences(reading: Reading) -> Iterator[Draft]:
    """What the speaker likes or not: kind `choice`, unit `preference`, value `likes` or `dislikes`, key what it is about."""
    for match in _PREFERENCE.finditer(reading.text):
        english = match[0].isascii()
        what = _CUT_EN.sub("", match["what"]) if english else _CUT_ZH.sub("", match["what"])
        if (
            not _is_thing(what, english=english)
            or reading.is_code(*match.span())
            or not (english or _SPEAKER.search(reading.text[max(0, match.start() - 12) : match.start()]))
        ):
            continue
        word = "dislikes" if match["dislike"] else "likes"
        start = match.start()
        end = match.start("what") + len(what)
        yield Draft(kind="choice", value=word, unit="preference", start=start, end=end, extractor="preference", key=what.removeprefix("the ").strip())


def _is_thing(what: str, *, english: bool) -> bool:
    if not what or _NO_THING.match(what):
        return False
    return len(what.split()) <= LONGEST_THING_WORDS if english else len(what) <= LONGEST_THING_ZH
