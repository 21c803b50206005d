"""Secrets and personal data in text that is shown: the value becomes dots, its name stays. Sizes and searches use the record itself.

Restraint is meant: counts such as ``MAX_TOKENS=4096``, paths and order numbers stay readable.
"""

from __future__ import annotations

import re

MASK = "••••••"
"""Stands for what is hidden."""

NAMED = re.compile(
    r"""(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))
    ([A-Z0-9_]{0,60}(?:_KEY|APIKEY|PASSWORD|PASSWD|SECRET|_TOKEN)
    |(?:[A-Za-z]{1,20}[_-])?(?:api[_-]?key|password|passwd|client[_-]?secret|access[_-]?token|auth[_-]?token))
    (\\?["']?[ ]?[=:][ ]?\\?["']?)
    ((?![0-9]{1,9}(?![A-Za-z0-9]))[^\s"'`,;&<>\\]{6,400})""",
    re.VERBOSE,
)
"""A value behind a name that says it is secret: environment style in capitals, or the usual names of settings; a short number is a count."""

PREFIXED = re.compile(
    r"(?<![A-Za-z0-9_])(?:sk-[A-Za-z0-9_.-]{12,400}|gh[pousr]_[A-Za-z0-9]{20,255}|xox[abprs]-[A-Za-z0-9-]{10,255}|AKIA[0-9A-Z]{16})"
)
"""Keys that say whose they are. Source: the vendors' documented prefixes."""

EMAIL = re.compile(r"(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![A-Za-z0-9-])")
"""An e-mail address."""

MOBILE = re.compile(r"(?<![0-9A-Za-z_.+-])(?:\+?86[- ]?)?1[3-9][0-9][- ]?[0-9]{4}[- ]?[0-9]{4}(?![0-9A-Za-z_])")
"""A mobile number of mainland China. Source: numbering plan, prefixes 13 to 19, eleven digits."""

IDENTITY = re.compile(r"(?<![0-9A-Za-z_])[1-9][0-9]{16}[0-9Xx](?![0-9A-Za-z_])")
"""An identity number of mainland China; its checksum decides. Source: GB 11643-1999."""

WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
CHECKS = "10X98765432"


def masked(text: str) -> str:
    """The text with every secret and personal number or address in it replaced by dots."""
    text = NAMED.sub(lambda found: f"{found[1]}{found[2]}{MASK}", text)
    text = PREFIXED.sub(MASK, text)
    if "@" in text:
        text = EMAIL.sub(MASK, text)
    return IDENTITY.sub(_identity, MOBILE.sub(MASK, text))


def _identity(found: re.Match[str]) -> str:
    digits = found[0].upper()
    total = sum(int(digit) * weight for digit, weight in zip(digits, WEIGHTS, strict=False))
    return MASK if CHECKS[total % 11] == digits[17] else found[0]
