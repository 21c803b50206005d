"""Tokens of a span, under all the names that recorders give them. Source: format notes, 2.0.5, 2.6 and 2.7."""

from __future__ import annotations

from collections.abc import Mapping

from ctxcore.model import Json, Usage
from ctxcore.readers.langchain_message import filled
from ctxcore.readers.values import whole

USAGE_KEYS: Mapping[str, tuple[str, ...]] = {
    "input_tokens": (
        "gen_ai.usage.input_tokens",
        "gen_ai.usage.prompt_tokens",
        "llm.token_count.prompt",
        "llm.usage.prompt_tokens",
        "ai.usage.inputTokens",
        "ai.usage.promptTokens",
        "prompt_tokens",
    ),
    "output_tokens": (
        "gen_ai.usage.output_tokens",
        "gen_ai.usage.completion_tokens",
        "llm.token_count.completion",
        "llm.usage.completion_tokens",
        "ai.usage.outputTokens",
        "ai.usage.completionTokens",
        "completion_tokens",
    ),
    "cache_read_tokens": (
        "gen_ai.usage.cache_read.input_tokens",
        "gen_ai.usage.cache_read_input_tokens",
        "gen_ai.usage.details.cache_read_tokens",
        "llm.token_count.prompt_details.cache_read",
        "ai.usage.cachedInputTokens",
    ),
    "cache_write_tokens": (
        "gen_ai.usage.cache_creation.input_tokens",
        "gen_ai.usage.cache_creation_input_tokens",
        "gen_ai.usage.details.cache_write_tokens",
        "llm.token_count.prompt_details.cache_write",
    ),
    "reasoning_tokens": (
        "gen_ai.usage.reasoning.output_tokens",
        "gen_ai.usage.reasoning_tokens",
        "gen_ai.usage.details.reasoning_tokens",
        "llm.token_count.completion_details.reasoning",
        "ai.usage.reasoningTokens",
    ),
}
"""Names of each count, the newest first."""


def usage_of(a: Mapping[str, Json]) -> Usage | None:
    """Tokens of a span; None where it has none, or zeros that stand for none. Cached tokens that cannot be in the input are added to it."""
    counts = {name: next((n for key in keys if (n := _count(a.get(key))) is not None), None) for name, keys in USAGE_KEYS.items()}
    cached = (counts["cache_read_tokens"] or 0) + (counts["cache_write_tokens"] or 0)
    given = counts["input_tokens"]
    if given is not None and cached > given:
        counts["input_tokens"] = given + cached
    return filled(Usage(**counts))


def _count(value: Json) -> int | None:
    if isinstance(value, str) and value.isdigit() and len(value) < 16:
        return int(value)
    return whole(int(value)) if isinstance(value, float) and value.is_integer() else whole(value)
