"""Careful looks at decoded JSON: what every reader needs and no format owns."""

from __future__ import annotations

import base64
import binascii
import json
import struct
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

import orjson

from ctxcore.model import Json, Media, Usage
from ctxcore.readers.noted import note
from ctxcore.readers.repeats import summed

TIME_CHARS = 40
"""Of a time as text, with room: longer ones are not remembered."""

ZERO_DAYS = ("0001-01-01", "1970-01-01")
"""Days that programs write for no time."""


COMPACT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
"""Made once: ``json.dumps`` would make one for every call."""


def mapping(value: Json) -> Mapping[str, Json]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def items(value: Json) -> Sequence[Json]:
    """The value if it is a list, else an empty one."""
    return value if isinstance(value, list) else ()


def object_in(words: str) -> Mapping[str, Json]:
    """The object that a text holds as JSON; empty where it holds none."""
    try:
        return mapping(json.loads(words))
    except (ValueError, RecursionError):
        return {}


def rows_of(value: Json) -> Json:
    """Entries of a page of an API (its ``data``), or the value itself."""
    return value["data"] if isinstance(value, dict) and isinstance(value.get("data"), list) else value


def text(value: Json) -> str:
    """The value if it is a string, else an empty one."""
    return value if isinstance(value, str) else ""


def whole(value: Json) -> int | None:
    """The value if it is a whole number of tokens, else None; what is there and is none is noted."""
    count = natural(value)
    if count is None and value is not None:
        note("usage_no_count", value)
    return count


def natural(value: Json) -> int | None:
    """The value if it is a whole number from 0, else None: a version, a step, a place in a list."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53 else None


def tool_list(value: Json) -> Sequence[Json] | None:
    """Tool definitions of a request: a list, one object that holds them, an object of them by name, or any of these as JSON text; None without any.

    A shape that is none of these is noted. Source: format notes 2.4 (Gemini's client takes a single object) and 2.1.
    """
    found = _from_text(value) if isinstance(value, str) else value
    if isinstance(found, list):
        return found
    if isinstance(found, dict) and found:
        named = all(isinstance(one, dict) for one in found.values()) and "function" not in found
        return [{"name": name, **one} for name, one in found.items()] if named else [found]
    if found not in (None, "", {}):
        note("tools_unreadable", value)
    return None


def _from_text(words: str) -> Json:
    """The list or object that a text holds as JSON, else the text."""
    try:
        return json.loads(words)
    except (ValueError, RecursionError):
        return words


def compact_json(value: Json) -> str:
    """A recorded object as the shortest JSON text, for showing and counting."""
    return COMPACT.encode(value)


def seconds(value: Json) -> float | None:
    """A recorded time as Unix seconds, as ``moment``; one that is there and cannot be read, or cannot be, is noted."""
    stamp = moment(value)
    if stamp is None and value and str(value)[:10] not in ZERO_DAYS:
        note("time_unusable", value)
    return stamp


def moment(value: Json) -> float | None:
    """A recorded time as Unix seconds; None for 0, a missing, unreadable or impossible one.

    ISO text without a zone counts as UTC. Numbers are seconds, milliseconds, microseconds or nanoseconds by their size.
    """
    if isinstance(value, str):
        return _text_seconds(value) if len(value) <= TIME_CHARS else _read_seconds(value)
    if isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e30:
        stamp = float(value)
        for _ in range(3):
            if stamp > 1e11:
                stamp /= 1000
        return _possible(stamp)
    return None


def _read_seconds(value: str) -> float | None:
    try:
        day = datetime.fromisoformat(value.strip())
    except ValueError:
        try:
            return moment(float(value))
        except ValueError:
            return None
    return _possible((day if day.tzinfo else day.replace(tzinfo=UTC)).timestamp())


_text_seconds = lru_cache(maxsize=64)(_read_seconds)
"""The same; a line often has the time of the one before, which is read and kept once."""


def _possible(stamp: float) -> float | None:
    return stamp if 946_684_800 <= stamp < 4_133_980_800 else None


HOUR = "ephemeral_1h_input_tokens"
"""What was written to Anthropic's cache for an hour."""


def usage(value: Json, *, cache_in_input: bool) -> Usage | None:
    """Recorded usage in one form, input with cached tokens included; None where nothing usable is there, zeros in place of counts included.

    Args:
        value: The ``usage`` object as recorded (OpenAI Chat, OpenAI Responses or Anthropic names).
        cache_in_input: True where the provider's input count already holds the cached tokens.
    """
    record = mapping(value)
    if value and not record:
        note("usage_no_count", value)
    details = mapping(record.get("prompt_tokens_details") or record.get("input_tokens_details"))
    out_details = mapping(record.get("completion_tokens_details") or record.get("output_tokens_details"))
    read = _first(record.get("cache_read_input_tokens"), record.get("cached_input_tokens"), details.get("cached_tokens"))
    write = _first(record.get("cache_creation_input_tokens"), details.get("cache_write_tokens"))
    splits = (record.get("cache_creation"), details.get("cache_creation_token_details"))
    fresh = _first(record.get("input_tokens"), record.get("prompt_tokens"))
    total = None if fresh is None else _all_input(fresh, read or 0, write or 0, cache_in_input=cache_in_input)
    output = _first(record.get("output_tokens"), record.get("completion_tokens"))
    if not total and not output:  # no request has an empty input: a placeholder
        return None
    hour = _first(*(mapping(one).get(HOUR) for one in splits))
    own = _counted(total, output, read, write, hour, _first(record.get("reasoning_output_tokens"), out_details.get("reasoning_tokens")))
    # format notes 5: the counts on top leave out the pass of a compaction on Anthropic's server
    passes = [usage(one, cache_in_input=cache_in_input) for one in items(record.get("iterations")) if mapping(one).get("type") == "compaction"]
    return summed([own, *(one for one in passes if one)]) if any(passes) else own


@lru_cache(maxsize=256)  # equal counts of a long log are one value
def _counted(total: int | None, output: int | None, read: int | None, write: int | None, hour: int | None, reasoning: int | None) -> Usage:
    return Usage(
        input_tokens=total,
        output_tokens=output,
        cache_read_tokens=read,
        cache_write_tokens=write,
        cache_write_1h_tokens=hour,
        reasoning_tokens=reasoning,
    )


def _all_input(fresh: int, read: int, write: int, *, cache_in_input: bool) -> int:
    """Input with the cached tokens. A count that is smaller than its own parts does not hold them all, whatever its provider's rule says.

    Source: LiteLLM's records of Anthropic calls, of which some versions count what was read from the cache but not what was written to it.
    """
    if cache_in_input and read + write <= fresh:
        return fresh
    return fresh + write if cache_in_input and read <= fresh else fresh + read + write


def _first(*values: Json) -> int | None:
    for value in values:
        if value is not None and (count := whole(value)) is not None:
            return count
    return None


def arguments_flag(arguments: str) -> str | None:
    """What is odd about a call's argument string, or None."""
    try:
        value = orjson.loads(arguments)
    except orjson.JSONDecodeError:  # also what only the slower decoder takes: NaN, lone surrogates, deep nesting
        return _slow_arguments_flag(arguments)
    return None if isinstance(value, dict) else "arguments_not_an_object"


def _slow_arguments_flag(arguments: str) -> str | None:
    try:
        return None if isinstance(json.loads(arguments, parse_int=str), dict) else "arguments_not_an_object"
    except (ValueError, RecursionError):
        return "arguments_not_json" if arguments else None


def media_from_base64(media_type: str, payload: str) -> Media:
    """A media part from an embedded payload; width and height come from a PNG, GIF, JPEG or WebP header where there is one."""
    size = image_size(payload)
    return Media(media_type=media_type, width=size[0] if size else None, height=size[1] if size else None, payload_chars=len(payload))


def media_from_address(address: str, media_type: str = "") -> Media:
    """A media part from an address, which is never fetched; a ``data:`` address holds its payload."""
    if address.startswith("data:"):
        head, _, payload = address[5:].partition(",")
        found = media_from_base64(head.partition(";")[0] or media_type, payload)
        return Media(media_type=found.media_type, width=found.width, height=found.height, payload_chars=len(address))
    return Media(media_type=media_type or "image", payload_chars=len(address))


def image_size(payload: str) -> tuple[int, int] | None:
    """Width and height in pixels from the header of a base64 image, or None."""
    try:
        head = base64.b64decode(payload[: 64 * 1024 - 64 * 1024 % 4], validate=False)
    except (binascii.Error, ValueError):
        return None
    if head[:8] == b"\x89PNG\r\n\x1a\n" and len(head) >= 24:
        return _pair(struct.unpack(">II", head[16:24]))
    if head[:6] in (b"GIF87a", b"GIF89a") and len(head) >= 10:
        return _pair(struct.unpack("<HH", head[6:10]))
    if head[:4] == b"RIFF" and head[8:16] == b"WEBPVP8X" and len(head) >= 30:
        return 1 + int.from_bytes(head[24:27], "little"), 1 + int.from_bytes(head[27:30], "little")
    if head[:2] == b"\xff\xd8":
        return _jpeg_size(head)
    return None


def _pair(values: tuple[Any, ...]) -> tuple[int, int]:
    return int(values[0]), int(values[1])


def _jpeg_size(head: bytes) -> tuple[int, int] | None:
    position = 2
    while position + 9 < len(head) and head[position] == 0xFF:
        marker = head[position + 1]
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", head[position + 5 : position + 9])
            return int(width), int(height)
        position += 2 + int.from_bytes(head[position + 2 : position + 4], "big")
    return None
