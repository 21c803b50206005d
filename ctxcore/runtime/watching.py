"""Records what a client of ``openai`` or ``anthropic`` sends and gets, without importing either: anything shaped like one will do.

Calls go through unchanged; arguments of the transport (headers, which hold keys, and time limits) are never written.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from types import TracebackType
from typing import Any, Self

from ctxcore.model import Json
from ctxcore.runtime.watched_streams import Manager, RawStream, Stream, Write, fault_of, plain

PLACES = (("chat", "completions"), ("beta", "chat", "completions"), ("messages",), ("beta", "messages"), ("responses",))
"""Attributes of a client on the way to its calls."""

RECORDED = tuple((*place, *way) for place in PLACES for way in (("create",), ("parse",), ("stream",), ("with_raw_response", "create")))
"""Attributes of a client on the way to a call that is recorded."""

COPIES = ("with_options", "copy")
"""Methods of a client that give another one."""

TRANSPORT = frozenset({"extra_headers", "extra_query", "timeout", "extra_body"})
"""Arguments that are no part of the body; ``extra_body`` is merged into it."""

ABSENT = frozenset({"NotGiven", "Omit"})
"""Types of values that stand for no argument."""


def body_of(arguments: Mapping[str, Any]) -> Json:
    """The body of a request from the arguments of the call."""
    body = {key: value for key, value in arguments.items() if key not in TRANSPORT and type(value).__name__ not in ABSENT}
    extra = arguments.get("extra_body")
    return plain({**body, **extra} if isinstance(extra, Mapping) else body)


class Watched:
    """Stands for a client, or for a part of one on the way to its calls."""

    def __init__(self, target: Any, write: Write, path: tuple[str, ...] = ()) -> None:
        self._target, self._write, self._path = target, write, path

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        """That of what it stands for: programs that ask whether this is a client are told yes."""
        return type(self._target)

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._target, name)
        path = (*self._path, name)
        if path in RECORDED:
            return lambda *args, **arguments: _call(value, args, arguments, self._write, is_manager=name == "stream")
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


def _call(function: Callable[..., Any], args: tuple[Any, ...], arguments: Mapping[str, Any], write: Write, *, is_manager: bool) -> Any:
    """The client's own answer, recorded on the way."""
    request = body_of(arguments)  # before the call: the caller may change what it sent
    try:
        answer = function(*args, **arguments)
    except BaseException as error:
        write(request, fault_of(error))
        raise
    if is_manager:
        return Manager(answer, {**request, "stream": True}, write)
    if inspect.isawaitable(answer):
        return _awaited(answer, request, write)
    return _answered(answer, request, write)


async def _awaited(answer: Awaitable[Any], request: Json, write: Write) -> Any:
    try:
        value = await answer
    except BaseException as error:
        write(request, fault_of(error))
        raise
    return _answered(value, request, write)


def _answered(answer: Any, request: Json, write: Write) -> Any:
    is_raw = callable(getattr(answer, "parse", None)) and hasattr(answer, "http_response")
    if request.get("stream") is True:
        return RawStream(answer, request, write) if is_raw else Stream(answer, request, write)
    write(request, plain(answer.parse() if is_raw else answer))
    return answer
