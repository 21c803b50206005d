"""A thread told in order: what the context holds now, and every reply as one call on it. Agent logs of many formats are read with it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from ctxcore.model import Call, Event, Known, Message, Reasoning, SourceRef, Usage
from ctxcore.readers.build import ThreadDraft
from ctxcore.units import Ranges, merge_ranges

DROP = 0.6
"""Input of less than this part of the call before, although the history grew, tells of a compaction that the log does not record."""

DROP_FROM_TOKENS = 10_000
"""Below this the parts of a request that differ for other reasons weigh too much."""

SHORT_TOKENS = 10_000
"""An input that lacks so many tokens of what the log makes it tells of a cut too, however large it is.

Measured: of 70 falls in recorded sessions of eight agents all but the cuts lack less than 7,000, which is reasoning of earlier turns that is not
sent again, or a file that the program attached for one turn.
"""

CHARS_A_TOKEN, FEWEST_CHARS_A_TOKEN = 8, 3
"""Of the messages that came in between, reckoned low; of reasoning that may have gone, reckoned high."""

CUTS = ("compaction", "microcompaction", "rollback")
"""Events after which the input may fall."""


@dataclass(slots=True)
class Conversation:
    """The state of a thread after the records read so far."""

    thread: ThreadDraft
    now: list[tuple[int, int]] = field(default_factory=list)
    """Ranges of thread messages that the next request holds, in order."""
    model: str = ""
    """Of the newest call that names one."""

    @property
    def context(self) -> Ranges:
        """The next request's messages as ranges."""
        return tuple(self.now)

    @property
    def length(self) -> int:
        """How many messages the next request holds."""
        return sum(stop - start for start, stop in self.now)

    def indexes(self) -> list[int]:
        """The next request's messages."""
        return [index for start, stop in self.now for index in range(start, stop)]

    def add(self, message: Message) -> int:
        """A message that the next request holds; its index in the thread."""
        index = self.thread.add(message)
        self.keep(index)
        return index

    def keep(self, index: int) -> None:
        """A message of the thread comes (back) into the context, behind all others."""
        if self.now and self.now[-1][1] == index:
            self.now[-1] = (self.now[-1][0], index + 1)
        else:
            self.now.append((index, index + 1))

    def restart(self, indexes: Iterable[int] = ()) -> None:
        """From here on the context holds only these messages, in this order."""
        self.now = list(merge_ranges(tuple(indexes)))

    def reply(
        self,
        message: Message | None,
        *,
        context: Ranges | None = None,
        model: str = "",
        usage: Usage | None = None,
        id: str = "",
        at: float | None = None,
        source: SourceRef | None = None,
        flags: Sequence[str] = (),
        known: Known = "reconstructed",
        tools: int | None = None,
        stays: bool = True,
    ) -> int:
        """One call on the present context (or the given one), and its reply; the call's index.

        Args:
            message: The reply; None where the log has none.
            context: Ranges, where the request held something else than what is there now.
            model: As recorded; empty is unknown.
            usage: Normalised.
            id: The log's own id.
            at: Of the call, where it is not that of the reply.
            source: Of the call, where it is not that of the reply.
            flags: Stable words.
            known: How the context is known.
            tools: Index of the tool set.
            stays: False where the reply is never sent again (a failed call).
        """
        sent = self.context if context is None else context
        answer = None if message is None else self.add(message) if stays else self.thread.add(message)
        calls = self.thread.calls
        place = source or (message.source if message else SourceRef())
        time = message.at if at is None and message else at
        self._note_model(model, time, place)
        calls.append(
            Call(
                index=len(calls),
                context=sent,
                reply=answer,
                known=known,
                tools=tools,
                model=model,
                usage=usage,
                at=time,
                id=id,
                turn=self.thread.people,
                source=place,
                flags=tuple(flags) if message is not None else (*flags, "no_reply"),
            )
        )
        return len(calls) - 1

    def _note_model(self, model: str, at: float | None, source: SourceRef) -> None:
        before, self.model = self.model, model or self.model
        if model and before and model != before:
            note = f"From {before} to {model}."
            self.thread.events.append(Event(kind="model_changed", call=len(self.thread.calls), at=at, source=source, note=note))

    def compact(
        self,
        summary: Message | None,
        kept: Sequence[int],
        *,
        trigger: str = "",
        before_tokens: int | None = None,
        after_tokens: int | None = None,
        at: float | None = None,
        source: SourceRef | None = None,
    ) -> None:
        """A recorded compaction: the summary (where there is one), then the kept messages, take the place of the history."""
        old = self.length
        place = source or (summary.source if summary else SourceRef())
        index = None if summary is None else self.thread.add(summary)
        self.restart([*(() if index is None else (index,)), *kept])
        note = f"{self.length} messages replace {old}; {'no summary is' if index is None else 'the summary is'} recorded."
        self.thread.events.append(
            Event(
                kind="compaction",
                call=len(self.thread.calls),
                trigger=trigger,
                before_tokens=before_tokens,
                after_tokens=after_tokens,
                summary=index,
                at=at if at is not None or summary is None else summary.at,
                source=place,
                note=note,
            )
        )


def infer_compactions(thread: ThreadDraft, below: float = DROP) -> int:
    """Add an event wherever only the recorded input tells that the history was cut; how many were added.

    A cut is inferred where the input falls below a part of the one before although the history grew, and where it lacks ``SHORT_TOKENS`` of what the
    one before and the messages since make, reckoned low. The calls from there to the next recorded compaction get the flag ``upper_bound``.

    Args:
        thread: Its calls have their contexts and usage.
        below: The part of the input before.
    """
    told = {event.call for event in thread.events if event.kind in CUTS}
    found = 0
    newest: Call | None = None
    thought = 0
    for call in thread.calls:
        size = call.usage.input_tokens if call.usage else None
        if size is None:
            thought += _reasoning(thread, call)
            continue
        before = newest.usage.input_tokens if newest is not None and newest.usage else None
        new = _added(thread, newest, call) if newest is not None else None
        if newest is not None and before is not None and before >= DROP_FROM_TOKENS and call.model == newest.model and call.index not in told:
            grew = call.message_count >= newest.message_count
            short = before + sum(map(_least_tokens, new)) - thought - size if new is not None else 0
            if (grew and size < below * before) or short >= SHORT_TOKENS:
                thread.events.append(_unrecorded(call, before, size, short))
                found += 1
        if new is None or any(message.is_real_user for message in new):
            thought = 0  # what was thought before a person's message need not be sent again
        thought += _reasoning(thread, call)
        newest = call
    thread.events.sort(key=lambda event: event.call)
    if found:
        _mark_doubtful(thread)
    return found


def _added(thread: ThreadDraft, before: Call, call: Call) -> list[Message] | None:
    """Messages that a call has behind those of the one before; None where it does not go on from them."""
    old, now = before.context, call.context
    if not old or len(now) < len(old) or now[: len(old) - 1] != old[:-1]:
        return None
    (start, stop), (other, end) = old[-1], now[len(old) - 1]
    if other != start or end < stop:
        return None
    places = [*range(stop, end), *(place for low, high in now[len(old) :] for place in range(low, high))]
    return [thread.messages[place] for place in places]


def _least_tokens(message: Message) -> int:
    """Reckoned low: reasoning is left out, for it need not be sent again."""
    return (len(message.text) + sum(len(call.arguments) for call in message.calls)) // CHARS_A_TOKEN


def _reasoning(thread: ThreadDraft, call: Call) -> int:
    """Tokens of a reply's reasoning, as recorded, else reckoned high from its text."""
    if call.usage is not None and call.usage.reasoning_tokens is not None:
        return call.usage.reasoning_tokens
    parts = () if call.reply is None else thread.messages[call.reply].parts
    return sum(len(part.text) for part in parts if isinstance(part, Reasoning)) // FEWEST_CHARS_A_TOKEN


def _unrecorded(call: Call, before: int, size: int, short: int) -> Event:
    fell = f"the input fell from {before:,} to {size:,} tokens although the history grew"
    lacks = f"the input went from {before:,} to {size:,} tokens, at least {short:,} less than the messages since would make it"
    note = f"Not recorded: {fell if size < before else lacks}; what went is unknown."
    return Event(
        kind="compaction", call=call.index, before_tokens=before, after_tokens=size, at=call.at, source=call.source, note=note, inferred=True
    )


def _mark_doubtful(thread: ThreadDraft) -> None:
    """Flag the calls whose rebuilt context may hold what was not sent: from an inferred cut up to the next recorded one."""
    cuts = {event.call: event.inferred for event in thread.events if event.kind in CUTS}
    doubtful = False
    for place, call in enumerate(thread.calls):
        doubtful = cuts.get(call.index, doubtful)
        if doubtful and call.known == "reconstructed" and "upper_bound" not in call.flags:
            thread.calls[place] = replace(call, flags=(*call.flags, "upper_bound"))
