"""Records kept as bytes: whoever asks gets the record as it stands in the file."""

from __future__ import annotations

import gc
import json
import tracemalloc
from pathlib import Path

import pytest

from ctxcore import read_session
from ctxcore.readers.document import SMALL_LINE_BYTES
from ctxcore.readers.recorded import RecordedLine
from ctxcore.readers.shape import make_document
from tests.cases import CASES

CLAUDE = (CASES / "FILE-01.jsonl").read_bytes().splitlines()[:2]
"""A user line and an assistant line of one session."""


def records(data: bytes) -> list[object]:
    document = make_document("log.jsonl", data)
    return [document.raw(record) for record in document.records()]


def test_small_lines_are_kept_as_bytes_and_large_ones_as_values() -> None:
    small, large = b'{"a": 1}\n' * 3, (b'{"a": "' + b"x" * SMALL_LINE_BYTES + b'"}\n') * 3
    assert [type(raw) for raw in records(small)] == [RecordedLine] * 3
    assert [type(raw) for raw in records(large)] == [dict] * 3


@pytest.mark.parametrize("ending", [b"", b"\n", b"\r\n", b"\n\n"])
def test_a_line_is_decoded_whatever_ends_it(ending) -> None:
    made = [raw.value() for raw in records(b'{"a": 1}\r\n\n{"b": "\xc3\xa9"}' + ending) if isinstance(raw, RecordedLine)]
    assert made == [{"a": 1}, {"b": "\u00e9"}][: len(made)]
    assert len(made) == 2


def test_looking_at_the_first_record_parses_nothing_twice(monkeypatch) -> None:
    parsed: list[bytes] = []
    monkeypatch.setattr("ctxcore.readers.document.quick_value", lambda data: parsed.append(data) or json.loads(data))
    document = make_document("log.jsonl", b"".join(b'{"a": %d}\n' % number for number in range(500)))
    first = document.first()
    assert first is not None
    assert [first.value, len(document.head())] == [{"a": 0}, 200]
    assert [record.value["a"] for record in document.records()] == list(range(500))
    assert (len(parsed), document.record_count) == (500, 500)


def test_what_only_the_slow_decoder_reads_is_kept_as_it_was_read() -> None:
    odd = [b'{"a": NaN}', b'{"a": ' + b"9" * 30 + b"}", b'{"a": 1} {"a": 2}']
    assert records(b"\n".join([*odd, b'{"a": 3}', b""]))[:4] == [{"a": "NaN"}, {"a": int("9" * 30)}, {"a": 1}, {"a": 2}]


def test_each_message_of_small_lines_has_its_own_record() -> None:
    lines = CLAUDE
    thread = read_session(b"\n".join(lines), "log.jsonl").threads[0]
    assert [message.raw for message in thread.messages] == [json.loads(lines[message.source.line - 1]) for message in thread.messages]
    assert all("sessionId" in message.raw for message in thread.messages)


@pytest.mark.parametrize("name", ["claude-code/*.jsonl", "codex-cli/*.jsonl"])
def test_real_messages_keep_the_records_of_their_lines(name, shared: Path) -> None:
    """Where a message is one line of its own, the record is that line, whether it was kept as bytes or decoded."""
    checked = 0
    for file in sorted((shared / "corpus").glob(name))[-8:]:
        lines = file.read_bytes().split(b"\n")
        for message in (m for thread in read_session(file).threads for m in thread.messages if isinstance(m.raw, dict) and not m.flags):
            checked += 1
            assert message.raw == json.loads(lines[message.source.line - 1])
    assert checked > 50


def small_talk(lines: int) -> bytes:
    """A Claude Code session that says little on each line, with the same usage and time all along."""
    made: list[str] = []
    for number in range(lines):
        role = "assistant" if number % 2 else "user"
        message: dict[str, object] = {"role": role, "content": f"Point {number}, please."}
        if role == "assistant":
            said = [{"type": "text", "text": f"Point {number} is done."}]
            message |= {"id": f"m{number}", "model": "demo", "content": said, "usage": {"input_tokens": 10, "output_tokens": 2}}
        place = {"uuid": f"k{number:07}", "parentUuid": f"k{number - 1:07}" if number else None, "sessionId": "s" * 36, "isSidechain": False}
        made.append(json.dumps({**place, "type": role, "message": message, "timestamp": "2025-03-10T09:00:00.000Z"}))
    return "\n".join(made).encode()


def test_reading_small_lines_takes_at_most_four_and_a_half_times_their_size() -> None:
    """The bytes themselves are not counted; lines of one value each, links between them and the messages made of them are."""
    data = small_talk(2000)
    read_session(data, "log.jsonl")  # first use of every module
    gc.collect()
    tracemalloc.start()
    session = read_session(data, "log.jsonl")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(session.threads[0].calls) == 1000
    assert peak / len(data) <= 4.5


def test_equal_counts_and_equal_times_are_kept_once() -> None:
    calls = read_session(small_talk(8), "log.jsonl").threads[0].calls
    assert len({id(call.usage) for call in calls}) == len({id(call.at) for call in calls}) == 1
