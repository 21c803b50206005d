"""What counts as a secret or as personal data, one rule a kind.

Restraint is meant: counts such as ``MAX_TOKENS=4096``, paths, hashes, ids of calls and order numbers stay readable. Every pattern has bounds, so no
text takes more than linear time, and a rule names substrings without which it is not tried at all.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from ctxcore.redaction import named, people, secrets
from ctxcore.redaction.checks import bank_account, card_number, ip_address, mail_address, phone_number, random_text, resident_number, unlike_a_name
from ctxcore.redaction.secret_checks import (
    address_password,
    cookie_value,
    header_value,
    key_value,
    password_value,
    provider_key,
    quoted_value,
    strong_value,
    token_value,
)


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
    """One of these, in small letters, stands in every text that can match; none: always tried."""
    check: Callable[[str], bool] = _always
    """Has the last word on a value."""
    sure: bool = True
    """Hidden unless a person says otherwise; else only listed and shown as it is."""
    names: bool = False
    """Its value is known by the name before it, so all of a field with that name is meant."""


NAMES = ("_key", "key", "pass", "secret", "token", "pwd", "credential", "密码", "密钥", "口令", "令牌")
"""In every name that announces a secret."""

PASSWORDS = ("pass", "pwd", "密码", "口令")

RULES: tuple[Rule, ...] = (
    Rule(kind="private key", word="secret", pattern=secrets.PRIVATE_KEY, needles=("private key",)),
    Rule(kind="signed token", word="secret", pattern=secrets.JWT, needles=("eyj",)),
    Rule(kind="authorization header", word="secret", pattern=secrets.HEADER, needles=("auth", "api-", "-token"), check=header_value),
    Rule(kind="cookie", word="secret", pattern=secrets.COOKIE, needles=("cookie",), check=cookie_value),
    Rule(kind="bearer token", word="secret", pattern=secrets.BEARER, needles=("bearer ",), check=header_value),
    Rule(kind="password in an address", word="secret", pattern=secrets.URL_PASSWORD, needles=("://",), check=address_password),
    Rule(kind="signed address", word="secret", pattern=secrets.SIGNED_URL, needles=("sig",), check=header_value),
    Rule(kind="named secret", word="secret", pattern=named.PAIR, needles=NAMES, check=quoted_value),
    Rule(kind="named secret", word="secret", pattern=named.QUOTED_PASSWORD, needles=PASSWORDS, check=quoted_value, names=True),
    Rule(kind="named secret", word="secret", pattern=named.QUOTED_KEY, needles=NAMES, check=key_value, names=True),
    Rule(kind="named secret", word="secret", pattern=named.BARE_PASSWORD, needles=PASSWORDS, check=password_value),
    Rule(kind="named secret", word="secret", pattern=named.BARE_KEY, needles=NAMES, check=key_value),
    Rule(kind="named secret", word="secret", pattern=named.ENVIRONMENT, needles=PASSWORDS, check=unlike_a_name),
    Rule(kind="named secret", word="secret", pattern=named.TOKEN, needles=("token",), check=token_value, names=True),
    Rule(kind="named secret", word="secret", pattern=named.SAID, needles=PASSWORDS, check=strong_value),
    Rule(kind="named secret", word="secret", pattern=named.NEXT_LINE, needles=NAMES, check=strong_value),
    Rule(kind="named secret", word="secret", pattern=named.ELEMENT, needles=NAMES, check=password_value),
    Rule(kind="password of a command", word="secret", pattern=secrets.COMMAND, needles=("mysql", "sshpass", "curl", "--"), check=password_value),
    Rule(kind="password of a command", word="secret", pattern=secrets.NETRC, needles=("login",), check=unlike_a_name),
    Rule(kind="provider key", word="secret", pattern=secrets.PREFIXED, check=provider_key),
    Rule(kind="e-mail address", word="email", pattern=people.EMAIL, needles=("@", "u0040"), check=mail_address),
    Rule(kind="identity number", word="id-number", pattern=people.IDENTITY, check=resident_number),
    Rule(kind="social security number", word="id-number", pattern=people.SOCIAL_SECURITY, needles=("ssn", "social security")),
    Rule(kind="bank account", word="account", pattern=people.IBAN, check=bank_account),
    Rule(kind="phone number", word="phone", pattern=people.MOBILE),
    Rule(kind="phone number", word="phone", pattern=people.LANDLINE, needles=("tel", "phone", "fax", "call", "电话", "座机", "传真", "联系方式")),
    Rule(kind="phone number", word="phone", pattern=people.PHONE, check=phone_number),
    Rule(kind="card number", word="card", pattern=people.CARD, check=card_number),
    Rule(kind="random text after a telling word", word="secret", pattern=secrets.HINTED, needles=NAMES, check=random_text),
    Rule(kind="IP address", word="ip", pattern=people.IP, check=ip_address, sure=False),
    Rule(kind="random text", word="text", pattern=people.RANDOM, check=lambda value: random_text(value, bits=4.4), sure=False),
)
"""In order of precedence: where two of them meet, the earlier one has the text."""
