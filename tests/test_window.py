"""Context windows: known ones by family, unknown ones never invented."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxcore.sizes.window import safe_limit, window_tokens

MILLION = 1_000_000


@pytest.mark.parametrize(
    ("model", "tokens"),
    [
        # Providers' tables as of November 2026: input limits
        ("claude-fable-5-1", MILLION),
        ("claude-mythos-preview", MILLION),
        ("claude-opus-5-5", MILLION),
        ("claude-opus-4-8", MILLION),
        ("anthropic/claude-opus-4.7", MILLION),
        ("claude-opus-4-6-20260205", MILLION),
        ("claude-sonnet-4-6", MILLION),
        ("claude-haiku-5-5", MILLION),
        ("claude-opus-4-5-20251101", 200_000),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", 200_000),
        ("claude-haiku-4-5", 200_000),
        ("litellm_proxy/claude-sonnet-4-20250514", 200_000),
        ("claude-opus-4-20250514", 200_000),
        ("claude-3-7-sonnet-20250219", 200_000),
        ("claude-3-5-sonnet-20241022", 200_000),
        ("claude-3-opus-20240229", 200_000),
        ("claude-sonnet-4-5-20250929[1m]", MILLION),
        ("claude-2.1", 200_000),
        ("claude-2.0", 100_000),
        ("gpt-6-astra", 922_000),
        ("gpt-6.1-sol", 922_000),
        ("gpt-5.6-terra", 922_000),
        ("gpt-5.5-2026-04-23", 1_050_000),
        ("gpt-5.4", 1_050_000),
        ("gpt-5.4-mini", 272_000),
        ("gpt-5.3-codex", 272_000),
        ("gpt-5.2", 272_000),
        ("openai/gpt-5", 272_000),
        ("gpt-5-nano", 272_000),
        ("gpt-5-chat-latest", 128_000),
        ("gpt-4.1-mini-2025-04-14", 1_047_576),
        ("gpt-4o-2024-08-06", 128_000),
        ("azure/gpt-4o-mini", 128_000),
        ("gpt-4-turbo", 128_000),
        ("gpt-4", 8_192),
        ("gpt-3.5-turbo-0125", 16_385),
        ("o3", 200_000),
        ("o4-mini-2025-04-16", 200_000),
        ("o1-mini-2024-09-12", 128_000),
        ("gpt-oss-120b", 131_072),
        ("gemini-2.5-pro", 1_048_576),
        ("google/gemini-3-pro-preview", 1_048_576),
        ("gemini-3.8-flash", 1_048_576),
        ("deepseek-v4-flash", MILLION),
        ("deepseek-v3.2", 163_840),
        ("deepseek/deepseek-chat", 131_072),
        ("qwen3-coder-plus", 997_952),
        ("qwen3-max", 258_048),
        ("moonshot/kimi-k2.5", 262_144),
        ("kimi-k3", 1_048_576),
        ("zai/glm-4.6", 200_000),
        ("glm-4.5-air", 128_000),
        ("glm-5.2", MILLION),
        ("meta_llama/Llama-3.3-70B-Instruct", 128_000),
        ("us.meta.llama4-scout-17b-instruct-v1:0", 10_000_000),
        ("mistral/mistral-large-2512", 262_144),
        ("devstral-medium-latest", 256_000),
        ("grok-4.5", 500_000),
    ],
)
def test_a_known_family_has_its_window(model, tokens):
    assert window_tokens(model) == tokens


@pytest.mark.parametrize(
    "model", ["", "demo-model", "<synthetic>", "inkeep-rag", "swe-agent-llama-70b", "gpt-7", "claude", "my-o3rdering-model", "foo3"]
)
def test_an_unknown_model_has_no_window(model):
    assert window_tokens(model) is None


def test_a_recorded_window_holds():
    """Codex writes the window that it worked with, 258,400 for GPT-5 models."""
    assert window_tokens("gpt-5", recorded=258_400) == 258_400
    assert window_tokens("demo-model", recorded=32_000) == 32_000
    assert window_tokens("gpt-5", recorded=0) == 272_000


@pytest.mark.parametrize(("window", "limit"), [(200_000, 170_000), (1_047_576, 890_439), (8_192, 6_963), (1, 0), (0, 0)])
def test_the_safe_limit_is_85_percent_rounded_down(window, limit):
    """1,047,576 × 0.85 = 890,439.6; 8,192 × 0.85 = 6,963.2."""
    assert safe_limit(window) == limit


@given(st.text())
def test_any_name_is_answered(model):
    assert window_tokens(model) is None or window_tokens(model) > 0
