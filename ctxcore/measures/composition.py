"""What one request is made of, down to a field of an argument: a tree whose every node is the sum of its children.

Names are those of the recording, as recorded: whoever shows them cuts and escapes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

from ctxcore.columns import Category
from ctxcore.measures.proportion import whole_parts
from ctxcore.model import Json, Media, Message, Part, Text, Thread, ToolCall, ToolResult
from ctxcore.replay import DROPPED, EDITED, KEPT, PINNED, Replay
from ctxcore.sizes.characters import json_chars, text_chars
from ctxcore.sizes.measure import category, home_category, media_size, thread_counter
from ctxcore.units import PINNED_ROLES

Kind = Literal["request", "group", "tool", "turn", "message", "part", "field", "rest"]
"""What a node is; ``rest`` is what a node has beyond its named children: brackets, ids, spaces."""

SENT = {KEPT, PINNED}
"""States of what goes out as it was."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One node of the tree."""

    name: str
    """As recorded, or what it is in our own words."""
    kind: Kind
    """What it is."""
    size: int
    """In the unit of the replay; the sizes of its children, where it has any, sum to it."""
    parent: int
    """Place of the node it belongs to; -1 for the request."""
    category: Category | Literal[""]
    """What it is made of; empty where that differs."""
    message: int = -1
    """Index in the thread, or -1."""
    position: int = -1
    """Of the message in the request, or -1."""
    state: int = KEPT
    """``KEPT``, ``PINNED``, ``DROPPED`` or ``EDITED`` as the message it belongs to; of what holds several kinds, ``EDITED``."""
    estimated: bool = False
    """True where a part is known by its share only: its form on the wire is not that of its text, or tokens run across its ends."""


def composition(replay: Replay, call: int) -> tuple[Piece, ...]:
    """The tree of a request as recorded, each node before its children; the first is the request, its size is ``Replay.before``.

    Args:
        replay: In characters or tokens; with a counter of one's own the tree ends at the messages.
        call: Index in the thread, from 0.

    Raises:
        IndexError: No such call.
    """
    one = replay.thread.calls[call]
    pieces = replay.thread.once(f"composition:{replay.unit}", lambda: _tree(replay, call), of=one)
    return _with_states(pieces, replay.message_status(call).tolist())


def _tree(replay: Replay, call: int) -> tuple[Piece, ...]:
    """What no budget changes."""
    made = _Tree(replay, call)
    made.system()
    made.tools()
    made.turns()
    made.frame()
    return tuple(made.pieces)


class _Measure(Protocol):
    """Sizes of what a message holds."""

    def part(self, part: Part, *, quoted: bool) -> int: ...

    def fields(self, fields: Sequence[str], *, quoted: bool) -> list[int]: ...

    def tools(self, tools: Sequence[Json]) -> list[int]: ...


class _Chars:
    """Characters, each as it stands in canonical JSON."""

    def part(self, part: Part, *, quoted: bool) -> int:
        match part:
            case ToolCall(name=name, arguments=arguments):
                return text_chars(name) + (text_chars(arguments) if quoted else len(arguments))
            case Media(payload_chars=chars):
                return chars
            case ToolResult(text=text, media=media):
                return text_chars(text) + sum(one.payload_chars for one in media)
            case _:
                return text_chars(part.text)

    def fields(self, fields: Sequence[str], *, quoted: bool) -> list[int]:
        return [text_chars(field) - len('""') if quoted else len(field) for field in fields]

    def tools(self, tools: Sequence[Json]) -> list[int]:
        return [json_chars(tool) for tool in tools]


class _Tokens:
    """Tokens of the texts."""

    def __init__(self, thread: Thread) -> None:
        self._thread = thread
        self._count = thread_counter(thread).count_many

    def part(self, part: Part, *, quoted: bool) -> int:  # noqa: ARG002 - tokens are of the text itself
        match part:
            case ToolCall(name=name, arguments=arguments):
                return sum(self._count([name, arguments]))
            case Media():
                return media_size(part, self._thread, "tokens")
            case ToolResult(text=text, media=media):
                return sum(self._count([text])) + sum(media_size(one, self._thread, "tokens") for one in media)
            case _:
                return sum(self._count([part.text]))

    def fields(self, fields: Sequence[str], *, quoted: bool) -> list[int]:  # noqa: ARG002 - as above
        return list(self._count(list(fields)))

    def tools(self, tools: Sequence[Json]) -> list[int]:
        return list(self._count([_compact(tool) for tool in tools]))


def _measure(replay: Replay) -> _Measure | None:
    if replay.sizes is replay.thread.chars:
        return _Chars()
    return _Tokens(replay.thread) if replay.unit == "tokens" else None


class _Tree:
    """The nodes, as they are put together."""

    def __init__(self, replay: Replay, call: int) -> None:
        one = replay.thread.calls[call]
        self.thread, self.sizes, self.one = replay.thread, replay.sizes, one
        self.measure = _measure(replay)
        self.held = one.messages()
        self.asked: dict[str, str] = {}
        self.pieces: list[Piece] = [Piece(name="Request", kind="request", size=int(replay.before[call]), parent=-1, category="")]

    def add(self, piece: Piece) -> int:
        self.pieces.append(piece)
        return len(self.pieces) - 1

    def shared(self, parent: int, named: Sequence[Piece], rest: str) -> list[int]:
        """Put children under a node; what is left of its size becomes one more. Gives the places of the named ones."""
        whole = self.pieces[parent].size
        left = whole - sum(piece.size for piece in named)
        if left < 0:
            shares = whole_parts(whole, [piece.size for piece in named])
            named = [replace(piece, size=share, estimated=True) for piece, share in zip(named, shares, strict=True)]
        places = [self.add(piece) for piece in named]
        if left > 0:
            self.add(replace(self.pieces[parent], name=rest, kind="rest", size=left, parent=parent))
        return places

    def system(self) -> None:
        found = [n for n, message in enumerate(self.held) if self.thread.messages[message].role in PINNED_ROLES]
        self.group("System and developer", "group", found, "system")

    def turns(self) -> None:
        """The other messages by turn; those before the first real user message are a group of their own."""
        groups: list[list[int]] = [[]]
        for position, message in enumerate(self.held):
            one = self.thread.messages[message]
            if one.is_real_user:
                groups.append([])
            if one.role not in PINNED_ROLES:
                groups[-1].append(position)
        for turn, positions in enumerate(groups):
            self.group(f"Turn {turn:,}" if turn else "Before the first turn", "turn", positions, "")

    def group(self, name: str, kind: Kind, positions: Sequence[int], of: Category | Literal[""]) -> None:
        if not positions:
            return
        size = sum(int(self.sizes.message[self.held[position]]) for position in positions)
        place = self.add(Piece(name=name, kind=kind, size=size, parent=0, category=of))
        for position in positions:
            self.message(place, position)

    def message(self, parent: int, position: int) -> None:
        index = self.held[position]
        message = self.thread.messages[index]
        of: Category = home_category(message)  # type: ignore[assignment]
        node = Piece(
            name=f"{position:,} {message.role} {self.uses(message)}".strip(),
            kind="message",
            size=int(self.sizes.message[index]),
            parent=parent,
            category=of,
        )
        node = replace(node, message=index, position=position)
        place = self.add(node)
        if self.measure is None:
            return
        quoted = [_is_quoted(message, part) for part in message.parts]
        parts = [
            replace(
                node,
                name=_name_of(part),
                kind="part",
                size=self.measure.part(part, quoted=as_text),
                parent=place,
                category=category(message, part),  # type: ignore[arg-type]
            )
            for part, as_text in zip(message.parts, quoted, strict=True)
        ]
        places = self.shared(place, parts, "Role, ids and brackets")
        for part, as_text, at in zip(message.parts, quoted, places, strict=True):
            self.fields(part, at, quoted=as_text)

    def uses(self, message: Message) -> str:
        """Tools that a message calls, or whose results it holds."""
        self.asked.update({one.id: one.name for one in message.calls})
        answered = (self.asked.get(one.call_id) or one.name for one in message.results)
        return ", ".join(filter(None, (*(one.name for one in message.calls), *answered)))

    def fields(self, part: Part, place: int, *, quoted: bool) -> None:
        text = part.arguments if isinstance(part, ToolCall) else part.text if isinstance(part, ToolResult) else ""
        fields = json_fields(text)
        if not fields or self.measure is None:
            return
        sizes = self.measure.fields([field for _, field in fields], quoted=quoted)
        node = self.pieces[place]
        named = [replace(node, name=name, kind="field", size=size, parent=place) for (name, _), size in zip(fields, sizes, strict=True)]
        self.shared(place, named, "Name, spaces and brackets" if isinstance(part, ToolCall) else "Spaces and brackets")

    def tools(self) -> None:
        number = self.one.tools
        size = int(self.sizes.tools[-1 if number is None else number])
        if number is None or not size:
            return
        node = Piece(name="Tool definitions", kind="group", size=size, parent=0, category="tools", state=PINNED)
        place = self.add(node)
        if self.measure is None:
            return
        tools = self.thread.tool_sets[number]
        named = [
            replace(node, name=_tool_name(tool), kind="tool", size=size, parent=place)
            for tool, size in zip(tools, self.measure.tools(tools), strict=True)
        ]
        self.shared(place, named, "Commas")

    def frame(self) -> None:
        left = self.pieces[0].size - sum(piece.size for piece in self.pieces if piece.parent == 0)
        if left:
            self.add(Piece(name="Brackets and separators", kind="rest", size=left, parent=0, category="frame"))


def _with_states(pieces: Sequence[Piece], states: Sequence[int]) -> tuple[Piece, ...]:
    """What became of each message goes for its parts; groups say what became of all their messages."""
    found = [replace(piece, state=states[piece.position]) if piece.position >= 0 else piece for piece in pieces]
    under: dict[int, set[int]] = {}
    for place in range(len(found) - 1, -1, -1):
        piece = found[place]
        if place in under and piece.message < 0:
            found[place] = piece = replace(piece, state=_together(under[place]))
        under.setdefault(piece.parent, set()).add(piece.state)
    return tuple(found)


def _together(states: set[int]) -> int:
    if len(states) == 1:
        return next(iter(states))
    return KEPT if states <= SENT else EDITED if states != {DROPPED} else DROPPED


def json_fields(text: str) -> list[tuple[str, str]]:
    """Names of the top-level fields of a JSON object with their canonical text, name included; nothing for any other text."""
    if not text.lstrip().startswith("{"):
        return []
    try:
        decoded = json.loads(text)
        return [(name, f"{_compact(name)}:{_compact(value)}") for name, value in decoded.items()]
    except (ValueError, RecursionError):
        return []


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _is_quoted(message: Message, part: Part) -> bool:
    """Whether a part's text stands in the request as a string; arguments may be a JSON object there."""
    return not isinstance(part, ToolCall) or part.arguments in _strings(list(message.wire))


def _strings(value: Json) -> Iterator[str]:
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, dict):
            waiting += one.values()
        elif isinstance(one, list | tuple):
            waiting += one


def _name_of(part: Part) -> str:
    match part:
        case ToolCall(name=name):
            return f"call {name}".strip()
        case ToolResult(name=name):
            return f"result {name}".strip()
        case Text():
            return "text"
        case _:
            return part.kind


def _tool_name(tool: Json) -> str:
    """A definition's name, wherever its provider puts it."""
    function = tool.get("function") if isinstance(tool, dict) else None
    named = function if isinstance(function, dict) else tool
    name = named.get("name") or named.get("type") if isinstance(named, dict) else None
    return name if isinstance(name, str) else "tool"
