"""A price table is an upload, so it may be anything."""

from __future__ import annotations

import pytest

from ctxcore import InputError
from ctxcore.measures.prices import read_prices


def test_a_price_table_of_one_endless_key_is_refused_before_it_is_read() -> None:
    """50 KB of it would be read for seconds, a megabyte for an hour."""
    with pytest.raises(InputError, match="dots"):
        read_prices("a." * 400_000 + "b=1", "bomb.toml")
