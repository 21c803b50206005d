"""The YAML text of a cassette as one JSON value, so that it is read like any other file."""

from __future__ import annotations

import re

from ctxcore.model import Json
from ctxcore.readers.safe_yaml import BadYaml, load_yaml

CASSETTE_KEYS = ("interactions", "http_interactions")
"""Top key of vcrpy and of Ruby's VCR."""

START = re.compile(rb"(?m)^(?:http_)?interactions:[ \t]*\r?$[\s\S]*?^[ \t]*(?:- )?request:")
"""Both marks of a cassette."""

NEXT = re.compile(rb"(?m)^[ \t]*- (?=request:|response:)")
"""Where an interaction begins."""

LOOK_BYTES = 2**16

TRIES = 3
"""Interactions that are given up, one after the other, to read what stands before them."""


def cassette_value(data: bytes) -> tuple[Json, str, int] | None:
    """The value of a cassette, why a rest of it was left out (or nothing), and the line of that; None for any other text.

    Args:
        data: UTF-8.
    """
    if START.search(data[:LOOK_BYTES]) is None:
        return None
    try:
        return load_yaml(data), "", 0
    except BadYaml as error:
        for start in [found.start() for found in NEXT.finditer(data)][: -TRIES - 1 : -1]:
            try:
                value = load_yaml(data[:start])
            except BadYaml:
                continue
            return value, f"The YAML is broken at line {error.line} ({error.reason}); the interactions before it were read.", error.line
    return None
