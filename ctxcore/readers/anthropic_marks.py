"""What tells an Anthropic Messages request from an OpenAI Chat request: the two share ``messages`` and ``model``."""

from __future__ import annotations

from collections.abc import Mapping

from ctxcore.model import Json
from ctxcore.readers.values import items, mapping, text

BLOCK_TYPES = frozenset(
    {
        "tool_use",
        "tool_result",
        "thinking",
        "redacted_thinking",
        "server_tool_use",
        "web_search_tool_result",
        "compaction",
        "container_upload",
        "document",
        "image",
        "search_result",
        "tool_reference",
        "tool_addition",
    }
)
"""Block types that only Anthropic Messages has. Source: format notes, 2.3."""


def has_anthropic_marks(request: Mapping[str, Json]) -> bool:
    """True if ``system`` is top-level, a block type is Anthropic's own, or a tool has ``input_schema``."""
    if "system" in request:
        return True
    if any("input_schema" in mapping(tool) for tool in items(request.get("tools"))):
        return True
    return any(
        text(mapping(block).get("type")) in BLOCK_TYPES or "cache_control" in mapping(block)
        for message in items(request.get("messages"))
        for block in items(mapping(message).get("content"))
    )
