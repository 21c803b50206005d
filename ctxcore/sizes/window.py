"""Context windows: how many input tokens a model takes in one request, and how many of them are safe to fill."""

from __future__ import annotations

import re

from ctxcore.sizes.models import family, model_key

SAFE_PERCENT = 85
"""Share of a window that a request may fill before quality and room for the reply suffer. It is the default token budget."""

MILLION = 1_000_000

LONG_CLAUDE = re.compile(r"\[1m\]$|context-1m")
"""Claude Code and the beta header write the million-token variant of a 200k model so."""

_TABLE = (
    # litellm 1.110.2 (November 2026): claude-haiku-5-5, fable-5, mythos-5, opus-4-6 and later, sonnet-4-6 and later
    (r"claude-(opus|sonnet)-4[-.][6-9](?!\d)|claude-[a-z]+-[5-9](?!\d)|claude-mythos|claude-[5-9](?!\d)|claude-4[-.][6-9](?!\d)", MILLION),
    # litellm 1.110.2: claude-opus-4-5, sonnet-4-5, haiku-4-5, 4, 3.7, 3.5, 3, 2.1
    (r"claude-([a-z]+-)?[34](?!\d)|claude-v?2\.1", 200_000),
    # litellm 1.110.2, bedrock: claude-v2, claude-instant-v1
    (r"claude-(v?2|instant)", 100_000),
    # litellm 1.110.2: gpt-5-chat-latest, gpt-5.1-chat-latest to 5.3
    (r"gpt-5(\.[1-3])?-chat", 128_000),
    # litellm 1.110.2: input limit; 1.05M with the reply
    (r"gpt-(5\.6(?!-cyber)|6)", 922_000),
    # litellm 1.110.2, genai-prices 0.2.3
    (r"gpt-5\.[45](?!-(mini|nano|cyber))", 1_050_000),
    # litellm 1.110.2: input limit of gpt-5 to 5.3, mini, nano, codex; 400k with the reply
    (r"gpt-5", 272_000),
    # litellm 1.110.2, openai and azure
    (r"gpt-4\.1", 1_047_576),
    (r"(chat)?gpt-4o|gpt-4-(turbo|1106|0125|vision)|o1-(mini|preview)", 128_000),
    (r"(?<!-)o[134](?=$|[-@:])|codex-mini", 200_000),
    (r"gpt-4(?=$|-0613|-0314|[@:])", 8_192),
    (r"gpt-3\.?5-turbo-0613", 4_096),
    (r"gpt-3\.?5-turbo(?!-instruct)", 16_385),
    (r"gpt-oss", 131_072),
    # litellm 1.110.2, gemini
    (r"gemini-omni|gemini-robotics-er-2", 131_072),
    (r"gemini-2\.5-computer-use", 128_000),
    (r"gemini-([2-4]|pro-latest|flash)", 1_048_576),
    (r"gemma-?4", 262_144),
    (r"gemma-?3", 131_072),
    (r"gemma-?2", 8_192),
    # litellm 1.110.2, deepseek: the provider's own hosting
    (r"deepseek-v4|deepseek-flash", MILLION),
    (r"deepseek[-.]v3[-.]2", 163_840),
    (r"deepseek-(chat|reasoner)", 131_072),
    (r"deepseek[-.](v3|r1)(?![-.](distill|1))", 65_536),
    # litellm 1.110.2: dashscope, groq, deepinfra; None where hosts of one open model differ (Qwen 2.5)
    (r"qwen-?3\.[5-9]-(plus|max|flash|omni-flash)", 991_808),
    (r"qwen-?3-coder-(plus|flash)|qwen-(flash|plus-latest)", 997_952),
    (r"qwen-?3-max", 258_048),
    (r"qwen-?3-(coder|next|235b-a22b-2507)", 262_144),
    (r"qwen-?3-(30b-a3b)", 129_024),
    (r"qwen-?3\.8-27b|qwq-32b", 131_072),
    (r"qwen-max", 30_720),
    (r"qwen-(plus|turbo)", 129_024),
    # litellm 1.110.2: moonshot, bedrock, deepinfra
    (r"kimi-k3", 1_048_576),
    (r"kimi-k2([.-](5|6|7|thinking|0905))", 262_144),
    (r"kimi-k2|moonshot-v1-(128k|auto)", 131_072),
    (r"moonshot-v1-32k", 32_768),
    (r"moonshot-v1-8k", 8_192),
    # litellm 1.110.2, zai
    (r"glm-5[.-][23]", MILLION),
    (r"glm-(4\.[67]|5)", 200_000),
    (r"glm-4(\.5|-)", 128_000),
    # litellm 1.110.2: bedrock and meta_llama; the figure of most hosts for 2 and 3.0
    (r"llama-?4-scout", 10_000_000),
    (r"llama-?4-maverick", MILLION),
    (r"llama-?3[.-][1-3](?!\d)", 128_000),
    (r"llama-?3-(8|70)b", 8_192),
    (r"llama-?2", 4_096),
    # litellm 1.110.2: mistral; bedrock and anyscale for the first open models
    (r"mistral-large-4", 1_048_576),
    (r"devstral|mistral-code-(latest|agent)|codestral-mamba", 256_000),
    (
        r"mistral-(large-(3|2512|latest)|medium(-(3|2604|latest))?(?![-\d])|medium-3[.-]5|small-(2603|latest))|magistral|ministral-(3-)?(8|14)b-(2512|latest)",
        262_144,
    ),
    (r"(open-)?mistral-nemo|codestral|pixtral|mistral-large-2(407|411)|ministral", 128_000),
    (r"mixtral-8x22b", 65_536),
    (r"mistral-(7b|small-24|tiny)|mixtral-8x7b", 32_000),
    # litellm 1.110.2: xai, minimax, cohere, bedrock
    (r"grok-4\.(20|3)", MILLION),
    (r"grok-4\.[5-7]", 500_000),
    (r"grok-(code-fast|build-0)", 256_000),
    (r"minimax-m2(?![.\d])", 200_000),
    (r"minimax-m(2\.[15]|3)", MILLION),
    (r"command-a-03", 256_000),
    (r"command-(a-plus|r)", 128_000),
    (r"nova-(2|premier)", MILLION),
    (r"nova-(lite|pro)", 300_000),
    (r"nova-micro", 128_000),
)

WINDOWS = tuple((family(pattern), tokens) for pattern, tokens in _TABLE)
"""Families and their input limits in tokens; the first that fits a name holds."""


def window_tokens(model: str, recorded: int | None = None) -> int | None:
    """How many input tokens the model takes in one request, or None where it is not known (a figure is never invented).

    Where a provider limits input and reply apart, this is the input's limit.

    Args:
        model: As recorded, with or without a provider's prefix.
        recorded: A window that the log itself states (Codex: ``model_context_window``); it holds.
    """
    if recorded is not None and recorded > 0:
        return recorded
    key = model_key(model)
    if "claude" in key and LONG_CLAUDE.search(key):
        return MILLION
    return next((tokens for pattern, tokens in WINDOWS if pattern.search(key)), None)


def safe_limit(window: int) -> int:
    """``SAFE_PERCENT`` of a window, rounded down.

    Args:
        window: Tokens.
    """
    return window * SAFE_PERCENT // 100
