"""A user's own key fields: literal texts, regular expressions and JSON pointers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from ctxcore.errors import InputError, shown
from ctxcore.measures.needles import Needles, as_pairs, row_texts, text_needles
from ctxcore.mentions import readable
from ctxcore.model import Json, Thread, ToolCall, ToolResult

FieldKind = Literal["literal", "regex", "pointer"]
"""A text that must stand there; a pattern that something there must match; a place in JSON results and arguments whose values must stand there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One key field."""

    kind: FieldKind
    """How it is looked for."""
    value: str
    """The text, the pattern, or the pointer (RFC 6901, for example ``/order/id``)."""

    def __post_init__(self) -> None:
        """Check it.

        Raises:
            InputError: An empty value, a pattern that is none, or a pointer that does not begin with a slash.
        """
        if not self.value.strip():
            raise InputError("A key field is empty. Give a text, a pattern or a pointer.")
        if self.kind == "pointer" and not self.value.startswith("/"):
            raise InputError(f"JSON pointer {shown(self.value)} does not begin with a slash. Write it like /order/id.")
        if self.kind == "regex":
            try:
                re.compile(self.value)
            except re.error as error:
                raise InputError(f"Key field {shown(self.value)} is no regular expression: {error}.") from error


def field_of(text: str) -> Field:
    """A field as people write it: ``re:PATTERN``, ``json:/order/id`` (a pointer), or any other text.

    Raises:
        InputError: As for ``Field``.
    """
    if text.startswith("re:"):
        return Field(kind="regex", value=text.removeprefix("re:"))
    return Field(kind="pointer", value=text.removeprefix("json:")) if text.startswith("json:") else Field(kind="literal", value=text)


def wanted_fields(thread: Thread, fields: Sequence[Field]) -> Needles:
    """Key fields to follow; each value at a pointer is one of its own.

    Args:
        thread: Of a session.
        fields: In the order of the answer.
    """
    names: list[tuple[Field, str]] = []
    for field in fields:
        values = sorted(set(_pointed(thread, field.value))) if field.kind == "pointer" else [field.value]
        names += [(field, value) for value in values]
    patterns = {number: re.compile(field.value) for number, (field, _) in enumerate(names) if field.kind == "regex"}
    literal = text_needles(thread, ["" if number in patterns else value for number, (_, value) in enumerate(names)])
    pairs = list(zip(literal.standing.left.tolist(), literal.standing.right.tolist(), strict=True))
    if patterns:
        pairs += [(number, row) for row, text in enumerate(row_texts(thread)) for number, pattern in patterns.items() if pattern.search(text)]

    def inside(text: str) -> frozenset[int]:
        read = readable(text)
        return literal.inside(text) | {number for number, pattern in patterns.items() if pattern.search(read)}

    return Needles(
        names=tuple(
            value if field.kind == "literal" else f"{field.value} = {value}" if field.kind == "pointer" else f"re:{value}" for field, value in names
        ),
        standing=as_pairs(sorted(pairs)),
        inside=inside,
    )


def _pointed(thread: Thread, pointer: str) -> Iterator[str]:
    """Values at a pointer in JSON results and arguments."""
    steps = [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]
    for message in thread.messages:
        for part in message.parts:
            text = part.arguments if isinstance(part, ToolCall) else part.text if isinstance(part, ToolResult) else ""
            value = _at(text, steps)
            if isinstance(value, (str, int, float)) and not isinstance(value, bool) and str(value).strip():
                yield str(value)


def _at(text: str, steps: Sequence[str]) -> Json:
    if text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    for step in steps:
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and step.isascii() and step.isdigit() and len(step) < 9 and int(step) < len(value):
            value = value[int(step)]
        else:
            return None
    return value
