"""What one sample of an Inspect log holds, whether it is one file or many: events, the pool of messages, and attachments in place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ctxcore.model import Json, SourceRef
from ctxcore.readers.document import Document, Record
from ctxcore.readers.values import items, mapping, text

ATTACHMENT = "attachment://"
"""Stands for a long text that is kept once. Source: inspect_ai ``log/_condense.py``."""

NESTED = 20
"""Levels of events in events."""


@dataclass(slots=True)
class Parts:
    """A sample."""

    document: Document
    """Its file."""
    record: Record
    path: str
    """Its place in the file's value."""
    sample: Mapping[str, Json]
    evaluation: Mapping[str, Json]
    """What the log says about the whole run."""
    chunked_events: list[tuple[Json, SourceRef]] = field(default_factory=list)
    pool: list[Json] = field(default_factory=list)
    """Messages that events refer to by number."""
    attachments: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Take over what the sample itself holds."""
        data = mapping(self.sample.get("events_data"))
        self.pool += items(data.get("messages")) or items(self.sample.get("message_pool"))
        transcript = mapping(self.sample.get("transcript"))
        for held in (self.sample.get("attachments"), transcript.get("content"), data.get("attachments")):
            self.attachments.update({key: value for key, value in mapping(held).items() if isinstance(value, str)})

    def add_chunk(self, kind: str, start: int, document: Document, record: Record) -> None:
        """A part of the sample in a file of its own; chunks of one kind come in order of their numbers."""
        entries = items(record.value)
        if kind == "events":
            self.chunked_events += [(entry, document.source(record, f"[{number}]")) for number, entry in enumerate(entries)]
        elif kind == "messages":
            self.pool += [None] * (start - len(self.pool))
            self.pool[start : start + len(entries)] = entries
        elif kind == "attachments":
            named = mapping(record.value).items() if isinstance(record.value, dict) else ((str(start + n), entry) for n, entry in enumerate(entries))
            self.attachments.update({key: value for key, value in named if isinstance(value, str)})

    def source(self, path: str) -> SourceRef:
        """A place in the sample."""
        return self.document.source(self.record, self.path + path)

    def events(self) -> Iterator[tuple[Mapping[str, Json], SourceRef, tuple[str, ...]]]:
        """Every event with its place and the names of the events around it (tools and subtasks of old logs hold their own)."""
        listed = items(self.sample.get("events")) or items(mapping(self.sample.get("transcript")).get("events"))
        yield from _flat([(event, self.source(f"events[{number}]")) for number, event in enumerate(listed)] + self.chunked_events, ())

    def referred(self, references: Json, pool: Sequence[Json]) -> list[Json]:
        """The entries of a pool that half-open ranges name; a number alone names one."""
        found: list[Json] = []
        for reference in items(references):
            if isinstance(reference, int):
                found += pool[reference : reference + 1]
            elif isinstance(reference, list) and len(reference) == 2 and all(isinstance(n, int) and n >= 0 for n in reference):
                found += pool[reference[0] : reference[1]]
        return [entry for entry in found if isinstance(entry, dict)]

    def input(self, event: Mapping[str, Json]) -> list[Json]:
        """The messages that a model event sent."""
        given = [entry for entry in items(event.get("input")) if isinstance(entry, dict)]
        return given or self.referred(event.get("input_refs"), self.pool)

    def messages(self) -> list[Json]:
        """The sample's own list of messages."""
        given = [entry for entry in items(self.sample.get("messages")) if isinstance(entry, dict)]
        return given or self.referred(self.sample.get("message_refs"), self.pool)

    def whole(self, value: Json, depth: int = NESTED) -> Json:
        """A value with its attachments in place."""
        if isinstance(value, str):
            return self.attachments.get(value[len(ATTACHMENT) :], value) if value.startswith(ATTACHMENT) else value
        if isinstance(value, list) and depth:
            return [self.whole(entry, depth - 1) for entry in value]
        if isinstance(value, dict) and depth:
            return {key: self.whole(entry, depth - 1) for key, entry in value.items()}
        return value


def _flat(events: Sequence[tuple[Json, SourceRef]], around: tuple[str, ...]) -> Iterator[tuple[Mapping[str, Json], SourceRef, tuple[str, ...]]]:
    for event, source in events:
        if not isinstance(event, dict):
            continue
        yield event, source, around
        inner = items(event.get("events"))
        if inner and len(around) < NESTED:
            name = text(event.get("function")) or text(event.get("name")) or text(event.get("event"))
            places = [(entry, SourceRef(file=source.file, line=source.line, path=f"{source.path}.events[{n}]")) for n, entry in enumerate(inner)]
            yield from _flat(places, (*around, name))
