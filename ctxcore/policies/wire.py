"""Edits on messages as they stand in a request."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

from ctxcore.model import Json, Message, ToolCall, ToolResult
from ctxcore.policies.edits import Edit
from ctxcore.policies.places import Place, arguments_place, blocks, result_place, text_place


def edited_wire(message: Message, edits: Sequence[Edit]) -> tuple[Mapping[str, Json], ...]:
    """A message's objects after edits inside it; copies, the message stays as it is.

    Args:
        message: Of the thread.
        edits: Of this message; none may drop it.
    """
    wire: list[Any] = deepcopy(list(message.wire))
    removed: list[int] = []
    for edit in edits:
        if edit.action == "strip":
            removed.append(edit.part)
        elif isinstance(message.parts[edit.part], ToolCall):
            _put(arguments_place(message, edit.part, wire), edit.text)
        elif isinstance(message.parts[edit.part], ToolResult):
            _put(result_place(message, edit.part, wire), edit.text)
        elif place := text_place(message, edit.part, wire):
            place.holder[place.key] = edit.text
        else:
            _put_text(blocks(wire), edit)
    places = blocks(wire)
    _remove(wire, [places[part] for part in sorted(removed, reverse=True) if part < len(places)])
    return tuple(wire)


def _put(place: Place | None, text: str) -> None:
    """Arguments that stand as an object become one again."""
    if place is None:
        return
    if place.key == "response" and isinstance(place.value, dict):
        place.holder[place.key] = {"output": text}  # Gemini takes objects only
    else:
        place.holder[place.key] = json.loads(text) if isinstance(place.value, dict) and text.startswith("{") else text


def _put_text(places: Sequence[Place], edit: Edit) -> None:
    if edit.part >= len(places):
        return
    place = places[edit.part]
    if isinstance(place.value, dict):
        key = next((key for key in ("text", "thinking", "content") if isinstance(place.value.get(key), str)), "text")
        place.value[key] = edit.text
    else:
        place.holder[place.key] = edit.text


def _remove(wire: list[Any], places: Sequence[Place]) -> None:
    for place in places:
        if isinstance(place.holder, list):
            del place.holder[place.key]
        else:
            place.holder[place.key] = ""
    for item in wire:
        if isinstance(item, dict) and item.get("tool_calls") == []:
            del item["tool_calls"]
