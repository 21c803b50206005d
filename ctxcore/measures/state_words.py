"""Where the values of a state are said: the stretches in which each was the current one, with all words that say it there."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from ctxcore.mentions import WORD_CHARACTERS, folded
from ctxcore.model import Json, Message, Thread
from ctxcore.state.entries import Entry, FieldChain, Source, State
from ctxcore.state.reading import part_at, spoken
from ctxcore.state.resolving import same_value

REPEAT_CHARS = 20_000
"""Code points of a message's own words and arguments that are searched for repeated values."""

SHORTEST_WORD, SHORTEST_NUMBER, LONGEST = 3, 2, 120
"""Code points of Latin words, and of all others, that are looked for again: a single digit stands everywhere."""


COUNTED = re.compile(r"(?P<figure>[0-9]{1,2}|[一二两三四五六七八九十]{1,3})个?(?P<measure>[人位名间晚天张件台])")
"""A small number with its Chinese measure word."""


@dataclass(frozen=True, slots=True)
class Statement:
    """Words that say a value."""

    message: int
    """Thread message."""
    part: int
    """Index into its parts; -1 for the message as a whole."""
    quote: str
    """The words; empty for a message as a whole."""
    own: bool
    """The words that the value was read from, or in which the user said it again; else a reply or a tool call that repeats it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """One value of a field while it was the current one."""

    start: int
    """Message with which it became the current value."""
    value: Json
    """None where the field was cleared."""
    entry: int
    """Index in the chain."""
    statements: tuple[Statement, ...]
    """Words that say it, until it was replaced."""
    needles: tuple[str, ...]
    """Folded texts by which it is known in any other text."""
    expired: bool = False
    """It ended by time: no words say so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldWords:
    """A field's values and where they are said."""

    name: str
    """Of the field."""
    stretches: tuple[Stretch, ...]
    """In order."""
    items: tuple[Stretch, ...] = ()
    """Of a list that only grows: one stretch for each item, from when it was added."""


def state_words(thread: Thread, state: State) -> tuple[FieldWords, ...]:
    """All fields of a state; made once per thread and state.

    Args:
        thread: That the state was read from.
        state: At the end of the thread.
    """
    return thread.once(f"state_words:{state.domain}", lambda: _state_words(thread, state), of=state)


def _state_words(thread: Thread, state: State) -> tuple[FieldWords, ...]:
    said = _Said([_searched(message) for message in thread.messages])
    return tuple(_field(thread, chain, said) for chain in state.fields.values())


def _searched(message: Message) -> str:
    """What a message itself says, folded: results of tools repeat too much by chance."""
    if message.role == "system":
        return ""
    text = "\n".join((spoken(message), *(call.arguments for call in message.calls)))
    return folded(text[:REPEAT_CHARS])


def _field(thread: Thread, chain: FieldChain, said: _Said) -> FieldWords:
    moments = list(current_values(chain))
    stops = [*(start for start, _, _ in moments[1:]), len(thread.messages)][: len(moments)]
    stretches: list[Stretch] = []
    for number, ((start, place, back), stop) in enumerate(zip(moments, stops, strict=True)):
        first = moments[number - 1][0] if number else 0
        stretches.append(_stretch(thread, chain, (place, back), (first, start, stop), said))
    lists = [one for one in stretches if isinstance(one.value, (list, tuple))]
    items = tuple(_items(thread, chain, lists, said)) if len(lists) == len(stretches) else ()
    return FieldWords(name=chain.name, stretches=tuple(stretches), items=items)


def current_values(chain: FieldChain) -> Iterator[tuple[int, int, bool]]:
    """When each value of a chain became the current one: message, place in the chain, and whether that was because a later one was turned down."""
    if not any(entry.before == "accepted" and entry.decided is not None for entry in chain.entries):
        start = 0
        for place, entry in enumerate(chain.entries):
            if entry.status == "accepted":
                start = max(start, entry.at if entry.decided is None else entry.decided)
                yield start, place, False
        return
    last = -1
    for moment in sorted({entry.at for entry in chain.entries} | {entry.decided for entry in chain.entries if entry.decided is not None}):
        place = _current_at(chain.entries, moment)
        if place not in (-1, last):
            yield moment, place, place < last
        last = place if place >= 0 else last


def _current_at(entries: Sequence[Entry], moment: int) -> int:
    """Place of the current entry once a message was said; -1 without one."""
    for place in range(len(entries) - 1, -1, -1):
        entry = entries[place]
        status = entry.status if entry.decided is None or entry.decided <= moment else entry.before
        if entry.at <= moment and status == "accepted":
            return place
    return -1


def _stretch(thread: Thread, chain: FieldChain, which: tuple[int, bool], bounds: tuple[int, int, int], said: _Said) -> Stretch:
    (place, back), (_, start, stop) = which, bounds
    entry = chain.entries[place]
    expired = entry.why == "expired"
    own = (Statement(start, -1, "", own=True),) if back else () if expired else _own(thread, chain, entry, bounds)
    needles = () if expired or back else _needles(entry)
    repeats = [] if isinstance(entry.value, (list, tuple)) else _repeats(said, needles, start, stop)
    mine = {statement.message for statement in own}
    found = (*own, *(Statement(message, -1, needle, own=False) for message, needle in repeats if message not in mine))
    return Stretch(start=start, value=entry.value, entry=place, statements=found, needles=needles, expired=expired)


def _own(thread: Thread, chain: FieldChain, entry: Entry, bounds: tuple[int, int, int]) -> tuple[Statement, ...]:
    """The entry's words and where the user said them again; what was said before the stretch in front of it speaks for an earlier one."""
    before, start, stop = bounds
    again = [one.source for one in chain.restated if start <= one.source.message < stop]
    return _statements(thread, [source for source in (entry.source, *entry.more, *again) if before <= source.message < max(stop, start + 1)])


def _statements(thread: Thread, sources: Iterable[Source]) -> tuple[Statement, ...]:
    return tuple(
        dict.fromkeys(Statement(one.message, part_at(thread.messages[one.message], one.start), one.quote, own=True) for one in sources if one.quote)
    )


def _needles(entry: Entry) -> tuple[str, ...]:
    """How an entry may be written elsewhere: its words, and its value unless that is a word of our own (an enum's)."""
    texts = [folded(entry.source.quote)]
    if entry.kind != "choice" and isinstance(entry.value, (str, int, float)) and not isinstance(entry.value, bool):
        texts.append(folded(str(entry.value)))
    texts += _counted(entry)
    return tuple(dict.fromkeys(text for text in texts if _is_telling(text)))


def _counted(entry: Entry) -> Iterator[str]:
    """A small number with its measure word, as other words may have it: 四个人, 四人, 4人."""
    counted = COUNTED.search(entry.source.quote) if isinstance(entry.value, int) else None
    if counted is not None:
        yield from (f"{figure}{general}{counted['measure']}" for figure in (counted["figure"], str(entry.value)) for general in ("个", ""))


def _is_telling(text: str) -> bool:
    words = text.isascii() and any(letter.isalpha() for letter in text)
    return (SHORTEST_WORD if words else SHORTEST_NUMBER) <= len(text) <= LONGEST


class _Said:
    """All that messages say, in one text: looking through it is quicker than through thousands."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.text = "\n".join((*texts, ""))
        self.starts = [0, *accumulate(len(text) + 1 for text in texts)]

    def messages(self, needle: str, start: int, stop: int) -> Iterator[int]:
        """Messages from ``start`` to before ``stop`` in which a needle stands bounded, ascending."""
        place, end = self.starts[start], self.starts[stop]
        while (place := self.text.find(needle, place, end)) >= 0:
            if self._bounded(place, place + len(needle)):
                message = bisect_right(self.starts, place) - 1
                yield message
                place = self.starts[message + 1]
            else:
                place += 1

    def _bounded(self, start: int, stop: int) -> bool:
        """No Latin word or number goes on over an edge."""
        edges = (start - 1, stop - 1)
        return not any(place >= 0 and {self.text[place], self.text[place + 1]} <= WORD_CHARACTERS for place in edges)


def _repeats(said: _Said, needles: Sequence[str], start: int, stop: int) -> list[tuple[int, str]]:
    """Messages after the first that say it again, and by which words."""
    found: dict[int, str] = {}
    for needle in needles if start + 1 < stop else ():
        for message in said.messages(needle, start + 1, stop):
            found.setdefault(message, needle)
    return sorted(found.items())


def _items(thread: Thread, chain: FieldChain, lists: Sequence[Stretch], said: _Said) -> Iterator[Stretch]:
    """The items of a list that never loses one; nothing for others."""
    if any(not set(map(str, _values(old))) <= set(map(str, _values(new))) for old, new in pairwise(lists)):
        return
    seen: set[str] = set()
    for one in lists:
        for item in _values(one):
            name = str(item)
            if name not in seen:
                seen.add(name)
                needles = tuple(filter(_is_telling, (folded(name),)))
                own = _statements(thread, [chain.entries[one.entry].source])
                more = (Statement(message, -1, needle, own=True) for message, needle in _repeats(said, needles, one.start, len(said.starts) - 1))
                yield Stretch(start=one.start, value=item, entry=one.entry, statements=(*own, *more), needles=needles)


def _values(one: Stretch) -> Sequence[Json]:
    return one.value if isinstance(one.value, (list, tuple)) else ()


def says_the_same(one: Stretch, other: Stretch) -> bool:
    """Both have the same value, or both none."""
    return (one.value is None and other.value is None) or same_value(one.value, other.value)
