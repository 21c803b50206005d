"""Records what a client of ``openai`` or ``anthropic`` sends and gets, without importing either: anything shaped like one will do.

Calls go through unchanged; arguments of the transport (headers, which hold keys, and time limits) are never written.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from types import TracebackType
from typing import Any, Self

from ctxcore.model import Json
from ctxcore.readers.sse import assembled

RECORDED = (("chat", "completions", "create"), ("messages", "create"), ("beta", "messages", "create"), ("responses", "create"))
"""Attributes of a client on the way to a call that is recorded."""

COPIES = ("with_options", "copy")
"""Methods of a client that give another one."""

TRANSPORT = frozenset({"extra_headers", "extra_query", "timeout", "extra_body"})
"""Arguments that are no part of the body; ``extra_body`` is merged into it."""

ABSENT = frozenset({"NotGiven", "Omit"})
"""Types of values that stand for no argument."""

Write = Callable[[Json, Json], None]
"""Writes a request and its answer; None for no answer."""


def plain(value: Any) -> Json:
    """A value as JSON; models of pydantic become objects, what JSON has no form for becomes text."""
    return json.loads(json.dumps(value, default=_as_json))


def _as_json(value: Any) -> Json:
    if callable(getattr(value, "model_dump", None)):
        return value.model_dump(mode="json", exclude_unset=True)
    if isinstance(value, Mapping):
        return dict(value)
    return list(value) if isinstance(value, (tuple, set, frozenset)) else str(value)


def body_of(arguments: Mapping[str, Any]) -> Json:
    """The body of a request from the arguments of the call."""
    body = {key: value for key, value in arguments.items() if key not in TRANSPORT and type(value).__name__ not in ABSENT}
    extra = arguments.get("extra_body")
    return plain({**body, **extra} if isinstance(extra, Mapping) else body)


class Watched:
    """Stands for a client, or for a part of one on the way to its calls."""

    def __init__(self, target: Any, write: Write, path: tuple[str, ...] = ()) -> None:
        self._target, self._write, self._path = target, write, path

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._target, name)
        path = (*self._path, name)
        if path in RECORDED:
            return lambda *args, **arguments: _call(value, args, arguments, self._write)
        if any(known[: len(path)] == path for known in RECORDED):
            return Watched(value, self._write, path)
        if not self._path and name in COPIES:
            return lambda *args, **arguments: Watched(value(*args, **arguments), self._write)
        return value

    def __enter__(self) -> Self:
        self._target.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> Any:
        return self._target.__exit__(kind, error, trace)

    async def __aenter__(self) -> Self:
        await self._target.__aenter__()
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> Any:
        return await self._target.__aexit__(kind, error, trace)


def _call(function: Callable[..., Any], args: tuple[Any, ...], arguments: Mapping[str, Any], write: Write) -> Any:
    """The client's own answer, recorded on the way."""
    request = body_of(arguments)  # before the call: the caller may change what it sent
    try:
        answer = function(*args, **arguments)
    except BaseException as error:
        write(request, _fault(error))
        raise
    if inspect.isawaitable(answer):
        return _awaited(answer, request, write)
    return _answered(answer, request, write)


async def _awaited(answer: Awaitable[Any], request: Json, write: Write) -> Any:
    try:
        value = await answer
    except BaseException as error:
        write(request, _fault(error))
        raise
    return _answered(value, request, write)


def _answered(answer: Any, request: Json, write: Write) -> Any:
    if request.get("stream") is True:
        return _Stream(answer, request, write)
    write(request, plain(answer))
    return answer


def _fault(error: BaseException) -> Json:
    return {"error": {"type": type(error).__name__, "message": str(error)}}


class _Stream:
    """A stream that is put together while it is read; written once, at its end or where the reader stops."""

    def __init__(self, stream: Any, request: Json, write: Write) -> None:
        self._stream, self._request, self._write = stream, request, write
        self._events: list[Json] = []
        self._written = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def __iter__(self) -> Iterator[Any]:
        try:
            for event in self._stream:
                self._events.append(plain(event))
                yield event
        finally:
            self._done()

    async def __aiter__(self) -> AsyncIterator[Any]:
        try:
            async for event in self._stream:
                self._events.append(plain(event))
                yield event
        finally:
            self._done()

    def __enter__(self) -> Self:
        self._stream.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> Any:
        self._done()
        return self._stream.__exit__(kind, error, trace)

    async def __aenter__(self) -> Self:
        await self._stream.__aenter__()
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> Any:
        self._done()
        return await self._stream.__aexit__(kind, error, trace)

    def _done(self) -> None:
        if not self._written:
            self._written = True
            self._write(self._request, dict(assembled(self._events).answer) or None)
