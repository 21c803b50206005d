"""A thread told in order: what the context holds now, and every reply as one call on it. Agent logs of many formats are read with it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ctxcore.model import Call, Event, Known, Message, SourceRef, Usage
from ctxcore.readers.build import ThreadDraft
from ctxcore.units import Ranges, merge_ranges

DROP = 0.6
"""Input of less than this part of the call before, although the history grew, tells of a compaction that the log does not record."""

DROP_FROM_TOKENS = 10_000
"""Below this the parts of a request that differ for other reasons weigh too much."""


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

    Args:
        thread: Its calls have their contexts and usage.
        below: A cut is inferred where the input falls below this part of the one before although the history grew.
    """
    told = {event.call for event in thread.events if event.kind in ("compaction", "microcompaction", "rollback")}
    found = 0
    newest: Call | None = None
    for call in thread.calls:
        size = call.usage.input_tokens if call.usage else None
        if size is None:
            continue
        before = newest.usage.input_tokens if newest is not None and newest.usage else None
        grew = newest is not None and call.message_count >= newest.message_count and call.model == newest.model
        if before is not None and before >= DROP_FROM_TOKENS and size < below * before and grew and call.index not in told:
            note = f"Not recorded: the input fell from {before:,} to {size:,} tokens although the history grew; what went is unknown."
            event = Event(
                kind="compaction", call=call.index, before_tokens=before, after_tokens=size, at=call.at, source=call.source, note=note, inferred=True
            )
            thread.events.append(event)
            found += 1
        newest = call
    thread.events.sort(key=lambda event: event.call)
    return found
