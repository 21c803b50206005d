"""Recorded event streams put together to the answer that the client ended up with: Anthropic Messages, OpenAI Chat, OpenAI Responses, Gemini.

Source: the providers' streaming references; format notes 2.1 to 2.4.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ctxcore.model import Json
from ctxcore.readers.responses_marks import LAST_EVENTS
from ctxcore.readers.values import items, mapping, text

Event = Mapping[str, Json]

JOINED = ("content", "reasoning_content", "reasoning", "refusal")
"""Keys of a Chat delta whose pieces are one text."""

INPUT = "pieces of the input"
"""Key for the JSON text of a call's arguments until it is whole."""

BLOCK_TEXTS = {
    "text_delta": ("text", "text"),
    "thinking_delta": ("thinking", "thinking"),
    "signature_delta": ("signature", "signature"),
    "compaction_delta": ("content", "content"),
}
"""Kind of an Anthropic delta -> its key, and the key of the block that it goes on."""

END_OF_LINE = re.compile(r"\r\n|\n|\r")
"""What ends a line of a stream; nothing else does, though JSON text may hold other line separators."""

CONTENT_KEYS = ("candidates", "promptFeedback", "usageMetadata")
"""What a Gemini chunk holds."""


@dataclass(frozen=True, slots=True)
class Streamed:
    """The answer of a stream."""

    answer: Mapping[str, Json]
    """As it would stand in a response without streaming; empty where no rule knows the stream."""
    complete: bool
    """False where the stream was recorded without its end."""


def is_stream(body: str) -> bool:
    """True for the text of a stream of server-sent events."""
    return body.lstrip()[:6].startswith(("event:", "data:", "id:", ":"))


def stream_events(body: str) -> list[Json]:
    """The JSON payloads of a stream's text; what is no JSON is left out."""
    events: list[Json] = []
    waiting: list[str] = []
    for line in [*END_OF_LINE.split(body), ""]:
        if line.startswith("data:"):
            waiting.append(line[5:].removeprefix(" "))
        elif not line.strip() and waiting:
            events += _payload("\n".join(waiting))
            waiting = []
    return events


def _payload(data: str) -> list[Json]:
    try:
        return [json.loads(data)]
    except (ValueError, RecursionError):
        return []


def assembled(events: Iterable[Json]) -> Streamed:
    """The answer that these payloads make.

    Args:
        events: In the order they came; a provider's wrapping (``{event, data}``) is taken off by the caller.
    """
    chunks = [event for event in events if isinstance(event, dict)]
    for marks, build in BUILDERS:
        if any(marks(chunk) for chunk in chunks):
            return build(chunks)
    error = next((chunk for chunk in chunks if chunk.get("error")), {})
    return Streamed(error, complete=False)


def _is_responses(chunk: Event) -> bool:
    return text(chunk.get("type")).startswith("response.")


def _responses(chunks: Sequence[Event]) -> Streamed:
    """The response of the last event; its output from the finished items where the event itself leaves it out."""
    last = next((chunk for chunk in reversed(chunks) if chunk.get("type") in LAST_EVENTS), None)
    holder = last or next((chunk for chunk in reversed(chunks) if isinstance(chunk.get("response"), dict)), {})
    answer = dict(mapping(holder.get("response")))
    if not answer.get("output"):
        done = [chunk for chunk in chunks if chunk.get("type") == "response.output_item.done"]
        done.sort(key=lambda chunk: _number(chunk.get("output_index")))
        answer["output"] = [chunk["item"] for chunk in done if isinstance(chunk.get("item"), dict)]
    if last is None:
        answer["status"] = "incomplete"
    answer.setdefault("object", "response")
    return Streamed(answer, complete=last is not None)


def _number(value: Json) -> int:
    return value if isinstance(value, int) else 0


def _is_anthropic(chunk: Event) -> bool:
    return chunk.get("type") == "message_start"


@dataclass(slots=True)
class _Growing:
    """An object whose texts come in pieces."""

    value: dict[str, Any]
    pieces: dict[str, list[str]] = field(default_factory=dict)
    """Per key."""

    def put(self, key: str, piece: Json) -> None:
        """One piece of a text; a value of another kind takes its place."""
        if isinstance(piece, str):
            self.pieces.setdefault(key, []).append(piece)
        elif piece is not None:
            self.value[key] = piece

    def extend(self, key: str, values: Sequence[Json]) -> None:
        """More entries of a list."""
        if not isinstance(self.value.get(key), list):
            self.value[key] = []
        self.value[key].extend(values)

    def joined(self) -> dict[str, Any]:
        """The object, its texts whole."""
        return {**self.value, **{key: text(self.value.get(key)) + "".join(pieces) for key, pieces in self.pieces.items()}}


def _anthropic(chunks: Sequence[Event]) -> Streamed:
    """The message of the first event with its blocks filled and its last usage."""
    message: dict[str, Json] = {}
    blocks: dict[int, _Growing] = {}
    ended = False
    for chunk in chunks:
        match chunk.get("type"):
            case "message_start":
                message = dict(mapping(chunk.get("message")))
            case "content_block_start":
                blocks[_number(chunk.get("index"))] = _Growing(dict(mapping(chunk.get("content_block"))))
            case "content_block_delta":
                _add_to_block(blocks.setdefault(_number(chunk.get("index")), _Growing({"type": "text"})), mapping(chunk.get("delta")))
            case "message_delta":
                _end_message(message, chunk)
            case "message_stop":
                ended = True
    message["content"] = [_finished(blocks[index]) for index in sorted(blocks)]
    return Streamed(message, complete=ended or bool(message.get("stop_reason")))


def _add_to_block(block: _Growing, delta: Event) -> None:
    kind = text(delta.get("type"))
    if kind == "input_json_delta":
        block.put(INPUT, delta.get("partial_json"))
    elif kind == "citations_delta":
        block.extend("citations", [delta.get("citation")])
    elif kind in BLOCK_TEXTS:
        given, key = BLOCK_TEXTS[kind]
        block.put(key, delta.get(given))


def _finished(block: _Growing) -> dict[str, Json]:
    """The block with the pieces of its input as one object, or as the text they are."""
    made = block.joined()
    pieces = made.pop(INPUT, "")
    if pieces:
        try:
            made["input"] = json.loads(pieces)
        except (ValueError, RecursionError):
            made["input"] = pieces
    return made


def _end_message(message: dict[str, Json], chunk: Event) -> None:
    """What the provider says at the end: why it stopped, usage, edits of the context. A count of 0 does not replace an earlier one."""
    message.update({key: value for key, value in mapping(chunk.get("delta")).items() if value is not None})
    if isinstance(chunk.get("context_management"), dict):
        message["context_management"] = chunk["context_management"]
    usage = dict(mapping(message.get("usage")))
    usage.update({key: value for key, value in mapping(chunk.get("usage")).items() if value or not usage.get(key)})
    message["usage"] = usage


def _is_chat(chunk: Event) -> bool:
    return isinstance(chunk.get("choices"), list)


@dataclass(slots=True)
class _Choice:
    """One choice of a completion."""

    message: _Growing = field(default_factory=lambda: _Growing({"role": "assistant", "content": None}))
    calls: list[_Growing] = field(default_factory=list)
    function: _Growing | None = None
    reason: Json = None

    def add(self, choice: Event) -> None:
        """One chunk's part of it."""
        self.reason = choice.get("finish_reason") or self.reason
        for key, value in mapping(choice.get("delta")).items():
            if key in JOINED:
                self.message.put(key, value)
            elif key == "tool_calls":
                for piece in map(mapping, items(value)):
                    self._add_call(piece)
            elif key == "function_call" and isinstance(value, dict):
                self.function = self.function or _Growing({})
                _add_function(self.function, value)
            elif isinstance(value, list):
                self.message.extend(key, value)
            elif value is not None:
                self.message.value[key] = value

    def _add_call(self, piece: Event) -> None:
        """A piece of a call; id and name come with the first one, the index with all (some vendors leave it out)."""
        index = piece.get("index")
        if not isinstance(index, int):
            starts = bool(piece.get("id")) and all(call.value.get("id") != piece["id"] for call in self.calls)
            index = len(self.calls) if starts else len(self.calls) - 1
        if not 0 <= index < len(self.calls):
            self.calls.append(_Growing({"id": "", "type": "function"}))
            index = -1
        call = self.calls[index]
        call.value.update({key: piece[key] for key in ("id", "type") if piece.get(key)})
        _add_function(call, mapping(piece.get("function")))

    def made(self, index: int) -> dict[str, Json]:
        """As it would stand in a completion without streaming."""
        message = self.message.joined()
        if self.calls:
            message["tool_calls"] = [_call(call) for call in self.calls]
        if self.function:
            message["function_call"] = self.function.joined()
        return {"index": index, "message": message, "finish_reason": self.reason}


def _add_function(call: _Growing, piece: Event) -> None:
    for key in ("name", "arguments"):
        call.put(key, piece.get(key))


def _call(call: _Growing) -> dict[str, Json]:
    made = call.joined()
    return {"id": made["id"], "type": made["type"], "function": {"name": made.get("name", ""), "arguments": made.get("arguments", "")}}


def _chat(chunks: Sequence[Event]) -> Streamed:
    """A completion with every choice; usage from the last chunk that has it."""
    choices: dict[int, _Choice] = {}
    answer: dict[str, Json] = {"object": "chat.completion"}
    for chunk in chunks:
        answer.update({key: chunk[key] for key in ("id", "created", "model", "usage", "error") if chunk.get(key)})
        for choice in map(mapping, items(chunk.get("choices"))):
            choices.setdefault(_number(choice.get("index")), _Choice()).add(choice)
    answer["choices"] = [choices[index].made(index) for index in sorted(choices)]
    return Streamed(answer, complete=bool(choices) and all(choice.reason for choice in choices.values()))


def _is_gemini(chunk: Event) -> bool:
    return any(key in chunk for key in CONTENT_KEYS)


def _gemini(chunks: Sequence[Event]) -> Streamed:
    """One reply with the parts of all chunks; each chunk is a whole response, its usage counts from the start."""
    answer: dict[str, Json] = {}
    parts: list[Json] = []
    for chunk in chunks:
        candidate = mapping(next(iter(items(chunk.get("candidates"))), None))
        parts += items(mapping(candidate.get("content")).get("parts"))
        answer.update({key: value for key, value in chunk.items() if key != "candidates" and value})
        if candidate:
            answer["candidates"] = [{**candidate, "content": {"role": "model", "parts": parts}}]
    reasons = [mapping(candidate).get("finishReason") for candidate in items(answer.get("candidates"))]
    return Streamed(answer, complete=any(reasons) or "promptFeedback" in answer)


BUILDERS = ((_is_responses, _responses), (_is_anthropic, _anthropic), (_is_chat, _chat), (_is_gemini, _gemini))
"""Mark of an event -> how the answer is built."""
