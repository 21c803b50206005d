"""What each type of evidence atom looks like: patterns without nested repetition, so that no text makes them slow.

Source: the notes on policies, 5.1; lists of suffixes, units and words are this project's own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


SUFFIXES = _words(
    """
    py pyi ipynb js jsx mjs cjs ts tsx json jsonl md mdx txt csv tsv yaml yml toml cfg ini conf html htm css scss less xml svg sh bash
    zsh ps1 bat sql db sqlite log rs go java kt kts scala c h cc cpp cxx hpp hh cs rb php swift lua pl dart zig ex exs erl hs ml clj vue
    svelte gradle lock pdf doc docx xls xlsx ppt pptx odt png jpg jpeg gif webp bmp mp3 mp4 wav mov zip tar gz tgz bz2 xz whl jar exe
    dll so bin parquet proto graphql patch diff rst tex tf tfvars pem crt key out err bak tmp plist xcodeproj csproj sln ttf woff woff2
    """
)
"""Endings that make a name a file's."""

NOT_FILES = frozenset(_words("console.log math.log np.log torch.log process.out system.out system.err node.js vue.js next.js"))
"""Names with such an ending that are no files (small letters)."""

NOT_PATHS = frozenset(
    _words(
        """
        and/or either/or or/and n/a w/o i/o he/she his/her him/her s/he yes/no true/false on/off input/output read/write start/end
        client/server km/h m/s mb/s gb/s kb/s tcp/ip http/1.0 http/1.1 http/2 http/3
        """
    )
)
"""Words with a slash that are no paths (small letters)."""

PLAIN_WORDS = frozenset(
    _words(
        """
        ERROR ERRORS ELSE ELSEIF ELIF EXIT EACH EVERY EVEN EVER EXPLAIN EXISTS EXCEPT EXAMPLE EXAMPLES EXPORT EXECUTE ESCAPE ENGLISH
        EVALUATE EXTREME UTF-8 UTF-16 UTF-32 SHA-1 MP-3
        """
    )
)
"""Words in capitals that look like codes (``ENOENT``) or tickets (``ABC-12``) and are none."""

WORD_UNITS = _words(
    """
    ms us ns sec secs second seconds min mins minute minutes hr hrs hour hours day days week weeks month months b kb mb gb tb pb kib mib
    gib tib kb/s mb/s gb/s kbps mbps gbps byte bytes bit bits hz khz mhz ghz fps rpm px rem pt dpi kg mg lb lbs km/h km cm mm mile miles
    mph ml kw kwh kcal usd eur gbp cny rmb jpy chf dollar dollars euro euros token tokens char chars character characters line lines row
    rows page pages point points
    """
)
"""Units that may stand after a space (small letters)."""

TIGHT_UNITS = _words("s m h d g l w v b k x em M G K B")
"""Units of one letter or two: only right after the number."""

OTHER_UNITS = _words(
    """
    % ‰ °C °F ° ℃ € £ ¥ 元 美元 欧元 日元 万元 亿元 万美元 亿美元 块 万 亿 公里 千米 厘米 毫米 米 公斤 千克 克 斤 吨 升
    毫升 平方米 度 分钟 小时 秒 天 周 个月 岁 人 次 件 页 行
    """
)
"""Units that are no Latin words."""


def _either(words: Iterable[str]) -> str:
    """Alternatives, longest first, so that the longest match wins."""
    return "|".join(re.escape(word) for word in sorted(set(words), key=lambda word: (-len(word), word)))


SPELLED_UNITS = [form for word in WORD_UNITS for form in (word, word.upper(), word.capitalize(), word[:-1] + word[-1:].upper())]
MIXED_UNITS = _words("KiB MiB GiB TiB kHz MHz GHz kWh MB/s GB/s kB/s Mbps Gbps kbps")

MORE_DIGITS = r"[0-9]{0,14}(?:,[0-9]{3}(?![0-9])){0,5}(?:\.[0-9]{1,12})?"
"""What follows the first digit of a number. Each pattern begins with plain characters, since Python searches those quickly."""

URL = re.compile(r"://[^\s\x00\"'`<>|\\^{}\u3000-\u303f\u3400-\u9fff\uff00-\uffef]{1,2000}")
"""An address from its slashes on; ``SCHEME`` is looked for before it."""

SCHEME = re.compile(r"(?<![A-Za-z0-9+.\-_])[A-Za-z][A-Za-z0-9+.\-]{1,19}\Z")

CODE_NUMBER = re.compile(
    r"[cCsS](?<![A-Za-z0-9].)(?:ode|ODE|tatus|TATUS)(?:[ _-]?[cC](?:ode|ODE))?[\"']?(?:[ :=]{1,3}| of )[\"']?(-?[0-9]{1,6})(?![\w.])"
)
"""A code or status with its number; the words before it tell whose it is."""

EXIT_WORDS = re.compile(r"(?:exit|exited|return|returned|terminated)(?:[ _-]with)?[ _-]\Z", re.IGNORECASE)

HTTP_WORDS = re.compile(r"(?:http|response|error)[ _-]\Z", re.IGNORECASE)
"""Before a bare "code"; a "status" needs none."""

HTTP_CODE = re.compile(r"[hH](?<!\w.)(?:ttp|TTP)(?:/[0-9](?:\.[0-9])?)?(?:[ :_-]{0,2}[eE](?:rror|RROR))?[ :=]{0,3}([45][0-9]{2})(?!\w)")

STATUS_NAME = re.compile(
    r"[45](?<!\w.)[0-9]{2}(?=[ :]{1,2}(?:[bB]ad [rR]equest|[uU]nauthorized|[pP]ayment [rR]equired|[fF]orbidden|[nN]ot [fF]ound|[mM]ethod [nN]ot|"
    r"[nN]ot [aA]cceptable|[rR]equest [tT]imeout|[cC]onflict|[gG]one|[pP]ayload [tT]oo|[uU]nprocessable|[tT]oo [mM]any|[iI]nternal [sS]erver|"
    r"[nN]ot [iI]mplemented|[bB]ad [gG]ateway|[sS]ervice [uU]navailable|[gG]ateway [tT]ime|[cC]lient [eE]rror|[sS]erver [eE]rror))"
)

KEY_ID = re.compile(r"([iI][dD])(?<![A-Za-z0-9][iI][dD])([\"']?\s{0,2}[:=]\s{0,2}[\"']?)(#?[A-Za-z0-9][A-Za-z0-9_.\-]{0,100})(?![A-Za-z0-9_])")
"""A key's end, the sign between, and the value; ``KEY`` is looked for before it."""

KEY = re.compile(r"(?<![A-Za-z0-9_])[A-Za-z0-9_]{0,60}_\Z")

MONEY = re.compile(rf"[$€£¥] ?[0-9]{MORE_DIGITS}(?![A-Za-z0-9_])")

QUANTITY = re.compile(
    rf"([0-9](?<![A-Za-z0-9_.,/#$€£¥-].){MORE_DIGITS})(?= ?[A-Za-z%‰°℃€£¥\u3400-\u9fff])"
    rf"((?:{_either(TIGHT_UNITS)})(?![A-Za-z0-9_])| ?(?:{_either([*SPELLED_UNITS, *MIXED_UNITS])})(?![A-Za-z0-9_])| ?(?:{_either(OTHER_UNITS)}))"
)

QUOTES = (
    ('"', re.compile(r"\"(?<![\w\\].)(?=[^\s,:;)\]}])([^\"\n\x00]{12,200})(?<!\s)\"(?!\w)")),
    ("'", re.compile(r"'(?<![\w\\].)(?=[^\s,:;)\]}])([^'\n\x00]{12,200})(?<!\s)'(?!\w)")),
    ("`", re.compile(r"`([^`\n\x00]{12,200})`")),
    ("“", re.compile(r"“([^“”\n\x00]{12,200})”")),
    ("‘", re.compile(r"‘([^‘’\n\x00]{12,200})’")),
    ("「", re.compile(r"「([^「」\n\x00]{12,200})」")),
    ("『", re.compile(r"『([^『』\n\x00]{12,200})』")),
    ("《", re.compile(r"《([^《》\n\x00]{12,200})》")),
)
"""Opening mark, and the whole."""

NOT_IN_TOKENS = {ord(character): " " for character in "\"'`<>|\x00"}
"""Translation that leaves tokens with spaces between."""

TOKEN = re.compile(r"[!#-&(-;=?-_a-{}~\u00c0-\u024f][!#-&(-;=?-_a-{}~\u00c0-\u024f]*")
"""The same tokens in a text that is not ASCII; any other letter ends one."""

SUFFIX = "|".join(sorted(SUFFIXES, key=len, reverse=True))

PATH = re.compile(
    r"(?:(?<!\w)[A-Za-z]:\\{1,2}[\w.@+~\-]+(?:\\{1,2}[\w.@+~\-]+){0,40}"
    r"|(?<![\w/])(?:~|\.{1,2})?/?[\w.@+~\-\[\]$]*(?:/[\w.@+~\-\[\]$%]+){1,60}/?"
    rf"|(?<![\w./])[\w.\-]*\w\.(?:{SUFFIX})(?![\w]))"
    r"(?::\d{1,7}(?::\d{1,5})?)?",
    re.ASCII,
)

PLACE = re.compile(r"(.+?)((?::[0-9]+){1,2})\Z")

DIGIT = re.compile(r"[0-9]")
LONG_ID = re.compile(r"[0-9a-fA-F-]{7}")
CAPITALS = re.compile(r"[A-Z]{2}|Error|Exception")
PATHLIKE = re.compile(r"[/\\]|\.[A-Za-z]")
NAMELIKE = re.compile(r"_|\.[A-Za-z_]|[a-z0-9][A-Z]")
"""What a word must hold to have an atom of a type; cheaper than the type's own pattern."""

EVIDENT = re.compile(r"[0-9_/\\]|[A-Z]{2}|Error|Exception|\.[A-Za-z]|[a-z][A-Z]|[a-fA-F-]{7}")
"""What any word with an atom holds: all of the above in one."""

NUMBERED = re.compile(r"#[0-9]{1,15}")
"""A whole word that is one id."""

TOKEN_FORMS: tuple[tuple[str, re.Pattern[str], re.Pattern[str]], ...] = (
    ("uuid", LONG_ID, re.compile(r"(?<![\w])[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}(?![\w])")),
    ("hex", LONG_ID, re.compile(r"(?<![\w])(?:0x)?(?=[0-9]{0,63}[a-fA-F])(?=[a-fA-F]{0,63}[0-9])[0-9a-fA-F]{7,128}(?![\w])")),
    ("path", PATHLIKE, PATH),
    ("error", CAPITALS, re.compile(r"(?<![\w])(?:[A-Z][A-Za-z0-9]{0,80}(?:Error|Exception)|E[A-Z]{3,30}|[A-Z]{2,20}-?\d{3,12})(?![\w])")),
    ("id", DIGIT, re.compile(r"(?<![\w-])[A-Z][A-Z0-9]{1,15}-\d{1,12}(?![\w-])|(?<![\w#])#[A-Za-z]{0,3}\d{1,15}(?!\w)")),
    ("number", DIGIT, re.compile(rf"(?<![\w.])[0-9]{MORE_DIGITS}(?!\w|[.,]\d)|(?<![\w.])\d{{16,64}}(?!\w)", re.ASCII)),
    (
        "identifier",
        NAMELIKE,
        re.compile(
            r"(?<![\w.])(?=[\w.]{8})(?:_{0,2}[A-Za-z]\w*(?:\.[A-Za-z_]\w*)+|_{0,2}[A-Za-z0-9]+_\w*[A-Za-z0-9]_{0,2}|"
            r"[A-Za-z]+[a-z0-9][A-Z]\w*)(?!\w)",
            re.ASCII,
        ),
    ),
)
"""Types that stand inside a token: name, what the token must hold to have one, pattern. In the order of the types."""


def is_number(text: str) -> bool:
    """True where a number is evidence without its unit: at least four digits or two decimals, and no year."""
    whole, _, decimals = text.replace(",", "").partition(".")
    if len(decimals) >= 2:
        return True
    return len(whole) >= 4 and not (len(whole) == 4 and not decimals and "," not in text and 1990 <= int(whole) <= 2035)


def plain_number(text: str) -> str:
    """A number without its thousands separators, or nothing where it is no evidence."""
    return text.replace(",", "") if is_number(text) else ""


def path_and_place(match: str) -> list[tuple[str, str]]:
    """A path, and the place in it where a line is named; nothing for words that only have a slash or a dot."""
    placed = PLACE.match(match)
    name, place = (placed[1], placed[2]) if placed else (match, "")
    name = re.sub(r"\\+", "/", name).rstrip(".,;:!?-[]$~/" if len(name) > 1 else "").removeprefix("./")
    if not _is_path(name):
        return []
    return [("path", name), *([("loc", name + place)] if place else [])]


def _is_path(name: str) -> bool:
    letters = sum(character.isalpha() for character in name)
    if letters < 2 or name.lower() in NOT_PATHS or name.lower() in NOT_FILES:
        return False
    if "/" in name:
        return True
    return name.rpartition(".")[2].lower() in SUFFIXES
