"""How much of what was written to a cache is kept for an hour, as logs tell it."""

from __future__ import annotations

import pytest

from ctxcore.readers.langchain_message import usage_of
from ctxcore.readers.values import usage


@pytest.mark.parametrize(
    "split",
    [
        {"cache_creation": {"ephemeral_5m_input_tokens": 100, "ephemeral_1h_input_tokens": 300}},
        {"prompt_tokens_details": {"cache_creation_token_details": {"ephemeral_5m_input_tokens": 100, "ephemeral_1h_input_tokens": 300}}},
    ],
)
def test_the_split_of_writes_is_read(split: dict[str, object]) -> None:
    found = usage({"input_tokens": 5, "cache_creation_input_tokens": 400, "output_tokens": 1, **split}, cache_in_input=False)
    assert found is not None
    assert (found.cache_write_tokens, found.cache_write_1h_tokens, found.input_tokens) == (400, 300, 405)


def test_without_a_split_nothing_is_said() -> None:
    found = usage({"input_tokens": 5, "cache_creation_input_tokens": 400, "output_tokens": 1}, cache_in_input=False)
    assert found is not None
    assert found.cache_write_1h_tokens is None


def test_langchain_leaves_the_sum_at_zero_beside_a_split() -> None:
    details = {"cache_read": 20, "cache_creation": 0, "ephemeral_5m_input_tokens": 100, "ephemeral_1h_input_tokens": 300}
    found = usage_of({"usage_metadata": {"input_tokens": 500, "output_tokens": 7, "input_token_details": details}})
    assert found is not None
    assert (found.cache_write_tokens, found.cache_write_1h_tokens) == (400, 300)


def test_the_pass_of_a_compaction_on_the_server_counts_beside_the_reply():
    """Format notes 5: the counts on top leave it out. 220 + 55,000 in, of them 5,000 from the cache; 8 + 125 out."""
    passes = [
        {"type": "compaction", "input_tokens": 50_000, "cache_read_input_tokens": 5_000, "output_tokens": 125},
        {"type": "message", "input_tokens": 220, "output_tokens": 8},
    ]
    found = usage({"input_tokens": 220, "output_tokens": 8, "iterations": passes}, cache_in_input=False)
    assert found is not None
    assert (found.input_tokens, found.cache_read_tokens, found.output_tokens) == (55_220, 5_000, 133)
    assert usage({"input_tokens": 220, "output_tokens": 8, "iterations": passes[1:]}, cache_in_input=False) == usage(
        {"input_tokens": 220, "output_tokens": 8}, cache_in_input=False
    )
