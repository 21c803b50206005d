"""A number with its noun, for every sentence of the program."""

from __future__ import annotations


def count(amount: int, one: str, many: str = "") -> str:
    """A number with thousands separators and its noun: ``1 call``, ``2,000 calls``.

    Args:
        amount: How many.
        one: The noun for one.
        many: The noun for any other number; ``one`` with an s by default.
    """
    return f"{amount:,} {one if amount == 1 else many or one + 's'}"
