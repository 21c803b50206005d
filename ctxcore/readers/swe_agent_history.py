"""What a SWE-agent call received, rebuilt from the history: old observations become one line each.

Source: SWE-agent ``agent/history_processors.py`` (0.x ``last_n_history``, 1.x ``LastNObservations``), ``agent/models.py``; format notes 2.11.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ctxcore.model import Call, Event, Injected, Json, Message
from ctxcore.readers.build import ThreadDraft
from ctxcore.readers.chat_message import chat_message
from ctxcore.readers.values import items, mapping, text, whole
from ctxcore.units import Ranges, merge_ranges

KEPT_OBSERVATIONS = 5
"""Of 0.x, beside the first one. Source: SWE-agent 0.x, default configuration (Last5Observations)."""

OLD_OUTPUT = "Old output omitted ({lines} lines)"
"""Source: SWE-agent 0.x, ``last_n_history``."""

OLD_ENVIRONMENT_OUTPUT = "Old environment output: ({lines} lines omitted)"
"""Source: SWE-agent 1.x, ``LastNObservations``."""

INPUT_DENSITY = 1.09
"""Tokens a character of a context takes, as a multiple of those of replies: line numbers and code are denser than prose.

Measured on the two runs of the reference files whose totals are known: 1.094 (full history, counted exactly with cl100k) and 1.083.
"""


def kept_by_totals(history: Sequence[Mapping[str, Json]], stats: Mapping[str, Json], keep: int) -> int | None:
    """``keep``, or None where the recorded totals say that the whole history was sent.

    The log of 0.x does not hold the rule. It holds the tokens of all inputs and of all replies, whose ratio differs between the two.
    """
    sent, received = whole(stats.get("tokens_sent")), whole(stats.get("tokens_received"))
    replies = sum(_chars(entry) for entry in history if _is_reply(entry))
    if not sent or not received or not replies:
        return keep
    target = sent / received
    short, full = (INPUT_DENSITY * size / replies for size in _input_chars(history, keep))
    return None if full > 0 and abs(math.log(target / full)) < abs(math.log(target / short)) else keep


def _chars(entry: Mapping[str, Json]) -> int:
    return len(text(entry.get("content")))


def _is_reply(entry: Mapping[str, Json]) -> bool:
    return entry.get("role") == "assistant" and not entry.get("is_demo")


def _input_chars(history: Sequence[Mapping[str, Json]], keep: int) -> tuple[int, int]:
    """Characters of all inputs, old observations shortened and not; at least 1."""
    now = gone = short = full = 0
    observations: list[int] = []
    for entry in history:
        if _is_reply(entry):
            short, full = short + now - gone, full + now
        elif entry.get("role") == "user" and not entry.get("is_demo"):
            observations.append(_chars(entry))
            if len(observations) > keep + 1:
                gone += max(0, observations[-keep - 1] - len(OLD_OUTPUT))
        now += _chars(entry)
    return max(short, 1), max(full, 1)


class Task:
    """Tells the task, the first user entry, from observations, which are user entries too, and from demonstrations."""

    def __init__(self) -> None:
        """No task yet."""
        self.seen: Mapping[str, Json] | None = None

    def __call__(self, entry: Mapping[str, Json]) -> Injected:
        """Why an entry is no person's; empty for the task and for other roles."""
        if entry.get("role") != "user":
            return ""
        if entry.get("is_demo"):
            return "meta"
        if self.seen is None:
            self.seen = entry
        return "" if self.seen is entry or self.seen.get("content") == entry.get("content") else "meta"


class Agent:
    """One agent's history while it is replayed."""

    def __init__(self, thread: ThreadDraft, keep: int | None, wording: str, model: str) -> None:
        """An agent without history; ``keep`` observations stay whole beside the first, None for all."""
        self.thread, self.keep, self.wording, self.model = thread, keep, wording, model
        self.task = Task()
        self.now: list[int] = []
        self.observations: list[int] = []
        """Places in ``now`` of user entries that are no demonstration."""
        self.done = 1
        """Observations before this one are shortened already, but for the first."""
        self.settled: list[tuple[int, int]] = []
        """Ranges of the places in ``now`` that no longer change."""
        self.settled_places = 0
        """How many those are."""

    def add(self, entry: Mapping[str, Json], message: Message) -> None:
        """The next entry: a call's reply, or something that the next call receives."""
        index = self.thread.add(message)
        if message.role == "assistant" and not entry.get("is_demo"):
            self._shorten()
            self.thread.calls.append(
                Call(
                    index=len(self.thread.calls),
                    context=self._context(),
                    reply=index,
                    known="reconstructed",
                    model=self.model,
                    source=message.source,
                )
            )
        elif message.role in ("user", "tool") and not entry.get("is_demo"):
            self.observations.append(len(self.now))
        self.now.append(index)

    def _context(self) -> Ranges:
        """What the next call receives; contexts share the ranges of what no longer changes."""
        changing = len(self.now) if self.keep is None or self.done >= len(self.observations) else self.observations[self.done]
        for start, stop in merge_ranges(self.now[self.settled_places : changing]):
            if self.settled and self.settled[-1][1] == start:
                self.settled[-1] = (self.settled[-1][0], stop)
            else:
                self.settled.append((start, stop))
        self.settled_places = changing
        rest = merge_ranges(self.now[changing:])
        if self.settled and rest and self.settled[-1][1] == rest[0][0]:
            return (*self.settled[:-1], (self.settled[-1][0], rest[0][1]), *rest[1:])
        return (*self.settled, *rest)

    def _shorten(self) -> None:
        """Old observations become one line each."""
        if self.keep is None:
            return
        stop = len(self.observations) - self.keep
        for number in range(self.done, stop):
            place = self.observations[number]
            old = self.thread.messages[self.now[place]]
            line = self.wording.format(lines=len(old.text.splitlines()))
            wire = {**old.wire[0], "content": line}
            self.now[place] = self.thread.add(replace(chat_message(wire, old.source, raw=old.raw), injected="meta", flags=("shortened",)))
        if stop > self.done:
            what = "1 old observation became" if stop - self.done == 1 else f"{stop - self.done} old observations became"
            self.thread.events.append(
                Event(kind="microcompaction", call=len(self.thread.calls), trigger="auto", source=old.source, note=f"{what} one line.")
            )
            self.done = stop


def wire_of(value: Json) -> Mapping[str, Json]:
    """A history entry as the message that is sent. Source: SWE-agent ``agent/models.py``."""
    entry = mapping(value)
    wire = {key: entry[key] for key in ("role", "content", "tool_calls", "thinking_blocks", "cache_control") if entry.get(key) not in (None, [])}
    wire.setdefault("content", entry.get("content"))
    ids = items(entry.get("tool_call_ids"))
    if entry.get("role") == "tool" and ids:
        wire["tool_call_id"] = ids[0]
    return wire
