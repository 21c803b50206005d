"""All findings of a session as a list that a person can go through before anything leaves the machine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from ctxcore.model import Media, Message, Session, SourceRef, Text, ToolCall
from ctxcore.redaction.escapes import unescaped
from ctxcore.redaction.replacing import Redactor, plain, sample


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One value that may have to be hidden."""

    placeholder: str
    """What stands in its place, without brackets; its id in the list."""
    kind: str
    """What it looks like."""
    sample: str
    """Masked."""
    count: int
    """How often a rule named it, in texts that the session holds once."""
    place: str
    """Where it stands first, in words."""
    source: SourceRef
    """The same in the file; empty for what is in no line, such as the file's name."""
    sure: bool
    """Hidden unless somebody says otherwise."""


def findings(session: Session, redactor: Redactor | None = None) -> tuple[Finding, ...]:
    """Secrets and personal data in all texts of a session, in order of first sight.

    Args:
        session: As read.
        redactor: Learns every value; afterwards it replaces them the same way everywhere.
    """
    known = redactor if redactor is not None else Redactor()
    found: dict[str, Finding] = {}
    for place, source, texts in session_texts(session):
        text = "".join(texts)
        for span, name in known.learn_parts(texts):
            before = found.get(name)
            if before is not None:
                found[name] = replace(before, count=before.count + 1)
                continue
            value = unescaped(text[span.start : span.stop])
            rule = known.rules[name]
            found[name] = Finding(placeholder=name, kind=rule.kind, sample=sample(value, rule), count=1, place=place, source=source, sure=rule.sure)
    return tuple(found.values())


def session_texts(session: Session) -> Iterator[tuple[str, SourceRef, Sequence[str]]]:
    """Every text of a session once, with its place in words and in the file; several texts where a message has it in parts that follow each other."""
    yield "name of the file", SourceRef(), (session.name,)
    for thread in session.threads:
        yield f"title of thread {thread.id}", SourceRef(), (f"{thread.id}\n{thread.title}",)
        for number, message in enumerate(thread.messages):
            for texts in message_texts(message):
                yield f"message {number:,} ({message.role}) {message.source}".strip(), message.source, texts
        for number, tools in enumerate(thread.tool_sets):
            yield f"tool definitions {number}", SourceRef(), (plain(list(tools)),)
        for event in thread.events:
            yield f"event before call {event.call:,}", event.source, (event.note,)
        for entry in thread.journal:
            yield f"journal {entry.source}", entry.source, (plain(dict(entry.facts)),)
    for problem in session.problems:
        yield f"problem {problem.source}", problem.source, (f"{problem.what}\n{problem.excerpt}",)
    for note in session.notes:
        yield "note", SourceRef(), (note,)


def message_texts(message: Message) -> Iterator[Sequence[str]]:
    """Texts of a message part by part; neighbouring plain texts together, since a value may be split between them."""
    for plain_text, parts in groupby(message.parts, key=lambda part: isinstance(part, Text)):
        if plain_text:
            yield [part.text for part in parts if isinstance(part, Text)]
            continue
        for part in parts:
            match part:
                case ToolCall():
                    yield (f"{part.name}\n{part.arguments}",)
                case Media() | Text():
                    pass
                case _:
                    yield (part.text,)
