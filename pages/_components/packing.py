"""Columns of whole numbers as one block of bytes: a JSON head, then each column in its smallest type, as the browser reads it without a copy."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

LARGEST = 2**31 - 1
"""Values above it are drawn as it."""

TYPES = ("u1", "i1", "u2", "i2", "i4")
"""Of a column, smallest first; little-endian."""


def pack(head: Mapping[str, Any], columns: Mapping[str, ArrayLike]) -> bytes:
    """One block: length of the head (uint32, little-endian), the head, the columns one after the other; each padded to a multiple of 4 bytes.

    Args:
        head: JSON object; ``columns`` is added to it: name, length and type of each column.
        columns: One-dimensional whole numbers.
    """
    arrays = {name: _smallest(np.minimum(np.asarray(column), LARGEST)) for name, column in columns.items()}
    text = json.dumps({**head, "columns": [[name, len(array), array.dtype.str[1:]] for name, array in arrays.items()]}).encode()
    text += b" " * (-len(text) % 4)
    return b"".join([struct.pack("<I", len(text)), text, *(array.tobytes() + bytes(-array.nbytes % 4) for array in arrays.values())])


def _smallest(column: NDArray[Any]) -> NDArray[Any]:
    """The column in the smallest type that holds all its values."""
    low, high = (int(column.min()), int(column.max())) if len(column) else (0, 0)
    kind = next((one for one in TYPES if np.iinfo(one).min <= low and high <= np.iinfo(one).max), TYPES[-1])
    return column.astype(f"<{kind}")


def unpack(block: bytes) -> tuple[dict[str, Any], dict[str, NDArray[np.int32]]]:
    """What ``pack`` was given."""
    (length,) = struct.unpack_from("<I", block)
    head: dict[str, Any] = json.loads(block[4 : 4 + length])
    start, columns = 4 + length, {}
    for name, count, kind in head.pop("columns"):
        packed = np.frombuffer(block, f"<{kind}", count, start)
        columns[name] = packed.astype(np.int32)
        start += packed.nbytes + -packed.nbytes % 4
    return head, columns
