"""What text encoding a file has, and its bytes as UTF-8."""

from __future__ import annotations

import codecs

MARKS = (
    (codecs.BOM_UTF8, ""),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
"""Byte order marks, the longer ones first where one begins another; the empty name is UTF-8, which needs no change."""

STARTS = b'{[" \t\r\n'
"""What JSON text can begin with."""


def encoding_of(data: bytes) -> str:
    """Python's name of a UTF-16 or UTF-32 encoding, or an empty string for everything that is read as UTF-8.

    Without a byte order mark, JSON in UTF-16 shows by its first two characters, which are ASCII: every other byte is zero.
    """
    for mark, name in MARKS:
        if data.startswith(mark):
            return name
    if len(data) >= 4 and data[0] in STARTS and data[1] == data[3] == 0 and data[2]:
        return "utf-16-le"
    if len(data) >= 4 and data[1] in STARTS and data[0] == data[2] == 0 and data[3]:
        return "utf-16-be"
    return ""


def to_utf8(data: bytes) -> tuple[bytes, str]:
    """The bytes as UTF-8 without a byte order mark, and a sentence where something was lost.

    Bytes that are not UTF-8 stay as they are: they are replaced line by line, where the line can be named.
    """
    name = encoding_of(data)
    if not name:
        return (data[3:] if data.startswith(codecs.BOM_UTF8) else data), ""
    try:
        return data.decode(name).removeprefix("\ufeff").encode(), ""
    except UnicodeDecodeError as error:
        lossy = data.decode(name, errors="replace").removeprefix("\ufeff").encode(errors="replace")
        return lossy, f"The file is {name.upper()} but broken at byte {error.start}; what could not be read became \N{REPLACEMENT CHARACTER}."
