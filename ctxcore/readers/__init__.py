"""Recorded formats: one file and one line of ``READERS`` each, most specific first."""

from __future__ import annotations

from ctxcore.readers.anthropic_messages import AnthropicMessages
from ctxcore.readers.claude_code import ClaudeCode
from ctxcore.readers.openai_chat import OpenAIChat
from ctxcore.readers.protocol import Reader

READERS: tuple[Reader, ...] = (
    ClaudeCode(),
    AnthropicMessages(),
    OpenAIChat(),
)
"""Every format, in the order they are tried."""
