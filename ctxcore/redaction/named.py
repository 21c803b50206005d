"""How values look that are secret because of the name before them."""

from __future__ import annotations

import re

_TYPED = r"(?<=[pP])(?i:ass(?:(?:word|wd|phrase)s?[0-9]?|(?<=_pass))|wd)|(?<=密)码|(?<=口)令"

TYPED = f"[pP密口](?:{_TYPED})"
"""Names of what a person types: any text and any number may be one. The first letter stands first, so that the search is fast."""

DATABASE = ("PRIMARY", "FOREIGN", "PARTITION", "SORT", "CACHE", "UNIQUE", "PUBLIC", "HASH", "ROW", "INDEX", "RANGE")
"""Words before ``_KEY`` that make it a key of rows."""

OWNERS = ("api", "secret", "private", "access", "account", "auth", "encryption", "signing", "shared", "master")
"""Words before ``key`` that make it a secret."""

GIVERS = ("access", "auth", "refresh", "id", "session", "bot", "api", "oauth", "jwt")
"""Words before ``token`` that make it a secret."""


def _behind(words: tuple[str, ...], end: str) -> str:
    return "|".join(f"(?<={word}{mark}{end})" for word in words for mark in ("", "[_-]"))


_NO_ROW = "".join(f"(?<!{word}_KEY)" for word in DATABASE)
_KEY = rf"""(?<=[kK])(?i:ey)(?:(?<=_KEY){_NO_ROW}|(?i:{_behind(OWNERS, "key")}))
    |(?<=[tT])(?i:oken)(?:(?<=_TOKEN)(?<!MAX_TOKEN)(?<!MIN_TOKEN)(?<!NEXT_TOKEN)|(?i:{_behind(GIVERS, "token")}))
    |(?<=[sS])(?i:ecret(?:_key_base)?)|(?<=密)钥|(?<=令)牌"""

KEY = f"[kKtTsS密令](?:{_KEY})"
"""Names of what machines make."""

ANY = f"[pPkKtTsS密口令](?:{_TYPED}|{_KEY})"
"""Both."""

CLOSE = r"""\\{0,7}["']?\]?"""
SAYS = r"[ \t]{0,20}(?:=>|:=|[=:：]|%3[dD])[ \t]{0,20}"
ENDS = r"""\s"'`,;<>\\()\[\]{}，。；、"""
"""Letters that end a value without quotes."""

QUOTED = r"""\[?[ ]?(?P<quote>\\{0,7}["'])(?P<value>(?:(?!(?<!\\)(?P=quote))[^\r\n]){4,400})(?<!\\)(?P=quote)"""
"""A value in quotes, with whatever stands in it."""

BARE = rf"""(?P<value>(?:[^{ENDS}&]|&(?![A-Za-z_]{{1,30}}=)){{6,400}}(?<![.:!?]))(?=[\s"'`,;<>\\)\]}}，。；、&.:!?]|$)"""
"""A value without quotes; a call or an index is none."""


def _after(name: str, value: str) -> re.Pattern[str]:
    return re.compile(f"{name}(?:{CLOSE}{SAYS})\\\\{{0,7}}[\"']?{value}" if value is BARE else f"{name}(?:{CLOSE}{SAYS}){value}", re.VERBOSE)


QUOTED_PASSWORD = _after(TYPED, QUOTED)
BARE_PASSWORD = _after(TYPED, BARE)
QUOTED_KEY = _after(KEY, QUOTED)
BARE_KEY = _after(KEY, BARE)

TOKEN = _after(r"[tT](?<![A-Za-z].)(?i:oken)", r"""(?:\\{0,7}["'])?(?P<value>[A-Za-z0-9_.+/=-]{16,400}+)""")
"""Behind a word that mostly counts something."""

ENVIRONMENT = re.compile(r"(?:PASSWORD|PASSWD|_PASS|_PWD|PASSPHRASE)=(?P<value>[A-Za-z]{6,40}(?![A-Za-z0-9_.(\[-]))")
"""A word as the value of a variable of the environment."""

SAID = re.compile(
    r"""(?:(?i:password|passphrase|passcode)[ ]is[ ](?:now[ ]|still[ ])?|(?:密码|口令)(?:就是|改为|改成|是|为)[ ]?)["'`“]?
    (?P<value>[^\s"'`,;<>\\()\[\]{}，。；、”\u4e00-\u9fff]{6,100}(?<![.:!?]))""",
    re.VERBOSE,
)
"""In a sentence."""

NEXT_LINE = re.compile(
    rf"""{ANY}{CLOSE}[ \t]{{0,4}}[=:][ \t]{{0,4}}(?:(?:\r?\n|\\{{1,7}}n)[ \t]{{1,12}}|(?:\\\r?\n|\\{{3,8}}n)[ \t]{{0,12}})
    (?P<value>[^\s:="'\\]{{8,200}})(?=\s|\\|["']|$)""",
    re.VERBOSE,
)
"""On the next line, set in or behind a line that a backslash continues."""

ELEMENT = re.compile(rf"<[A-Za-z:_-]{{0,30}}?{ANY}>(?P<value>[^<\s]{{4,200}})</", re.VERBOSE)
"""Of XML."""

PAIR = re.compile(
    rf"""(?i:name|key)\\{{0,7}}["'][ ]?:[ ]?\\{{0,7}}["'][A-Za-z0-9_-]{{0,40}}?{ANY}\\{{0,7}}["'][ ]?,\s{{0,8}}
    \\{{0,7}}["']value\\{{0,7}}["'][ ]?:[ ]?{QUOTED}""",
    re.VERBOSE,
)
"""Name and value in two fields."""
