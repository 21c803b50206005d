"""TOML of a user: settings of a gate, prices, scenarios. What would keep the parser for ever is refused before it is read."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from ctxcore.errors import InputError

MOST_BYTES = 2**22
"""Of a file."""

MOST_DOTS = 100
"""In one key: the time that ``tomllib`` takes for a dotted key grows with the square of its parts."""

_PART = r"""(?:[\w-]++|"(?:[^"\\]|\\.)*+"|'[^']*+')"""
_LONG_KEY = re.compile(rf"(?:^|[\[{{,])[ \t]*+{_PART}(?:[ \t]*+\.[ \t]*+{_PART}){{{MOST_DOTS + 1}}}")
"""A key of more parts than one may have, at a place where a key can begin."""


def toml_file(path: str | Path, what: str) -> dict[str, Any]:
    """The table of a TOML file.

    Args:
        path: Of the file.
        what: The file for people, the beginning of a sentence.

    Raises:
        InputError: It cannot be read, is too big, or is no TOML.
    """
    try:
        with Path(path).open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise InputError(f"{what} cannot be read: {error.strerror or error}.") from error
    if len(data) > MOST_BYTES:
        raise InputError(f"{what} is too big: at most {MOST_BYTES:,} bytes are read.")
    try:
        return toml_table(data.decode(), what)
    except UnicodeDecodeError as error:
        raise InputError(f"{what} is not TOML: {error}.") from error


def toml_table(text: str, what: str) -> dict[str, Any]:
    """The table of a TOML text.

    Args:
        text: TOML.
        what: As for ``toml_file``.

    Raises:
        InputError: It is no TOML, or has an endless key.
    """
    for number, line in enumerate(text.splitlines(), 1):
        if line.count(".") > MOST_DOTS and _LONG_KEY.search(line):
            raise InputError(f"{what} has a key with more than {MOST_DOTS} dots in line {number:,}, which nothing needs.")
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{what} is not TOML: {error}.") from error
