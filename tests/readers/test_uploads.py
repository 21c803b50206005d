"""From any upload to sessions, or to one sentence that says what is wrong, where, and what to do."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import struct
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxcore import read_session, read_sessions
from ctxcore.errors import FileTooBig, FormatNotReadYet, FormatNotRecognized, ReadError, TooManyFiles, UnreadableFile
from ctxcore.model import Session
from ctxcore.readers import archive
from ctxcore.readers.detect import read_uploads
from ctxcore.readers.document import HEAD_LINES, Document
from ctxcore.readers.shape import make_document

MESSAGES = [{"role": "user", "content": "Hé, 你好"}, {"role": "assistant", "content": "ok 🌱"}, {"role": "user", "content": "next"}]
REQUEST = json.dumps({"model": "m", "messages": MESSAGES}, ensure_ascii=False).encode()
LINES = b"".join(json.dumps(m, ensure_ascii=False).encode() + b"\n" for m in MESSAGES)


def texts(session: Session) -> list[str]:
    return [m.text for thread in session.threads for m in thread.messages]


def kinds(session: Session) -> list[str]:
    return [p.kind for p in session.problems]


def balanced(session: Session) -> bool:
    """Every record is either read or skipped for a reason."""
    ledger = session.ledger
    return ledger.records == ledger.read + sum(count for _, count in ledger.skipped)


def zipped(**files: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return buffer.getvalue()


@pytest.mark.parametrize("data", [REQUEST, LINES], ids=["json", "lines"])
@pytest.mark.parametrize(
    "encode",
    [
        lambda d: d,
        lambda d: b"\xef\xbb\xbf" + d,
        lambda d: d.replace(b"\n", b"\r\n\r\n  \t\r\n"),
        lambda d: d.decode().encode("utf-16"),
        lambda d: d.decode().encode("utf-16-le"),
        lambda d: d.decode().encode("utf-16-be"),
        lambda d: d.decode().encode("utf-32"),
        gzip.compress,
        lambda d: gzip.compress(d[:40]) + gzip.compress(d[40:]),
        lambda d: zipped(a=d),
        lambda d: zipped(b=gzip.compress(d)),
        lambda d: json.dumps(d.decode()).encode() if d is REQUEST else d,
        lambda d: json.dumps(json.loads(d), indent=2).encode() if d is REQUEST else d,
        lambda d: d.replace(b"\n", b""),
        lambda d: d.rstrip(b"\n"),
    ],
    ids=[
        "plain",
        "bom",
        "crlf",
        "utf16",
        "utf16le",
        "utf16be",
        "utf32",
        "gz",
        "two-streams",
        "zip",
        "gz-in-zip",
        "twice",
        "pretty",
        "glued",
        "no-end",
    ],
)
def test_the_same_messages_come_out_of_every_wrapping(encode, data):
    """Extension and wrapping say nothing; content decides."""
    session = read_session(encode(data), "recording.txt")
    assert texts(session) == [m["content"] for m in MESSAGES]
    assert session.problems == ()
    assert balanced(session)


def test_several_pretty_printed_values_are_records():
    data = "\n".join(json.dumps(m, indent=2) for m in MESSAGES).encode()
    session = read_session(data)
    assert texts(session) == [m["content"] for m in MESSAGES]
    assert [m.source.line for m in session.threads[0].messages] == [1, 5, 9]


def test_a_cut_last_line_is_named_and_the_rest_loads():
    session = read_session(LINES[:-12])
    assert texts(session) == [m["content"] for m in MESSAGES[:2]]
    assert [(p.kind, p.source.line) for p in session.problems] == [("incomplete_line", 3)]
    assert session.ledger.skipped == (("not readable (incomplete_line)", 1),)
    assert balanced(session)


def test_a_broken_line_is_named_with_line_and_byte_and_an_excerpt():
    session = read_session(LINES.replace(b'"role": "assistant"', b'"role" "assistant"'))
    (problem,) = session.problems
    assert (problem.kind, problem.source.line) == ("unreadable_line", 2)
    assert "line 2" in problem.what.lower()
    assert "byte 9" in problem.what  # {"role" is 7 bytes, a space, then the fault
    assert problem.excerpt.startswith('{"role" "assistant"')
    assert len(texts(session)) == 2
    assert balanced(session)


def test_a_broken_first_line_does_not_hide_the_others():
    assert texts(read_session(b'{"role": "us\n' + LINES)) == [m["content"] for m in MESSAGES]


def test_lines_that_are_no_objects_are_counted():
    session = read_session(LINES + b"12\nnull\n")
    assert session.ledger.skipped == (("not a message", 2),)
    assert balanced(session)


@pytest.mark.parametrize("cut", range(60, len(REQUEST) - 1, 7))
def test_a_cut_json_value_keeps_every_complete_message_before_the_cut(cut):
    """The messages before the cut are counted by hand: those whose closing brace stands before it."""
    data = REQUEST[:cut]
    ends = [REQUEST.index(b"}", REQUEST.index(m["content"].encode())) for m in MESSAGES]
    whole = [m["content"] for m, end in zip(MESSAGES, ends, strict=True) if end < cut]
    if not whole:
        with pytest.raises(ReadError, match="line 1, byte"):
            read_session(data)
        return
    session = read_session(data)
    assert texts(session) == whole
    (problem,) = session.problems
    assert problem.kind == "incomplete_file"
    assert "line 1, byte" in problem.what


def test_a_json_value_that_is_broken_in_the_middle_keeps_what_stands_before():
    session = read_session(REQUEST.replace(b'}, {"role": "user", "content": "next"', b'} {"role": "user", "content": "next"'))
    assert texts(session) == [m["content"] for m in MESSAGES[:2]]
    assert kinds(session) == ["broken_file"]


def test_numbers_that_json_does_not_have_are_kept_as_text():
    line = b'{"role": "user", "content": "a", "n": [NaN, Infinity, -Infinity, 1e999, 0.5]}\n'
    session = read_session(line + LINES)
    assert session.threads[0].messages[0].raw["n"] == ["NaN", "Infinity", "-Infinity", "1e999", 0.5]
    assert kinds(session) == ["not_a_number"] * 4
    json.dumps(session.threads[0].messages[0].raw, allow_nan=False)


def test_an_integer_of_5000_digits_costs_nothing_but_a_sentence():
    session = read_session(b'{"role": "user", "content": "a", "n": ' + b"9" * 5000 + b"}\n" + LINES)
    assert session.threads[0].messages[0].raw["n"] == "9" * 5000
    assert len(texts(session)) == 4
    assert "5,000 digits" in session.problems[0].what


def test_lone_surrogates_and_escaped_pairs():
    session = read_session(b'{"role": "user", "content": "a\\ud83c"}\n{"role": "user", "content": "done \\ud83c\\udf31 ok"}\n')
    assert texts(session) == ["a\ud83c", "done \U0001f331 ok"]
    assert session.threads[0].chars.message.sum() > 0


@pytest.mark.parametrize("levels", [150, 300, 700, 5000, 500_000])
def test_deep_nesting_costs_at_most_its_own_line(levels):
    deep = b'{"role": "user", "content": "a", "x": ' + b"[" * levels + b"]" * levels + b"}\n"
    session = read_session(LINES + deep)
    assert texts(session)[:3] == [m["content"] for m in MESSAGES]
    assert kinds(session) in ([], ["too_deep"])
    assert balanced(session)


def test_one_value_that_is_nested_too_deeply_is_refused():
    with pytest.raises(ReadError, match="nested"):
        read_session(b"[" * 200_000)


def test_a_megabyte_of_objects_in_objects_costs_its_line():
    session = read_session(LINES + b'{"a":' * 200_000 + b"1" + b"}" * 200_000 + b"\n" + LINES)
    assert (kinds(session), len(texts(session))) == (["too_deep"], 2 * len(MESSAGES))


@pytest.mark.parametrize("form", ["%s", '[{"type": "text", "text": %s}]'])
def test_a_string_of_64_megabytes_is_read(form):
    """And its size is its length."""
    size = 64 * 2**20
    body = b'{"messages": [{"role": "user", "content": ' + (form % ('"' + "x" * size + '"')).encode() + b"}]}"
    (message,) = read_session(body).threads[0].messages
    assert len(message.text) == size


def test_a_bomb_in_a_bomb_is_stopped_by_the_size_that_came_out():
    with pytest.raises(FileTooBig, match="unpack to more than 16 MB"):
        read_session(gzip.compress(gzip.compress(b"0" * 2**25)))


@pytest.mark.parametrize("encoding", ["latin-1", "gbk"])
def test_other_encodings_are_replaced_and_named(encoding):
    text = "café naïve" if encoding == "latin-1" else "预算"
    data = json.dumps({"role": "user", "content": text}, ensure_ascii=False).encode(encoding) + b"\n" + LINES
    session = read_session(data)
    assert texts(session)[1:] == [m["content"] for m in MESSAGES]
    assert "not_utf8" in kinds(session)
    assert (
        read_session(json.dumps({"messages": [{"role": "user", "content": text}]}, ensure_ascii=False).encode(encoding)).problems[0].kind
        == "not_utf8"
    )


def test_problems_of_one_kind_are_listed_up_to_a_limit_and_counted():
    session = read_session(LINES * 30 + b"{broken\n" * 25)
    assert kinds(session).count("unreadable_line") == 21
    assert "5 more" in session.problems[20].what
    assert balanced(session)


CASES_OF_NOTHING = {
    "empty": (b"", UnreadableFile, "empty"),
    "blank": (b" \n\t\r\n", UnreadableFile, "white space"),
    "bom only": (b"\xef\xbb\xbf", UnreadableFile, "white space"),
    "null": (b"null", FormatNotRecognized, "openai-chat"),
    "number": (b"12", FormatNotRecognized, "openai-chat"),
    "empty list": (b"[]", FormatNotRecognized, "openai-chat"),
    "text": (b"hello\nworld", FormatNotRecognized, "text"),
    "binary": (bytes(range(256)) * 20, FormatNotRecognized, "binary"),
    "not quite json": (b"{'role': 'user'}", UnreadableFile, "line 1, byte 2"),
    "sqlite": (b"SQLite format 3\0" + bytes(100), FormatNotReadYet, "SQLite"),
    "tar": (bytes(257) + b"ustar" + bytes(300), FormatNotReadYet, "tar"),
    "empty zip": (zipped(), UnreadableFile, "empty"),
    "zip of nothing": (zipped(a=b"x", b=b"y"), UnreadableFile, "none of its 2 files"),
    "zip of a readme": (zipped(**{"readme.md": b"x"}), UnreadableFile, "none of its 1 files"),
    "cut zip": (zipped(a=LINES)[:-30], UnreadableFile, "damaged"),
    "cut gzip": (gzip.compress(LINES)[:12], UnreadableFile, "incomplete"),
}


@pytest.mark.parametrize("case", CASES_OF_NOTHING)
def test_what_gives_no_session_gives_one_sentence(case):
    data, error, word = CASES_OF_NOTHING[case]
    with pytest.raises(error) as caught:
        read_session(data, "upload.bin")
    sentence = str(caught.value)
    assert sentence.startswith("upload.bin")
    assert word in sentence
    assert "\n" not in sentence
    assert sentence.endswith(".")
    assert ". " not in sentence.replace("no. ", "")


def test_paths_that_cannot_be_read(tmp_path: Path):
    with pytest.raises(UnreadableFile, match="the folder is empty"):
        read_session(tmp_path)
    with pytest.raises(UnreadableFile, match="no such file"):
        read_session(tmp_path / "missing.jsonl")
    with pytest.raises(UnreadableFile):
        read_session("a\0b")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UnreadableFile, match="not a regular file"):
        read_session(tmp_path / "pipe")


def test_a_zip_entry_without_a_name_is_a_file_like_others():
    data = zipped(**{"ab.jsonl": LINES}).replace(b"ab.jsonl", b"\0b.jsonl")
    (thread,), (plain,) = read_session(data, "x.zip").threads, read_session(LINES, "x.jsonl").threads
    assert [message.wire for message in thread.messages] == [message.wire for message in plain.messages]


def test_a_cut_gzip_keeps_what_came_out():
    many = LINES * 200
    packed = gzip.compress(many)
    session = read_session(packed[: len(packed) * 3 // 4])
    assert 0 < len(texts(session)) < 600
    assert "incomplete_archive" in kinds(session)


def with_other_checksum(packed: bytes) -> bytes:
    """A gzip file whose trailer (checksum, then size, four bytes each) has another checksum."""
    return packed[:-8] + bytes(byte ^ 255 for byte in packed[-8:-4]) + packed[-4:]


def zip_with_other_checksum(data: bytes) -> bytes:
    """A zip whose only member has another checksum in the directory, at byte 16 of its entry, and in its local header, at byte 14."""
    packed = bytearray(zipped(a=data))
    for place in (packed.rindex(b"PK\x01\x02") + 16, 14):
        packed[place] ^= 255
    return bytes(packed)


def two_streams(data: bytes) -> bytes:
    """The first of two has another checksum."""
    return with_other_checksum(gzip.compress(data[: len(data) // 2])) + gzip.compress(data[len(data) // 2 :])


@pytest.mark.parametrize("wrap", [lambda data: with_other_checksum(gzip.compress(data)), two_streams, zip_with_other_checksum])
def test_a_wrong_checksum_costs_nothing_and_is_said(wrap: Callable[[bytes], bytes]):
    session = read_session(wrap(LINES * 200))
    assert len(texts(session)) == len(texts(read_session(LINES * 200)))
    assert kinds(session) == ["bad_checksum"]


def test_what_stands_before_damage_is_kept_to_the_byte_and_is_not_called_unfinished():
    """A first deflate block that is stored as it is (RFC 1951, 3.2.4), then one of the kind 3, which is none."""
    words = LINES + LINES[:9]
    stored = b"\x00" + struct.pack("<HH", len(words), len(words) ^ 0xFFFF) + words
    session = read_session(b"\x1f\x8b\x08\x18" + bytes(6) + b"name\0note\0" + stored + b"\x07" * 9)
    assert len(texts(session)) == len(texts(read_session(LINES)))
    assert any(problem.what.startswith("Line ") and problem.what.endswith("is incomplete and was left out.") for problem in session.problems)
    assert any(f"the {len(words):,} bytes before that can be read" in problem.what for problem in session.problems)


@pytest.mark.parametrize("wrap", [gzip.compress, lambda d: zipped(a=d)], ids=["gzip", "zip"])
def test_a_bomb_is_stopped_by_its_ratio(wrap):
    with pytest.raises(FileTooBig, match=r"unpack to more than 16 MB, over 200 times as much, .*; this limit cannot be raised"):
        read_session(wrap(b"\n" * 2**26))


def test_the_cap_is_stated_and_can_be_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("CTXSCOPE_MAX_MB", "0.0001")
    for data in (LINES * 2, gzip.compress(LINES * 50)):
        with pytest.raises(FileTooBig, match="CTXSCOPE_MAX_MB"):
            read_session(data)
    file = tmp_path / "big.jsonl"
    file.write_bytes(LINES * 2)
    with pytest.raises(FileTooBig):
        read_session(file)


def test_members_are_read_and_the_rest_is_listed():
    data = zipped(
        **{"a/x.log": LINES, "../../evil": REQUEST, "README.md": b"hi", "__MACOSX/._x": b"1", ".DS_Store": b"1", "n.txt": b"notes", "e": b""}
    )
    sessions = read_sessions(data, "all.zip")
    assert [s.name for s in sessions] == ["all.zip/a/x.log", "all.zip/../../evil"]
    assert [len(texts(s)) for s in sessions] == [3, 3]
    for session in sessions:
        listed = [reason for reason, _ in session.ledger.skipped]
        assert len(listed) == 5
        assert all(any(name in reason for reason in listed) for name in ("README.md", "__MACOSX/._x", ".DS_Store", "n.txt", "all.zip/e"))
        assert balanced(session)


def test_a_member_that_is_encrypted_or_packed_oddly_is_skipped():
    data = bytearray(zipped(a=LINES, b=LINES))
    place = data.rindex(b"PK\x01\x02")
    data[place + 10] = 93  # the method of the second member: zstd, which zipfile cannot read
    sessions = read_sessions(bytes(data))
    assert len(sessions) == 1
    assert any("nothing of it can be unpacked" in reason for reason, _ in sessions[0].ledger.skipped)


def test_zstd_is_unpacked_or_refused_in_one_sentence():
    frame = b"\x28\xb5\x2f\xfd\x04\x00\x11\x00\x00{}\n"  # one raw block of three bytes; never reached without a module
    with pytest.raises(ReadError, match=r"zstd|format"):
        read_session(frame)


def test_several_uploads_are_read_together_and_one_bad_file_harms_no_other():
    reading = read_uploads([("a", LINES), ("bad", b"nothing"), ("b", REQUEST)])
    assert [s.name for s in reading.sessions] == ["a", "b"]
    assert [f.name for f in reading.failures] == ["bad"]
    assert len({s.digest for s in reading.sessions}) == 2


def test_the_same_bytes_twice_are_one_session():
    reading = read_uploads([("a", LINES), ("b", gzip.compress(LINES))])
    (session,) = reading.sessions
    assert session.ledger.skipped == (("file b: the same bytes as a", 1),)
    assert balanced(session)
    assert reading.failures == ()


def test_the_first_of_several_names_the_others():
    first = read_session(zipped(a=LINES, b=REQUEST))
    assert "1 more session" in first.notes[-1]


def test_equal_bytes_give_equal_digests():
    assert read_session(LINES, "a").digest == read_session(LINES, "b").digest != read_session(REQUEST).digest


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=80), st.integers(0, len(REQUEST)), st.sampled_from([REQUEST, LINES, gzip.compress(LINES), zipped(a=LINES)]))
def test_no_bytes_make_a_reader_raise_anything_but_a_read_error(noise, place, data):
    """A law: a session or one sentence, for any damage."""
    place = min(place, len(data))
    try:
        sessions = read_sessions(data[:place] + noise + data[place + len(noise) // 2 :])
    except ReadError as error:
        assert "\n" not in str(error)  # noqa: PT017 - both outcomes are right
    else:
        assert sessions
        assert all(balanced(session) for session in sessions)


def test_a_gzip_file_of_a_hundred_thousand_streams_is_read_whole():
    """A log that is appended to with gzip has a stream for each write; copying the rest for each would hang here."""
    assert len(texts(read_session(gzip.compress(b"") * 100_000 + gzip.compress(REQUEST)))) == 3


@pytest.mark.parametrize("sizes", [(1, 70_000), (2**14 - 1, 2**14, 2**14 + 1), (3 * 2**20, 5)], ids=str)
def test_all_streams_of_a_gzip_file_come_out_whole(sizes):
    noise = b"".join(hashlib.sha256(n.to_bytes(4, "big")).digest() for n in range(100_000)).hex().encode()
    made = [json.dumps({"role": "user", "content": noise[:size].decode()}).encode() + b"\n" for size in sizes]
    assert [len(text) for text in texts(read_session(b"".join(map(gzip.compress, made))))] == list(sizes)


def test_the_files_of_archives_in_an_archive_count_together(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(archive, "MAX_MEMBERS", 10)
    inner = zipped(**{f"f{n}": REQUEST[:-1] + b" " * n + b"}" for n in range(4)})
    assert len(read_sessions(zipped(a=inner, b=b"no"))) == 4
    with pytest.raises(TooManyFiles, match=r"its archives hold 11 files or more, and at most 10 are read; zip fewer of them\.$"):
        read_sessions(zipped(a=inner, b=inner, c=inner))


def test_many_recordings_in_one_archive_are_each_looked_at_once(monkeypatch: pytest.MonkeyPatch):
    asked = Counter()
    digest = Document.digest.fget
    monkeypatch.setattr(Document, "digest", property(lambda self: asked.update([self.name]) or digest(self)))
    sessions = read_sessions(zipped(**{f"f{n}": REQUEST[:-1] + b" " * n + b"}" for n in range(50)}))
    assert len({session.digest for session in sessions}) == 50
    assert max(asked.values()) <= 3


def test_detection_looks_at_few_values_however_many_stand_on_one_line():
    document = make_document("glued.jsonl", b'{"role":"user","content":"x"} ' * 1_000)
    assert len(document.head()) == HEAD_LINES
    assert len(list(document.records())) == 1_000


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"null", "seen: one JSON value, null;"),
        (b"true", "seen: one JSON value, true or false;"),
        (b"12", "seen: one JSON value, a number;"),
        (b'"a"', "seen: one JSON value, a text;"),
        (b"[]", "seen: one JSON value, a list;"),
        (b'{"messages": [{"role": "us', "the file is not JSON, a text in quotes has no end (line 1, byte 24);"),
        (b"{messages: 1}", "the file is not JSON, a name in double quotes is missing (line 1, byte 2);"),
        (b'{"messages" 1}', "the file is not JSON, a colon is missing (line 1, byte 13);"),
    ],
)
def test_what_a_file_is_instead_is_said_in_words_of_json(data: bytes, words: str):
    with pytest.raises(ReadError) as caught:
        read_session(data, "odd.json")
    assert words in str(caught.value)


DEEP: object = "x"
for _ in range(500):
    DEEP = [DEEP]


@pytest.mark.parametrize(
    "value",
    [
        {"model": "gpt-4o", "messages": [{"role": "user", "content": DEEP}]},
        {"model": "claude-opus-4", "max_tokens": 9, "system": "S", "messages": [{"role": "user", "content": [{"type": "text", "text": DEEP}]}]},
        {"model": "gpt-4o", "input": [{"type": "message", "role": "user", "content": DEEP}], "instructions": "S"},
        {"contents": [{"role": "user", "parts": [{"text": DEEP}]}], "systemInstruction": {"parts": [{"text": "S"}]}},
    ],
    ids=["chat", "anthropic", "responses", "gemini"],
)
def test_a_value_that_is_nested_too_deeply_is_refused_in_one_sentence(value: object):
    with pytest.raises(ReadError, match=r"nested deeper than 200 levels|nested too deeply"):
        read_session(json.dumps(value).encode(), "deep.json").threads[0].chars.message.sum()


def test_a_file_that_is_nested_too_deeply_is_named_beside_one_that_can_be_read():
    deep = json.dumps({"model": "gpt-4o", "messages": [{"role": "user", "content": DEEP}]}).encode()
    flat = json.dumps({"model": "gpt-4o", "messages": [{"role": "user", "content": "go"}]}).encode()
    (session,) = read_uploads([("deep.json", deep), ("flat.json", flat)]).sessions
    assert [problem.what for problem in session.problems if problem.kind == "skipped_file"] == [
        "deep.json was skipped: it is nested deeper than 200 levels, and nothing else is in it."
    ]
    assert balanced(session)


def test_what_sessions_of_one_folder_say_of_its_files_is_found_out_once(monkeypatch: pytest.MonkeyPatch):
    """A folder of n sessions takes n looks at its files, not n for each session."""
    looks: list[str] = []
    reported = Document.reported
    monkeypatch.setattr(Document, "reported", lambda self: looks.append(self.name) or reported(self))
    asked = {"type": "user", "message": {"role": "user", "content": "go"}}
    told = {"type": "assistant", "message": {"id": "msg_1", "role": "assistant", "model": "claude-x", "content": [{"type": "text", "text": "ok"}]}}
    facts = {"isSidechain": False, "parentUuid": None, "timestamp": "2026-01-01T09:00:00Z", "version": "2.0.0"}
    lines = [
        [json.dumps({**facts, **line, "uuid": f"{number}-{place}", "sessionId": f"s{number}"}) for place, line in enumerate((asked, told))]
        for number in range(30)
    ]
    reading = read_uploads([(f"{number}.jsonl", "\n".join(both).encode()) for number, both in enumerate(lines)])
    assert len(reading.sessions) == 30
    assert len(looks) <= 60
