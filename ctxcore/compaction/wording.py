"""Words that tell what a sentence is, in Chinese and English; the lists are this project's own where no source is named."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.splitlines() if line.strip())


@dataclass(frozen=True, slots=True)
class Phrases:
    """A pattern that is only asked where one of its words stands in the text: most sentences have none, and looking for words is quicker."""

    pattern: re.Pattern[str]
    """Ignores case."""
    words: tuple[str, ...] = field(repr=False)
    """In small letters; every match of the pattern holds one."""

    def search(self, text: str, start: int = 0, stop: int = sys.maxsize) -> re.Match[str] | None:
        """The first match between two positions."""
        return self.pattern.search(text, start, stop) if self._may_stand(text) else None

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """All matches."""
        return self.pattern.finditer(text) if self._may_stand(text) else iter(())

    def _may_stand(self, text: str) -> bool:
        return holds_any(self.words, text)


def holds_any(words: Sequence[str], text: str) -> bool:
    """True where one of these words, in small letters, stands in a text in any case."""
    plain = _plain(text)
    for word in words:  # noqa: SIM110 - a generator takes twice as long
        if word in plain:
            return True
    return False


@lru_cache(maxsize=8)
def _plain(text: str) -> str:
    """A text in small letters; a sentence is asked for many phrases in a row."""
    return text.lower()


def _either(english: str, chinese: str = "", *, first: str = "", after_comma: str = "") -> Phrases:
    """Any of these: English ones (split at commas) as whole words, Chinese ones anywhere, and words that only count where a clause begins."""
    words, opening, following = (tuple(word.strip() for word in one.split(",") if word.strip()) for one in (english, first, after_comma))
    begins = [rf"^(?:{'|'.join(opening)})\b"] if opening else []
    goes_on = [rf"[;,]\s?(?:{'|'.join(following)})\s"] if following else []
    pattern = "|".join([rf"\b(?:{'|'.join(map(re.escape, words))})\b", *_words(chinese), *begins, *goes_on])
    return Phrases(re.compile(pattern, re.IGNORECASE), (*words, *_words(chinese), *opening, *following))


CONNECTIVE = _either("because, so, therefore, based on, thus, hence, as a result, due to", "因为 所以 因此 基于 由于 从而")
"""Causal connectives. Source: the notes on compaction, process traces, and a few more of the kind."""

WHY = _either("why, how, on what principle", "为什么 为何 如何 怎么 原理")
"""The user asks for an explanation. Source: the notes on compaction, process traces."""

HEDGE = _either("maybe, probably, perhaps, possibly, presumably, likely, apparently", "可能 大概 应该 也许 或许 估计 似乎")
"""Words that make a statement uncertain. Source: the notes on compaction name 可能, 大概, 应该, maybe, probably."""

GREETINGS = frozenset(
    _words(
        """
        hi hello hey thanks ok okay yes no yep nope sure great good nice cool perfect understood alright right fine welcome bye goodbye noted done
        please
        """
    )
) | frozenset(
    _lines(
        """
        thank you
        got it
        go ahead
        go on
        continue
        one moment
        sounds good
        you're welcome
        no problem
        thanks a lot
        many thanks
        thank you very much
        good morning
        good evening
        good night
        will do
        of course
        please wait
        how are you
        """
    )
)
"""Whole sentences that say nothing but that one is there."""

CHINESE_GREETINGS = frozenset(
    _words(
        """
        你好 您好 谢谢 谢谢你 谢谢您 多谢 好的 好 好吧 好呀 嗯 嗯嗯 哦 收到 明白 明白了 知道了 了解 可以 行 没问题 不客气 再见 请稍等 稍等
        早上好 晚上好 继续 对 是的 哈哈 在吗 辛苦了
        """
    )
)
"""The same in Chinese."""

PASSING = re.compile(
    "|".join(
        _lines(
            r"""
            ^(?:please )?(?:say|repeat|explain) (?:that|it|this) again\b
            ^(?:come|say) again$
            ^(?:can|could) you repeat\b
            ^let me (?:think|see|know)\b
            ^(?:just )?(?:a|one) (?:moment|second|sec)\b
            ^(?:i am|i'm) (?:here|ready|happy) to help\b
            ^(?:再说一遍|再说一次|请重复|重复一遍|说慢一点|让我想想|让我看看|我看一下)
            """
        )
    ),
    re.IGNORECASE,
)
"""How a sentence begins that holds for this round only."""

HAN = r"[\u3400-\u9fff]"

ENTITY = (
    r"(?:`[^`\n]{1,40}`"
    rf"|[A-Z][A-Za-z0-9+#.]{{0,24}}(?:[ ][A-Z][A-Za-z0-9+#.]{{0,24}}){{0,2}}(?:{HAN}{{1,6}})?"
    rf"|{HAN}{{1,8}}[A-Za-z0-9+#.]{{0,24}})"
)
"""A topic: in backquotes, a name in capitals, or Chinese; all of bounded length."""

ANY = r"[^，。；,.\s]{1,20}"
NAME = r"[A-Z][A-Za-z0-9+#.]{0,24}"

RELATIONS = tuple(
    (kind, Phrases(re.compile(form.replace("VERB", f"(?:{'|'.join(verbs)})")), verbs))
    for kind, verbs, form in (
        ("prerequisite", ("prerequisite",), rf"(?P<a>{ENTITY}) is (?:a |the )?VERB (?:of|for) (?P<b>{ENTITY})"),
        ("requires", ("requires", "depends on", "needs"), rf"(?P<a>{ENTITY}) VERB (?P<b>{ENTITY})"),
        ("uses", ("uses", "builds on", "is built on"), rf"(?P<a>{ENTITY}) VERB (?P<b>{ENTITY})"),
        ("relates", ("relates to", "is related to"), rf"(?P<a>{ENTITY}) VERB (?P<b>{ENTITY})"),
        ("prerequisite", ("前置", "前提", "先修", "基础"), rf"(?P<a>{ENTITY})\s?是\s?(?P<b>{ANY}?)\s?的VERB"),
        (
            "requires",
            ("依赖于", "依赖", "需要先学", "需要先掌握", "需要先了解", "要求先学", "要求先掌握"),
            rf"(?P<a>{ENTITY}?)\s?VERB\s?(?P<b>{ANY})",
        ),
        ("uses", ("使用", "用到了", "用到", "会用到"), rf"(?P<a>{ENTITY}?)\s?VERB\s?(?P<b>{NAME})"),
        ("relates", ("有关", "相关"), rf"(?P<a>{ENTITY}?)\s?(?:和|与)\s?(?P<b>{ENTITY}?)\s?VERB"),
    )
)
"""Kinds of sentences that tie two topics; from ``a`` to ``b``."""

TYING = tuple(dict.fromkeys(word for _, phrases in RELATIONS for word in phrases.words))
"""Words of which each of them has one."""

NUMBER_WORD = r"[-+]?[$€£¥]?[0-9](?:[0-9,.]{0,20}[0-9])?(?:\s?(?:[A-Za-z%‰°℃€£¥]{1,6}|[万亿千百]?(?:人民币|[美欧日]?元|块)|[万亿千百]))?"

IS = r"\s?[:：是为]?\s?"

KEYED = tuple(
    (key, re.compile("|".join(patterns), re.IGNORECASE))
    for key, *patterns in (
        (
            "session_id",
            r"\b(?:session|conversation)[ _-]?id\s{0,2}(?:[:=]|is\b)?\s{0,2}[\"']?(?P<value>(?=[A-Za-z_.-]{0,80}[0-9])[A-Za-z0-9][\w.-]{2,80})",
            rf"会话(?:编号|ID){IS}(?P<other>[\w-]{{3,80}})",
        ),
        (
            "user_id",
            r"\b(?:user|customer)[ _-]?id\s{0,2}(?:[:=]|is\b)?\s{0,2}[\"']?(?P<value>(?=[A-Za-z_.-]{0,80}[0-9])[A-Za-z0-9][\w.-]{1,80})",
            rf"(?:用户|客户)(?:编号|ID){IS}(?P<other>[\w-]{{2,80}})",
        ),
        (
            "start_time",
            r"\bstart(?:ed)?[ _-]?(?:time|at)\s{0,2}[:=]?\s{0,2}(?P<value>[0-9][0-9T:.Z+ -]{4,30}[0-9Z])",
            rf"开始时间{IS}(?P<other>[0-9][0-9年月日T:：. -]{{3,30}})",
        ),
        ("budget", rf"\bbudget\b[^.\n0-9$€£¥]{{0,40}}?(?P<value>{NUMBER_WORD})", rf"预算[^。\n0-9]{{0,12}}?(?P<other>{NUMBER_WORD})"),
        (
            "product",
            r"\b(?:product|model|item)\s{0,2}[:=]\s{0,2}(?P<value>[^.,;\n]{2,60})",
            r"(?:商品|产品|型号)\s?[:：是为]\s?(?P<other>[^，。；\n]{2,40})",
        ),
    )
)
"""Core fields that stand in a text with their name. Source of the ten fields: the notes on compaction, checks."""

CONSTRAINT = _either(
    "must, must not, never, do not, don't, always, only, required, at most, at least, no more than, cannot, can't",
    "必须 不要 不得 禁止 只能 务必 不能 不超过 至少 最多 不可以",
)
"""A sentence that forbids or demands."""

DECISION = _either(
    "decided, decision, we will use, we'll use, i will use, i'll use, let's use, let's go with, going with, we chose, i choose",
    "决定 选用 选定 确定用 就用 改用 就选 改成 换成 定为",
    first="use, set, choose, pick, switch to",
    after_comma="use, set, choose, switch to",
)
"""A sentence that settles something."""

FAILURE = _either("failed, fails, failure, error, exception, traceback, crashed, could not, timed out, refused", "失败 错误 报错 异常 超时 崩溃")
"""A sentence that says what went wrong."""

STOPPED = _either("stop, no longer, don't, do not, instead, cancel, forget, rather than", "停止 别再 不要再 不用再 取消 改为 改成")
"""An instruction that takes an earlier one back."""

CURRENT = _either("current, currently, in progress, next, continue, ongoing, pending, remaining", "当前 正在 下一步 继续 进行中 目前")
"""A summary's sentence that says what is being done now."""

STEP = re.compile(
    r"^(?:[-*#>\s]{0,4}\**)(?:第[一二三四五六七八九十0-9]{1,3}步|步骤\s?[一二三四五六七八九十0-9]{1,3}|step\s?[0-9]{1,3}\b)", re.IGNORECASE
)
"""A numbered step of a proof, a recipe or a procedure."""

CONFUSED = _either("confused, don't understand, do not understand, don't get, unclear", "不明白 不懂 没看懂 没听懂 困惑 搞不清")
"""What the user did not understand."""
