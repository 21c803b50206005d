"""An OpenAI-compatible endpoint on loopback: real HTTP, every answer written by the test."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, closing, suppress
from dataclasses import dataclass, field
from typing import Any

Writer = asyncio.StreamWriter
Script = Callable[[Writer], Awaitable[None]]
"""Writes one answer to a request that was read whole."""


@dataclass
class Stub:
    """What was asked, and where."""

    url: str = ""
    asked: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)


def http(body: bytes | str, status: int = 200, content_type: str = "application/json", **headers: str) -> Script:
    """An answer in one go."""
    data = body.encode() if isinstance(body, str) else body

    async def write(writer: Writer) -> None:
        lines = [f"HTTP/1.1 {status} Said", f"content-type: {content_type}", f"content-length: {len(data)}", "connection: close"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        writer.write("\r\n".join([*lines, "", ""]).encode() + data)
        await writer.drain()

    return write


def completion(message: dict[str, Any], finish_reason: str = "stop", **more: Any) -> Script:
    """A chat completion."""
    choice = {"index": 0, "message": message, "finish_reason": finish_reason}
    return http(json.dumps({"id": "chatcmpl-1", "object": "chat.completion", "model": "stub-1", "choices": [choice], **more}))


def slowly(seconds: float, then: Script) -> Script:
    """The same, later."""

    async def write(writer: Writer) -> None:
        await asyncio.sleep(seconds)
        await then(writer)

    return write


async def cut(writer: Writer) -> None:
    """Promises more than it sends."""
    writer.write(b'HTTP/1.1 200 Said\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{"choices": [')
    await writer.drain()


async def hang_up(writer: Writer) -> None:
    """Closes without a word."""


@asynccontextmanager
async def serving(scripts: Sequence[Script]) -> Any:
    """A server that gives these answers in order."""
    stub, waiting = Stub(), list(scripts)

    busy: set[asyncio.Task[None]] = set()

    async def answer(reader: asyncio.StreamReader, writer: Writer) -> None:
        task = asyncio.current_task()
        busy.add(task)
        task.add_done_callback(busy.discard)
        with closing(writer), suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
            headers = dict(line.lower().split(": ", 1) for line in head[1:] if line)
            stub.paths.append(head[0])
            stub.headers.append(headers)
            stub.asked.append(json.loads(await reader.readexactly(int(headers["content-length"]))))
            await waiting.pop(0)(writer)

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    stub.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    try:
        yield stub
    finally:
        server.close()
        for task in list(busy):
            task.cancel()
        await asyncio.gather(*busy)
        await asyncio.sleep(0)  # transports close at the loop's next turn
