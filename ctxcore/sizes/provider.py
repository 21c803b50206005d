"""Whose rules a model's requests follow."""

from __future__ import annotations

from collections import Counter
from typing import Literal

from ctxcore.model import Thread
from ctxcore.sizes.models import claude_version, family, model_key

Provider = Literal["openai", "anthropic", "gemini"]

PROVIDERS: tuple[Provider, ...] = ("openai", "anthropic", "gemini")
"""Providers whose rules are known."""

_GEMINI = family(r"gemini|gemma")
_OPENAI = family(r"(chat)?gpt-|(?<!-)o[134](?=$|[-@:])|codex")


def provider_of(model: str) -> Provider | None:
    """The provider of a model by its name as recorded; None for one that no rule knows."""
    if claude_version(model) is not None:
        return "anthropic"
    if _GEMINI.search(model_key(model)):
        return "gemini"
    return "openai" if _OPENAI.search(model_key(model)) else None


def thread_provider(thread: Thread) -> Provider | None:
    """The provider of the model that answered most calls of a thread."""
    models = Counter(call.model for call in thread.calls if call.model)
    return provider_of(models.most_common(1)[0][0]) if models else None
