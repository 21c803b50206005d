"""Texts made to be slow: pieces that, repeated, nearly match a rule again and again. Tests read them; the benchmark looks how their time grows."""

from __future__ import annotations

ATOMS = (
    *("a", "a/", '"a', "a.", "a_", "1,", "1 ", "1元", "://", "a://", "id=", "0123abc", "exit code ", "http ", "`a b", "aB ", "中1", "“a", "[("),
    *("A-1", "\\n"),
)
"""For the evidence atoms."""

COMPACTION = (
    *("a", " ", "。", "- ", "预算", "budget ", "a.b/", "是", "Xy ", "1,", "=", "\n", "{", "第一步", "因为", "A使用", "Session id ", "“", "0.", "百"),
    "`",
)
"""For the classes of a compaction, and the facts that survive one."""

SAID = (
    *("1", "万", "a", "$", "1,", "一二", "$1 ", "5 ", "三万五", "a ", "不要", "1.", "((", "下周", "3月", "not ", "red ", "I like ", "/a", "听说"),
    *("`", "x=1 ", "\n", "a@", "1-", "，"),
)
"""For the values that a message states."""

SECRETS = (
    *("a-", "1", "a@", "_KEY", "token ", "eyJ", "+1 ", "://a:", "-----BEGIN " + "PRIVATE KEY-----", "Bearer ", "密码", "4111 ", "secret="),
    *("\\u0040", "-", "cookie: a=b;", 'password="', "password=&", "secret: \n  ", "curl  -u ", "--token ", "\u200b", "DE89 "),
)
"""For the search for secrets and personal data."""

MANY_SECRETS = ("user{}@example.invalid", "password=sk-proj-same-beginning-{:07}q")
"""Forms of values, a number for each."""

BESIDE_SECRETS = ("message \\u0041 with \\n an escape", "sk-proj-same-beginning-" * 20)
"""Texts with escapes, or with the beginning of every value, that hold none of them."""

ENDLESS = "(a|aa)+$"
"""A pattern that tries every way to write a number as a sum of ones and twos: 165,580,141 for the letters of the next text."""

ENDLESS_ON = "a" * 40 + "c"
"""Forty letters that something else follows."""


def repeated(piece: str, length: int) -> str:
    """A piece, again and again, cut to a length in characters."""
    return (piece * (length // len(piece) + 1))[:length]
