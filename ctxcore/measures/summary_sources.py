"""Where the values of a recorded summary come from: the exact places of the originals that hold them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ctxcore.compaction.classify import classify
from ctxcore.compaction.sentences import sentence_spans
from ctxcore.compaction.source_text import passages, source_text
from ctxcore.compaction.terms import NO_TERMS
from ctxcore.compaction.values import Place, Span
from ctxcore.measures.compactions import RecordedCompaction
from ctxcore.model import Message, Thread

VALUES, SENTENCES, SHORTEST = 4, 300, 3
"""Values looked for per sentence, longest first; sentences of a summary; characters of a value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Traced:
    """One span of a recorded summary."""

    span: Span
    """Classified; its place is in the summary."""
    sources: tuple[Place, ...]
    """First place of each of its values in the originals; the sentence itself first where it stands there; empty where nothing of it does."""


def traced(thread: Thread, recorded: RecordedCompaction) -> tuple[Traced, ...]:
    """The sentences of a recorded summary with the places that they come from.

    Args:
        thread: Of the session.
        recorded: One of its compactions.
    """
    if recorded.summary is None:
        return ()
    originals = _Originals(thread.messages, recorded.replaced)
    spans = [span for span in classify(passages(thread.messages, [recorded.summary])) if span.kind != "transient"]
    said = [sentence for span in spans for sentence in _sentences(span)]
    return tuple(Traced(span=span, sources=originals.places(span.text)) for span in said[:SENTENCES])


def _sentences(span: Span) -> list[Span]:
    """A trace as its sentences; any other span is one."""
    if span.kind != "trace":
        return [span]
    message, first, _ = span.place
    return [replace(span, text=span.text[a:b], place=Place(message, first + a, first + b)) for a, b in sentence_spans(span.text)]


class _Originals:
    """Source texts of messages, as one."""

    def __init__(self, messages: Sequence[Message], which: Sequence[int]) -> None:
        self.starts: list[tuple[int, int]] = []
        texts, at = [], 0
        for index in which:
            self.starts.append((at, index))
            texts.append(source_text(messages[index]))
            at += len(texts[-1]) + 1
        self.text = "\n".join(texts)
        self.known: dict[str, Place | None] = {}

    def places(self, sentence: str) -> tuple[Place, ...]:
        """Of the sentence, else of its values."""
        whole = self._place(sentence)
        if whole is not None:
            return (whole,)
        values = sorted((value for value in NO_TERMS.of(sentence) if len(value) >= SHORTEST), key=len, reverse=True)[:VALUES]
        return tuple(dict.fromkeys(place for value in values if (place := self._place(value)) is not None))

    def _place(self, words: str) -> Place | None:
        if words not in self.known:
            at = self.text.find(words)
            self.known[words] = None if at < 0 else self._of(at, len(words))
        return self.known[words]

    def _of(self, at: int, length: int) -> Place:
        start, index = next(one for one in reversed(self.starts) if one[0] <= at)
        return Place(index, at - start, at - start + length)
