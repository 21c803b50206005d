"""Prices of models in US dollars, offline: from the package ``genai-prices`` as installed, or from the user's own table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ctxcore.errors import InputError
from ctxcore.sizes.models import model_key
from ctxcore.toml_text import toml_file, toml_table

FIELDS = ("input", "cache_read", "cache_write", "cache_write_1h", "output")
"""What a table of one's own may state per model, in dollars per million tokens; ``input`` and ``output`` are needed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tier:
    """Prices from a size of the request on, in dollars per million tokens."""

    start: int
    """Input tokens above which these hold for the whole request."""
    input: float
    """Input that is neither read from the cache nor written to it."""
    cache_read: float
    """Input read from the cache; the input's price where the model has none of its own."""
    cache_write: float
    """Input written to the cache; as above."""
    cache_write_1h: float
    """Input written to it for an hour; the price of ``cache_write`` where the model has none of its own."""
    output: float
    """Output."""

    def write(self, hour: float) -> float:
        """Price of what is written where this share of it is kept for an hour."""
        return self.cache_write * (1 - hour) + self.cache_write_1h * hour


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """Prices of one model."""

    model: str
    """Under this name in the table."""
    tiers: tuple[Tier, ...]
    """Ascending; the first begins at 0."""
    source: str
    """The table and its date, for people."""

    def tier(self, tokens: int) -> Tier:
        """Prices of a request with this much input."""
        return next(tier for tier in reversed(self.tiers) if tokens > tier.start or tier.start == 0)


DEAREST = 1e9
"""Dollars per million tokens above which a price is a slip."""

Overrides = Mapping[str, Rates]
"""Prices of one's own, by ``model_key``."""


def price_table(path: str | Path) -> Overrides:
    """A table of one's own: TOML with a section per model, for example ``["gpt-5"]``, and prices in dollars per million tokens.

    A ``date`` in front tells of when they are; without one the file's own is shown.

    Args:
        path: Of the file.

    Raises:
        InputError: No such file, not TOML, or a model without ``input`` and ``output``.
    """
    table = toml_file(path, f"The price table {path}")
    return _own(table, str(path), f"changed {datetime.fromtimestamp(Path(path).stat().st_mtime, UTC):%Y-%m-%d}")


def read_prices(text: str, source: str, undated: str = "no date given") -> Overrides:
    """A table of one's own, as in ``price_table``.

    Args:
        text: TOML.
        source: Where it comes from, for people.
        undated: What is said of its date where the table has no ``date``.

    Raises:
        InputError: Not TOML, or a model without ``input`` and ``output``.
    """
    return _own(toml_table(text, f"The price table {source}"), source, undated)


def _own(table: dict[str, Any], source: str, undated: str) -> Overrides:
    day = table.pop("date", None) if not isinstance(table.get("date"), dict) else None
    dated = f"{source}, {undated if day is None else f'prices of {day!s:.30}'}"
    return {model_key(model): replace(_own_rates(model, values, source), source=dated) for model, values in table.items()}


def _own_rates(model: str, values: Any, source: str) -> Rates:
    known = values if isinstance(values, dict) else {}
    numbers = {key: float(known[key]) for key in FIELDS if _is_price(known.get(key))}
    if "input" not in numbers or "output" not in numbers or set(known) != set(numbers):
        raise InputError(
            f"Price table {source}: {model} needs input and output in dollars per million tokens, and may have cache_read, cache_write and "
            "cache_write_1h."
        )
    tier = Tier(
        start=0,
        input=numbers["input"],
        cache_read=numbers.get("cache_read", numbers["input"]),
        cache_write=numbers.get("cache_write", numbers["input"]),
        cache_write_1h=numbers.get("cache_write_1h", numbers.get("cache_write", numbers["input"])),
        output=numbers["output"],
    )
    return Rates(model=model, tiers=(tier,), source=source)


def _is_price(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= DEAREST


def rates(model: str, at: float | None = None, own: Overrides | None = None) -> Rates | None:
    """Prices of a model; None where neither table knows it.

    Args:
        model: As recorded.
        at: Unix seconds of a call: prices of that day where the table has them.
        own: A table of one's own, looked at first.
    """
    key = model_key(model)
    mine = (own or {}).get(key)
    return mine or _published(key, None if at is None else datetime.fromtimestamp(at, UTC).replace(hour=0, minute=0, second=0, microsecond=0))


@cache
def _published(key: str, day: datetime | None) -> Rates | None:
    from genai_prices import Usage, calc_price  # noqa: PLC0415 - takes a second to import, and only for money

    for name in (key, key.rsplit("/", 1)[-1], key.rsplit(".", 1)[-1]):
        try:
            found = calc_price(Usage(input_tokens=1), model_ref=name, genai_request_timestamp=day)
        except LookupError:
            continue
        return _rates(found.model.id, found.model_price, day)
    return None


def _rates(model: str, price: Any, day: datetime | None) -> Rates | None:
    columns = {key: getattr(price, f"{key}_mtok") for key in FIELDS}
    if columns["input"] is None or columns["output"] is None:
        return None
    starts = sorted({0, *(tier.start for column in columns.values() for tier in getattr(column, "tiers", ()))})
    dated = f", prices of {day:%Y-%m-%d}" if day else ""
    return Rates(model=model, tiers=tuple(_tier(columns, start) for start in starts), source=f"genai-prices {version('genai-prices')}{dated}")


def _tier(columns: Mapping[str, Any], start: int) -> Tier:
    at = {key: _at(column, start) for key, column in columns.items()}
    plain = at["input"] or 0.0
    read, write = (plain if at[key] is None else float(at[key] or 0) for key in ("cache_read", "cache_write"))
    hour = write if at["cache_write_1h"] is None else float(at["cache_write_1h"] or 0)
    return Tier(start=start, input=plain, cache_read=read, cache_write=write, cache_write_1h=hour, output=at["output"] or 0.0)


def _at(column: Any, start: int) -> float | None:
    """A price from a size on; plain numbers hold for every size."""
    if column is None:
        return None
    fitting = [tier.price for tier in getattr(column, "tiers", ()) if tier.start <= start]
    return float(fitting[-1] if fitting else getattr(column, "base", column))
