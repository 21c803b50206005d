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
