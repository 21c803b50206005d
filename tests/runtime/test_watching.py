"""Clients of other libraries work as before and are recorded; the fakes have the shape of ``openai`` and ``anthropic`` clients."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Self

import pytest
from pydantic import BaseModel

from ctxcore import read_session
from ctxcore.runtime.recorder import Recorder

ASK = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi."}]
TOOLS = [{"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}]


class Said(BaseModel):
    role: str = "assistant"
    content: str | None = None
    refusal: str | None = None


class Choice(BaseModel):
    index: int = 0
    message: Said
    finish_reason: str = "stop"


class Completion(BaseModel):
    id: str
    object: str = "chat.completion"
    model: str = "gpt-5-mini"
    choices: list[Choice]
    usage: dict[str, int]


class NotGiven:
    """As the client's marker for no argument."""


def completion(number: int) -> Completion:
    message = Said(role="assistant", content=f"Hello {number}.")
    return Completion(
        id=f"chatcmpl-{number}", choices=[Choice(message=message)], usage={"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11}
    )


class Client:
    """As ``OpenAI()``, and where asked ``AsyncOpenAI()``."""

    def __init__(self, answers: list[Any], *, is_async: bool = False) -> None:
        self.answers, self.seen, self.api_key, self.entered = answers, [], "secret-key", 0
        self.chat = SimpleNamespace(completions=SimpleNamespace(create=self.later if is_async else self.now, list=lambda: "a list"))
        self.messages = SimpleNamespace(create=self.later if is_async else self.now)
        self.responses = SimpleNamespace(create=self.now)
        self.models = SimpleNamespace(list=lambda: ["m"])

    def now(self, **arguments: Any) -> Any:
        self.seen.append(arguments)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def later(self, **arguments: Any) -> Any:
        await asyncio.sleep(0)
        return self.now(**arguments)

    def with_options(self, **_options: Any) -> Client:
        return self

    def __enter__(self) -> Self:
        self.entered += 1
        return self

    def __exit__(self, *_: object) -> None:
        self.entered -= 1


def test_chat_calls_go_through_and_are_read_back(tmp_path: Path) -> None:
    answers = [completion(1), completion(2)]
    fake = Client(list(answers))
    client = Recorder(tmp_path / "run.jsonl").watch(fake)
    messages: list[Any] = list(ASK)
    first = client.chat.completions.create(
        model="gpt-5-mini", messages=messages, tools=TOOLS, top_p=NotGiven(), extra_headers={"x-key": "secret-key"}, timeout=3
    )
    assert first is answers[0]
    messages += [first.choices[0].message, {"role": "user", "content": "And?"}]
    with client.with_options(timeout=1) as same:
        same.chat.completions.create(model="gpt-5-mini", messages=messages, tools=TOOLS, extra_body={"seed": 3})
        assert fake.entered == 1
    assert fake.seen[0]["timeout"] == 3
    assert (client.models.list(), client.chat.completions.list(), client.api_key) == (["m"], "a list", "secret-key")
    text = (tmp_path / "run.jsonl").read_text()
    assert "secret-key" not in text
    assert json.loads(text.splitlines()[1])["request"]["seed"] == 3
    session = read_session(tmp_path / "run.jsonl")
    (thread,) = session.threads
    assert (session.format, session.level, session.problems) == ("openai-chat", "full requests", ())
    assert [(c.id, c.message_count, c.usage.input_tokens, c.flags) for c in thread.calls] == [("chatcmpl-1", 2, 9, ()), ("chatcmpl-2", 4, 9, ())]
    assert thread.tool_sets == (tuple(TOOLS),)
    assert thread.messages[thread.calls[1].reply].text == "Hello 2."


def test_what_was_sent_is_recorded_although_the_caller_changes_it(tmp_path: Path) -> None:
    messages: list[Any] = [dict(m) for m in ASK]
    fake = Client([completion(1)], is_async=True)
    client = Recorder(tmp_path / "run.jsonl").watch(fake)

    async def go() -> Any:
        waiting = client.chat.completions.create(model="m", messages=messages)
        messages[1]["content"] = "changed"
        return await waiting

    assert asyncio.run(go()).id == "chatcmpl-1"
    assert json.loads((tmp_path / "run.jsonl").read_text())["request"]["messages"] == ASK


@pytest.mark.parametrize("is_async", [False, True])
def test_a_failed_call_raises_as_before_and_is_recorded_as_failed(is_async: bool, tmp_path: Path) -> None:
    client = Recorder(tmp_path / "run.jsonl").watch(Client([ConnectionError("down"), completion(1)], is_async=is_async))

    async def ask() -> Any:
        answer = client.chat.completions.create(model="m", messages=ASK)
        return await answer if is_async else answer

    with pytest.raises(ConnectionError):
        asyncio.run(ask())
    asyncio.run(ask())
    (thread,) = read_session(tmp_path / "run.jsonl").threads
    assert ["failed" in call.flags for call in thread.calls] == [True, False]


CHUNKS = [
    {"id": "s1", "object": "chat.completion.chunk", "model": "m", "choices": [{"index": 0, "delta": {"role": "assistant", "content": "Hel"}}]},
    {"id": "s1", "object": "chat.completion.chunk", "model": "m", "choices": [{"index": 0, "delta": {"content": "lo."}}]},
    {"id": "s1", "object": "chat.completion.chunk", "model": "m", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
]


@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize("read", [3, 1])
def test_a_stream_is_put_together_while_it_is_read(is_async: bool, read: int, tmp_path: Path) -> None:
    async def later() -> Any:
        for chunk in CHUNKS:
            yield chunk

    client = Recorder(tmp_path / "run.jsonl").watch(Client([later() if is_async else iter(CHUNKS)], is_async=is_async))

    async def go() -> list[Any]:
        seen = []
        stream = client.chat.completions.create(model="m", messages=ASK, stream=True)
        if is_async:
            chunks = aiter(await stream)
            async for chunk in chunks:
                seen.append(chunk)
                if len(seen) == read:
                    break
            await chunks.aclose()
        else:
            for chunk in stream:
                seen.append(chunk)
                if len(seen) == read:
                    break
        return seen

    assert asyncio.run(go()) == CHUNKS[:read]
    (line,) = (tmp_path / "run.jsonl").read_text().splitlines()
    assert json.loads(line)["response"]["choices"][0]["message"]["content"] == ("Hello." if read == 3 else "Hel")


def test_messages_of_anthropic_are_read_back(tmp_path: Path) -> None:
    answer = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-4-5",
        "content": [{"type": "text", "text": "Hello."}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 12, "output_tokens": 3},
    }
    client = Recorder(tmp_path / "run.jsonl").watch(Client([answer, answer | {"id": "msg_2"}]))
    asked: list[Any] = [{"role": "user", "content": "Hi."}]
    for _ in range(2):
        client.messages.create(model="claude-sonnet-4-5", max_tokens=99, system="Be brief.", messages=asked)
        asked += [{"role": "assistant", "content": answer["content"]}, {"role": "user", "content": "And?"}]
    session = read_session(tmp_path / "run.jsonl")
    (thread,) = session.threads
    assert (session.format, session.problems) == ("anthropic-messages", ())
    assert [(c.id, c.usage.input_tokens, c.message_count) for c in thread.calls] == [("msg_1", 12, 2), ("msg_2", 12, 4)]


def test_responses_are_read_back(tmp_path: Path) -> None:
    output = [{"type": "message", "role": "assistant", "id": "m1", "content": [{"type": "output_text", "text": "Hello."}]}]
    answer = {
        "id": "resp_1",
        "object": "response",
        "status": "completed",
        "model": "gpt-5",
        "output": output,
        "usage": {"input_tokens": 5, "output_tokens": 2},
    }
    client = Recorder(tmp_path / "run.jsonl").watch(Client([answer]))
    client.responses.create(model="gpt-5", instructions="Be brief.", input="Hi.")
    session = read_session(tmp_path / "run.jsonl")
    assert session.format == "openai-responses"
    assert [call.id for call in session.threads[0].calls] == ["resp_1"]
