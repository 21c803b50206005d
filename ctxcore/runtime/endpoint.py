"""A model behind any OpenAI-compatible endpoint: one Chat request, one whole answer, no streaming.

Source: OpenAI Chat Completions reference; RFC 9110 for Retry-After.
"""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Any

import httpx

from ctxcore.errors import EndpointError, InputError, shown
from ctxcore.runtime.models import Answer, ChatMessage, ToolDefinition

MOST_BYTES = 64 * 2**20
"""Of an answer; a longer one is no chat message."""

FIRST_WAIT_S = 0.5
"""Before the first retry where the server names no time; it doubles."""

LONGEST_WAIT_S = 60.0
"""No wait is longer, whatever the server asks for."""

QUOTED_CHARS = 300
"""Of a server's own words in a sentence."""

KEY_SIGNS = frozenset(map(chr, range(0x21, 0x7F)))
"""What a key may hold: visible ASCII. The words of an error about any other header would quote the key."""

MASK = "•••"
"""Stands for the key where a server says it back."""

SHORTEST_SECRET = 8
"""Characters; servers that want no key are given short words, which may stand anywhere."""

PATH = "/chat/completions"
"""What is asked of every address."""

BASE_URL = "https://api.openai.com/v1"
"""Where nothing else is set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Where and how an endpoint is asked."""

    model: str
    """Name as the endpoint knows it."""
    base_url: str = ""
    """Up to and without ``/chat/completions``; empty takes CTXSCOPE_BASE_URL, OPENAI_BASE_URL, or OpenAI's own."""
    api_key: str = field(default="", repr=False)
    """Sent as a bearer token; empty takes CTXSCOPE_API_KEY or OPENAI_API_KEY where the address is the environment's own, else sends none."""
    timeout_s: float = 120.0
    """Seconds for one attempt, its answer included."""
    retries: int = 2
    """Attempts after the first."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Further keys of the request, for example ``temperature``."""

    def from_environment(self, environment: Mapping[str, str] | None = None, *, send_key: bool = False) -> Settings:
        """The same with empty values filled from the environment.

        Args:
            environment: Names and values; None takes those of the process.
            send_key: Let a key of the environment go to an address that is not the environment's.

        Raises:
            InputError: No model, or an address or number that makes no sense.
        """
        environment = os.environ if environment is None else environment
        url = self.base_url or own_address(environment)
        key = self.api_key or (environment_key(environment) if send_key or is_own_address(url, environment) else "")
        if not self.model:
            raise InputError("The endpoint needs a model's name.")
        check_address(url)
        if not set(key) <= KEY_SIGNS:
            raise InputError("The API key holds blanks or signs that no key has.")
        if self.timeout_s <= 0 or self.retries < 0:
            raise InputError(f"A timeout of {self.timeout_s} seconds and {self.retries} retries make no sense.")
        return Settings(
            model=self.model, base_url=url.rstrip("/"), api_key=key, timeout_s=self.timeout_s, retries=self.retries, options=dict(self.options)
        )


def own_address(environment: Mapping[str, str]) -> str:
    """The address that the key of an environment belongs to."""
    return environment.get("CTXSCOPE_BASE_URL") or environment.get("OPENAI_BASE_URL") or BASE_URL


def environment_key(environment: Mapping[str, str]) -> str:
    """The key of an environment, or empty."""
    return environment.get("CTXSCOPE_API_KEY") or environment.get("OPENAI_API_KEY") or ""


def is_own_address(url: str, environment: Mapping[str, str]) -> bool:
    """True where an address is the environment's own; empty stands for it."""
    return not url or url.rstrip("/") == own_address(environment).rstrip("/")


def check_address(url: str) -> None:
    """Refuse an address that would be asked elsewhere than at its path and ``/chat/completions``.

    What may be a secret is not quoted.

    Raises:
        InputError: It is no http or https address, or holds more than host, port and path.
    """
    if any(sign in "\\?#" or not sign.isprintable() or sign.isspace() for sign in url):
        raise InputError("The base URL holds blanks, control characters or one of ? # \\: it ends with a path, for example http://localhost:8000/v1.")
    if not url.startswith(("http://", "https://")):
        raise InputError(f"The base URL {shown(url)} is no http or https address.")
    try:
        asked = httpx.URL(f"{url.rstrip('/')}{PATH}")
    except httpx.InvalidURL as error:
        raise InputError(f"The base URL {shown(url)} is no address: {error}.") from error
    if asked.userinfo:
        raise InputError("The base URL holds a user name or password: a key is given apart from it.")
    if not asked.host or not asked.path.endswith(PATH) or asked.query or asked.fragment:
        raise InputError(f"The base URL {shown(url)} does not lead to a path that ends with {PATH}.")


class OpenAICompatibleModel:
    """Asks an endpoint for one whole reply.

    Attributes:
        requests: HTTP requests made, retries included.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str = "",
        api_key: str = "",
        timeout_s: float = 120.0,
        retries: int = 2,
        options: Mapping[str, Any] | None = None,
        client: httpx.AsyncClient | None = None,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        clock: Callable[[], float] = time.time,
        environment: Mapping[str, str] | None = None,
        send_key: bool = False,
    ) -> None:
        """Set an endpoint up; nothing is sent yet.

        Args:
            model: Name as the endpoint knows it.
            base_url: As in ``Settings``.
            api_key: As in ``Settings``.
            timeout_s: Seconds for one attempt, its answer included.
            retries: Attempts after the first, for faults that pass: 429, 5xx, a broken connection, no answer in time.
            options: Further keys of the request.
            client: Used as it is and left open; without one a client is opened for each call, so that a model can go from one event loop to the next.
            sleep: Waits between attempts.
            clock: Unix seconds of now, for a Retry-After that is a date.
            environment: Where empty values are taken from, None for that of the process; its key goes to its own address only.
            send_key: Let its key go to another address as well.

        Raises:
            InputError: A setting that makes no sense.
        """
        given = Settings(model=model, base_url=base_url, api_key=api_key, timeout_s=timeout_s, retries=retries, options=options or {})
        self.settings = given.from_environment(environment, send_key=send_key)
        self._client, self._sleep, self._clock = client, sleep, clock
        self.requests = 0

    async def complete(self, messages: list[ChatMessage], tools: list[ToolDefinition]) -> Answer:
        """The assistant message that answers; see ``Model.complete``.

        Raises:
            EndpointError: No usable answer after all attempts.
        """
        body = self._body(messages, tools)
        async with AsyncExitStack() as stack:
            client = self._client if self._client is not None else await stack.enter_async_context(httpx.AsyncClient())
            for attempt in range(1, self.settings.retries + 2):
                try:
                    return await self._attempt(client, body)
                except EndpointError as error:
                    if attempt > self.settings.retries or not error.passes:
                        raise EndpointError(error.kind, error.what, status=error.status, attempts=attempt) from error.__cause__
                    await self._sleep(self._wait(error, attempt))
        raise AssertionError("unreachable: the last attempt returns or raises")

    def _body(self, messages: list[ChatMessage], tools: list[ToolDefinition]) -> bytes:
        body: dict[str, Any] = {**self.settings.options, "model": self.settings.model, "messages": messages, "stream": False}
        if tools:
            body["tools"] = tools
        return json.dumps(body, allow_nan=False).encode()  # ASCII: a lone surrogate stays an escape

    async def _attempt(self, client: httpx.AsyncClient, body: bytes) -> Answer:
        """One request.

        Raises:
            EndpointError: It failed.
        """
        self.requests += 1
        try:
            async with asyncio.timeout(self.settings.timeout_s):
                status, headers, data = await self._exchange(client, body)
        except (TimeoutError, httpx.TimeoutException) as error:
            raise EndpointError("timed_out", f"{self._place} gave no whole answer within {self.settings.timeout_s:g} seconds.") from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise EndpointError("unreachable", f"The connection to {self._place} failed: {type(error).__name__}: {error}.") from error
        if status != httpx.codes.OK:
            wait = retry_after(headers.get("retry-after"), self._clock())
            raise EndpointError("refused", f"{self._place} answered {status}: {_words(data)}", status=status, retry_after_s=wait)
        return self._reply(data, headers.get("content-type", ""))

    async def _exchange(self, client: httpx.AsyncClient, body: bytes) -> tuple[int, httpx.Headers, bytes]:
        headers = {"content-type": "application/json", "accept": "application/json"}
        if self.settings.api_key:
            headers["authorization"] = f"Bearer {self.settings.api_key}"
        url = f"{self.settings.base_url}{PATH}"
        data = bytearray()
        async with client.stream("POST", url, content=body, headers=headers, timeout=self.settings.timeout_s, follow_redirects=False) as response:
            async for piece in response.aiter_bytes():
                data += piece
                if len(data) > MOST_BYTES:
                    raise EndpointError("bad_answer", f"{self._place} sent more than {MOST_BYTES // 2**20} MB.")
            return response.status_code, response.headers, self._masked(bytes(data))

    def _masked(self, data: bytes) -> bytes:
        """An answer without the key: what a server says back would be shown and recorded."""
        key = self.settings.api_key.encode()
        return data.replace(key, MASK.encode()) if len(key) >= SHORTEST_SECRET else data

    def _reply(self, data: bytes, content_type: str) -> Answer:
        """The first choice's message.

        Raises:
            EndpointError: There is none.
        """
        if content_type.startswith("text/event-stream"):
            raise EndpointError("bad_answer", f"{self._place} streams although streaming was switched off.", status=200)
        try:
            answer = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise EndpointError("bad_answer", f"{self._place} answered with what is no JSON ({error}): {_words(data)}", status=200) from error
        choices = answer.get("choices") if isinstance(answer, dict) else None
        choice = choices[0] if isinstance(choices, list) and choices else None
        message = choice.get("message") if isinstance(choice, dict) else None
        if not isinstance(message, dict):
            raise EndpointError("bad_answer", f"{self._place} answered without a message: {_words(data)}", status=200)
        return Answer(
            _plain(message),
            usage=answer["usage"] if isinstance(answer.get("usage"), dict) else None,
            model=answer["model"] if isinstance(answer.get("model"), str) else "",
            id=answer["id"] if isinstance(answer.get("id"), str) else "",
            finish_reason=choice["finish_reason"] if isinstance(choice, dict) and isinstance(choice.get("finish_reason"), str) else "",
        )

    @property
    def _place(self) -> str:
        return httpx.URL(self.settings.base_url).host or self.settings.base_url

    @staticmethod
    def _wait(error: EndpointError, attempt: int) -> float:
        """Seconds before the next attempt: as the server asks, else doubling."""
        asked = error.retry_after_s
        return min(LONGEST_WAIT_S, FIRST_WAIT_S * 2 ** (attempt - 1) if asked is None else asked)


def retry_after(value: str | None, now: float) -> float | None:
    """Seconds to wait by a Retry-After header: a number of seconds or a date; None where there is none that can be read.

    Args:
        value: The header, or None.
        now: Unix seconds.
    """
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(value).timestamp() - now
        except ValueError:
            return None
    return max(0.0, seconds) if seconds == seconds else None  # noqa: PLR0124 - a header may say nan


def _plain(message: dict[str, Any]) -> ChatMessage:
    """The message without null fields, and its calls as the protocol wants them: servers leave ``type`` out or send arguments as an object."""
    plain = {key: value for key, value in message.items() if value is not None or key == "content"}
    if isinstance(plain.get("tool_calls"), list):
        plain["tool_calls"] = [_plain_call(call) for call in plain["tool_calls"]]
        if not plain["tool_calls"]:
            del plain["tool_calls"]
    return {"content": None, **plain}


def _plain_call(call: Any) -> Any:
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(function, dict):
        return call
    arguments = function.get("arguments", "")
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return {"type": "function", **call, "function": {**function, "arguments": text}}


def _words(data: bytes) -> str:
    """What a server says about a fault, short."""
    text = data[: 16 * QUOTED_CHARS].decode("utf-8", "replace").strip()
    try:
        error = json.loads(data).get("error")
    except (ValueError, AttributeError, RecursionError):
        error = None
    message = error.get("message") if isinstance(error, dict) else error
    words = message if isinstance(message, str) else text
    return f"{words[:QUOTED_CHARS]}…" if len(words) > QUOTED_CHARS else words or "no words."
