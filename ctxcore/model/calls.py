"""One model request and its reply, with the tokens that the provider counted."""

from __future__ import annotations

from dataclasses import dataclass

from ctxcore.frozen import quick_init
from ctxcore.model.places import NOWHERE, SourceRef
from ctxcore.model.words import Known


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens as the provider counted them, in the terms of OpenTelemetry GenAI; None is unknown."""

    input_tokens: int | None = None
    """All input, cached included."""
    output_tokens: int | None = None
    """All output, reasoning included."""
    cache_read_tokens: int | None = None
    """Part of the input that came from the cache."""
    cache_write_tokens: int | None = None
    """Part of the input that was written to the cache."""
    cache_write_1h_tokens: int | None = None
    """Part of what was written that is kept for an hour, at a price of its own."""
    reasoning_tokens: int | None = None
    """Part of the output that was reasoning."""


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One model request and its reply."""

    index: int
    """Position in its thread, from 0."""
    context: tuple[tuple[int, int], ...]
    """The request's messages: half-open ranges over the thread's messages, in request order."""
    reply: int | None = None
    """The thread message that answered, or None."""
    known: Known
    """How the context is known."""
    tools: int | None = None
    """Index into the thread's tool sets, or None where the log has none."""
    model: str = ""
    """As recorded; empty is unknown."""
    usage: Usage | None = None
    """As recorded and normalised, or None."""
    at: float | None = None
    """Unix seconds of the request, or of the reply where only that is known."""
    id: str = ""
    """The log's own id (response or message id), or empty."""
    turn: int = 0
    """Ordinal of the newest real user message in the context, from 1; 0 before any."""
    source: SourceRef = NOWHERE
    """Where it stands."""
    form_chars: int = 0
    """Characters that its recording of messages has beyond theirs in the thread, such as cache marks that moved on later."""
    flags: tuple[str, ...] = ()
    """Stable words: ``history_changed``, ``failed``, ``no_reply`` and so on."""

    @property
    def message_count(self) -> int:
        """Messages in the context."""
        return sum([stop - start for start, stop in self.context])

    def messages(self) -> tuple[int, ...]:
        """Indexes of the context's messages in the thread, request order."""
        return tuple(i for start, stop in self.context for i in range(start, stop))
