"""How personal data look: addresses, telephones, numbers of persons, cards and accounts."""

from __future__ import annotations

import re


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.VERBOSE)


LETTER = "A-Za-z0-9À-ÖØ-öø-ɏ"

EMAIL = _compiled(
    rf"(?<![{LETTER}._%+-])(?<!//)[{LETTER}._%+-]{{1,64}}(?:@|\\{{1,4}}u0040)(?:[{LETTER}-]{{1,63}}\.){{1,8}}[A-Za-z]{{2,24}}(?![A-Za-z0-9-])"
)
"""An e-mail address."""

COUNTED = r"(?![ ]?(?i:rows?|records?|bytes|items|lines|tokens|times|ms|ns|us|seconds|条|行|元|次)(?![A-Za-z]))"
"""What stands behind an amount."""

ANNOUNCED = ("timestamp", "elapsed", "order", "offset", "time", "size", "count", "单号")

NUMBERED = "".join(f"(?<!{word}{mark}.)" for word in ANNOUNCED for mark in ("[ ]", "=", ":", ":[ ]"))
"""What stands before a number that is no telephone."""

MOBILE = _compiled(
    r"[1+8](?<![0-9A-Za-z_.+-].)"
    + NUMBERED
    + r"(?:(?:(?<=[+])86|(?<=8)6)[- ]?1|(?<=1))[3-9][0-9][- ]?[0-9]{4}[- ]?[0-9]{4}(?![0-9A-Za-z_])"
    + COUNTED
)
"""A mobile number of mainland China. Source: numbering plan, prefixes 13 to 19, eleven digits."""

LANDLINE = _compiled(
    r"""(?:[Tt]el(?:ephone)?|[Pp]hone|[Ff]ax|[Cc]all|电话|座机|传真|联系方式)[^\n0-9]{0,10}(?<![0-9+])
    (?P<value>\(?0[0-9]{2,4}\)?[ -]?[0-9]{3,4}[ -]?[0-9]{4})(?![0-9A-Za-z_-])"""
)
"""A number within a country behind a word that announces one."""

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
    r"""(?<![0-9A-Za-z_.+-])(?:[2-6][0-9]{3}(?P<gap>[ .-])[0-9]{4}(?:(?P=gap)[0-9]{4}){2}|3[47][0-9]{2}[ -][0-9]{6}[ -][0-9]{5}|[2-6][0-9]{14,15})
    (?![0-9A-Za-z_-]|[ .-][0-9])"""
)
"""A payment card; length, issuer and check digit decide. Source: ISO/IEC 7812."""

IBAN = _compiled(r"(?<![A-Za-z0-9])[A-Z]{2}[0-9]{2}(?:[ ]?[A-Z0-9]{4}){2,7}(?:[ ]?[A-Z0-9]{1,3})?(?![A-Za-z0-9])")
"""A bank account; country, length and check digits decide. Source: ISO 13616."""

SOCIAL_SECURITY = _compiled(r"(?i:ssn|social[ ]security)[^\n0-9]{0,20}(?P<value>[0-8][0-9]{2}-[0-9]{2}-[0-9]{4})(?![0-9-])")
"""A number of the social security of the United States behind its name."""

IP = _compiled(r"(?<![0-9A-Za-z_.-])(?:[0-9]{1,3}\.){3}[0-9]{1,3}(?![0-9A-Za-z_-]|\.[0-9])")
"""An address of version 4."""

RANDOM = _compiled(r"(?<![A-Za-z0-9_/+.=-])[A-Za-z0-9_+/-]{32,80}={0,2}(?![A-Za-z0-9_/+.=-])")
"""A string that looks like a key by its length alone; its randomness decides."""
