"""Checks of a policy's settings that its types do not tell."""

from __future__ import annotations

from ctxcore.errors import InputError, shown


def at_least(name: str, value: float, least: int) -> None:
    """Refuse a setting that is too small.

    Raises:
        InputError: It is.
    """
    if value < least:
        raise InputError(f"{name} is {shown(value)}; it must be at least {least}.")


def share(name: str, value: float) -> None:
    """Refuse a share that is none.

    Raises:
        InputError: It is not above 0, or above 1.
    """
    if not 0 < value <= 1:
        raise InputError(f"{name} is {shown(value)}; it is a share, above 0 and at most 1.")


def one_of(name: str, value: str, words: tuple[str, ...]) -> None:
    """Refuse a word that is not known.

    Raises:
        InputError: It is none of the words.
    """
    if value not in words:
        raise InputError(f"{name} {shown(value)} is not known. Use {', '.join(words[:-1])} or {words[-1]}.")
