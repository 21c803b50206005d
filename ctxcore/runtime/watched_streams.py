"""Answers of a watched client that come in pieces: they go through unchanged and are put together on the way."""

from __future__ import annotations

import inspect
import json
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from types import TracebackType
from typing import Any, Self

from ctxcore.model import Json
from ctxcore.readers.sse import assembled

FINAL = ("get_final_message", "get_final_completion", "get_final_response")
"""Methods of a stream that read it to its end and give the whole answer."""

SNAPSHOTS = ("current_message_snapshot", "current_completion_snapshot")
"""Attributes of a stream that hold what came so far."""

Write = Callable[[Json, Json], None]
"""Writes a request and its answer; None for no answer."""


def plain(value: Any) -> Json:
    """A value as JSON; models of pydantic become objects, what JSON has no form for becomes text."""
    return json.loads(json.dumps(value, default=_as_json))


def _as_json(value: Any) -> Json:
    if isinstance(value, type):  # a model of pydantic that says what the answer must look like
        return value.model_json_schema() if hasattr(value, "model_json_schema") else value.__name__
    if callable(getattr(value, "model_dump", None)):
        return value.model_dump(mode="json", exclude_unset=True)
    if isinstance(value, Mapping):
        return dict(value)
    return list(value) if isinstance(value, (tuple, set, frozenset)) else str(value)


def fault_of(error: BaseException) -> Json:
    """What stands in the log where no answer came."""
    return {"error": {"type": type(error).__name__, "message": str(error)}}


class Stream:
    """A stream that is put together while it is read; written once, at its end or where the reader stops."""

    def __init__(self, stream: Any, request: Json, write: Write) -> None:
        self._stream, self._request, self._write = stream, request, write
        self._events: list[Json] = []
        self._whole: Json = None
        self._written = False

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._stream, name)
        if name in FINAL:
            return lambda *args, **arguments: self._final(value(*args, **arguments))
        return value

    def _final(self, answer: Any) -> Any:
        """The whole answer that a method of the stream gives."""
        if inspect.isawaitable(answer):
            return self._final_later(answer)
        self._whole = plain(answer)
        return answer

    async def _final_later(self, answer: Any) -> Any:
        return self._final(await answer)

    def _note(self, event: Any) -> Any:
        self._events.append(plain(event))
        return event

    def __iter__(self) -> Iterator[Any]:
        try:
            for event in self._stream:
                yield self._note(event)
        finally:
            self._done()

    def __next__(self) -> Any:
        try:
            return self._note(next(self._stream))
        except BaseException:
            self._done()
            raise

    async def __aiter__(self) -> AsyncIterator[Any]:
        try:
            async for event in self._stream:
                yield self._note(event)
        finally:
            self._done()

    async def __anext__(self) -> Any:
        try:
            return self._note(await anext(self._stream))
        except BaseException:
            self._done()
            raise

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

    def close(self) -> Any:
        """Close the stream; what came so far is written."""
        self._done()
        return self._stream.close()

    def _done(self) -> None:
        if not self._written:
            self._written = True
            self._write(self._request, self._whole or self._snapshot() or dict(assembled(self._events).answer) or None)

    def _snapshot(self) -> Json:
        """What the stream itself has put together so far; None where it keeps nothing."""
        for name in SNAPSHOTS:
            try:
                found = getattr(self._stream, name, None)
            except AssertionError:  # nothing came yet
                return None
            if found is not None:
                return plain(found)
        return None


class Manager:
    """Opens a stream with ``with``; the request is recorded when it closes, or where it could not be opened."""

    def __init__(self, manager: Any, request: Json, write: Write) -> None:
        self._manager, self._request, self._write = manager, request, write
        self._stream: Stream | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._manager, name)

    def __enter__(self) -> Stream:
        try:
            return self._opened(self._manager.__enter__())
        except BaseException as error:
            self._write(self._request, fault_of(error))
            raise

    async def __aenter__(self) -> Stream:
        try:
            return self._opened(await self._manager.__aenter__())
        except BaseException as error:
            self._write(self._request, fault_of(error))
            raise

    def _opened(self, stream: Any) -> Stream:
        self._stream = Stream(stream, self._request, self._write)
        return self._stream

    def _close(self) -> None:
        if self._stream is not None:
            self._stream._done()  # noqa: SLF001 - the two belong together

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> Any:
        self._close()
        return self._manager.__exit__(kind, error, trace)

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> Any:
        self._close()
        return await self._manager.__aexit__(kind, error, trace)


class RawStream:
    """A raw response whose body is a stream: the stream that it is parsed into is recorded."""

    def __init__(self, response: Any, request: Json, write: Write) -> None:
        self._response, self._request, self._write = response, request, write
        self._stream: Stream | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._response, name)

    def parse(self, *args: Any, **arguments: Any) -> Stream:
        """The stream, the same at each call."""
        if self._stream is None:
            self._stream = Stream(self._response.parse(*args, **arguments), self._request, self._write)
        return self._stream
