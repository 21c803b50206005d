"""Units: what a policy keeps or drops whole, and the runs of calls that share one growing sequence of them."""

from __future__ import annotations

from ctxcore.units.epochs import RECENT_EPOCHS, split_epochs
from ctxcore.units.grouping import group
from ctxcore.units.numbering import Catalog, catalog
from ctxcore.units.pairing import Ask, Pairing
from ctxcore.units.ranges import Ranges, is_prefix, merge_ranges
from ctxcore.units.shapes import PINNED_ROLES, Key, Shape, shape

__all__ = [
    "PINNED_ROLES",
    "RECENT_EPOCHS",
    "Ask",
    "Catalog",
    "Key",
    "Pairing",
    "Ranges",
    "Shape",
    "catalog",
    "group",
    "is_prefix",
    "merge_ranges",
    "shape",
    "split_epochs",
]
