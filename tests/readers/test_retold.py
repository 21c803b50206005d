"""A session that goes on with another provider is one thread, though no message keeps its shape; what is another history stays another thread."""

from __future__ import annotations

import json

import pytest

from ctxcore import Session, read_session, replay
from ctxcore.measures.breakdown import breakdown
from tests.readers.test_http_pairs import canonical_chars, pair

ASK = "Where is the key, and whose is it?"


def read(*lines: dict) -> Session:
    return read_session("\n".join(json.dumps(line) for line in lines).encode(), "log.jsonl")


def gemini(at: float, *contents: dict, answer: list[dict]) -> dict:
    url = "https://models.example.invalid/v1beta/models/gemini-x:generateContent"
    body = {"candidates": [{"content": {"role": "model", "parts": answer}, "finishReason": "STOP"}], "usageMetadata": {"promptTokenCount": 9}}
    return pair(at, {"contents": list(contents)}, {"body": body}, url=url)


def chat(at: float, *messages: dict, answer: str = "It is there.") -> dict:
    body = {"id": f"c{at}", "object": "chat.completion", "choices": [{"index": 0, "message": {"role": "assistant", "content": answer}}]}
    return pair(at, {"model": "gpt-x", "messages": list(messages)}, {"body": body})


CALLS = [{"functionCall": {"name": "look", "args": {"where": "attic"}}}, {"functionCall": {"name": "owner", "args": {}}}]
RESULTS = [
    {"functionResponse": {"name": "look", "response": {"return_value": "under the mat"}}},
    {"functionResponse": {"name": "owner", "response": {"name": "Ada", "age": 4}}},
]
ASKED = {"role": "user", "parts": [{"text": ASK}]}
IN_GEMINI = (ASKED, {"role": "model", "parts": CALLS}, {"role": "user", "parts": RESULTS})

SYSTEM = {"role": "system", "content": "You are the second agent."}
QUESTION = {"role": "user", "content": ASK}
CALLED = {
    "role": "assistant",
    "tool_calls": [
        {"id": "made-1", "type": "function", "function": {"name": "look", "arguments": '{"where": "attic"}'}},
        {"id": "made-2", "type": "function", "function": {"name": "owner", "arguments": "{}"}},
    ],
}
FOUND = {"role": "tool", "tool_call_id": "made-1", "content": "under the mat"}
OWNER = {"role": "tool", "tool_call_id": "made-2", "content": '{"age":4,"name":"Ada"}'}
SAID = {"role": "assistant", "content": "Under the mat; it is Ada's.\n"}


def opening() -> list[dict]:
    """Two calls of Gemini: the second one answers."""
    return [gemini(1, ASKED, answer=CALLS), gemini(2, *IN_GEMINI, answer=[{"text": SAID["content"]}])]


@pytest.mark.parametrize("more", [(SAID, {"role": "user", "content": "Thanks."}), ()], ids=["goes on", "the same request again"])
def test_a_history_told_again_to_another_provider_is_the_same_thread(more: tuple[dict, ...]):
    """Ids are added, results unwrapped, two results in one message become two, another system text stands in front."""
    (thread,) = read(*opening(), chat(3, SYSTEM, QUESTION, CALLED, FOUND, OWNER, *more)).threads
    assert [call.message_count for call in thread.calls] == [1, 3, 5 + len(more)]
    assert (thread.kind, thread.calls[2].flags) == ("main", ("history_changed",))
    assert [(e.kind, e.call, e.note) for e in thread.events if e.kind == "history_changed"] == [
        ("history_changed", 2, "The history is told again in the shape of another provider: ids, and how results are wrapped, differ.")
    ]


def test_each_call_has_the_size_of_its_own_shape_and_a_session_may_change_back():
    """A message told again in another shape is a message of its own; the last request goes on from those of Gemini's shape."""
    told = (SYSTEM, QUESTION, CALLED, FOUND, OWNER)
    back = (*IN_GEMINI, {"role": "model", "parts": [{"text": SAID["content"]}]}, {"role": "user", "parts": [{"text": "Thanks."}]})
    (thread,) = read(*opening(), chat(3, *told, answer=SAID["content"]), gemini(4, *back, answer=[{"text": "Bye."}])).threads
    assert replay(thread).before.tolist() == [canonical_chars(list(sent)) for sent in ((ASKED,), IN_GEMINI, told, back)]
    assert [call.context for call in thread.calls][::2] == [((0, 1),), ((4, 9),)]
    assert thread.calls[3].context[0] == (0, 4)
    assert [call.turn for call in thread.calls] == [1, 1, 1, 2]


def test_marks_that_move_on_are_counted_at_the_calls_that_had_them():
    """Each request marks its last message; the thread keeps the messages without marks, one each, in one range."""

    def said(role: str, words: str, *, mark: bool = False) -> dict:
        return {"role": role, "content": [{"type": "text", "text": words, **({"cache_control": {"type": "ephemeral"}} if mark else {})}]}

    def answer(words: str) -> dict:
        made = {"id": words, "type": "message", "role": "assistant", "model": "claude-x", "stop_reason": "end_turn"}
        return {"body": {**made, "content": [{"type": "text", "text": words}], "usage": {"input_tokens": 9, "output_tokens": 1}}}

    words = ["One?", "1.", "Two?", "2.", "Three?"]
    sent = [[said("user" if n % 2 == 0 else "assistant", words[n], mark=n == last) for n in range(last + 1)] for last in (0, 2, 4)]
    (thread,) = read(*(pair(n, {"model": "claude-x", "max_tokens": 9, "messages": m}, answer(f"{n + 1}.")) for n, m in enumerate(sent))).threads
    assert replay(thread).before.tolist() == [canonical_chars(messages) for messages in sent]
    assert breakdown(thread, thread.chars).sum(axis=1).tolist() == replay(thread).before.tolist()
    assert [call.context for call in thread.calls] == [((0, 1),), ((0, 3),), ((0, 5),)]


def test_a_session_may_change_right_after_its_first_call():
    (thread,) = read(opening()[0], chat(3, SYSTEM, QUESTION, CALLED, FOUND, OWNER)).threads
    assert [call.message_count for call in thread.calls] == [1, 5]


@pytest.mark.parametrize(
    "messages",
    [
        (SYSTEM, QUESTION),
        (SYSTEM, QUESTION, CALLED, {**FOUND, "content": "nowhere"}, OWNER),
        (SYSTEM, {**QUESTION, "content": "Where is the lock?"}, CALLED, FOUND, OWNER),
        (SYSTEM, QUESTION, {"role": "assistant", "content": "Somewhere."}, {"role": "user", "content": "Where?"}),
    ],
    ids=["the same question to another agent", "another result", "another question", "another answer"],
)
def test_another_history_is_another_thread(messages: tuple[dict, ...]):
    assert len(read(*opening(), chat(3, *messages)).threads) == 2
