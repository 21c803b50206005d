"""What a number or a string must fulfil beyond its look."""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter

WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
CHECKS = "10X98765432"
"""Weights and check characters. Source: GB 11643-1999 (ISO 7064, MOD 11-2)."""

PLAIN = re.compile(r"(?:[A-Za-z]+|[0-9]+)(?:[-_./][A-Za-z0-9]{1,14})*\Z")
"""Words joined by separators, as in the name of a variable or a path."""

ID_MARKS = (
    "call_",
    "toolu_",
    "msg_",
    "req_",
    "resp_",
    "chatcmpl-",
    "run_",
    "thread_",
    "asst_",
    "file-",
    "fc_",
    "rs_",
    "ws_",
    "step_",
    "batch_",
    "sha",
)
"""Beginnings of ids that providers give out; they open nothing."""

HEX = re.compile(r"[0-9a-fA-F-]+\Z")

CODE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)+\Z|[a-z]+(?:[A-Z][a-z]+)*\Z|[a-z]+(?:[-_][a-z]+)+\Z|[A-Z]+(?:_[A-Z]+)+\Z")
"""An attribute, a name in one of the usual spellings."""

EMPTY_WORDS = frozenset(
    (
        *("string", "undefined", "required", "optional", "redacted", "changeme", "password", "process.env", "example", "placeholder", "missing"),
        *("hidden", "function", "assistant", "number", "object", "boolean", "disabled", "enabled"),
    )
)

UNASSIGNED = ("200", "300", "400", "555", "600", "700")
"""No area codes. Source: the North American numbering plan, codes that end in two equal digits."""

FILE_ENDINGS = ("png", "jpg", "jpeg", "gif", "svg", "webp", "js", "ts", "css", "py", "md", "json", "html", "txt")


def mail_address(value: str) -> bool:
    """Not a file for a dense screen (``icon@2x.png``) and not the user that code hosts give everybody."""
    return value.rpartition(".")[2].lower() not in FILE_ENDINGS and not value.startswith("git@")


def resident_number(value: str) -> bool:
    """The check digit of an identity number of mainland China is right."""
    digits = value.upper()
    total = sum(int(digit) * weight for digit, weight in zip(digits, WEIGHTS, strict=False))
    return CHECKS[total % 11] == digits[17]


ISSUERS = ((2221, 2720), (3400, 3499), (3528, 3589), (3600, 3799), (4000, 4999), (5100, 5599), (6000, 6599))
"""First four digits of numbers in use."""


def card_number(value: str) -> bool:
    """Luhn's check digit is right, the issuer's range is in use, and the digits are no filler.

    Source: ISO/IEC 7812-1, annex B; published ranges of the networks.
    """
    digits = [int(letter) for letter in value if letter.isdigit()]
    if len(digits) not in (15, 16) or len(set(digits)) < 2 or (len(digits) == 15) != (value[:2] in ("34", "37")):
        return False
    doubled = [digit if place % 2 == 0 else sum(divmod(2 * digit, 10)) for place, digit in enumerate(reversed(digits))]
    head = int("".join(map(str, digits[:4])))
    return sum(doubled) % 10 == 0 and any(first <= head <= last for first, last in ISSUERS)


def phone_number(value: str) -> bool:
    """As many digits as a telephone number has, and not grouped in thousands as an amount is."""
    digits = re.sub(r"[^0-9]", "", value)
    if not value.startswith("+"):
        return digits[:3] not in UNASSIGNED
    groups = re.split(r"[ .]", value[1:])
    thousands = len(groups) > 2 and all(len(group) == 3 for group in groups[1:])
    return 10 <= len(digits) <= 15 and not thousands and (digits[0] != "1" or len(digits) == 11)


def ip_address(value: str) -> bool:
    """Four bytes that are no network of one's own machine and no version number."""
    parts = [int(part) for part in value.split(".")]
    return all(part < 256 for part in parts) and all(str(int(p)) == p for p in value.split(".")) and parts[0] not in (0, 127) and parts[0] >= 10


def bits_a_letter(value: str) -> float:
    """Shannon's entropy of a string's letters, in bits."""
    counts = Counter(value)
    return -sum(count / len(value) * math.log2(count / len(value)) for count in counts.values())


def random_text(value: str, bits: float = 3.4) -> bool:
    """A string of capitals, small letters and digits mixed, with as much entropy, that is no hash, path or id of a call."""
    if HEX.match(value) or value.startswith(ID_MARKS) or value.count("/") > 2 or "--" in value or "__" in value:
        return False
    mixed = any(c.isupper() for c in value) and any(c.islower() for c in value) and sum(c.isdigit() for c in value) >= 2
    return mixed and not _worded(value) and bits_a_letter(value) >= bits


def _worded(value: str) -> bool:
    """Made of words: letters and digits change sides seldom."""
    turns = sum(_side(a) != _side(b) for a, b in itertools.pairwise(value))
    return turns * 3 < len(value)


def _side(letter: str) -> int:
    return 0 if letter.isdigit() else 1 if letter.isupper() else 2 if letter.islower() else 3


def unlike_a_name(value: str) -> bool:
    """Not a variable, an attribute, a type or an empty word, as in code that handles secrets without holding one."""
    plain = value.strip("*.•…xX<>$%").lower()
    if (
        not plain
        or plain in EMPTY_WORDS
        or value.startswith(("os.", "process.", "env.", "self.", "config.", "settings.", "request.", "getenv", "${", "$"))
    ):
        return False
    return "." not in value or not CODE.match(value)


IBAN_LENGTHS = {
    "AT": 20,
    "BE": 16,
    "CH": 21,
    "CZ": 24,
    "DE": 22,
    "DK": 18,
    "ES": 24,
    "FI": 18,
    "FR": 27,
    "GB": 22,
    "GR": 27,
    "HU": 28,
    "IE": 22,
    "IT": 27,
    "LU": 20,
    "NL": 18,
    "NO": 15,
    "PL": 28,
    "PT": 25,
    "RO": 24,
    "SE": 24,
    "TR": 26,
    "AE": 23,
    "SA": 24,
}
"""Letters of an account's number by country. Source: SWIFT, registry of IBAN."""


def bank_account(value: str) -> bool:
    """The number is as long as its country's are, and its check digits are right. Source: ISO 7064, MOD 97-10."""
    closed = value.replace(" ", "")
    if IBAN_LENGTHS.get(closed[:2]) != len(closed):
        return False
    return int("".join(str(int(letter, 36)) for letter in closed[4:] + closed[:4])) % 97 == 1


WORDS = re.compile(r"[A-Za-z][a-z]*(?:[_ .-][A-Za-z][a-z]*)?\Z|[A-Za-z]+(?:_[A-Za-z]+)+\Z|[A-Z]+\Z")
"""One word, two words, or a name of several: what may stand anywhere and mean nothing."""

UNLIKELY_WORD = 16
"""Letters that hardly any word has."""


def is_words(value: str) -> bool:
    """A word or the name of a variable, which stands in other places for other reasons."""
    return bool(WORDS.match(value)) and (len(value) < UNLIKELY_WORD or not value.isalpha())


def stands_out(value: str) -> bool:
    """Long and mixed enough to be meant wherever it stands, also in the middle of a longer word."""
    return len(value) >= UNLIKELY_WORD and any(c.isdigit() for c in value) and any(c.isalpha() for c in value) and bits_a_letter(value) >= 3
