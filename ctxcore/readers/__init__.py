"""Recorded formats: one file and one line of ``READERS`` each, most specific first."""

from __future__ import annotations

from ctxcore.readers.codex import Codex
from ctxcore.readers.openai_chat import OpenAIChat
from ctxcore.readers.openai_responses import OpenAIResponses
from ctxcore.readers.protocol import Reader

READERS: tuple[Reader, ...] = (
    Codex(),
    OpenAIResponses(),
    OpenAIChat(),
)
"""Every format, in the order they are tried."""
