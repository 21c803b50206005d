"""Attachments of newer Claude Code sessions: which were sent, and as what text.

Source: format notes, 2.1; line types of version 2.1. The exact wrapping is not recorded, so only the recorded text itself is taken.
"""

from __future__ import annotations

from collections.abc import Mapping

from ctxcore.model import Json
from ctxcore.readers.values import items, mapping, text

TEXT_KEYS = {
    "hook_additional_context": "content",
    "nested_memory": "content",
    "file": "content",
    "edited_text_file": "snippet",
    "critical_system_reminder": "content",
    "total_tokens_reminder": "text",
    "batching_reminder_sent": "text",
    "silent_turn_reminder": "text",
}
"""Attachments that hold the text they add, and where."""


def attached_message(attachment: Mapping[str, Json]) -> Mapping[str, Json] | None:
    """The user message that an attachment adds, or None where it adds none or its text is not recorded."""
    kind = text(attachment.get("type"))
    if kind == "queued_command":
        prompt = attachment.get("prompt")
        return {"role": "user", "content": prompt} if prompt else None
    if kind not in TEXT_KEYS:
        return None
    found = _text(attachment.get(TEXT_KEYS[kind]))
    return {"role": "user", "content": found} if found else None


def is_prompt(attachment: Mapping[str, Json]) -> bool:
    """True for a person's prompt that waited in the queue."""
    return attachment.get("type") == "queued_command" and attachment.get("commandMode", "prompt") == "prompt"


def _text(value: Json) -> str:
    if isinstance(value, list):
        return "\n".join(filter(None, map(_text, items(value))))
    record = mapping(value)
    if record:
        return _text(record.get("content") or record.get("text") or record.get("file"))
    return text(value)
