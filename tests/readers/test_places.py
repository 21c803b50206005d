"""A message's place: where its path points, in the file as it is, its words stand. Every format's own recording is looked at."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ctxcore import read_sessions
from ctxcore.errors import ReadError
from ctxcore.model import Message
from ctxcore.readers.places import path_to

RECORDINGS = Path(__file__).parents[1] / "data" / "recordings"

STEP = re.compile(r"\.?([^.\[\]]+)|\[(\d+)\]")

NAMES = ("batch", "openai-agents-trace", "toolbench")
"""The path is the log's own name of the record (its custom id, its span, its query), by which it is found."""

OF_CALL = {
    "otel-genai/4": "events of the call's span, joined from another file",
    "langsmith/3": "the answer of a patch, joined by its id",
    "roo-code/1": "a call on the screen, whose words follow it",
    "harbor-atif/2": "a step of another run, which its own step names",
    "helicone/4": "rows of a file that ends in a comma",
    "managed-agents/3": "one broken value and the events after it",
}
"""The path is that of the call, or the file is none that plain rules can look into."""

MADE = {
    "openhands": "what a tool gave back is put together, or cut, as it was sent",
    "gemini/3": "a tool of the provider has no name in the log",
    "smolagents": "what the library writes of a step, such as 'Calling tools'",
    "swe-agent": "an observation that was shortened as it was sent; calls that only the next query holds",
    "tau2-bench/1": "guidelines and scenario in one text",
    "opencode/3": "the program's own question in front of a summary",
}
"""The words are the program's, made of the record."""


def files() -> Iterator[Path]:
    for path in sorted(RECORDINGS.rglob("*.json*")):
        name = str(path.relative_to(RECORDINGS))
        if not name.startswith((*NAMES, *OF_CALL, *MADE)):
            yield path


def stands(value: Any, path: str) -> Any:
    for key, number in STEP.findall(path):
        value = json.loads(value) if isinstance(value, str) else value
        value = value[int(number)] if number else value[key]
    return value


def words(value: Any) -> str:
    """Every text in a value, without what JSON, YAML and blanks add."""
    return re.sub(r"\W+", "", json.dumps(value, ensure_ascii=False).replace("\\n", " ").replace('\\"', " "))


def said(message: Message) -> list[str]:
    texts = [part.text for part in message.parts if part.kind in ("text", "tool_result")]
    return [re.sub(r"\W+", "", text) for text in (*texts, *(call.name for call in message.calls))]


@pytest.mark.parametrize("path", list(files()), ids=lambda path: str(path.relative_to(RECORDINGS)))
def test_a_message_stands_where_its_path_points(path: Path):
    try:
        sessions = read_sessions(path)
    except ReadError:
        pytest.skip("a part of a recording, which is refused alone")
    lines = path.read_text("utf-8-sig").split("\n")
    for message in (message for session in sessions for thread in session.threads for message in thread.messages if message.source.path):
        recorded = json.loads(lines[message.source.line - 1] if message.source.line else "\n".join(lines))
        found = words(stands(json.loads(recorded) if isinstance(recorded, str) else recorded, message.source.path))
        first = len(message.wire) > 1  # then the place is that of the first of several items, which may be reasoning
        assert first or all(text in found for text in said(message)), message.source


def test_exceptions_are_recordings():
    for start in (*NAMES, *OF_CALL, *MADE):
        assert list(RECORDINGS.glob(f"{start}*")), start


def test_a_path_is_that_of_the_very_object():
    """Two equal lists: the second is meant."""
    value = {"request": {"body": {"messages": [[], []]}}, "list": [{"a": 1}]}
    second = value["request"]["body"]["messages"][1]  # type: ignore[index]
    assert path_to(value, second) == "request.body.messages[1]"
    assert path_to(value, value["list"][0]) == "list[0]"  # type: ignore[index]
    assert (path_to(value, value), path_to(value, [])) == ("", None)
