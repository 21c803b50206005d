"""What counts as a secret or as personal data, one rule a kind.

Restraint is meant: counts such as ``MAX_TOKENS=4096``, paths, hashes, ids of calls and order numbers stay readable. Every pattern has bounds, so no
text takes more than linear time, and a rule names substrings without which it is not tried at all.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from ctxcore.redaction.checks import card_number, header_value, ip_address, mail_address, phone_number, random_text, resident_number, unlike_a_name


def _always(_value: str) -> bool:
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One kind of thing to hide."""

    kind: str
    """In words, for people."""
    word: str
    """What its placeholder says: ``[secret-1]``."""
    pattern: re.Pattern[str]
    """Its group ``value`` is what is hidden, or all of it where there is no such group."""
    needles: tuple[str, ...] = ()
    """One of these stands in every text that can match; none: always tried."""
    check: Callable[[str], bool] = _always
    """Has the last word on a value."""
    sure: bool = True
    """Hidden unless a person says otherwise; else only listed and shown as it is."""
    names: bool = False
    """Its value is known by the name before it, so all of a field with that name is meant."""


def _compiled(pattern: str, flags: re.RegexFlag = re.VERBOSE) -> re.Pattern[str]:
    return re.compile(pattern, flags)


PRIVATE_KEY = _compiled(
    r"""-----BEGIN[ ](?:[A-Z0-9]{1,20}[ ]){0,3}PRIVATE[ ]KEY(?:[ ]BLOCK)?-----[^-]{0,20000}
    (?:-----END[ ](?:[A-Z0-9]{1,20}[ ]){0,3}PRIVATE[ ]KEY(?:[ ]BLOCK)?-----)?"""
)
"""A key block of PEM or PGP; a cut one goes as far as it is there. Source: RFC 7468."""

JWT = _compiled(r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{10,4000}\.eyJ[A-Za-z0-9_-]{4,8000}(?:\.[A-Za-z0-9_-]{0,2000})?")
"""A signed token: two objects in base64url, and a signature. Source: RFC 7519."""

HEADER = _compiled(
    r"""(?:[Aa]uthorization|AUTHORIZATION|[Xx]-[Aa]pi-[Kk]ey|[Aa]pi-[Kk]ey|[Ss]et-[Cc]ookie|[Cc]ookie)
    \\{0,3}["']?[ ]{0,2}[:=][ ]{0,2}\\{0,3}["']?
    (?:[Bb]earer[ ]|[Bb]asic[ ]|[Tt]oken[ ])?
    (?P<value>(?!\$)[A-Za-z0-9_.~+/=%|:;-]{8,4000})"""
)
"""The value of a header that lets somebody in. Source: RFC 9110, "Authorization"; RFC 6265."""

BEARER = _compiled(r"[Bb]earer[ ](?P<value>[A-Za-z0-9_.~+/=-]{16,4000})")
"""A bearer token outside its header. Source: RFC 6750."""

PREFIXED = _compiled(
    r"""(?<![A-Za-z0-9_])(?:
    sk-[A-Za-z0-9_.-]{12,400}
    |gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_[A-Za-z0-9_]{22,255}|glpat-[A-Za-z0-9_-]{20,255}
    |xox[abeprs]-[A-Za-z0-9-]{10,255}|xapp-[0-9]-[A-Za-z0-9-]{10,255}
    |(?:AKIA|ASIA)[0-9A-Z]{16}(?![0-9A-Za-z])
    |AIza[A-Za-z0-9_-]{35}|ya29\.[A-Za-z0-9_-]{20,400}|GOCSPX-[A-Za-z0-9_-]{20,60}
    |(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,255}|whsec_[A-Za-z0-9+/=]{20,120}
    |hf_[A-Za-z0-9]{30,60}|npm_[A-Za-z0-9]{36}|pypi-[A-Za-z0-9_-]{40,400}|dop_v1_[0-9a-f]{64}
    |SG\.[A-Za-z0-9_-]{16,40}\.[A-Za-z0-9_-]{30,60}|tvly-[A-Za-z0-9_-]{16,80}|gsk_[A-Za-z0-9]{30,80}|xai-[A-Za-z0-9]{40,120}|pplx-[A-Za-z0-9]{32,80}
    |r8_[A-Za-z0-9]{30,60}|lin_api_[A-Za-z0-9]{30,60}|ntn_[A-Za-z0-9]{40,60}|dapi[0-9a-f]{32}|AGE-SECRET-KEY-1[0-9A-Z]{58}
    |LTAI[A-Za-z0-9]{12,30}(?![A-Za-z0-9])
    )"""
)
"""Keys that say whose they are. Source: the vendors' documented prefixes."""

URL_PASSWORD = _compiled(r"(?<=://)[A-Za-z0-9._%+~-]{0,80}:(?P<value>[^\s:/@\"'<>\\{}$]{3,200})@(?=[A-Za-z0-9\[.-])")
"""A password in front of a host. Source: RFC 3986, "User Information"."""

NAMED = _compiled(
    r"""(?:_KEY|APIKEY|PASSWORD|PASSWD|SECRET|_TOKEN
    |api[_-]?[kK]ey|Api[_-]?Key|apikey|password|Password|passwd|Passwd|client[_-]?[sS]ecret|Client[_-]?Secret|access[_-]?[tT]oken|Access[_-]?Token
    |auth[_-]?[tT]oken|Auth[_-]?Token|refresh[_-]?[tT]oken|Refresh[_-]?Token|secret[_-]?(?:[aA]ccess[_-]?)?[kK]ey|Secret[_-]?(?:Access[_-]?)?Key
    |private[_-]?[kK]ey|Private[_-]?Key|密码|密钥|口令)
    (?:\\{0,3}["']?[ ]?[=:：][ ]?\\{0,3}["']?)
    (?P<value>(?![0-9]{1,9}(?![A-Za-z0-9]))[^\s"'`,;&<>\\()\[\]{}，。；、]{6,400}+)(?!\()"""
)
"""A value behind a name that says it is secret: environment style in capitals, or the usual names of settings; a short number is a count."""

HINTED = _compiled(
    r"""(?:secret|Secret|SECRET|token|Token|TOKEN|passw|Passw|PASSW|passphrase|Passphrase|credential|Credential|api[ ]key|API[ ]key|Api[ ]key
    |access[ ]key|Access[ ]key|密码|密钥|口令|令牌)
    [^\n]{0,40}?(?<![A-Za-z0-9_./+-])(?P<value>[A-Za-z0-9_+/=-]{16,200})(?![A-Za-z0-9_/+])"""
)
"""A random string close behind a word that announces a secret."""

EMAIL = _compiled(r"(?<![A-Za-z0-9._%+-])(?<!//)[A-Za-z0-9._%+-]{1,64}(?:@|\\{1,4}u0040)(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![A-Za-z0-9-])")
"""An e-mail address."""

MOBILE = _compiled(r"(?<![0-9A-Za-z_.+-])(?:\+?86[- ]?)?1[3-9][0-9][- ]?[0-9]{4}[- ]?[0-9]{4}(?![0-9A-Za-z_])")
"""A mobile number of mainland China. Source: numbering plan, prefixes 13 to 19, eleven digits."""

PHONE = _compiled(
    r"""(?<![0-9A-Za-z_.+-])(?:
    \+[1-9][0-9]{0,3}(?:[ .-]?\(?[0-9]{1,4}\)?){2,6}
    |\([2-9][0-9]{2}\)[ ]?[2-9][0-9]{2}-[0-9]{4}
    |[2-9][0-9]{2}-[2-9][0-9]{2}-[0-9]{4}
    )(?![0-9A-Za-z_])"""
)
"""An international number, or one of North America with its separators. Source: ITU-T E.164; the North American numbering plan."""

IDENTITY = _compiled(r"(?<![0-9A-Za-z_])[1-9][0-9]{16}[0-9Xx](?![0-9A-Za-z_])")
"""An identity number of mainland China; its check digit decides. Source: GB 11643-1999."""

CARD = _compiled(
    r"(?<![0-9A-Za-z_.+-])(?:[2-6][0-9]{3}(?:[ -][0-9]{4}){3}|3[47][0-9]{2}[ -][0-9]{6}[ -][0-9]{5}|[2-6][0-9]{14,15})(?![0-9A-Za-z_.-]|[ -][0-9])"
)
"""A payment card; length, issuer and check digit decide. Source: ISO/IEC 7812."""

IP = _compiled(r"(?<![0-9A-Za-z_.-])(?:[0-9]{1,3}\.){3}[0-9]{1,3}(?![0-9A-Za-z_-]|\.[0-9])")
"""An address of version 4."""

RANDOM = _compiled(r"(?<![A-Za-z0-9_/+.=-])[A-Za-z0-9_+/-]{32,80}={0,2}(?![A-Za-z0-9_/+.=-])")
"""A string that looks like a key by its length alone; its randomness decides."""

NAMES = ("KEY", "PASSW", "SECRET", "TOKEN", "ey", "assw", "assphrase", "ecret", "oken", "redential", "密码", "密钥", "口令", "令牌")
"""In every name that announces a secret."""

RULES: tuple[Rule, ...] = (
    Rule(kind="private key", word="secret", pattern=PRIVATE_KEY, needles=("PRIVATE KEY",)),
    Rule(kind="signed token", word="secret", pattern=JWT, needles=("eyJ",)),
    Rule(kind="authorization header", word="secret", pattern=HEADER, needles=("uth", "AUTH", "pi-", "ookie"), check=header_value),
    Rule(kind="bearer token", word="secret", pattern=BEARER, needles=("earer ",), check=unlike_a_name),
    Rule(
        kind="password in an address",
        word="secret",
        pattern=URL_PASSWORD,
        needles=("://",),
        check=lambda value: value.strip("*.x•…").lower() not in ("", "password", "pass"),
    ),
    Rule(kind="named secret", word="secret", pattern=NAMED, needles=NAMES, check=unlike_a_name, names=True),
    Rule(kind="provider key", word="secret", pattern=PREFIXED),
    Rule(kind="e-mail address", word="email", pattern=EMAIL, needles=("@", "u0040"), check=mail_address),
    Rule(kind="identity number", word="id-number", pattern=IDENTITY, check=resident_number),
    Rule(kind="phone number", word="phone", pattern=MOBILE),
    Rule(kind="phone number", word="phone", pattern=PHONE, check=phone_number),
    Rule(kind="card number", word="card", pattern=CARD, check=card_number),
    Rule(kind="random text after a telling word", word="secret", pattern=HINTED, needles=NAMES, check=random_text),
    Rule(kind="IP address", word="ip", pattern=IP, check=ip_address, sure=False),
    Rule(kind="random text", word="text", pattern=RANDOM, check=lambda value: random_text(value, bits=4.4), sure=False),
)
"""In order of precedence: where two of them meet, the earlier one has the text."""
