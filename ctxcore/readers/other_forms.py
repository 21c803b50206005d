"""Messages of which requests hold several forms that say the same, such as cache marks that move on: what that adds to each request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from ctxcore.model import Json, Message
from ctxcore.readers.build import ThreadDraft
from ctxcore.sizes.measure import wire_chars

Wire = tuple[Mapping[str, Json], ...]


@dataclass(slots=True)
class OtherForms:
    """The forms of a thread's messages, of which the shortest is the message's own."""

    since: dict[int, list[tuple[int, int]]] = field(default_factory=dict)
    """Per message with several: from which call on it took how many characters."""
    shortest: dict[int, tuple[int, Wire]] = field(default_factory=dict)
    """Of these messages: characters and form."""

    def note(self, index: int, message: Message, wire: Wire, call: int) -> None:
        """From a call on, a message is recorded in a form.

        Args:
            index: Of the message in the thread.
            message: As the thread has it.
            wire: The form.
            call: The first call with it.
        """
        if index not in self.since:
            first = wire_chars(message.wire)
            self.since[index], self.shortest[index] = [(0, first)], (first, message.wire)
        chars = wire_chars(wire)
        self.since[index].append((call, chars))
        self.shortest[index] = min(self.shortest[index], (chars, wire), key=lambda form: form[0])

    def settle(self, thread: ThreadDraft) -> None:
        """Give each message its shortest form, and each call what its own forms have beyond those."""
        beyond: dict[int, int] = {}
        for index, forms in self.since.items():
            least, wire = self.shortest[index]
            thread.messages[index] = replace(thread.messages[index], wire=wire)
            for (start, chars), (stop, _) in pairwise([*forms, (len(thread.calls), 0)]):
                for number in range(start, stop) if chars > least else ():
                    if _holds(thread.calls[number].context, index):
                        beyond[number] = beyond.get(number, 0) + chars - least
        for number, chars in beyond.items():
            thread.calls[number] = replace(thread.calls[number], form_chars=chars)
        self.since.clear()


def _holds(context: Sequence[tuple[int, int]], index: int) -> bool:
    return any(start <= index < stop for start, stop in context)
