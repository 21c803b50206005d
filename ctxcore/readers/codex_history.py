"""A Codex rollout replayed: what the history held when each call was made.

Response items extend the history, a compaction replaces it, a rollback cuts it. A call is the items of one reply; a token count whose total
changed closes it and holds its usage. The count stands after the reply's items and, in newer versions, after the results of its tools as well.
Source: format notes 2.2; openai/codex ``rollout_reconstruction.rs`` and ``compact.rs``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ctxcore.model import Call, Event, Json, Message, Part, SourceRef, Text
from ctxcore.readers.build import ThreadDraft
from ctxcore.readers.codex_marks import NO_SUMMARY, compaction_note, marked, opening
from ctxcore.readers.conversation import Conversation
from ctxcore.readers.document import Document, Record
from ctxcore.readers.places import numbers as places_of
from ctxcore.readers.recorded import RecordedList
from ctxcore.readers.responses_item import Item, is_reply, items_message, split_items
from ctxcore.readers.values import mapping, seconds, text, usage, whole
from ctxcore.units import Ranges

SIZES_OF = "Sizes before and after are Codex's own totals."
"""``last_token_usage.total_tokens`` of the counts before and after the compaction: what the context holds, a reply included."""

COUNTS = ("input_tokens", "cached_input_tokens", "output_tokens", "reasoning_output_tokens", "total_tokens")


@dataclass(slots=True)
class History:
    """The state of the replay after the lines read so far."""

    thread: ThreadDraft
    document: Document
    """Names the places."""
    model: str = ""
    """Of the newest turn context."""
    told: Conversation = field(init=False)
    """What the next request holds."""
    open_items: list[Item] = field(default_factory=list)
    """Items of the reply that is being read."""
    open_records: list[Record] = field(default_factory=list)
    """Their records."""
    uncounted: list[int] = field(default_factory=list)
    """Calls since the newest change of the total; none of them has its usage yet."""
    unanswered: int | None = None
    """A call that a token count announced before its reply was written."""
    total: Mapping[str, Json] | None = None
    """Newest cumulative usage."""
    context_tokens: int | None = None
    """Input and output of the newest counted call."""
    just_compacted: bool = False
    """No call since the newest compaction."""
    readable_counts: int = 0
    """Token counts with numbers."""
    unreadable_counts: int = 0
    """Token counts whose numbers were taken out."""

    def __post_init__(self) -> None:
        self.told = Conversation(self.thread)

    def add_item(self, item: Item, record: Record) -> None:
        """One response item."""
        if not is_reply(item):
            message = marked(items_message((item,), self.document.source(record), raw=self.document.raw(record), at=record_time(record)))
            if message.is_real_user:
                self.settle()
            self.close_reply()
            self.told.add(message)
            return
        self.open_items.append(item)
        self.open_records.append(record)

    def add_system(self, prompt: str, record: Record) -> None:
        """The recorded system prompt, in front of everything."""
        wire = {"role": "system", "content": prompt}
        source, at = self.document.source(record), record_time(record)
        self.told.add(Message(role="system", parts=(Text(text=prompt),), wire=(wire,), raw=record.value, source=source, at=at))

    def begin_turn(self, model: str) -> None:
        """The settings of the requests that follow."""
        self.close_reply()
        self.model = model or self.model

    def close_reply(self) -> None:
        """The reply is complete: what follows belongs to the next request."""
        if not self.open_items:
            return
        context, first = self.told.context, self.open_records[0]
        raws = [self.document.raw(record) for record in self.open_records]
        raw = RecordedList(raws) if len(raws) > 1 else raws[0]
        message = items_message(self.open_items, self.document.source(first), raw=raw, at=record_time(first))
        self._new_call(context, self.told.add(message), message.id or _call_id(self.open_items), message.source, message.at)
        self.open_items, self.open_records = [], []

    def _new_call(self, context: Ranges, reply: int | None, id: str, source: SourceRef, at: float | None) -> None:
        calls = self.thread.calls
        before = next((call.model for call in reversed(calls) if call.model), "")
        if self.model and before and self.model != before:
            note = f"From {before} to {self.model}."
            self.thread.events.append(Event(kind="model_changed", call=len(calls), at=at, source=source, note=note))
        self.uncounted.append(len(calls))
        calls.append(
            Call(
                index=len(calls),
                context=context,
                reply=reply,
                known="reconstructed",
                model=self.model,
                id=id,
                at=at,
                turn=self.thread.people,
                source=source,
            )
        )
        self.just_compacted = False

    def count_tokens(self, info: Mapping[str, Json], record: Record) -> None:
        """A token count: the end of a call where the total changed, else a repeat."""
        self.thread.window = whole(info.get("model_context_window")) or self.thread.window
        total, last = info.get("total_token_usage"), mapping(info.get("last_token_usage"))
        if total is None:
            return
        if not isinstance(total, dict):
            self.close_reply()
            self.unreadable_counts += 1
            return
        self.readable_counts += 1
        if total == self.total:
            self._repeat(last)
            return
        self.close_reply()
        self.unanswered = None
        if not self.uncounted:
            self.unanswered = len(self.thread.calls)
            self._new_call(self.told.context, None, "", self.document.source(record), record_time(record))
            self._set(-1, flags=("no_reply",))
        self._attach_usage(total, last)
        self.total, self.uncounted = total, []

    def _attach_usage(self, total: Mapping[str, Json], last: Mapping[str, Json]) -> None:
        """Usage for the newest call; what the total grew beyond it is that of the one call before it that had no count."""
        *missed, newest = self.uncounted
        self._set(newest, usage=usage(last, cache_in_input=True))
        self.context_tokens = whole(last.get("total_tokens"))
        if len(missed) != 1:
            return
        rest = {key: _number(total, key) - _number(self.total or {}, key) - _number(last, key) for key in COUNTS}
        if rest["total_tokens"] > 0 and min(rest.values()) >= 0:
            self._set(missed[0], usage=usage(rest, cache_in_input=True), flags=(*self.thread.calls[missed[0]].flags, "usage_from_totals"))

    def _repeat(self, last: Mapping[str, Json]) -> None:
        """The total did not change: no call ended; after a compaction the count tells the new size.

        A reply that stands open then was broken off: the next request has begun.
        """
        broken = bool(self.open_items) and self.unanswered is None
        self.settle()
        if broken:
            self._set(-1, flags=("failed",))
        newest = self.thread.events[-1] if self.just_compacted else None
        if newest is not None and newest.kind == "compaction" and newest.after_tokens is None:
            self.thread.events[-1] = replace(newest, after_tokens=whole(last.get("total_tokens")))

    def settle(self) -> None:
        """A reply that follows the count of its call belongs to that call."""
        self.close_reply()
        calls = self.thread.calls
        announced = self.unanswered
        self.unanswered = None
        if announced is None or self.uncounted != [announced + 1] or calls[announced].context != calls[-1].context:
            return
        late = calls.pop()
        self._set(announced, reply=late.reply, id=late.id, at=late.at, source=late.source, flags=())
        self.uncounted = []

    def record_usage(self, payload: Mapping[str, Json]) -> bool:
        """A usage record: it names the response of the newest call; True if it is that call's."""
        self.close_reply()
        found = usage(payload.get("usage"), cache_in_input=True)
        if found is None or not self.thread.calls:
            return False
        newest = self.thread.calls[-1]
        if newest.usage not in (None, found):
            return False
        self._set(-1, usage=found, id=text(payload.get("response_id")) or newest.id)
        self.uncounted = self.uncounted[:-1]
        return True

    def _set(self, call: int, **changes: Json) -> None:
        self.thread.calls[call] = replace(self.thread.calls[call], **changes)

    def abort(self) -> None:
        """The turn was interrupted: a call without a count did not end by itself."""
        self.close_reply()
        if self.uncounted and self.uncounted[-1] == len(self.thread.calls) - 1 and self.readable_counts:
            self._set(-1, flags=(*self.thread.calls[-1].flags, "aborted"))

    def roll_back(self, turns: int, record: Record) -> None:
        """The newest user turns are gone from the history; what stood before the first one stays."""
        self.settle()
        held = self.told.indexes()
        real = [place for place, index in enumerate(held) if self.thread.messages[index].is_real_user]
        if turns > 0 and real:
            self.told.restart(held[: real[max(0, len(real) - turns)]])
        note = f"{turns} user {'turn' if turns == 1 else 'turns'} taken back."
        source, at = self.document.source(record), record_time(record)
        self.thread.events.append(Event(kind="rollback", call=len(self.thread.calls), at=at, source=source, note=note))

    def compact(self, payload: Mapping[str, Json], record: Record) -> None:
        """The history is replaced by what the line holds, or rebuilt by Codex's own rule where it holds only a summary."""
        self.settle()
        summary = text(payload.get("message"))
        old = self.told.indexes()
        replacement = payload.get("replacement_history")
        items = [item for item in replacement if isinstance(item, dict)] if isinstance(replacement, list) else None
        head = [index for index in old[:1] if self.thread.messages[index].role == "system"]
        if items is None:
            head = [*opening(self.thread.messages, old), *(index for index in old if self.thread.messages[index].is_real_user)]
            items = [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": summary or NO_SUMMARY}]}]
        self.told.restart(head)
        source, at = self.document.source(record), record_time(record)
        self._replace_by(items, old, summary or NO_SUMMARY, source, at, places_of(replacement if isinstance(replacement, list) else ()))
        self._note_compaction(old, source, at)

    def _replace_by(
        self, items: Sequence[Item], old: Sequence[int], summary: str, source: SourceRef, at: float | None, numbers: Mapping[int, int]
    ) -> None:
        """Append the new history, each item with its number in the record; a message that the old one held is the same message."""
        known: dict[tuple[str, tuple[Part, ...]], list[int]] = defaultdict(list)
        for index in old:
            message = self.thread.messages[index]
            known[message.role, message.parts].append(index)
        for group in split_items(items):
            number = numbers.get(id(group[0]))
            place = "payload.message" if number is None else f"payload.replacement_history[{number}]"
            message = marked(items_message(group, replace(source, path=place), at=at), summary)
            same = known.get((message.role, message.parts))
            if same:
                self.told.keep(same.pop(0))
            else:
                self.told.add(message)

    def _note_compaction(self, old: Sequence[int], source: SourceRef, at: float | None) -> None:
        messages, now = self.thread.messages, self.told.indexes()
        summary = next((index for index in reversed(now) if messages[index].injected == "summary"), None)
        self.thread.events.append(
            Event(
                kind="compaction",
                call=len(self.thread.calls),
                before_tokens=self.context_tokens,
                summary=summary,
                at=at,
                source=source,
                note=f"{compaction_note(messages, old, now, summary)} {SIZES_OF}",
            )
        )
        self.just_compacted = True


def _number(counts: Mapping[str, Json], key: str) -> int:
    return whole(counts.get(key)) or 0


def record_time(record: Record) -> float | None:
    """When the line was written, Unix seconds."""
    return seconds(mapping(record.value).get("timestamp"))


def _call_id(items: Sequence[Item]) -> str:
    """The id of the first tool call: every copy of the reply keeps it."""
    return next((found for found in (text(item.get("call_id")) for item in items) if found), "")
