"""What tells a record of the OpenAI Responses interface from others: two marks for each of its shapes."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ctxcore.model import Json
from ctxcore.readers.responses_item import is_item, kind_of
from ctxcore.readers.values import items, mapping, text

REQUEST_KEYS = frozenset(
    {
        "instructions",
        "previous_response_id",
        "conversation",
        "reasoning",
        "text",
        "include",
        "store",
        "max_output_tokens",
        "truncation",
        "context_management",
    }
)
"""Keys of a request that OpenAI Chat does not have (with ``input`` instead of ``messages``)."""

OTHER_KEYS = frozenset({"messages", "encoding_format", "dimensions", "input_type", "voice", "response_format"})
"""Keys of requests for embeddings and speech."""

OTHER_MODELS = re.compile(r"embed|moderation|tts|rerank", re.IGNORECASE)
"""Models that answer to a text with no reply."""

LAST_EVENTS = frozenset({"response.completed", "response.incomplete", "response.failed"})
"""The events of a stream that hold the whole response."""


def request_of(value: Json) -> Mapping[str, Json] | None:
    """The request in a record: itself, its ``request``, its ``body``, or a web socket frame's ``response``; None without one.

    A request of a model and a text alone, as one for embeddings has too, is told by what came back.
    """
    record = mapping(value)
    frame = mapping(record.get("response")) if record.get("type") == "response.create" else {}
    request = mapping(record.get("request"))
    holders = (record, request, mapping(record.get("body")), mapping(request.get("body")), frame)
    found = next((holder for holder in holders if is_request(holder)), None)
    if found is not None or not any(map(asks_in_text, holders)):
        return found
    answered = response_of(value) is not None or bool(mapping(record.get("response")).get("error"))
    return next(filter(asks_in_text, holders)) if answered else None


def response_of(value: Json) -> Mapping[str, Json] | None:
    """The response in a record: itself, its ``response`` or that one's ``body``, or the last event of a stream; None without one."""
    record = mapping(value)
    response = mapping(record.get("response"))
    return next((holder for holder in (record, response, mapping(response.get("body"))) if _is_response(holder)), None)


def is_request(record: Mapping[str, Json]) -> bool:
    """Two marks: ``input`` as text or items, and a model or a key that only this interface has."""
    given = record.get("input")
    if isinstance(given, list):
        return (
            "messages" not in record and bool(given) and all(map(is_item, given[:20])) and ("model" in record or not REQUEST_KEYS.isdisjoint(record))
        )
    return isinstance(given, str) and "model" in record and not (REQUEST_KEYS | {"tools"}).isdisjoint(record)


def asks_in_text(record: Mapping[str, Json]) -> bool:
    """A model and a text as input, and nothing of another interface that has both; the answer must tell the rest."""
    is_asked = isinstance(record.get("input"), str) and isinstance(record.get("model"), str) and OTHER_KEYS.isdisjoint(record)
    return is_asked and not OTHER_MODELS.search(text(record.get("model")))


def _is_response(record: Mapping[str, Json]) -> bool:
    return record.get("object") in ("response", "response.compaction") and isinstance(record.get("output"), list)


def is_page(value: Json) -> bool:
    """A page of ``input_items``: an object list whose entries are items."""
    record = mapping(value)
    data = record.get("data")
    return record.get("object") == "list" and isinstance(data, list) and bool(data) and all(map(is_item, data[:20]))


def is_event(value: Json) -> bool:
    """An event of a captured stream."""
    record = mapping(value)
    return text(record.get("type")).startswith("response.") and ("sequence_number" in record or "response" in record)


def is_bare_item(value: Json) -> bool:
    """An item that only this interface has; a bare message could be OpenAI Chat's."""
    return is_item(value) and "type" in mapping(value)


def is_record(value: Json) -> bool:
    """True for anything that this reader can use."""
    return request_of(value) is not None or response_of(value) is not None or is_event(value)


def is_item_list(value: Json) -> bool:
    """A list of items with at least one that is no message."""
    values = items(value)
    return bool(values) and all(map(is_item, values[:200])) and any(kind_of(v) != "message" for v in values[:200])
