"""Sizes and recorded usage."""

from __future__ import annotations

from ctxcore import fit_messages, replay
from ctxcore.model import Media
from tests.c1 import C1
from tests.cases import case, main, messages_of, read, size, usage_sum


@case
def count_01() -> None:
    """Three lines are one call; usage counts once."""
    thread = main("COUNT-01.jsonl")
    assert len(thread.calls) == 2
    first, second = (call.usage for call in thread.calls)
    assert first is not None
    assert second is not None
    assert (first.input_tokens, second.input_tokens) == (3210, 3354)
    assert (first.cache_read_tokens or 0) + (second.cache_read_tokens or 0) == 6210
    assert (first.cache_write_tokens or 0) + (second.cache_write_tokens or 0) == 340
    assert (first.output_tokens or 0) + (second.output_tokens or 0) == 150
    assert [part.kind for part in thread.messages[thread.calls[0].reply or 0].parts] == ["reasoning", "text", "tool_call"]


@case
def count_03() -> None:
    """Two files, three distinct calls."""
    one, two = read("COUNT-03.a.jsonl"), read("COUNT-03.b.jsonl")
    assert len({**one.seen_calls, **two.seen_calls}) == 3
    assert (len(one.seen_calls), len(two.seen_calls)) == (2, 3)
    every = {**one.seen_calls, **two.seen_calls}.values()
    assert (sum(u.input_tokens or 0 for u in every), sum(u.output_tokens or 0 for u in every)) == (27, 9)


@case
def count_05() -> None:
    """Cached input is part of the input."""
    (call,) = main("COUNT-05.jsonl").calls
    assert call.usage is not None
    assert (call.usage.input_tokens, call.usage.cache_read_tokens, call.usage.output_tokens) == (900, 640, 50)


@case
def count_06() -> None:
    """Cached input is beside the input: 7 + 9000 + 400."""
    (call,) = main("COUNT-06.json").calls
    assert call.usage is not None
    assert (call.usage.input_tokens, call.usage.cache_read_tokens, call.usage.output_tokens) == (9407, 9000, 60)


@case
def count_08() -> None:
    """Repeated counts add nothing."""
    assert [call.usage.input_tokens + call.usage.output_tokens for call in main("COUNT-08.jsonl").calls if call.usage] == [440, 500]


@case
def count_09() -> None:
    """An image is no text: 21 characters and a 96 x 96 picture."""
    (message,) = main("COUNT-09.json").messages
    (media,) = (part for part in message.parts if isinstance(part, Media))
    assert (message.text, len(message.text)) == ("What is on the label?", 21)
    assert (media.media_type, media.width, media.height) == ("image/png", 96, 96)
    assert media.payload_chars >= 12_508
    sizes = replay(main("COUNT-09.json"), budget=10**6, unit="tokens").sizes
    assert int(sizes.message[0]) <= 2_015


@case
def count_11() -> None:
    """Chinese is not a quarter token a character."""
    tokens = {name: replay(main(name), budget=10**6, unit="tokens").sizes.message.tolist() for name in ("COUNT-11.json", "COUNT-11.en.json")}
    assert all(96 <= n <= 240 for n in tokens["COUNT-11.json"])
    assert all(25 <= n <= 60 for n in tokens["COUNT-11.en.json"])
    kept = {name: fit_messages(messages_of(name), 300, "tokens", notice=False).kept for name in tokens}
    assert len(kept["COUNT-11.json"]) <= 2
    assert len(kept["COUNT-11.en.json"]) == 4


@case
def count_12() -> None:
    """Special tokens are plain text."""
    thread = main("COUNT-12.json")
    assert all(n > 8 for n in replay(thread, budget=10**6, unit="tokens").sizes.message.tolist())
    assert "<|endoftext|>" in thread.messages[0].text


@case
def count_13() -> None:
    """System, messages and tools are three parts; tools cannot be trimmed away."""
    thread = main("COUNT-13.json")
    (call,) = thread.calls
    assert (call.known, call.usage and call.usage.input_tokens, call.reply) == ("recorded", 452, 2)
    assert [size(m) for m in thread.messages[:2]] == [7, 2]
    sizes = replay(thread, budget=10**6, unit=C1()).sizes
    assert sizes.tools.tolist() == [1720, 0]
    tight = replay(thread, budget=1000, unit=C1())
    assert tight.refused.tolist() == [True]
    assert tight.missing.tolist() == [729]


@case
def count_14() -> None:
    """A call's arguments count."""
    sizes = [size(m) for m in main("COUNT-14.json").messages]
    assert (sum(sizes), max(sizes), sizes.index(max(sizes))) == (1647, 1621, 1)


@case
def count_16() -> None:
    """A trace's tokens are those of its model calls; the root repeats them and is compared."""
    session = read("COUNT-16.json")
    assert usage_sum(*session.threads) == (92, 14)
    assert sum(len(thread.calls) for thread in session.threads) == 2
    assert any("agrees" in note for note in session.notes)
    assert dict(session.ledger.skipped) == {"agent span, which repeats the calls in it": 1, "tool span": 1}


@case
def count_18() -> None:
    """An error notice is no call, and no model."""
    thread = main("COUNT-18.jsonl")
    assert (len(thread.calls), usage_sum(thread)) == (1, (20, 4))
    assert "<synthetic>" not in {call.model for call in thread.calls}


@case
def count_19() -> None:
    """The recorded size stands beside the visible text, which is far smaller."""
    session = read("COUNT-19.jsonl")
    assert [call.usage.input_tokens for call in session.threads[0].calls if call.usage] == [2400, 2650]
    assert "system prompt" in session.not_recorded
    fitted = replay(session.threads[0], budget=2000, unit="tokens")
    assert fitted.before.max() < 2000
    assert not fitted.dropped_messages.any()
