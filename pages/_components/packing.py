"""Columns of whole numbers as one block of bytes: a JSON head, then int32 values, as the browser reads them without a copy."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

LARGEST = 2**31 - 1
"""Values above it are drawn as it."""


def pack(head: Mapping[str, Any], columns: Mapping[str, ArrayLike]) -> bytes:
    """One block: length of the head (uint32, little-endian), the head padded with spaces to a multiple of 4, the columns one after the other.

    Args:
        head: JSON object; ``columns`` is added to it: name and length of each column.
        columns: One-dimensional whole numbers.
    """
    arrays = {name: np.minimum(np.asarray(column), LARGEST).astype("<i4") for name, column in columns.items()}
    text = json.dumps({**head, "columns": [[name, len(array)] for name, array in arrays.items()]}).encode()
    text += b" " * (-len(text) % 4)
    return b"".join([struct.pack("<I", len(text)), text, *(array.tobytes() for array in arrays.values())])


def unpack(block: bytes) -> tuple[dict[str, Any], dict[str, NDArray[np.int32]]]:
    """What ``pack`` was given."""
    (length,) = struct.unpack_from("<I", block)
    head: dict[str, Any] = json.loads(block[4 : 4 + length])
    start, columns = 4 + length, {}
    for name, count in head.pop("columns"):
        columns[name] = np.frombuffer(block, "<i4", count, start)
        start += 4 * count
    return head, columns
