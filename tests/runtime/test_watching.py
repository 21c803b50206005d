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


class Managed:
    """As what ``messages.stream`` gives: a manager whose stream keeps what came so far."""

    def __init__(self, snapshot: dict[str, Any], fault: Exception | None = None) -> None:
        self.current_message_snapshot, self.fault, self.closed = snapshot, fault, 0
        self.text_stream = iter(["Hel", "lo."])

    def __enter__(self) -> Self:
        if self.fault:
            raise self.fault
        return self

    def __exit__(self, *_: object) -> None:
        self.closed += 1

    async def __aenter__(self) -> Self:
        return self.__enter__()

    async def __aexit__(self, *_: object) -> None:
        self.closed += 1


SNAPSHOT = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "claude-sonnet-4-5",
    "content": [{"type": "text", "text": "Hello."}],
    "stop_reason": "end_turn",
    "usage": {"input_tokens": 12, "output_tokens": 3},
}


@pytest.mark.parametrize("is_async", [False, True])
def test_a_managed_stream_is_recorded_when_it_closes_even_if_only_its_text_was_read(is_async: bool, tmp_path: Path) -> None:
    managed, fake = Managed(SNAPSHOT), Client([])
    fake.messages.stream = lambda **_: managed
    client = Recorder(tmp_path / "run.jsonl").watch(fake)

    async def later() -> str:
        async with client.messages.stream(model="claude-sonnet-4-5", max_tokens=9, messages=ASK[1:]) as stream:
            return "".join(stream.text_stream)

    if is_async:
        text = asyncio.run(later())
    else:
        with client.messages.stream(model="claude-sonnet-4-5", max_tokens=9, messages=ASK[1:]) as stream:
            text = "".join(stream.text_stream)
    assert (text, managed.closed) == ("Hello.", 1)
    session = read_session(tmp_path / "run.jsonl")
    (call,) = session.threads[0].calls
    assert (session.format, call.id, call.usage.input_tokens) == ("anthropic-messages", "msg_1", 12)


def test_a_managed_stream_that_cannot_be_opened_is_a_failed_call(tmp_path: Path) -> None:
    fake = Client([])
    fake.messages.stream = lambda **_: Managed({}, ConnectionError("down"))
    client = Recorder(tmp_path / "run.jsonl").watch(fake)
    with pytest.raises(ConnectionError), client.messages.stream(model="m", max_tokens=9, messages=ASK[1:]):
        pass
    line = json.loads((tmp_path / "run.jsonl").read_text())
    assert line["response"]["error"] == {"type": "ConnectionError", "message": "down"}


class Answer(BaseModel):
    birds: int


def test_a_parsed_call_is_recorded_with_the_schema_that_was_asked_for(tmp_path: Path) -> None:
    fake = Client([completion(1)])
    fake.chat.completions.parse = fake.now
    client = Recorder(tmp_path / "run.jsonl").watch(fake)
    client.chat.completions.parse(model="m", messages=ASK, response_format=Answer)
    assert fake.seen[0]["response_format"] is Answer
    line = json.loads((tmp_path / "run.jsonl").read_text())
    assert line["request"]["response_format"]["properties"]["birds"] == {"title": "Birds", "type": "integer"}
    assert line["response"]["id"] == "chatcmpl-1"


class Raw:
    """As the raw response of a client: headers, and the answer once it is parsed."""

    http_response = "headers"

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def parse(self) -> Any:
        return self.answer


@pytest.mark.parametrize("streams", [False, True])
def test_a_raw_response_is_recorded_as_what_it_is_parsed_into(streams: bool, tmp_path: Path) -> None:
    fake = Client([Raw(iter(CHUNKS) if streams else completion(1))])
    fake.chat.completions.with_raw_response = SimpleNamespace(create=fake.now)
    client = Recorder(tmp_path / "run.jsonl").watch(fake)
    response = client.chat.completions.with_raw_response.create(model="m", messages=ASK, **({"stream": True} if streams else {}))
    assert response.http_response == "headers"
    answer = list(response.parse()) if streams else response.parse()
    assert answer == CHUNKS if streams else answer.id == "chatcmpl-1"
    line = json.loads((tmp_path / "run.jsonl").read_text())
    assert line["response"]["choices"][0]["message"]["content"] == ("Hello." if streams else "Hello 1.")


def test_a_stream_that_is_read_by_hand_is_written_once_at_its_end(tmp_path: Path) -> None:
    client = Recorder(tmp_path / "run.jsonl").watch(Client([iter(CHUNKS)]))
    stream = client.chat.completions.create(model="m", messages=ASK, stream=True)
    assert [next(stream), next(stream), next(stream)] == CHUNKS
    for _ in range(2):
        with pytest.raises(StopIteration):
            next(stream)
    (line,) = (tmp_path / "run.jsonl").read_text().splitlines()
    assert json.loads(line)["response"]["choices"][0]["message"]["content"] == "Hello."


def test_a_watched_client_passes_for_the_client_that_it_is(tmp_path: Path) -> None:
    """Frameworks ask ``isinstance(client, AsyncOpenAI)`` before they take one."""
    assert isinstance(Recorder(tmp_path / "run.jsonl").watch(Client([])), Client)
