"""One thread of a request log while it is collected, and one request that is compared with what threads expect."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import orjson

from ctxcore.model import Json
from ctxcore.readers.build import ThreadDraft
from ctxcore.readers.other_forms import OtherForms
from ctxcore.units import Ranges


@dataclass(slots=True)
class Lane:
    """One thread under construction."""

    draft: ThreadDraft
    number: int
    raws: list[Json] = field(default_factory=list)
    """Per thread message: as recorded last."""
    by_digest: dict[tuple[str, bytes], int] = field(default_factory=dict)
    """By shape and digest: the first message that was recorded so."""
    shape: str = ""
    """Whose shape the newest call had."""
    context: list[int] = field(default_factory=list)
    """Thread messages of the newest call."""
    ranges: Ranges = ()
    """The same as ranges."""
    reply: int | None = None
    """Reply of the newest call."""
    forms: OtherForms = field(default_factory=OtherForms)
    expected: list[Json] = field(default_factory=list)
    """As recorded: what the next request is expected to begin with."""

    def note_retold(self, context: Sequence[int], new: int) -> None:
        """The first messages of people in a request of another shape are those that the thread had already: they begin no turn.

        Args:
            context: Of the request.
            new: Where the messages begin that the thread has from it.
        """
        messages = self.draft.messages
        had = sum(messages[index].is_real_user for index in self.known)
        told = [index for index in context if messages[index].is_real_user][:had]
        self.draft.retold.update(index for index in told if index >= new)

    @property
    def known(self) -> list[int]:
        """Thread messages that the next request is expected to begin with."""
        return self.context if self.reply is None else [*self.context, self.reply]


def digest(value: Json) -> bytes:
    """Short content hash of a JSON value, whatever the order of its keys."""
    try:
        text = orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except (TypeError, ValueError):
        text = json.dumps(value, sort_keys=True).encode()
    return hashlib.blake2b(text, digest_size=12).digest()


class Request:
    """One request's messages with their digests, made when asked for."""

    def __init__(self, messages: Sequence[Json], normal: Callable[[Json], Json], shape: str, before: Request | None) -> None:
        self.messages, self._normal, self.shape = messages, normal, shape
        self.made: dict[int, bytes] = {}
        self._before = before

    def digest(self, position: int) -> bytes:
        """Of the message's normal form."""
        if position not in self.made:
            value = self.messages[position]
            self.made[position] = self._known(position, value) or digest(self._normal(value))
        return self.made[position]

    def _known(self, position: int, value: Json) -> bytes | None:
        """The digest that the request before has for the same message in the same place."""
        made = self._before.made.get(position) if self._before else None
        return made if made and self._before and self._before.messages[position] == value else None

    def is_reshaped(self, lane: Lane) -> bool:
        """True if the lane's newest call was recorded in another shape, in which the same message has another size."""
        return bool(self.messages and lane.context) and self.shape != lane.shape

    def forget(self) -> None:
        """Let go of the request before."""
        self._before = None

    def prefix(self, lane: Lane) -> int:
        """How many leading messages are those that the lane expects; recordings are compared as they are before their normal forms."""
        expected = lane.expected[: len(self.messages)]
        if expected == self.messages[: len(expected)]:  # one comparison in C for the usual case
            return len(expected)
        for count, (raw, value) in enumerate(zip(expected, self.messages, strict=False)):
            if raw != value and self._normal(raw) != self._normal(value):
                return count
        return len(expected)
