"""How sure a found value is: the share of right values of its rule on the labelled set, less for the shades that leave it open."""

from __future__ import annotations

from ctxcore.state.found import Found, Shade

MEASURED_ON = "not measured yet"
"""What the numbers were measured on."""

BASE = {"money": 0.95, "count": 0.95, "number": 0.7}
"""By extractor."""

MOST: dict[Shade, float] = {
    "asked": 0.6,
    "hearsay": 0.4,
    "condition": 0.5,
    "ambiguous": 0.5,
    "interpreted": 0.8,
    "assumed_unit": 0.85,
    "corrected": 0.9,
    "relative_change": 0.8,
}
"""The most that a value with this shade gets."""


def confidence(found: Found) -> float:
    """0 to 1."""
    return min([BASE.get(found.extractor, 0.8), *(MOST.get(shade, 1.0) for shade in found.shades)])
