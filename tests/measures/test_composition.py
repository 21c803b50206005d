"""A request taken apart sums up to itself, at every node; where the parts' form is known, each has the size that a slow count gives."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from ctxcore.measures.composition import Piece, composition, json_fields
from ctxcore.readers.detect import read_session
from ctxcore.replay import DROPPED, EDITED, PINNED, replay

ROOT = Path(__file__).resolve().parent.parent.parent
SAMPLES = sorted(path for path in (ROOT / "sample_sessions").iterdir() if path.suffix in {".json", ".jsonl"})

CALL = {"id": "c", "type": "function", "function": {"name": "read_file", "arguments": '{"path": "a \\"b\\".py", "lines": [1, 2]}'}}
TOOLS = [{"type": "function", "function": {"name": name, "parameters": {"type": "object"}}} for name in ("read_file", "<b>bold</b>")]
TALK = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Read it."},
    {"role": "assistant", "content": "I look.", "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c", "content": '{"text": "x = 1\\n", "size": 6}'},
    {"role": "assistant", "content": "It sets x."},
    {"role": "user", "content": "And now?"},
    {"role": "assistant", "content": "Nothing."},
]
THREAD = read_session(json.dumps({"model": "gpt-4o", "messages": TALK, "tools": TOOLS}).encode(), "a.json").threads[0]


def written(value: object) -> int:
    """Characters of canonical JSON, by CPython's own encoder."""
    return len(json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")))


def check_sums(pieces: tuple[Piece, ...]) -> None:
    sums: Counter[int] = Counter()
    for place, piece in enumerate(pieces):
        assert piece.size >= 0
        assert piece.parent < place
        sums[piece.parent] += piece.size
    assert sums.pop(-1) == pieces[0].size
    assert all(pieces[place].size == size for place, size in sums.items())


@pytest.mark.parametrize("unit", ["chars", "tokens"])
@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_every_node_is_the_sum_of_its_children_and_the_first_is_the_request(path: Path, unit: str) -> None:
    thread = read_session(path).threads[0]
    one = replay(thread, "whole-units", 4_000, unit)
    for call in range(0, len(thread.calls), 7):
        pieces = composition(one, call)
        assert pieces[0].size == one.before[call]
        check_sums(pieces)
        assert sum(piece.kind == "message" for piece in pieces) == thread.calls[call].message_count
        if unit == "chars":
            assert not any(piece.estimated for piece in pieces)


@pytest.mark.parametrize("path", ["claude-code", "codex-cli", "anthropic_messages", "gemini-cli", "openai_responses"])
def test_recordings_of_every_form_sum_up(shared: Path, path: str) -> None:
    for file in sorted((shared / "corpus" / path).glob("[!N]*.json*"))[:2]:
        thread = read_session(file).threads[0]
        one = replay(thread, "whole-units", 50_000)
        for call in {0, len(thread.calls) // 2, len(thread.calls) - 1}:
            check_sums(composition(one, call))


def test_parts_and_fields_have_the_sizes_of_their_text_in_the_request() -> None:
    pieces = composition(replay(THREAD, "none", 100_000), 1)
    sizes = {piece.name: piece.size for piece in pieces if piece.kind in {"part", "field", "tool"}}
    assert sizes["call read_file"] == written("read_file") + written(CALL["function"]["arguments"])  # type: ignore[index]
    assert sizes["path"] == written('"path":"a \\"b\\".py"') - 2
    assert sizes["lines"] == written('"lines":[1,2]') - 2
    assert sizes["result"] == written(TALK[3]["content"])
    assert sizes["size"] == written('"size":6') - 2
    assert [sizes["read_file"], sizes["<b>bold</b>"]] == [written(tool) for tool in TOOLS]
    groups = [(piece.name, piece.kind) for piece in pieces if piece.parent == 0]
    assert groups == [("System and developer", "group"), ("Tool definitions", "group"), ("Turn 1", "turn"), ("Brackets and separators", "rest")]


def test_what_a_policy_drops_is_marked_down_to_its_fields_and_a_turn_says_what_became_of_it() -> None:
    one = replay(THREAD, "whole-units", 600)
    dropped = {message for drop in one.drops(2) for message in drop.messages}
    assert dropped == {1, 2, 3, 4}
    by_name = {piece.name: piece.state for piece in composition(one, 2)}
    assert (by_name["Turn 1"], by_name["Turn 2"], by_name["System and developer"]) == (DROPPED, PINNED, PINNED)
    assert by_name["path"] == by_name["call read_file"] == DROPPED
    assert by_name["Request"] == EDITED


@pytest.mark.parametrize("text", ["[1]", "{", "", "plain", '{"a": 1} x', "{" * 5000, '{"a":' + "[" * 100_000])
def test_what_is_no_object_has_no_fields(text: str) -> None:
    assert json_fields(text) == []
