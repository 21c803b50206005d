"""``ui_messages.json`` of Cline and Roo Code: one entry for each call, and what the screen showed of it.

Source: format notes 2.5: the text of ``api_req_started`` is JSON with the request's newest message and the counts of tokens; whether these include
the cache depends on the protocol.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ctxcore.model import Json, Usage
from ctxcore.readers.values import mapping, object_in, seconds, text, whole

SHOWN = {"text": "text", "reasoning": "reasoning", "completion_result": "text"}
"""What is shown of a reply -> kind of part."""

TOOL_WORDS = frozenset({"tool", "command", "use_mcp_server", "browser_action_launch", "browser_action"})


@dataclass(slots=True)
class ScreenCall:
    """One call as the screen tells of it."""

    number: int
    """Position in the list."""
    raw: Mapping[str, Json]
    at: float | None
    request: str
    """The newest message of the request, as text."""
    usage: Usage | None
    model: str
    flags: tuple[str, ...]
    history_index: int | None
    """Messages of the history before the newest one, less one; None where it is not told."""
    deleted: tuple[int, int] | None
    """First and last message of the history that were left out, or None."""
    shown: list[tuple[str, str]] = field(default_factory=list)
    """Kind of part and text, of its reply."""
    progress: list[str] = field(default_factory=list)
    """Check lists that the screen showed while it ran."""


@dataclass(slots=True)
class Condensation:
    """A condensing as the screen tells of it."""

    at: float | None
    before_tokens: int | None
    after_tokens: int | None
    call: int
    """Number of the call (of ``screen_calls``) that it was done for."""
    summary: str
    """Of the history."""


def is_screen(value: Json) -> bool:
    """True for a list of entries with a time and a word of saying or asking."""
    entries = [mapping(entry) for entry in value[:20]] if isinstance(value, list) else []
    return bool(entries) and all(isinstance(e.get("ts"), int) and e.get("type") in ("say", "ask") and ("say" in e or "ask" in e) for e in entries)


def screen_calls(entries: Sequence[Json]) -> tuple[list[ScreenCall], list[Condensation]]:
    """Calls and condensings, in order."""
    calls: list[ScreenCall] = []
    condensed: list[Condensation] = []
    for number, entry in _entries(entries):
        word = text(entry.get("say")) or text(entry.get("ask"))
        if entry.get("say") == "api_req_started":
            calls.append(_call(number, entry))
        elif word == "condense_context" and isinstance(entry.get("contextCondense"), dict):
            told = entry["contextCondense"]
            before, after = whole(told.get("prevContextTokens")), whole(told.get("newContextTokens"))
            condensed.append(Condensation(seconds(entry.get("ts")), before, after, max(0, len(calls) - 1), text(told.get("summary"))))
        elif calls:
            _show(calls[-1], word, text(entry.get("text")))
            if word == "task_progress":
                calls[-1].progress.append(text(entry.get("text")))
    return calls, condensed


def _show(call: ScreenCall, word: str, words: str) -> None:
    """A piece of the reply; what is shown again while a person is asked counts once."""
    kind = SHOWN.get(word) or ("tool" if word in TOOL_WORDS else "")
    if kind and words and (kind, words) not in call.shown:
        call.shown.append((kind, words))


def _entries(entries: Sequence[Json]) -> Iterator[tuple[int, Mapping[str, Json]]]:
    for number, entry in enumerate(entries):
        if isinstance(entry, dict):
            yield number, entry


def _call(number: int, entry: Mapping[str, Json]) -> ScreenCall:
    told = object_in(text(entry.get("text")))
    deleted = entry.get("conversationHistoryDeletedRange")
    index = entry.get("conversationHistoryIndex")
    failed = told.get("cancelReason")
    return ScreenCall(
        number=number,
        raw=entry,
        at=seconds(entry.get("ts")),
        request=text(told.get("request")),
        usage=screen_usage(told),
        model=text(mapping(entry.get("modelInfo")).get("modelId")),
        flags=() if not failed else ("aborted" if failed == "user_cancelled" else "failed",),
        history_index=index if isinstance(index, int) else None,
        deleted=(deleted[0], deleted[1]) if isinstance(deleted, list) and len(deleted) == 2 and all(isinstance(n, int) for n in deleted) else None,
    )


def screen_usage(told: Mapping[str, Json]) -> Usage | None:
    """Normalised counts; all zeros (a local model, a failed call) are unknown. OpenAI's protocol has the cache in the input, others beside it."""
    fresh, output, read, write = (whole(told.get(key)) for key in ("tokensIn", "tokensOut", "cacheReads", "cacheWrites"))
    if not any((fresh, output, read, write)):
        return None
    beside = 0 if told.get("apiProtocol") == "openai" else (read or 0) + (write or 0)
    total = None if fresh is None else fresh + beside
    return Usage(input_tokens=total, output_tokens=output, cache_read_tokens=read, cache_write_tokens=write)
