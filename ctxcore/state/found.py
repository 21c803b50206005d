"""A value that was found in a text: what it is, what it is said of, and the exact words that say it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ctxcore.model import Json

FoundKind = Literal["money", "date", "period", "count", "attribute", "choice", "text"]
"""What the value is: an amount of money, a day, a month or span of days, a number with or without its measure word, a property
(colour, size, style), one of a list of known words, or plain text."""

Shade = Literal[
    "max",
    "min",
    "approximate",
    "assumed_unit",
    "interpreted",
    "ambiguous",
    "asked",
    "negated",
    "hearsay",
    "condition",
    "corrected",
    "cancelled",
    "relative_change",
    "others",
    "uncertain",
    "undecided",
    "undated",
]
"""How it is said: as a bound (`max`, `min`), about (`approximate`), without its currency (`assumed_unit`), in words that had to be
read with a rule of thumb (`interpreted`: 三万五), open between readings (`ambiguous`), in a question (`asked`), denied (`negated`),
reported from others (`hearsay`), as a condition rather than a value (`condition`: only if over 18), replaced later in the same
message (`corrected`), taken back (`cancelled`), as a change of a value said before (`relative_change`: 200 more), of somebody else
(`others`: my friend's budget), without certainty (`uncertain`: might be 300), as one of several (`undecided`: 5 or 6), or as a day
that nobody can tell because the message has no date (`undated`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One value found in one text; slicing the text by `start` and `end` gives `quote`."""

    kind: FoundKind
    """What the value is."""
    key: str
    """The noun phrase that the value is said of, as written (总价, gate); empty where none is said."""
    value: Json
    """Number for money and counts, ISO 8601 text for days and months, normalised lower-case English word for attributes and choices."""
    unit: str
    """ISO 4217 for money, the measure word for counts, the attribute's name (`color`, `size`, `style`) for attributes; else empty."""
    shades: frozenset[Shade]
    """How it is said."""
    start: int
    """First code point of the quote."""
    end: int
    """Code point after the quote."""
    quote: str
    """The words themselves, unchanged."""
    extractor: str
    """Stable name of the rule that found it."""
    confidence: float
    """0 to 1, calibrated on the labelled set in the tests."""
