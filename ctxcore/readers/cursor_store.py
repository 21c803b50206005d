"""Cursor's state database (``state.vscdb``): chats with the agent as JSON values under keys.

Source: format notes 2.10 (tables ``ItemTable`` and ``cursorDiskKV``); keys and fields of ``composerData`` and ``bubbleId`` from public descriptions
of the store (michaeldhood/chatrxiv ``docs/cursor/storage-reference.md``). A bubble is a person's message, a piece of what the model said or thought,
or a tool with its result; where one request ends is not recorded. A tool, with the words before it, counts as one call.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ctxcore.counted import count
from ctxcore.model import Json, Media, Message, Part, Reasoning, SourceRef, Text, ToolCall, ToolResult, Usage
from ctxcore.readers.build import ThreadDraft
from ctxcore.readers.conversation import Conversation
from ctxcore.readers.document import Document
from ctxcore.readers.protocol import SessionDraft
from ctxcore.readers.sqlite_file import LATE_ROWS, has_lost_log, is_sqlite, json_of, rows_of, tables
from ctxcore.readers.values import arguments_flag, compact_json, items, mapping, natural, seconds, text, whole

TABLE = "cursorDiskKV"
CHATS, BUBBLES = "composerData:", "bubbleId:"
"""Beginnings of keys."""

USER = 1
"""Type of a person's bubble; any other is of the agent."""

NOT_RECORDED = ("system prompt", "tool definitions", "attached files", "limits of calls")

JOINED = (
    "The log does not tell where a request ends: a tool, with the words before it, counts as one call, so tools called side by side are more calls."
)
SUMMARISED = "The chat was summarised on the way; which requests held the summary is not recorded, sizes behind it are upper bounds."

Value = Mapping[str, Json]


def is_state(document: Document) -> bool:
    """True for a database that holds chats."""
    if not is_sqlite(document.data) or set(tables(document.data).get(TABLE, ())) < {"key", "value"}:
        return False
    return bool(_values(document, CHATS, first=True))


def _values(document: Document, start: str, *, first: bool = False) -> dict[str, Json]:
    """Values of the keys with this beginning, by the rest of the key; of the first only, where that is enough."""
    end = start[:-1] + chr(ord(start[-1]) + 1)
    where = f"key >= '{start}' AND key < '{end}'" + (" LIMIT 1" if first else "")
    found = rows_of(document, TABLE, ("key", "value"), where=where)
    return {text(row["key"]).removeprefix(start): json_of(row["value"]) for row in found}


@dataclass(slots=True)
class _Chat:
    """One conversation."""

    id: str
    about: Value
    bubbles: list[tuple[Value, SourceRef]] = field(default_factory=list)
    children: list[tuple[str, int]] = field(default_factory=list)
    """Ids of the chats it started, and the calls that did."""
    records: int = 1
    lost: int = 0
    """Bubbles that the chat names and the database has not."""


def read_state(document: Document) -> list[SessionDraft]:
    """One session for each chat that no other started."""
    list(document.records())
    stored = _values(document, BUBBLES)
    chats = {name: _chat(name, mapping(value), stored, document) for name, value in _values(document, CHATS).items()}
    document.record_count = len(chats) + len(stored)
    told = {name: _tell(chat) for name, chat in chats.items() if chat.bubbles}
    started = {child: (name, call) for name in told for child, call in chats[name].children if child in told and child != name}
    drafts: list[SessionDraft] = []
    placed: set[str] = set()
    for name in sorted(told, key=lambda name: name in started):  # those that others started come last: by then they are placed, but in a circle
        if name not in placed:
            family = _family(name, chats, started, placed)
            drafts.append(_session(family, chats, told, started, document))
    rest = document.record_count - sum(draft.used for draft in drafts)
    if drafts and rest:
        drafts[0].skipped["chat without messages, or message that no chat shows"] += rest
    return drafts


def _family(root: str, chats: Mapping[str, _Chat], started: Mapping[str, tuple[str, int]], placed: set[str]) -> list[str]:
    """A chat and all that it started, directly or through others; they are placed then."""
    family, waiting = [], [root]
    while waiting:
        name = waiting.pop(0)
        if name not in placed:
            placed.add(name)
            family.append(name)
            waiting += [child for child, _ in chats[name].children if started.get(child, ("",))[0] == name]
    return family


def _chat(name: str, about: Value, stored: Mapping[str, Json], document: Document) -> _Chat:
    """A chat with its bubbles in order: named by a list of headers, or (older) inside it."""
    chat = _Chat(name, about)
    headers = items(about.get("fullConversationHeadersOnly"))
    for number, bubble in enumerate(items(about.get("conversation")) if not headers else ()):
        chat.bubbles.append((mapping(bubble), SourceRef(file=document.name, path=f"{CHATS}{name} conversation[{number}]")))
    for header in headers:
        key = f"{name}:{text(mapping(header).get('bubbleId'))}"
        bubble = mapping(stored.get(key))
        if bubble:
            chat.bubbles.append((bubble, SourceRef(file=document.name, path=f"{BUBBLES}{key}")))
            chat.records += 1
        else:
            chat.lost += 1
    return chat


def _session(
    family: Sequence[str],
    chats: Mapping[str, _Chat],
    told: Mapping[str, Conversation],
    started: Mapping[str, tuple[str, int]],
    document: Document,
) -> SessionDraft:
    root = family[0]
    draft = SessionDraft(id=root, level="message list only", documents=(document,), not_recorded=NOT_RECORDED, notes=[JOINED])
    for name in family:
        thread = told[name].thread
        thread.id, thread.kind = ("main", "main") if name == root else (name, "agent")
        if name != root:
            parent, thread.parent_call = started[name]
            thread.parent = "main" if parent == root else parent
        draft.threads.append(thread)
        draft.used += chats[name].records
    lost = sum(chats[name].lost for name in family)
    if lost:
        draft.notes.append(f"{count(lost, 'message that the chat names is', 'messages that the chat names are')} not in the database.")
    if any(mapping(chats[name].about.get("latestConversationSummary")) for name in family):
        draft.notes.append(SUMMARISED)
    if has_lost_log(document.data):
        draft.notes.append(LATE_ROWS)
    return draft


def _tell(chat: _Chat) -> Conversation:
    """The chat as a thread."""
    told = Conversation(ThreadDraft(id=chat.id, title=text(chat.about.get("name"))))
    reply = _Reply()
    for bubble, source in chat.bubbles:
        asked = bubble.get("type") == USER
        if asked:
            reply.end(told, chat)
            told.add(_message("user", _asked(bubble), text(bubble.get("text")), bubble, source))
        else:
            reply.take(bubble, source)
            if reply.tool:
                reply.end(told, chat)
        if asked or reply.tool:
            reply = _Reply()
    reply.end(told, chat)
    return told


class _Reply:
    """Bubbles of one answer."""

    def __init__(self) -> None:
        self.bubbles: list[Value] = []
        self.parts: list[Part] = []
        self.source = SourceRef()
        self.tool: Value = {}

    def take(self, bubble: Value, source: SourceRef) -> None:
        """One more; a tool ends the answer."""
        self.source = self.source if self.bubbles else source
        self.bubbles.append(bubble)
        thought = text(mapping(bubble.get("thinking")).get("text")) or text(bubble.get("thinking"))
        if thought:
            self.parts.append(Reasoning(text=thought))
        if text(bubble.get("text")):
            self.parts.append(Text(text=bubble["text"]))
        self.tool = mapping(bubble.get("toolFormerData"))
        if self.tool:
            self.parts.append(_tool_call(self.tool, text(bubble.get("bubbleId"))))

    def end(self, told: Conversation, chat: _Chat) -> None:
        """What came is a call; nothing readable is none."""
        bubbles, parts, tool, source = self.bubbles, self.parts, self.tool, self.source
        if not parts:
            return
        flag = arguments_flag(parts[-1].arguments) if isinstance(parts[-1], ToolCall) else None
        words = "\n".join(part.text for part in parts if isinstance(part, Text))
        message = _message("assistant", tuple(parts), words, bubbles, source, at=_time(bubbles[0]), flags=(flag,) if flag else ())
        number = told.reply(message, model=_model(bubbles, chat.about), usage=_usage(bubbles))
        result = _tool_result(tool, message.calls[-1]) if tool else None
        if result is not None:
            told.add(_message("tool", (result,), result.text, tool, source))
            child = text(mapping(json_of(tool.get("result"))).get("agentId"))
            chat.children += [(child, number)] if child else []


def _asked(bubble: Value) -> tuple[Part, ...]:
    words = text(bubble.get("text"))
    images = [mapping(mapping(image).get("dimension")) for image in items(bubble.get("images"))]
    media = [Media(media_type="image", width=natural(size.get("width")), height=natural(size.get("height"))) for size in images]
    return (*((Text(text=words),) if words else ()), *media)


def _tool_call(tool: Value, bubble_id: str) -> ToolCall:
    given = tool.get("rawArgs") or tool.get("params") or ""
    return ToolCall(
        id=text(tool.get("toolCallId")) or bubble_id, name=text(tool.get("name")), arguments=given if isinstance(given, str) else compact_json(given)
    )


def _tool_result(tool: Value, call: ToolCall) -> ToolResult | None:
    """The result of a tool; None where it has none."""
    told = tool.get("result") or tool.get("error")
    if told is None and tool.get("status") != "error":
        return None
    return ToolResult(call_id=call.id, text=told if isinstance(told, str) else compact_json(told), is_error=tool.get("status") == "error")


def _model(bubbles: Sequence[Value], about: Value) -> str:
    named = [text(mapping(bubble.get("modelInfo")).get("modelName")) for bubble in bubbles]
    return next((name for name in reversed(named) if name), text(mapping(about.get("modelConfig")).get("modelName")))


def _usage(bubbles: Sequence[Value]) -> Usage | None:
    """The last count of an answer that is one; zeros are none."""
    counts = [mapping(bubble.get("tokenCount")) for bubble in bubbles]
    for tokens in reversed(counts):
        read, wrote = whole(tokens.get("inputTokens")), whole(tokens.get("outputTokens"))
        if read or wrote:
            return Usage(input_tokens=read or None, output_tokens=wrote)
    return None


def _time(bubble: Value) -> float | None:
    return seconds(bubble.get("createdAt"))


def _message(
    role: str, parts: tuple[Part, ...], words: str, raw: Json, source: SourceRef, *, at: float | None = None, flags: tuple[str, ...] = ()
) -> Message:
    calls = [{"id": part.id, "name": part.name, "arguments": part.arguments} for part in parts if isinstance(part, ToolCall)]
    results = [{"tool_call_id": part.call_id} for part in parts if isinstance(part, ToolResult)]
    wire = {"role": role, "content": words, **({"tool_calls": calls} if calls else {}), **(results[0] if results else {})}
    return Message(role=role, parts=parts, wire=(wire,), raw=raw, source=source, at=at or _time(mapping(raw)), flags=flags)
