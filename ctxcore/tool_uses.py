"""Every tool call of a thread with its result and the model call that asked for it: what plans and states are read from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from ctxcore.model import Json, SourceRef, Thread, ToolCall, ToolResult
from ctxcore.units import Key, Pairing

FAILURE_STARTS = ("error", "<tool_use_error>", "failed", "failure", "traceback (most recent call last)", "错误", "失败")
"""How the text of a failed tool result begins (lower case), where the log has no mark of its own."""

FAILURE_WORDS = ("error", "failed", "failure", "rejected")
"""Values of ``status`` (lower case) in a JSON result."""

SUCCESS_KEYS = ("success", "ok")
"""Yes-or-no forms of it."""

STOP_KEYS = ("aborted", "cancelled", "canceled", "interrupted", "timed_out")
"""Keys of a JSON result that say, if true, that the tool was stopped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolUse:
    """One tool call and what came of it."""

    call: int
    """The model call whose reply asked for it; for history that no recorded call wrote, the last call before it was first sent."""
    message: int
    """Thread message that holds the tool call."""
    tool: ToolCall
    """As recorded."""
    source: SourceRef
    """Where its message stands."""
    turn: int
    """Ordinal of the turn it stands in, from 1; 0 before the first user message."""
    result: ToolResult | None = None
    """Its first result, or None."""
    result_message: int | None = None
    """Thread message that holds the result."""

    @property
    def name(self) -> str:
        """The tool's own name, without the server that offers it (``mcp__notes__todo_write`` is ``todo_write``)."""
        return self.tool.name.rsplit("__", 1)[-1].rsplit(".", 1)[-1]

    @property
    def word(self) -> str:
        """The name in lower case without separators, for look-ups."""
        return "".join(c for c in self.name.lower() if c.isalnum())

    @property
    def arguments(self) -> Mapping[str, Json]:
        """The arguments as an object; empty where they are none."""
        return json_object(self.tool.arguments)

    @property
    def failed(self) -> bool:
        """The result is marked as an error, or says so in its first words; False without a result."""
        if self.result is None:
            return False
        if self.result.is_error is not None:
            return self.result.is_error
        return self.result.text.lstrip()[:40].lower().startswith(FAILURE_STARTS) or self.says_failed

    @property
    def says_failed(self) -> bool:
        """The result is a JSON object that says so itself, whatever the log marks: many loops mark no result, or every one as good."""
        return self.result is not None and says_failed(self.result.text.lstrip())


def json_object(text: str) -> Mapping[str, Json]:
    """A JSON object from its text; empty for anything else."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def says_failed(text: str) -> bool:
    """True for a JSON result with an error, a failed status, a success that is false, an end before its time, or an exit code other than 0."""
    if not text.startswith("{"):
        return False
    value = json_object(text)
    status = value.get("status")
    meta = value.get("metadata")
    code = meta.get("exit_code") if isinstance(meta, dict) else value.get("exit_code")
    if any(value.get(key) is False for key in SUCCESS_KEYS) or any(value.get(key) is True for key in STOP_KEYS):
        return True
    return bool(value.get("error")) or (isinstance(status, str) and status.lower() in FAILURE_WORDS) or code not in (None, 0)


def tool_uses(thread: Thread) -> tuple[ToolUse, ...]:
    """Every tool call of the thread in recorded order; made once per thread.

    Results are matched as the units are: the nearest earlier call with the id that has no answer yet.
    """
    return thread.once("tool_uses", lambda: _tool_uses(thread))


def _tool_uses(thread: Thread) -> tuple[ToolUse, ...]:
    answers = tool_answers(thread)
    call_of = message_calls(thread)
    uses: list[ToolUse] = []
    turn = 0
    for index, message in enumerate(thread.messages):
        turn += message.is_real_user
        if message.role != "assistant":
            continue
        for order, tool in enumerate(message.calls):
            result_message, part = answers.get((index, order), (None, None))
            result = None if result_message is None or part is None else thread.messages[result_message].parts[part]
            uses.append(
                ToolUse(
                    call=call_of[index],
                    message=index,
                    tool=tool,
                    source=message.source,
                    turn=turn,
                    result=result if isinstance(result, ToolResult) else None,
                    result_message=result_message,
                )
            )
    return tuple(uses)


def tool_answers(thread: Thread) -> dict[tuple[int, int], tuple[int, int]]:
    """First results of the tool calls: message and order of a call among its message's calls → message and part of its first result."""
    pairing = Pairing()
    found: dict[tuple[int, int], tuple[int, int]] = {}
    for index, message in enumerate(thread.messages):
        if message.role == "assistant":  # first, for a message that answers its own call (a tool that the provider runs)
            pairing.ask(index, index, [Key(call.id, call.name) for call in message.calls])
        for number, part in enumerate(message.parts):
            if isinstance(part, ToolResult):
                ask, again = pairing.answer(Key(part.call_id, part.name))
                if ask is not None and not again:
                    found[ask.message, ask.order] = index, number
    return found


def message_calls(thread: Thread) -> tuple[int, ...]:
    """Per thread message: the call whose reply it is; else the last call before it was first sent (at least 0)."""
    last = max(0, len(thread.calls) - 1)
    origin = [last] * len(thread.messages)
    seen = [False] * len(thread.messages)
    known: list[tuple[int, int]] = []
    for call in thread.calls:
        for start, stop in _news(known, call.context):
            for index in range(start, stop):
                if not seen[index]:
                    seen[index] = True
                    origin[index] = max(0, call.index - 1)
        known = list(call.context)
    for call in thread.calls:
        if call.reply is not None:
            origin[call.reply] = call.index
    return tuple(origin)


def _news(old: list[tuple[int, int]], new: tuple[tuple[int, int], ...]) -> list[tuple[int, int]]:
    """Ranges of the new context that are not the same leading ranges of the old one."""
    for place, (start, stop) in enumerate(new):
        if place >= len(old) or old[place] != (start, stop):
            begun = old[place][1] if place < len(old) and old[place][0] == start else start
            return [(min(begun, stop), stop), *new[place + 1 :]]
    return []
