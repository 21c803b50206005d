"""Messages between two forms: roles, parts, and the images that stand only in a message's recorded objects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ctxcore.errors import shown
from ctxcore.model import Json, Media, Message, Part, ToolResult

MEDIA_TYPES = frozenset({"image", "image_url", "input_image", "document", "file", "input_file", "input_audio", "audio", "video"})
"""Types of blocks that hold no text."""


class Picture(NamedTuple):
    """An image as both forms can hold it."""

    media_type: str
    """MIME type; empty for an address."""
    data: str
    """base64; empty for an address."""
    url: str
    """Address; empty for data."""


@dataclass(slots=True)
class Notes:
    """What could not be carried over, each sentence once."""

    sentences: dict[str, None] = field(default_factory=dict)
    """In order."""

    def add(self, sentence: str) -> None:
        """Note a sentence."""
        self.sentences[sentence] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Carried:
    """One message on its way."""

    role: str
    """As recorded."""
    parts: tuple[Part, ...]
    """As the policy leaves them."""
    number: int
    """Of the thread's message; -1 for one that the policy puts in."""
    pictures: Mapping[int, tuple[Picture | None, ...]] = field(default_factory=dict)
    """Per part with media: its images in order; None for one that neither form can hold."""
    thinking: Mapping[int, Mapping[str, Json]] = field(default_factory=dict)
    """Per part of reasoning: its signed block, as recorded and unedited."""


def carried(message: Message, number: int, edited: set[int], notes: Notes) -> Carried:
    """A message with what stands only in its recorded objects.

    Args:
        message: As the policy leaves it.
        number: In the thread.
        edited: Parts that the policy changed.
        notes: Hears of what is not found.
    """
    blocks = list(_media_blocks(list(message.wire)))
    held = [(n, 1 if isinstance(part, Media) else len(part.media) if isinstance(part, ToolResult) else 0) for n, part in enumerate(message.parts)]
    wanted = [(n, count) for n, count in held if count]
    pictures: dict[int, tuple[Picture | None, ...]] = {}
    if sum(count for _, count in wanted) == len(blocks):
        for part, count in wanted:
            pictures[part] = tuple(_picture(block) for block in blocks[:count])
            blocks = blocks[count:]
    elif wanted:
        notes.add("An image or file could not be matched to its place and is left out.")
    return Carried(role=message.role, parts=message.parts, number=number, pictures=pictures, thinking=_thinking(message, edited))


def _thinking(message: Message, edited: set[int]) -> dict[int, Mapping[str, Json]]:
    blocks = [
        b for item in message.wire for b in _list(item.get("content")) if isinstance(b, dict) and b.get("type") in ("thinking", "redacted_thinking")
    ]
    places = [n for n, part in enumerate(message.parts) if part.kind == "reasoning"]
    signed = len(blocks) == len(places)
    return {
        n: block for n, block in zip(places, blocks, strict=False) if signed and n not in edited and (block.get("signature") or block.get("data"))
    }


def _media_blocks(value: Json) -> Iterator[Mapping[str, Any]]:
    """Objects that hold an image or a file, in recorded order."""
    if isinstance(value, list):
        for one in value:
            yield from _media_blocks(one)
    elif isinstance(value, dict):
        inline = value.get("inlineData") or value.get("inline_data")
        if value.get("type") in MEDIA_TYPES or isinstance(inline, dict):
            yield value
        else:
            for key in ("content", "parts", "output"):
                yield from _media_blocks(value.get(key))


def _picture(block: Mapping[str, Any]) -> Picture | None:
    inline, source = block.get("inlineData") or block.get("inline_data"), block.get("source")
    if isinstance(inline, dict):
        return _image(str(inline.get("mimeType") or inline.get("mime_type") or ""), str(inline.get("data") or ""), "")
    if block.get("type") == "image" and isinstance(source, dict):
        return _image(str(source.get("media_type") or ""), str(source.get("data") or ""), str(source.get("url") or ""))
    address = block.get("image_url")
    url = address.get("url") if isinstance(address, dict) else address
    if block.get("type") not in ("image_url", "input_image") or not isinstance(url, str):
        return None
    head, mark, data = url.partition(";base64,")
    return _image(head.removeprefix("data:"), data, "") if mark and head.startswith("data:") else _image("", "", url)


def _image(media_type: str, data: str, url: str) -> Picture | None:
    known = (media_type.startswith("image/") and data) or url.startswith(("https://", "http://"))
    return Picture(media_type, data, "" if data else url) if known else None


def _list(value: Json) -> Sequence[Json]:
    return value if isinstance(value, list) else ()


class Ids:
    """Ids of tool calls as both sides of a pair must have them: recorded ones where they serve, made-up ones else."""

    def __init__(self, notes: Notes, *, allowed: str = "") -> None:
        self.notes, self.allowed = notes, allowed
        self.open: list[tuple[str, str, str]] = []
        self.made = 0

    def asked(self, id: str, name: str) -> str:
        """The id under which a call goes out."""
        shown = id
        if not id or (self.allowed and any(letter not in self.allowed for letter in id)):
            self.made += 1
            shown = f"call_{self.made}"
            self.notes.add("Ids of tool calls that are missing, or that this API does not take, are made up; pairs stay pairs.")
        self.open.append((id, name, shown))
        return shown

    def answered(self, id: str, name: str) -> str:
        """The id of the call that a result answers."""
        match = next((one for one in self.open if (one[0] == id if id else not name or one[1] == name)), None)
        if match is None:
            return id or "call_missing"
        self.open.remove(match)
        return match[2]


def unknown_role(role: str) -> str:
    """What to say of a message whose role an API does not have; an empty one was missing, or no text."""
    return f"The role {shown(role)} is not known here: it is sent as user." if role else "A message has no role that is a text: it is sent as user."
