"""A model behind a real HTTP server on loopback: answers, faults, retries, and what is sent."""

from __future__ import annotations

import asyncio
import inspect
import json
from email.utils import formatdate
from typing import Any

import httpx
import pytest

from ctxcore.errors import EndpointError, InputError
from ctxcore.runtime.endpoint import OpenAICompatibleModel, Settings, retry_after
from ctxcore.runtime.loop import RunResult, run_agent
from ctxcore.runtime.tools import Tool
from tests.runtime.stub_server import Stub, completion, cut, hang_up, http, serving, slowly

ASK = [{"role": "user", "content": "Add 1 and 2, 请。"}]
DONE = {"role": "assistant", "content": "3"}
ADD = Tool(name="add", description="Add.", parameters={"type": "object"}, function=lambda a, b: a + b)
BUSY = http('{"error": {"message": "slow down", "type": "rate_limit"}}', 429, retry_after="7")


def asked(*scripts: Any, tools: Any = (), **settings: Any) -> tuple[Any, Stub, list[float], OpenAICompatibleModel]:
    """One call; its answer or error, what the server saw, and the waits between attempts."""
    waits: list[float] = []

    async def note(seconds: float) -> None:
        waits.append(seconds)

    async def go() -> Any:
        async with serving(scripts) as stub, httpx.AsyncClient(trust_env=False) as client:
            model = OpenAICompatibleModel("stub", base_url=stub.url, api_key="k-1", client=client, sleep=note, **settings)
            try:
                return await model.complete(ASK, list(tools)), stub, waits, model
            except EndpointError as error:
                return error, stub, waits, model

    return asyncio.run(go())


def test_a_reply_comes_with_what_the_endpoint_says_of_it() -> None:
    answer, stub, _, model = asked(completion(DONE, usage={"prompt_tokens": 9, "completion_tokens": 1}))
    assert answer == DONE
    assert (answer.usage, answer.model, answer.id, answer.finish_reason) == (
        {"prompt_tokens": 9, "completion_tokens": 1},
        "stub-1",
        "chatcmpl-1",
        "stop",
    )
    assert stub.paths == ["POST /v1/chat/completions HTTP/1.1"]
    assert stub.headers[0]["authorization"] == "bearer k-1"
    assert stub.asked == [{"model": "stub", "messages": ASK, "stream": False}]
    assert model.requests == 1


def test_tools_and_options_are_sent_and_streaming_stays_off() -> None:
    _, stub, _, _ = asked(completion(DONE), tools=[ADD.definition()], options={"temperature": 0, "stream": True})
    assert stub.asked[0]["tools"] == [ADD.definition()]
    assert (stub.asked[0]["temperature"], stub.asked[0]["stream"]) == (0, False)


def test_too_many_requests_are_tried_again_after_the_time_the_server_names() -> None:
    answer, stub, waits, model = asked(BUSY, BUSY, completion(DONE))
    assert (answer, waits, model.requests, len(stub.asked)) == (DONE, [7.0, 7.0], 3, 3)


def test_a_fault_of_the_server_is_tried_again_after_waits_that_double() -> None:
    answer, _, waits, _ = asked(http("oops", 500), http("oops", 503), completion(DONE))
    assert (answer, waits) == (DONE, [0.5, 1.0])


def test_after_the_last_attempt_the_error_says_what_the_server_said() -> None:
    error, stub, waits, _ = asked(BUSY, BUSY, retries=1)
    assert str(error) == "127.0.0.1 answered 429: slow down Asked 2 times."
    assert (error.kind, error.status, error.attempts, len(stub.asked), waits) == ("refused", 429, 2, 2, [7.0])


@pytest.mark.parametrize("status", [400, 401, 404, 302])
def test_what_does_not_pass_is_not_tried_again(status: int) -> None:
    error, stub, _, _ = asked(http('{"error": "no such model"}', status, location="http://127.0.0.1:1/"))
    assert (error.status, error.attempts, len(stub.asked)) == (status, 1, 1)
    assert "no such model" in str(error)


def test_a_slow_answer_meets_the_timeout_and_is_tried_again() -> None:
    answer, _, waits, _ = asked(slowly(5, completion(DONE)), completion(DONE), timeout_s=0.15)
    assert (answer, waits) == (DONE, [0.5])
    error, _, _, _ = asked(slowly(5, completion(DONE)), timeout_s=0.15, retries=0)
    assert (error.kind, str(error)) == ("timed_out", "127.0.0.1 gave no whole answer within 0.15 seconds.")


@pytest.mark.parametrize("broken", [cut, hang_up], ids=["in the middle", "before a word"])
def test_a_connection_that_breaks_is_tried_again(broken: Any) -> None:
    answer, _, waits, _ = asked(broken, completion(DONE))
    assert (answer, waits) == (DONE, [0.5])
    error, _, _, _ = asked(broken, retries=0)
    assert error.kind == "unreachable"


def test_nobody_there_is_unreachable() -> None:
    async def go() -> Any:
        async with httpx.AsyncClient(trust_env=False) as client:
            await OpenAICompatibleModel("stub", base_url="http://127.0.0.1:9/v1", retries=0, client=client).complete(ASK, [])

    with pytest.raises(EndpointError, match=r"The connection to 127\.0\.0\.1 failed") as error:
        asyncio.run(go())
    assert error.value.kind == "unreachable"


@pytest.mark.parametrize(
    ("script", "says"),
    [
        (http('{"choices": [{"message": '), "no JSON"),
        (http("[" * 200_000), "no JSON"),
        (http("<html>"), "no JSON"),
        (http("[]"), "without a message"),
        (http('{"choices": []}'), "without a message"),
        (http('{"choices": [{"message": "hi"}]}'), "without a message"),
        (http("data: {}\n\n", content_type="text/event-stream"), "streams although"),
    ],
)
def test_an_answer_that_is_no_completion_is_an_error_and_is_not_asked_for_again(script: Any, says: str) -> None:
    error, stub, _, _ = asked(script)
    assert (error.kind, len(stub.asked)) == ("bad_answer", 1)
    assert says in str(error)
    assert len(str(error)) < 600


def test_calls_as_some_servers_write_them_become_those_of_the_protocol() -> None:
    """Null fields, no type, arguments as an object."""
    message = {"role": "assistant", "refusal": None, "tool_calls": [{"id": "c1", "function": {"name": "add", "arguments": {"a": 1, "b": 2}}}]}
    answer, _, _, _ = asked(completion(message, "tool_calls"))
    call = {"id": "c1", "type": "function", "function": {"name": "add", "arguments": '{"a": 1, "b": 2}'}}
    assert answer == {"role": "assistant", "content": None, "tool_calls": [call]}
    assert asked(completion({**DONE, "tool_calls": []}))[0] == DONE


def test_a_lone_surrogate_can_be_sent() -> None:
    async def go() -> Any:
        async with serving([completion(DONE)]) as stub, httpx.AsyncClient(trust_env=False) as client:
            await OpenAICompatibleModel("stub", base_url=stub.url, client=client).complete([{"role": "user", "content": "half \ud83d"}], [])
            return stub.asked[0]["messages"][0]["content"]

    assert asyncio.run(go()) == "half \ud83d"


def ran(*scripts: Any, **settings: Any) -> RunResult:
    async def go() -> RunResult:
        async with serving(scripts) as stub, httpx.AsyncClient(trust_env=False) as client:
            model = OpenAICompatibleModel("stub", base_url=stub.url, client=client, retries=0)
            return await run_agent(model, ASK, [ADD], **settings)

    return asyncio.run(go())


def test_a_run_over_http_calls_its_tools_and_answers() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "add", "arguments": json.dumps({"a": 1, "b": 2})}}
    result = ran(completion({"role": "assistant", "content": None, "tool_calls": [call]}), completion(DONE))
    assert (result.status, result.text, result.messages[2]["content"]) == ("complete", "3", '{"result":3,"status":"ok"}')


def test_an_endpoint_that_fails_ends_the_run_and_does_not_raise() -> None:
    result = ran(http("oops", 500))
    assert (result.status, type(result.cause)) == ("failed", EndpointError)
    assert "answered 500: oops" in result.reason


def test_a_run_over_http_keeps_its_deadline() -> None:
    assert ran(slowly(30, completion(DONE)), timeout_s=0.1).status == "timed_out"


def test_a_reply_that_was_cut_does_not_end_a_run_as_complete() -> None:
    """Half an answer is none, however it reads."""
    result = ran(completion({"role": "assistant", "content": "All is do"}, "length"))
    assert (result.status, result.reason) == ("failed", "The model's reply was cut off (length).")


def test_settings_come_from_arguments_first_and_then_from_the_environment() -> None:
    environment = {"OPENAI_BASE_URL": "http://a/v1/", "OPENAI_API_KEY": "a", "CTXSCOPE_API_KEY": "b"}
    found = Settings(model="m").from_environment(environment)
    assert (found.base_url, found.api_key) == ("http://a/v1", "b")
    assert Settings(model="m", base_url="http://c", api_key="d").from_environment(environment).api_key == "d"
    assert "api_key" not in repr(found)


@pytest.mark.parametrize("settings", [{"model": ""}, {"base_url": "ftp://x"}, {"timeout_s": 0}, {"retries": -1}])
def test_settings_that_make_no_sense_are_refused_at_once(settings: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        OpenAICompatibleModel(**{"model": "m", "base_url": "http://x", **settings})


def test_retry_after_is_seconds_or_a_date() -> None:
    now = 1_740_000_000.0
    assert retry_after("2.5", now) == 2.5
    assert retry_after(formatdate(now + 30, usegmt=True), now) == 30
    assert retry_after(formatdate(now - 30, usegmt=True), now) == 0
    assert [retry_after(value, now) for value in (None, "soon", "nan")] == [None] * 3


def test_no_wait_is_longer_than_a_minute() -> None:
    _, _, waits, _ = asked(http("", 429, retry_after="86400"), completion(DONE))
    assert waits == [60.0]


def test_a_key_that_the_server_says_back_is_not_passed_on() -> None:
    """Else it would stand in the answer, in the reason of a failed run, and in its record."""
    key = "sk-very-secret"

    async def go(script: Any) -> Any:
        async with serving([script]) as stub:
            model = OpenAICompatibleModel("stub", base_url=stub.url, api_key=key, retries=0)
            return await run_agent(model, ASK)

    refused = asyncio.run(go(http(json.dumps({"error": {"message": f"Incorrect API key: {key}"}}), 401)))
    answered = asyncio.run(go(completion({"role": "assistant", "content": f"You sent {key}."})))
    assert refused.status == "failed"
    assert key not in refused.reason
    assert answered.text == "You sent •••."


@pytest.mark.parametrize("key", ["sk secret", "sk-secret\n", "sk-geheim-ü"])
def test_a_key_that_no_header_takes_is_refused_without_quoting_it(key: str) -> None:
    with pytest.raises(InputError) as caught:
        OpenAICompatibleModel("m", api_key=key)
    assert key.strip() not in str(caught.value)


def test_an_address_given_without_an_environment_gets_no_key_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-this-machine")
    assert OpenAICompatibleModel("m", base_url="http://127.0.0.1:1/v1", environment={}).settings.api_key == ""


HERE = {"OPENAI_API_KEY": "sk-of-this-machine", "OPENAI_BASE_URL": "http://models.example/v1"}


@pytest.mark.parametrize(
    ("url", "environment", "key"),
    [
        ("", HERE, "sk-of-this-machine"),
        ("http://models.example/v1/", HERE, "sk-of-this-machine"),
        ("https://api.openai.com/v1", {"OPENAI_API_KEY": "sk-of-this-machine"}, "sk-of-this-machine"),
        ("http://stranger.example/v1", HERE, ""),
        ("http://models.example/v2", HERE, ""),
        ("https://api.openai.com/v1", HERE, ""),
    ],
)
def test_a_key_of_the_environment_goes_to_the_address_of_the_environment_only(url: str, environment: dict[str, str], key: str) -> None:
    """Whoever writes an address, in a file or in code, else gets the key of whoever runs it."""
    assert OpenAICompatibleModel("m", base_url=url, environment=environment).settings.api_key == key
    assert OpenAICompatibleModel("m", base_url=url, environment=environment, send_key=True).settings.api_key == "sk-of-this-machine"


@pytest.mark.parametrize(
    "url",
    [
        "http://x/v1?to=",
        "http://x/delete-all#",
        "http://user:pw@x/v1",
        "http://user@x/v1",
        "http://x/v1\nHost: y",
        "http://x /v1",
        "http://x\\@y/v1",
        "http://x/\u202ev1",
        "http:///v1",
        "http://x:port/v1",
        "file:///etc/passwd",
        "gopher://x/1",
    ],
)
def test_an_address_is_host_port_and_path_and_nothing_else(url: str) -> None:
    """A query or fragment would swallow the path that is asked, and so let any path of a host be reached."""
    with pytest.raises(InputError) as caught:
        OpenAICompatibleModel("m", base_url=url, environment={})
    assert "pw" not in str(caught.value)


def test_a_signature_shows_no_environment() -> None:
    """Help and tracebacks print defaults; an environment holds keys."""
    for function in (OpenAICompatibleModel, Settings.from_environment):
        assert "environ(" not in str(inspect.signature(function))
        assert inspect.signature(function).parameters["environment"].default is None
