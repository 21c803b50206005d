"""Writes a live session as a log that ``read_session`` reads with every context as it was sent.

Source: OpenAI Chat Completions reference, request and response objects.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import asdict
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

from ctxcore.fitting import FitReport
from ctxcore.runtime.models import Answer, ChatMessage, Model, NotRecorded, ToolDefinition
from ctxcore.runtime.watching import Watched

FORMAT = 1
"""Version of the lines that belong to a run; stands under the key ``ctxscope_run``."""


class Recorder:
    """Appends one JSON line per call: the request with its tools, and the reply.

    Use it as ``on_call`` of ``run_agent``, or ``wrap`` the model to record what a ``BudgetedModel`` lets through. Lines of a ``run`` also say which
    run they are of, and there are further lines for what happens to its plan. Every line is written at once and whole: after a kill the file can be
    read up to its last whole line.
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
        self._runs = count(1)

    def __call__(self, messages: Sequence[ChatMessage], tools: Sequence[ToolDefinition], reply: ChatMessage | None) -> None:
        """Write one call; without a reply the line has no response.

        Raises:
            OSError: The file cannot be written.
        """
        self.write_call(messages, tools, reply)

    def write_call(self, messages: Sequence[ChatMessage], tools: Sequence[ToolDefinition], reply: ChatMessage | None, **marks: Any) -> None:
        """Write one call with further keys in front.

        Raises:
            OSError: The file cannot be written.
        """
        line: dict[str, Any] = {"ts": self._now(), "request": {"model": self._model, "messages": list(messages), "tools": list(tools)}}
        if reply is not None:
            line["response"] = self._response(line, reply)
        if marks:
            moment = line.pop("ts")
            line = {**marks, **line, "ts": moment}  # at the end, where it says that the line is whole
        self._append(_encoded(line))

    def write(self, **facts: Any) -> None:
        """Write a line that is no call.

        Raises:
            OSError: The file cannot be written.
        """
        self._append(_encoded({**facts, "ts": self._now()}))

    def _now(self) -> str:
        return datetime.fromtimestamp(self._clock(), UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def _response(self, line: dict[str, Any], reply: ChatMessage) -> dict[str, Any]:
        """The response object; its id is a digest of time, request and reply, so equal ids mean the same call."""
        digest = hashlib.blake2b(_encoded([line, reply]), digest_size=8).hexdigest()
        reason = "tool_calls" if isinstance(reply, dict) and reply.get("tool_calls") else "stop"
        told = reply if isinstance(reply, Answer) else Answer({})
        choice = {"index": 0, "message": reply, "finish_reason": told.finish_reason or reason}
        usage = {} if told.usage is None else {"usage": told.usage}
        model = told.model or self._model
        return {"id": told.id or f"chatcmpl-{digest}", "object": "chat.completion", "model": model, "choices": [choice], **usage}

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

    def watch(self, client: Any) -> Any:
        """A client of ``openai`` or ``anthropic``, sync or async, that works as before and records its Chat, Messages and Responses calls.

        ``client = Recorder("run.jsonl").watch(OpenAI())``. Recorded are ``create``, ``parse``, ``stream`` and
        ``with_raw_response.create``; a stream once it was read or closed.

        Args:
            client: Or anything shaped like one.
        """
        return Watched(client, self._write_bodies)

    def _write_bodies(self, request: Any, response: Any) -> None:
        answer = {} if response is None else {"response": response}
        self._append(_encoded({"ts": self._now(), "request": request, **answer}))

    def run(self, name: str = "") -> RunRecorder:
        """A recorder for one run; several may write into one file at the same time.

        Args:
            name: Unique in the file; made of the time and a count if left out.
        """
        return RunRecorder(self, name or f"{int(self._clock() * 1000):x}-{next(self._runs)}")


class RunRecorder:
    """Writes the lines of one run."""

    def __init__(self, recorder: Recorder, name: str) -> None:
        self._recorder = recorder
        self._marks = {"ctxscope_run": FORMAT, "run": name}
        self.name = name

    def event(self, event: str, **facts: Any) -> None:
        """What happened to the plan.

        Args:
            event: Stable word, for example ``step_started``.
            **facts: JSON values; what JSON has no form for is written as text.

        Raises:
            OSError: The file cannot be written.
        """
        self._recorder.write(**self._marks, event=event, facts=facts)

    def report(self, report: FitReport) -> None:
        """What fitting did to the request that is sent next.

        Raises:
            OSError: The file cannot be written.
        """
        self.event("report", **asdict(report))

    def wrap(self, model: Model, conversation: str = "") -> Model:
        """The same model, every call recorded exactly as it receives it.

        Args:
            model: To be called.
            conversation: Calls of one conversation go on from one another.
        """

        def write(messages: Sequence[ChatMessage], tools: Sequence[ToolDefinition], reply: ChatMessage | None) -> None:
            self._recorder.write_call(messages, tools, reply, **self._marks, conversation=conversation)

        return _Recorded(model, write)


class _Recorded:
    def __init__(self, model: Model, recorder: Callable[[list[ChatMessage], list[ToolDefinition], ChatMessage | None], None]) -> None:
        self._model, self._recorder = model, recorder

    async def complete(self, messages: list[ChatMessage], tools: list[ToolDefinition]) -> ChatMessage:
        reply: ChatMessage | None = None
        sent = deepcopy((messages, tools))  # the model may change what it is given
        try:
            reply = await self._model.complete(messages, tools)
        finally:
            self._record(sent, reply)
        return reply

    def _record(self, sent: tuple[list[ChatMessage], list[ToolDefinition]], reply: ChatMessage | None) -> None:
        try:
            self._recorder(*sent, reply)
        except OSError as error:
            raise NotRecorded(error.errno, error.strerror or str(error)) from error


def _encoded(value: object) -> bytes:
    """One line of JSON; what JSON has no form for is written as text, a lone surrogate as its escape."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
    try:
        return text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":"), default=str).encode()
