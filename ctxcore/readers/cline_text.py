"""Tools as Cline and Roo Code write them in text: calls as tags in the model's text, results under a heading in the user's.

Source: format notes 2.5: ``[read_file for 'X'] Result:``, with or without a ``tool_use`` block before it; results follow their call directly.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from ctxcore.model import Injected, Json, Message, Part, SourceRef, Text, ToolCall, ToolResult
from ctxcore.readers.anthropic_message import anthropic_message
from ctxcore.readers.values import text

TOOLS = (
    "access_mcp_resource",
    "apply_diff",
    "ask_followup_question",
    "attempt_completion",
    "browser_action",
    "codebase_search",
    "condense",
    "edit_file",
    "execute_command",
    "fetch_instructions",
    "focus_chain",
    "generate_image",
    "insert_content",
    "list_code_definition_names",
    "list_files",
    "load_mcp_documentation",
    "new_rule",
    "new_task",
    "plan_mode_respond",
    "read_file",
    "replace_in_file",
    "run_slash_command",
    "search_and_replace",
    "search_files",
    "summarize_task",
    "switch_mode",
    "update_todo_list",
    "use_mcp_tool",
    "web_fetch",
    "web_search",
    "write_to_file",
)
"""Names of tools. Source: tool lists of both programs' system prompts."""

CALL = re.compile(rf"<(?P<name>{'|'.join(TOOLS)})>(?P<body>.*?)(?:</(?P=name)>|\Z)", re.DOTALL)

HEADING = re.compile(r"\A\[(?P<name>\w+)[^\n]{0,4000}?\] Result:")

NOTES = (
    "<environment_details>",
    "[ERROR]",
    "# TODO LIST",
    "# task_progress",
    "[TASK RESUMPTION]",
    "Tool [",
    "<automatic_reminder>",
    "====\n\nREMINDERS",
)
"""First words of texts that the program puts into user messages."""

CONDENSED = "**Context: The context to continue the conversation with.**"

MODEL = re.compile(r"<model>([^<\n]+)</model>")
"""The model as the environment details name it."""


def task_message(
    value: Mapping[str, Json],
    source: SourceRef,
    *,
    asked: Sequence[ToolCall] = (),
    at: float | None = None,
    injected: Injected = "",
    raw: Json = None,
    id: str = "",
) -> Message:
    """A message of a task, tools in its text found.

    Args:
        value: ``{role, content}`` as sent.
        source: Where.
        asked: Calls of the message before it, which results without an id answer.
        at: Unix seconds.
        injected: Why a user-role message is not a person's, where the log says so.
        raw: The whole record.
        id: The log's own id.
    """
    wire = {key: value[key] for key in ("role", "content") if key in value}
    message = anthropic_message(wire, source, raw=value if raw is None else raw, id=id, at=at)
    if message.role == "assistant":
        parts = message.parts if message.calls else tuple(part for p in message.parts for part in _calls_in(p))
        return replace(message, parts=parts, injected=injected)
    parts = message.parts if message.results else tuple(_results_in(message.parts, list(asked)))
    reason = injected or message.injected or _why_injected(parts)
    return replace(message, parts=parts, injected=reason)


def _why_injected(parts: Iterable[Part]) -> Injected:
    """A message of nothing but the program's notes is no person's."""
    texts = [part.text.lstrip() for part in parts if isinstance(part, Text) and part.text.strip()]
    if any(isinstance(part, ToolResult) for part in parts) or not texts:
        return ""
    if texts[0].startswith(CONDENSED):
        return "summary"
    return "reminder" if all(words.startswith(NOTES) for words in texts) else ""


def _calls_in(part: Part) -> list[Part]:
    """A text split into what the model says and what it asks for."""
    if not isinstance(part, Text) or "<" not in part.text:
        return [part]
    found: list[Part] = []
    position = 0
    for match in CALL.finditer(part.text):
        found += _said(part.text[position : match.start()])
        found.append(ToolCall(id="", name=match["name"], arguments=match["body"]))
        position = match.end()
    return [*found, *_said(part.text[position:])] if position else [part]


def _said(words: str) -> list[Part]:
    return [Text(text=words)] if words.strip() else []


def _results_in(parts: Iterable[Part], asked: list[ToolCall]) -> list[Part]:
    """Texts under a heading as results; a heading that stands alone goes on in the texts behind it, up to a note or the next heading."""
    found: list[Part] = []
    goes_on = False
    for part in parts:
        heading = HEADING.match(part.text) if isinstance(part, Text) else None
        last = found[-1] if found else None
        if isinstance(part, Text) and heading:
            found.append(ToolResult(call_id=_answered(heading["name"], asked), name=heading["name"], text=part.text))
            goes_on = heading.end() == len(part.text.rstrip())
        elif goes_on and isinstance(part, Text) and isinstance(last, ToolResult) and not part.text.lstrip().startswith(NOTES):
            found[-1] = replace(last, text=f"{last.text}\n{part.text}")
            goes_on = False
        else:
            goes_on = False
            found.append(part)
    return found


def _answered(name: str, asked: list[ToolCall]) -> str:
    """Id of the call that a heading answers: the first of that name, else the first; empty where calls have none."""
    call = next((call for call in asked if call.name == name), None) or next((call for call in asked if call.id), None)
    if call is None:
        return ""
    asked.remove(call)
    return call.id


def model_in(message: Message) -> str:
    """The model that the environment details of a message name; empty without."""
    for part in message.parts:
        if isinstance(part, Text) and (match := MODEL.search(part.text)):
            return match[1].strip()
    return ""


def is_summary(value: Mapping[str, Json]) -> bool:
    """True for a message that took the place of a condensed history."""
    content = value.get("content")
    return bool(value.get("isSummary")) or (isinstance(content, str) and text(content).startswith(CONDENSED))
