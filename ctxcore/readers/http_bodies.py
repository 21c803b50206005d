"""Bodies of HTTP calls as they were recorded, made JSON: text, bytes, packed bytes, and streams of events."""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from dataclasses import dataclass

from ctxcore.model import Json
from ctxcore.readers.archive import cap_bytes
from ctxcore.readers.sse import assembled, is_stream, stream_events

CHUNK_BYTES = 2**20

UNPACKED_RATIO = 200
"""Unpacked to packed bytes at most, from a megabyte on; text packs 5 to 50 times."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """A body as JSON."""

    value: Json
    """None where it is empty or no JSON."""
    cut: bool = False
    """True where a stream has no end."""


def decode_body(body: Json) -> Decoded:
    """A body from what stands in the recording: a JSON value, its text, a stream's text, or bytes.

    Args:
        body: None for no body.
    """
    if isinstance(body, bytes):
        body = text_of(body)
    if not isinstance(body, str):
        return Decoded(_whole_stream(body))
    words = body.strip()
    if not words:
        return Decoded(None)
    if is_stream(words):
        streamed = assembled(stream_events(words))
        return Decoded(dict(streamed.answer) or None, cut=not streamed.complete)
    try:
        return Decoded(_whole_stream(json.loads(words)))
    except (ValueError, RecursionError):
        return Decoded(None)


def _whole_stream(value: Json) -> Json:
    """A list of chunks (a stream without events) as the answer that they make; anything else as it is."""
    if isinstance(value, list) and value:
        streamed = assembled(value)
        return dict(streamed.answer) or value
    return value


def text_of(body: bytes) -> str:
    """Bytes of a body as text, unpacked where they are gzip or zlib; empty where nothing can be read."""
    if body[:2] == b"\x1f\x8b" or (body[:1] == b"\x78" and body[1:2] in (b"\x01", b"\x5e", b"\x9c", b"\xda")):
        body = _inflated(body)
    return body.decode("utf-8", "replace")


def _inflated(body: bytes) -> bytes:
    """What came out before the end or the first fault; nothing of a body that unpacks to more than it may."""
    stream = zlib.decompressobj(wbits=47)
    cap = min(cap_bytes(), max(2**20, UNPACKED_RATIO * len(body)))
    found = bytearray()
    try:
        while body and not stream.eof and len(found) <= cap:
            found += stream.decompress(body, CHUNK_BYTES)
            body = stream.unconsumed_tail
    except zlib.error:
        return bytes(found)
    return b"" if len(found) > cap else bytes(found)


def from_base64(body: str) -> bytes:
    """The bytes; none where the text is no base64."""
    try:
        return base64.b64decode(body, validate=False)
    except (binascii.Error, ValueError):
        return b""
