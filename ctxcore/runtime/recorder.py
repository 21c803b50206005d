"""Writes a live session as a log that ``read_session`` reads with every context as it was sent.

Source: OpenAI Chat Completions reference, request and response objects.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Sequence
from copy import deepcopy
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ctxcore.runtime.models import ChatMessage, Model, ToolDefinition


class Recorder:
    """Appends one JSON line per call: the request with its tools, and the reply.

    Use it as ``on_call`` of ``run_agent``, or ``wrap`` the model to record what a ``BudgetedModel`` lets through.
    """

    def __init__(self, path: str | Path, *, model: str = "", clock: Callable[[], float] = time.time) -> None:
        """Record into a file.

        Args:
            path: Made when the first call is written; a file that is there is continued.
            model: The model's name, as it is to stand in the log.
            clock: Unix seconds of now.
        """
        self.path = Path(path)
        self._model, self._clock = model, clock

    def __call__(self, messages: Sequence[ChatMessage], tools: Sequence[ToolDefinition], reply: ChatMessage | None) -> None:
        """Write one call; without a reply the line has no response.

        Raises:
            OSError: The file cannot be written.
        """
        moment = datetime.fromtimestamp(self._clock(), UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        line: dict[str, Any] = {"ts": moment, "request": {"model": self._model, "messages": list(messages), "tools": list(tools)}}
        if reply is not None:
            line["response"] = self._response(line, reply)
        self._append(_encoded(line))

    def _response(self, line: dict[str, Any], reply: ChatMessage) -> dict[str, Any]:
        """The response object; its id is a digest of time, request and reply, so equal ids mean the same call."""
        digest = hashlib.blake2b(_encoded([line, reply]), digest_size=8).hexdigest()
        reason = "tool_calls" if isinstance(reply, dict) and reply.get("tool_calls") else "stop"
        choice = {"index": 0, "message": reply, "finish_reason": reason}
        return {"id": f"chatcmpl-{digest}", "object": "chat.completion", "model": self._model, "choices": [choice]}

    def _append(self, data: bytes) -> None:
        """One write at the end of the file, after a line that was cut short too."""
        with self.path.open("ab+") as file:
            if file.tell():
                file.seek(-1, 2)
                data = data if file.read(1) == b"\n" else b"\n" + data
            file.write(data + b"\n")

    def wrap(self, model: Model) -> Model:
        """The same model, every call recorded exactly as it receives it."""
        return _Recorded(model, self)


class _Recorded:
    def __init__(self, model: Model, recorder: Recorder) -> None:
        self._model, self._recorder = model, recorder

    async def complete(self, messages: list[ChatMessage], tools: list[ToolDefinition]) -> ChatMessage:
        reply: ChatMessage | None = None
        sent = deepcopy((messages, tools))  # the model may change what it is given
        try:
            reply = await self._model.complete(messages, tools)
        finally:
            self._recorder(*sent, reply)
        return reply


def _encoded(value: object) -> bytes:
    """One line of JSON; what JSON has no form for is written as text, a lone surrogate as its escape."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
    try:
        return text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":"), default=str).encode()
