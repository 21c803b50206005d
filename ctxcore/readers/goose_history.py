"""goose messages as they went to the model, call by call.

Source: format notes 2.8; block/goose ``conversation/message.rs``, ``context_mgmt``: a compaction deletes nothing. It hides all messages from the
agent and adds some that only the agent sees: the summary, and words of the program that let the model go on. So a hidden message was sent until such
a one came, and never where none came after it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ctxcore.model import Event, Json, Media, Message, Other, Part, Reasoning, SourceRef, Text, ToolCall, ToolResult
from ctxcore.readers.conversation import Conversation
from ctxcore.readers.values import compact_json, items, mapping, media_from_base64, seconds, text

UNSEEN = frozenset({"toolConfirmationRequest", "systemNotification", "actionRequired"})
"""Contents for the screen."""

Value = Mapping[str, Json]


def tell(told: Conversation, messages: Sequence[tuple[Value, SourceRef]], *, model: str = "") -> None:
    """Messages in their order: what each request held, and each reply as a call.

    Args:
        told: Of the thread.
        messages: Records with their places.
        model: Of the session, as recorded.
    """
    marks = [number for number, (value, _) in enumerate(messages) if _only_agent(value) or _is_marker(value)]
    last = marks[-1] if marks else -1
    hidden: set[int] = set()
    for number, (value, source) in enumerate(messages):
        if _is_marker(value):
            _compact(told, hidden, value, source)
        elif _only_agent(value):
            _added(told, hidden, value, source)
        elif _is_hidden(value) and number > last:
            told.thread.add(goose_message(value, source))
        else:
            index = _said(told, value, source, model)
            hidden.update([index] if _is_hidden(value) else ())


def _only_agent(value: Value) -> bool:
    about = mapping(value.get("metadata"))
    return about.get("userVisible") is False and about.get("agentVisible") is not False


def _is_hidden(value: Value) -> bool:
    return mapping(value.get("metadata")).get("agentVisible") is False


def _is_marker(value: Value) -> bool:
    """True for the note on the screen that the conversation was compacted, which older versions keep."""
    return any(mapping(block).get("type") == "conversationCompacted" for block in items(value.get("content")))


def _said(told: Conversation, value: Value, source: SourceRef, model: str) -> int:
    message = goose_message(value, source)
    if value.get("role") != "assistant":
        return told.add(message)
    if message.flags and items(value.get("content")):  # only for the screen
        return told.thread.add(message)
    told.reply(message, id=message.id, model=model)
    return len(told.thread.messages) - 1


def _added(told: Conversation, hidden: set[int], value: Value, source: SourceRef) -> None:
    """A message that only the agent sees: the hidden ones before it go; one in the assistant's name is no reply."""
    message = goose_message(value, source)
    if message.role == "user" and not message.results:
        message = replace(message, injected="summary")
    index = told.thread.add(message)
    _compact(told, hidden, value, source, summary=index)
    told.keep(index)


def _compact(told: Conversation, hidden: set[int], value: Value, source: SourceRef, *, summary: int | None = None) -> None:
    thread = told.thread
    held = told.indexes()
    rest = [index for index in held if index not in hidden]
    hidden.clear()
    if len(rest) == len(held) and summary is not None:
        return
    told.restart(rest)
    note = (
        f"{len(held) - len(rest)} of {len(held)} messages are no longer sent; {'no summary is recorded here' if summary is None else 'a summary is'}."
    )
    at = seconds(value.get("created"))
    thread.events.append(Event(kind="compaction", call=len(thread.calls), summary=summary, at=at, source=source, note=note))


def goose_message(value: Value, source: SourceRef) -> Message:
    """A message from its record."""
    parts = [part for block in items(value.get("content")) if (part := _part(mapping(block))) is not None]
    wire = {"role": value.get("role"), "content": value.get("content")}
    return Message(
        role=text(value.get("role")),
        parts=tuple(parts),
        wire=(wire,),
        raw=value,
        source=source,
        id=text(value.get("id")),
        at=seconds(value.get("created")),
        flags=("empty",) if value.get("role") == "assistant" and not parts else (),
    )


def _part(block: Mapping[str, Json]) -> Part | None:
    kind = text(block.get("type"))
    match kind:
        case "text":
            return Text(text=text(block.get("text")))
        case "thinking" | "reasoning" | "redactedThinking":
            return Reasoning(text=text(block.get("thinking") or block.get("text")), opaque=kind == "redactedThinking")
        case "image":
            return media_from_base64(text(block.get("mimeType")), text(block.get("data")))
        case "toolRequest" | "frontendToolRequest":
            return _call(block)
        case "toolResponse":
            return _result(block)
    return None if kind in UNSEEN else Other(type=kind or "unknown", text=text(block.get("text") or block.get("msg")))


def _call(block: Mapping[str, Json]) -> ToolCall:
    """A request for a tool; a broken one has an error in place of the call."""
    told = mapping(block.get("toolCall"))
    call = mapping(told.get("value"))
    given = call.get("arguments")
    arguments = compact_json(given) if given is not None else text(told.get("error"))
    return ToolCall(id=text(block.get("id")), name=text(call.get("name")), arguments=arguments)


def _result(block: Mapping[str, Json]) -> ToolResult:
    told = mapping(block.get("toolResult"))
    value = told.get("value")
    found = [_part(mapping(item)) for item in items(mapping(value).get("content") if isinstance(value, dict) else value)]
    words = [part.text for part in found if isinstance(part, (Text, Other)) and part.text]
    failed = told.get("status") == "error" or mapping(value).get("isError") is True
    media = tuple(part for part in found if isinstance(part, Media))
    return ToolResult(call_id=text(block.get("id")), text="\n".join(words) or text(told.get("error")), is_error=failed, media=media)
