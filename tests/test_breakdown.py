"""What a request is made of sums to what it is."""

from __future__ import annotations

import json

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ctxcore import read_session, replay
from ctxcore.columns import CATEGORIES
from ctxcore.measures.breakdown import breakdown

TEXT = st.text(max_size=30)
LINES = st.lists(
    st.tuples(st.sampled_from(["system", "user", "assistant", "tool", "critic"]), TEXT, st.booleans()),
    min_size=1,
    max_size=12,
)


@given(lines=LINES, cut=st.integers(0, 11), tools=st.booleans())
def test_every_row_sums_to_the_request_as_replayed(lines, cut, tools) -> None:
    messages = [{"role": role, "content": [{"type": "text", "text": text}] if parts else text} for role, text, parts in lines]
    log = [{"model": "m", "messages": messages[: n + 1], **({"tools": [{"name": "t"}]} if tools else {})} for n in range(len(messages))]
    log.append({"model": "m", "messages": [*messages[: cut + 1], {"role": "user", "content": "another way on"}]})
    session = read_session("\n".join(json.dumps(line) for line in log).encode(), "log.jsonl")
    for thread in session.threads:
        for unit in ("chars", "tokens"):
            result = replay(thread, unit=unit)
            table = breakdown(thread, result.sizes)
            assert table.shape == (len(thread.calls), len(CATEGORIES))
            assert (table.sum(axis=1) == result.before).all()
            assert not table.flags.writeable


def test_a_category_holds_the_messages_of_its_kind() -> None:
    """By hand: each message is its canonical JSON; the frame is the empty request (26) and two commas."""
    messages = [{"role": "system", "content": "ab"}, {"role": "user", "content": "中文"}, {"role": "assistant", "content": "ok"}]
    thread = read_session(json.dumps({"messages": messages}).encode(), "three.json").threads[0]
    last = dict(zip(CATEGORIES, breakdown(thread, thread.chars)[-1].tolist(), strict=True))
    size = [len(json.dumps(m, ensure_ascii=False, separators=(",", ":"))) for m in messages]
    assert len(thread.calls) == 1
    assert {name: value for name, value in last.items() if value} == {"system": size[0], "user": size[1], "frame": 26 + 1}
    assert np.issubdtype(breakdown(thread, thread.chars).dtype, np.int64)
