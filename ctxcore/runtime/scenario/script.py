"""A model that says what a scenario has written down."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any

from ctxcore.runtime.models import ChatMessage, ScriptEnded, ToolDefinition
from ctxcore.runtime.scenario.form import Say, call_of


class ScriptedFault(RuntimeError):
    """The scripted model fails as its scenario says."""


class Script:
    """Says what is written down, with ids that count over the whole scenario."""

    def __init__(self, replies: Sequence[Say], ids: Iterator[int], pace_s: float) -> None:
        self._replies, self._ids, self._pace_s = iter(replies), ids, pace_s

    async def complete(self, _messages: list[ChatMessage], _tools: list[ToolDefinition]) -> ChatMessage:
        """The next reply.

        Raises:
            ScriptEnded: No reply is left.
            ScriptedFault: The reply is a fault.
        """
        said = next(self._replies, None)
        if said is None:
            raise ScriptEnded("The scenario has no reply left.")
        await asyncio.sleep(said.wait_s + self._pace_s)
        if said.fault:
            raise ScriptedFault(said.fault)
        message: ChatMessage = {"role": "assistant", "content": said.text or None}
        if said.calls:
            message["tool_calls"] = [_call(line, next(self._ids), name) for line, name in zip_longest(said.calls, said.ids[: len(said.calls)])]
        return message


def _call(line: str, number: int, given: str | None) -> dict[str, Any]:
    name, arguments = call_of(line)
    return {"id": given or f"call_{number:04d}", "type": "function", "function": {"name": name, "arguments": arguments}}
