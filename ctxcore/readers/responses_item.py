"""Items of the OpenAI Responses interface as ``Message`` values; Codex rollouts hold the same items.

The items of one reply (reasoning, message, calls) are one assistant message, each result is a message of role tool. Pairs go by ``call_id``.
A tool that the provider runs itself (web search, code interpreter, a remote MCP server) holds its call and its result in one item.
Source: OpenAI Responses reference, input and output items.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ctxcore.model import Json, Media, Message, Other, Part, Reasoning, SourceRef, Text, ToolCall, ToolResult
from ctxcore.readers.values import arguments_flag, compact_json, items, mapping, media_from_address, media_from_base64, text

ROLES = frozenset({"system", "developer", "user", "assistant", "tool"})
"""Roles that a rule knows; ``tool`` is ours, for results."""

Item = Mapping[str, Json]

SERVER_CALLS = {
    "web_search_call": ("web_search", "action", ""),
    "file_search_call": ("file_search", "queries", "results"),
    "code_interpreter_call": ("code_interpreter", "code", "outputs"),
    "image_generation_call": ("image_generation", "revised_prompt", ""),
    "mcp_call": ("", "arguments", "output"),
    "program": ("program", "code", ""),
}
"""Tools that the provider runs: the tool's name (empty: the item says), the key of what was asked, the key of what came back."""

CLIENT_CALLS = {
    "function_call": ("", "arguments"),
    "custom_tool_call": ("", "input"),
    "local_shell_call": ("local_shell", "action"),
    "shell_call": ("shell", "action"),
    "apply_patch_call": ("apply_patch", "operation"),
    "computer_call": ("computer", "action"),
    "tool_search_call": ("tool_search", "arguments"),
    "mcp_approval_request": ("", "arguments"),
}
"""Tools that the client runs: the tool's name (empty: the item says) and the key of what was asked."""

COMPACTIONS = frozenset({"compaction", "compaction_summary", "context_compaction"})
"""Opaque stand-ins for the history before them."""

OTHER_REPLIES = frozenset({"reasoning", "mcp_list_tools", "program_output", "item_reference"})

REPLIES = frozenset({*CLIENT_CALLS, *SERVER_CALLS, *COMPACTIONS, *OTHER_REPLIES})
"""Items that the model's side writes, messages aside."""

RESULTS = {
    "function_call_output": "output",
    "custom_tool_call_output": "output",
    "local_shell_call_output": "output",
    "shell_call_output": "output",
    "apply_patch_call_output": "output",
    "computer_call_output": "output",
    "tool_search_output": "tools",
    "mcp_approval_response": "approve",
}
"""Answers of the client and the key of their text."""


def kind_of(item: Item) -> str:
    """The item's type; an item without one is a message."""
    kind = item.get("type")
    return kind if isinstance(kind, str) and kind else "message"


def is_item(value: Json) -> bool:
    """True for an object with a type that the interface knows, or for a message, whose type may be missing."""
    item = mapping(value)
    kind = kind_of(item)
    if kind == "message":
        return isinstance(item.get("role"), str) and "content" in item
    return kind in REPLIES or kind in RESULTS


def is_reply(item: Item) -> bool:
    """True for an item that the model's side writes."""
    kind = kind_of(item)
    if kind == "message":
        return item.get("role") == "assistant"
    return kind in REPLIES or kind.endswith("_call") or (kind == "tool_search_output" and item.get("execution") == "server")


def split_items(values: Iterable[Item]) -> list[tuple[Item, ...]]:
    """The items of each message: neighbouring items of the model are one reply, any other item is a message of its own."""
    groups: list[tuple[Item, ...]] = []
    reply: list[Item] = []
    for item in values:
        if is_reply(item):
            reply.append(item)
            continue
        if reply:
            groups.append(tuple(reply))
            reply = []
        groups.append((item,))
    return [*groups, tuple(reply)] if reply else groups


def items_message(group: Sequence[Item], source: SourceRef, *, raw: Json = None, at: float | None = None) -> Message:
    """One message from its items.

    Args:
        group: One input item, or all items of one reply.
        source: Where the first stands.
        raw: The record around them, where there is more than the items.
        at: Unix seconds.
    """
    parts: list[Part] = []
    flags: list[str] = []
    kinds = [kind_of(item) for item in group]
    own_id = ""
    for kind, item in zip(kinds, group, strict=True):
        parts += _parts(kind, item)
        flags += _flags(kind, item)
        own_id = own_id or text(item.get("id"))
    opaque = all(kind in COMPACTIONS for kind in kinds)
    role = "user" if opaque else "assistant" if is_reply(group[0]) else "tool" if kinds[0] in RESULTS else text(group[0].get("role"))
    if role not in ROLES:
        flags.append("unknown_role")
    return Message(
        role=role,
        parts=tuple(parts),
        wire=tuple(group),
        raw=raw if raw is not None else group[0] if len(group) == 1 else list(group),
        source=source,
        id=own_id,
        at=at,
        injected="summary" if opaque else "",
        flags=tuple(dict.fromkeys(flags)) if flags else (),
    )


def _parts(kind: str, item: Item) -> list[Part]:
    """Parts of one item; what no rule knows is kept as ``Other``."""
    if kind == "message":
        return content_parts(item.get("content"))
    if kind in CLIENT_CALLS:
        return [_client_call(kind, item)]
    if kind in SERVER_CALLS:
        return _server_call(kind, item)
    return [_result(kind, item) if kind in RESULTS else _other_part(kind, item)]


def _other_part(kind: str, item: Item) -> Part:
    match kind:
        case "reasoning":
            return _reasoning(item)
        case "program_output":
            return ToolResult(call_id=text(item.get("call_id")), text=_plain(item.get("result")))
        case "mcp_list_tools":
            return Other(type=kind, text=compact_json(item.get("tools")))
    return Other(type=kind, text=text(item.get("text")))


def _flags(kind: str, item: Item) -> Sequence[str]:
    """What is odd about one item, as stable words."""
    if kind == "function_call":
        flag = arguments_flag(text(item.get("arguments")))
        return (flag,) if flag else ()
    if kind in RESULTS and not _call_id(item):
        return ("no_call_id",)
    return ("not_recorded",) if kind == "item_reference" else ()


def content_parts(content: Json) -> list[Part]:
    """Parts of a message's content: a string, null, or a list of typed parts."""
    if isinstance(content, str):
        return [Text(text=content)] if content else []
    return [_content_part(mapping(value)) if not isinstance(value, str) else Text(text=value) for value in items(content)]


def _content_part(part: Item) -> Part:
    kind = text(part.get("type"))
    match kind:
        case "input_text" | "output_text" | "text" | "summary_text" | "reasoning_text":
            return Text(text=text(part.get("text")))
        case "refusal":
            return Text(text=text(part.get("refusal")))
        case "input_image" | "computer_screenshot":
            return media_from_address(text(part.get("image_url")) or text(part.get("file_id")))
        case "input_file":
            return media_from_address(text(part.get("file_data")) or text(part.get("file_url")) or text(part.get("file_id")), "file")
        case "input_audio":
            audio = mapping(part.get("input_audio"))
            return media_from_base64(f"audio/{text(audio.get('format')) or 'unknown'}", text(audio.get("data")))
    return Other(type=kind or "unknown", text=text(part.get("text")))


def _reasoning(item: Item) -> Reasoning:
    """The readable text; opaque where only an encrypted form, or nothing, was kept."""
    shown = [text(mapping(part).get("text")) for key in ("summary", "content") for part in items(item.get(key))]
    joined = "\n".join(piece for piece in shown if piece)
    return Reasoning(text=joined, opaque=not joined)


def _plain(value: Json) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else compact_json(value)


def _call_id(item: Item) -> str:
    return text(item.get("call_id")) or text(item.get("approval_request_id"))


def _client_call(kind: str, item: Item) -> ToolCall:
    name, key = CLIENT_CALLS[kind]
    return ToolCall(id=text(item.get("call_id")) or text(item.get("id")), name=name or text(item.get("name")), arguments=_plain(item.get(key)))


def _server_call(kind: str, item: Item) -> list[Part]:
    """The call and what came back, which the provider keeps together; a program's output is an item of its own."""
    name, asked, answered = SERVER_CALLS[kind]
    key = text(item.get("call_id")) or text(item.get("id"))
    call = ToolCall(id=key, name=name or text(item.get("name")) or kind, arguments=_plain(item.get(asked)))
    if kind == "program":
        return [call]
    image = text(item.get("result")) if kind == "image_generation_call" else ""
    media = (media_from_base64(f"image/{text(item.get('output_format')) or 'png'}", image),) if image else ()
    failed = item.get("error") is not None or item.get("status") == "failed"
    return [call, ToolResult(call_id=key, name=call.name, text=_plain(item.get(answered)) if answered else "", is_error=failed or None, media=media)]


def _result(kind: str, item: Item) -> ToolResult:
    output = item.get(RESULTS[kind])
    pieces = [output] if kind == "computer_call_output" else output
    if not isinstance(pieces, list) or not all(map(_is_content, pieces)):
        return ToolResult(call_id=_call_id(item), text=_plain(output))
    parts = content_parts(pieces)
    return ToolResult(
        call_id=_call_id(item),
        text="\n".join(p.text for p in parts if isinstance(p, (Text, Other)) and p.text),
        media=tuple(p for p in parts if isinstance(p, Media)),
    )


def _is_content(value: Json) -> bool:
    """True for a content part, as against a tool or raw output in a list."""
    return text(mapping(value).get("type")).startswith(("input_", "output_", "text", "computer_screenshot"))
