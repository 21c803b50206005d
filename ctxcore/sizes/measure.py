"""Size columns of a list of messages, in characters, tokens or a counter's own unit."""

from __future__ import annotations

import json
from array import array
from collections import Counter as Tally
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol, runtime_checkable

import numpy as np

from ctxcore.columns import CATEGORIES, NOTICE_DIGITS, IntArray, Sizes, read_only
from ctxcore.errors import InputError, did_you_mean, shown
from ctxcore.model import Basis, Json, Media, Message, Part, Reasoning, Text, Thread, ToolCall, ToolResult
from ctxcore.sizes.characters import EMPTY_REQUEST_CHARS, json_chars, notice_message, text_chars
from ctxcore.sizes.media import media_tokens
from ctxcore.sizes.tokens import TokenCounter, token_counter

COLUMN = {name: number for number, name in enumerate(CATEGORIES)}


@runtime_checkable
class Counter(Protocol):
    """A size of one's own: any object with these methods serves as ``unit``.

    ``tools_size(tools) -> int`` is optional; without it tool definitions count 0. Nothing is added per message.
    """

    def size(self, message: Mapping[str, Any]) -> int:
        """Size of one message as it stands in a request."""
        ...


PART_CATEGORY = {"tool_call": "tool_calls", "tool_result": "tool_results", "media": "media", "reasoning": "reasoning"}
"""Categories of the parts that have one whatever their message's role."""

ROLE_CATEGORY = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant_text",
    "tool": "tool_results",
    "function": "tool_results",
}
"""Categories of all other parts; a role that is not here is ``other``."""


def category(message: Message, part: Part) -> str:
    """The category that a part of a message belongs to."""
    return PART_CATEGORY.get(part.kind) or role_category(message)


def role_category(message: Message) -> str:
    """The category of a message's own text."""
    if message.injected == "summary":
        return "summary"
    return ROLE_CATEGORY.get(message.role, "other")


def home_category(message: Message) -> str:
    """The category that takes a message's ids, names and brackets."""
    kinds = {part.kind for part in message.parts}
    if "tool_call" in kinds:
        return "tool_calls"
    if "tool_result" in kinds:
        return "tool_results"
    if kinds == {"reasoning"}:
        return "reasoning"
    return role_category(message)


def _part_chars(part: Part, known: dict[int, int]) -> int:
    """Characters of a part's own payload in canonical JSON; a text that was measured is noted."""
    match part:
        case Text(text=text) | Reasoning(text=text):
            known[id(text)] = chars = text_chars(text)
            return chars
        case Media(payload_chars=chars):
            return chars
        case ToolResult(media=media):
            return sum(m.payload_chars for m in media)
        case _:
            return 0


def _char_cells(message: Message) -> list[tuple[int, int]]:
    """Columns of the parts table with what is added to each; together they are the message's size."""
    home, own = home_category(message), role_category(message)
    known: dict[int, int] = {}
    apart: list[tuple[int, int]] = []
    for part in message.parts:
        name = "media" if isinstance(part, ToolResult) and part.media else PART_CATEGORY.get(part.kind, own)
        if name != home:
            apart.append((COLUMN[name], _part_chars(part, known)))
    rest = wire_chars(message.wire, known)
    if not apart:
        return [(COLUMN[home], rest)]
    cells: list[tuple[int, int]] = []
    for column, chars in apart:
        cells.append((column, min(chars, rest)))
        rest -= min(chars, rest)
    return [*cells, (COLUMN[home], rest)]


def wire_chars(wire: Sequence[Mapping[str, Json]], known: Mapping[int, int] | None = None) -> int:
    """Characters of a message's objects and the commas between them."""
    if len(wire) == 1:
        return json_chars(wire[0], known)
    return sum([json_chars(item, known) for item in wire]) + max(0, len(wire) - 1)


def char_sizes(messages: Sequence[Message], tool_sets: Sequence[Sequence[Json]], beyond: Sequence[int] = ()) -> Sizes:
    """Characters of canonical JSON.

    Args:
        messages: Of the thread.
        tool_sets: Of the session.
        beyond: ``Call.form_chars`` of each call.
    """
    parts = np.zeros((len(messages), len(CATEGORIES)), dtype=np.int32)
    places, sizes = array("q"), array("q")
    for row, message in enumerate(messages):
        for column, size in _char_cells(message):
            places.append(row * len(CATEGORIES) + column)
            sizes.append(size)
    np.add.at(parts.reshape(-1), np.asarray(places), np.asarray(sizes, dtype=np.int32))
    made = _sizes(
        unit="chars",
        parts=parts,
        tools=[json_chars(list(tools)) - len("[]") for tools in tool_sets],
        frame=EMPTY_REQUEST_CHARS,
        separator=1,
        notice=lambda count: json_chars(notice_message(count)) + 1,
        basis="exact",
        counter="canonical JSON characters",
    )
    return replace(made, calls=read_only(np.asarray(beyond, np.int64))) if any(beyond) else made


def token_sizes(messages: Sequence[Message], tool_sets: Sequence[Sequence[Json]], counter: TokenCounter, models: Iterable[str] = ()) -> Sizes:
    """Tokens of the text in each message: text, reasoning, tool names, arguments and results; no framing is added.

    Args:
        messages: Of the thread.
        tool_sets: Of the session; their canonical JSON is counted.
        counter: A model's tokenizer.
        models: That the messages were sent to, as recorded.
    """
    rough = frozenset(model for model in models if not counter.is_own_of(model))
    texts: list[str] = []
    places: list[tuple[int, int]] = []
    parts = np.zeros((len(messages), len(CATEGORIES)), dtype=np.int32)
    for number, message in enumerate(messages):
        for part in message.parts:
            place = (number, COLUMN[category(message, part)])
            match part:
                case ToolCall(name=name, arguments=arguments):
                    texts += [name, arguments]
                    places += [place, place]
                case Media():
                    parts[number, COLUMN["media"]] += media_tokens(part, counter.model)
                case ToolResult(text=text, media=media):
                    texts.append(text)
                    places.append(place)
                    parts[number, COLUMN["media"]] += sum(media_tokens(m, counter.model) for m in media)
                case _:
                    texts.append(part.text)
                    places.append(place)
    for (number, column), count in zip(places, counter.count_many(texts), strict=True):
        parts[number, column] += count
    return _sizes(
        unit="tokens",
        parts=parts,
        tools=counter.count_many([_tool_text(tools) for tools in tool_sets]),
        frame=0,
        separator=0,
        notice=lambda count: counter.count(notice_message(count)["content"]),
        basis=counter.basis,
        counter=f"{counter.name}, estimate for {_listed(rough)}" if rough and counter.basis == "exact" else counter.name,
        rough_models=rough,
    )


def _listed(models: Iterable[str]) -> str:
    first, *others = sorted(models)
    return f"{first} and {len(others):,} other models" if len(others) > 1 else " and ".join((first, *others))


def _tool_text(tools: Sequence[Json]) -> str:
    """Tool definitions as compact JSON; nothing for an empty list."""
    return json.dumps(list(tools), ensure_ascii=False, separators=(",", ":")) if tools else ""


def counter_sizes(messages: Sequence[Message], tool_sets: Sequence[Sequence[Json]], counter: Counter) -> Sizes:
    """Sizes by a counter of one's own.

    Args:
        messages: Of the thread; the counter gets each as it stands in the request.
        tool_sets: Of the session.
        counter: See ``Counter``.
    """
    parts = np.zeros((len(messages), len(CATEGORIES)), dtype=np.int32)
    for number, message in enumerate(messages):
        parts[number, COLUMN[home_category(message)]] = sum(counter.size(item) for item in message.wire)
    measure_tools: Callable[[Sequence[Json]], int] = getattr(counter, "tools_size", lambda _tools: 0)
    return _sizes(
        unit=getattr(counter, "unit", type(counter).__name__),
        parts=parts,
        tools=[measure_tools(list(tools)) for tools in tool_sets],
        frame=0,
        separator=0,
        notice=lambda count: counter.size(notice_message(count)),
        basis="exact",
        counter=type(counter).__name__,
    )


def notice_sizes(notice: Callable[[int], int]) -> IntArray:
    """Sizes of the omission notice by the number of digits of its count, from the size for one count."""
    return read_only(np.asarray([0, *(notice(10**digits) for digits in range(NOTICE_DIGITS))], dtype=np.int64))


def _sizes(
    *,
    unit: str,
    parts: np.ndarray[tuple[int, int], np.dtype[np.int32]],
    tools: Sequence[int],
    frame: int,
    separator: int,
    notice: Callable[[int], int],
    basis: Basis,
    counter: str,
    rough_models: frozenset[str] = frozenset(),
) -> Sizes:
    return Sizes(
        unit=unit,
        message=read_only(parts.sum(axis=1, dtype=np.int64)),
        parts=read_only(parts),
        tools=read_only(np.asarray([*tools, 0], dtype=np.int64)),
        frame=frame,
        separator=separator,
        notice=notice_sizes(notice),
        basis=basis,
        counter=counter,
        rough_models=rough_models,
    )


Unit = str | Counter
"""``chars``, ``tokens`` or a counter of one's own."""


def thread_sizes(thread: Thread, unit: Unit = "chars") -> Sizes:
    """Sizes of a thread's messages and tools; token sizes are made once per thread.

    Args:
        thread: Of a session.
        unit: ``chars``, ``tokens`` or a counter.

    Raises:
        InputError: Another word, or an object without ``size``.
    """
    if not isinstance(unit, (str, Counter)):
        raise InputError(f"No unit {shown(unit)}. Use chars, tokens or an object with size(message).")
    if not isinstance(unit, str):
        return counter_sizes(thread.messages, thread.tool_sets, unit)
    if unit == "chars":
        return thread.chars
    if unit != "tokens":
        raise InputError(f"No unit {shown(unit)}. Use chars or tokens.{did_you_mean(unit, ('chars', 'tokens'))}")
    return thread.once("tokens", lambda: token_sizes(thread.messages, thread.tool_sets, thread_counter(thread), _models(thread)))


def thread_counter(thread: Thread) -> TokenCounter:
    """The tokenizer of the model that answered most calls of the thread."""
    return thread.once("counter", lambda: token_counter(_usual_model(thread)))


def _models(thread: Thread) -> set[str]:
    return {call.model for call in thread.calls}


def _usual_model(thread: Thread) -> str:
    """Empty where no call names one."""
    models = Tally(call.model for call in thread.calls if call.model)
    return models.most_common(1)[0][0] if models else ""


def media_size(media: Media, thread: Thread, unit: str) -> int:
    """Size of an image, document or sound in ``chars`` or ``tokens``."""
    return media.payload_chars if unit == "chars" else media_tokens(media, thread_counter(thread).model)
