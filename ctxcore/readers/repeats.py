"""Calls that more than one log holds: a resumed, forked or copied log repeats its past, and a sum over several counts it once."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from ctxcore.model import Call, Message, Session, Thread, Usage

COUNTS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "cache_write_1h_tokens", "reasoning_tokens")
"""Fields of ``Usage``."""


class SeenCalls(Mapping[str, Usage]):
    """Every call of a session by a name that it has in any other log that repeats it, with its usage; empty usage where none is recorded.

    The names are made when somebody first asks for them: a session that stands alone needs none, and they take as long as reading it.
    """

    def __init__(self, threads: Sequence[Thread], log_id: str) -> None:
        """Prepare.

        Args:
            threads: Of the session.
            log_id: The session's id as recorded, or empty where the log has none.
        """
        self._threads, self._log_id = threads, log_id

    @cached_property
    def _made(self) -> dict[str, Usage]:
        return _seen_calls(self._threads, self._log_id)

    def __getitem__(self, name: str) -> Usage:
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._made)

    def __len__(self) -> int:
        return len(self._made)


def _seen_calls(threads: Sequence[Thread], log_id: str) -> dict[str, Usage]:
    found: dict[str, Usage] = {}
    times: Counter[str] = Counter()
    for thread in threads:
        for call, name in zip(thread.calls, _names(thread, log_id), strict=True):
            times[name] += not call.id
            found[f"{name} {times[name]}" if times[name] > 1 else name] = call.usage or Usage()
    return found


def _names(thread: Thread, log_id: str) -> list[str]:
    """The id of each call, or what stands for one.

    A call without an id is the same one in two logs where the same was said before it and in it, and where it follows on the same call with an
    id, or was made at the same time, or is in the same place of an equal thread of logs with one id or none. Else equal short answers of
    different sessions would be one.
    """
    names: list[str] = []
    anchor, place = "", 0
    texts = _Digests(thread.messages)
    for call in thread.calls:
        anchor, place = (call.id, 0) if call.id else (anchor, place + 1)
        if call.id:
            names.append(call.id)
        elif anchor or call.at is not None:
            names.append(_name(*((anchor, place) if anchor else ("at", call.at)), texts.around(call)))
        else:
            names.append(_name("in", log_id, texts.upto(call)))
    return names


def _name(*facts: object) -> str:
    return f"~{hashlib.blake2b(repr(facts).encode('utf-8', 'surrogatepass'), digest_size=12).hexdigest()}"


class _Digests:
    """Digests of a thread's messages, made as far as somebody asks."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self.messages = messages
        self.chain: list[str] = [""]

    def around(self, call: Call) -> tuple[str, str]:
        """Of the last message before a call, and of its reply."""
        last = self.messages[call.context[-1][1] - 1] if call.context else None
        reply = None if call.reply is None else self.messages[call.reply]
        return _content(last), _content(reply)

    def upto(self, call: Call) -> str:
        """Of all the thread's messages up to a call's reply."""
        stop = max((call.reply or 0) + (call.reply is not None), *(stop for _, stop in call.context), 0)
        for message in self.messages[len(self.chain) - 1 : stop]:
            self.chain.append(_name(self.chain[-1], _content(message)))
        return self.chain[stop]


def _content(message: Message | None) -> str:
    return "" if message is None else _name(message.role, message.parts)


def with_repeats_named(sessions: Sequence[Session]) -> tuple[Session, ...]:
    """The sessions, each with a note where an earlier one of them holds some of its calls: a resumed or forked log repeats its past.

    Args:
        sessions: Read together, upload order.
    """
    if len(sessions) < 2:
        return tuple(sessions)
    named: list[Session] = []
    holders: dict[str, list[int]] = {}
    for number, session in enumerate(sessions):
        shared = Counter(earlier for call in session.seen_calls for earlier in holders.get(call, ()))
        for call in session.seen_calls:
            holders.setdefault(call, []).append(number)
        if shared:
            most, count = min(shared.items(), key=lambda found: (-found[1], found[0]))
            other = named[most]
            note = f"Continues {other.name} ({other.id}): {count:,} of its {len(session.seen_calls):,} calls are recorded there too and count once."
            session = replace(session, notes=(*session.notes, note))  # noqa: PLW2901 - the noted one is kept
        named.append(session)
    return tuple(named)


def distinct_calls(sessions: Iterable[Session]) -> Mapping[str, Usage]:
    """The calls of several sessions together, one that more than one of them holds once; with what the fullest of its records counted.

    Args:
        sessions: In any order.
    """
    found: dict[str, Usage] = {}
    for session in sessions:
        for call, usage in session.seen_calls.items():
            known = found.get(call)
            found[call] = usage if known is None or _known_counts(usage) > _known_counts(known) else known
    return found


def _known_counts(usage: Usage) -> int:
    return sum(getattr(usage, name) is not None for name in COUNTS)


def summed(usages: Iterable[Usage]) -> Usage:
    """The sum of each count where it is known; None where it never is.

    Args:
        usages: Of different calls.
    """
    calls = list(usages)
    known = {name: [value for usage in calls if (value := getattr(usage, name)) is not None] for name in COUNTS}
    return Usage(**{name: sum(values) if values else None for name, values in known.items()})
