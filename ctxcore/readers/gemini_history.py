"""A list of Gemini contents as a thread: every run of model contents is the reply of one call.

Source: format notes 2.4 (bare ``Content[]``); google-gemini/gemini-cli ``client.ts`` and ``chatCompressionService.ts`` for what the program puts
in front.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ctxcore.model import Event, Injected, Json, Message, SourceRef, ToolResult
from ctxcore.readers.build import ThreadDraft
from ctxcore.readers.conversation import Conversation
from ctxcore.readers.gemini_content import gemini_message, is_content
from ctxcore.readers.values import items, mapping, text

CONTEXT_STARTS = ("<session_context>", "This is the Gemini CLI")
"""First words of the message that Gemini CLI puts in front."""

SNAPSHOT_START = "<state_snapshot>"
"""First words of what takes the place of a compressed history."""

NUDGES = ("System: Please continue.", "Please continue.")
"""What the program says where the model stopped although it is its turn."""

ACKNOWLEDGEMENTS = ("Got it. Thanks for the context!", "Got it. Thanks for the additional context!")
"""Answers that the program itself puts behind its context; no model gave them."""


def history_of(value: Json) -> Sequence[Json]:
    """The contents of a saved history: the list itself, or that of a checkpoint; empty without one."""
    contents = value if isinstance(value, list) else mapping(value).get("history") or mapping(value).get("clientHistory")
    return contents if isinstance(contents, list) and contents and all(map(is_content, contents[:20])) else ()


def first_text(content: Json) -> str:
    """The start of a content: its first text."""
    return next((text(mapping(part).get("text")).lstrip() for part in items(mapping(content).get("parts")) if "text" in mapping(part)), "")


def is_cli_history(contents: Sequence[Json]) -> bool:
    """True for a history that begins as Gemini CLI begins one."""
    return bool(contents) and mapping(contents[0]).get("role") == "user" and first_text(contents[0]).startswith(CONTEXT_STARTS)


def injected_start(start: str) -> Injected:
    """Why a user content with this start is not a person's."""
    if start.startswith(SNAPSHOT_START):
        return "summary"
    return "meta" if start.startswith(CONTEXT_STARTS) or start.strip() in NUDGES else ""


def tell(
    thread: ThreadDraft, contents: Sequence[Mapping[str, Json]], places: Sequence[SourceRef], *, model: str = "", tools: int | None = None
) -> None:
    """Fill a thread from its contents; one that begins with a snapshot was compressed before.

    Args:
        thread: To fill.
        contents: All, as recorded; ``system`` may be the first role.
        places: One for each content.
        model: As recorded for all of it.
        tools: Index of the tool set.
    """
    conversation = Conversation(thread)
    asked: set[str] = set()
    position = 0
    while position < len(contents):
        run = _run(contents, position)
        source = places[position]
        start = first_text(run[0])
        if run[0].get("role") != "model":
            index = conversation.add(_answering(gemini_message(run, source, injected=injected_start(start)), asked))
            if start.startswith(SNAPSHOT_START):
                note = "The history in front of it was compressed; what it held is not recorded."
                thread.events.append(Event(kind="compaction", call=len(thread.calls), summary=index, source=source, note=note))
        elif start in ACKNOWLEDGEMENTS and len(run[0]["parts"]) == 1:
            conversation.add(gemini_message(run, source))
        else:
            reply = gemini_message(run, source)
            asked |= {call.id for call in reply.calls}
            conversation.reply(reply, model=model, tools=tools)
        position += len(run)


def _answering(message: Message, asked: set[str]) -> Message:
    """The message with results whose calls have no id (the program gave the id later) left to be paired by name and order."""
    if "" not in asked or not any(result.call_id not in asked for result in message.results):
        return message
    parts = tuple(replace(p, call_id="") if isinstance(p, ToolResult) and p.call_id not in asked else p for p in message.parts)
    return replace(message, parts=parts)


def _run(contents: Sequence[Mapping[str, Json]], position: int) -> list[Mapping[str, Json]]:
    """The contents that are one message: all of a run of the model, else one; an acknowledgement stands alone."""
    first = contents[position]
    if first.get("role") != "model" or first_text(first) in ACKNOWLEDGEMENTS:
        return [first]
    end = position + 1
    while end < len(contents) and contents[end].get("role") == "model":
        end += 1
    return list(contents[position:end])
