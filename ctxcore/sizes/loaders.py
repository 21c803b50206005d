"""Opening the tokenizer packages: splintr's bundled vocabularies, and ctok for Claude. Both are imported when first needed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from unicodedata import is_normalized, normalize

import numpy as np

Counts = Callable[[Sequence[str]], list[int]]
"""Tokens of each text; may raise ``UnicodeEncodeError`` on a lone surrogate."""

LoadCounts = Callable[[str], Counts]
"""Opens a tokenizer by name; raises anything where it cannot."""


def load_counts(name: str) -> Counts:
    """Open a tokenizer by name: a vocabulary of splintr, or ``claude-3``, ``claude-4.7``, ``claude-4.8`` by ctok.

    Raises:
        ImportError: The package is not installed.
        ValueError: It does not know the name.
    """
    return _ctok_counts(name.removeprefix("claude-")) if name.startswith("claude-") else _splintr_counts(name)


def _splintr_counts(name: str) -> Counts:
    """Counts by splintr: whole batches where no text spells a special token, else text by text as ordinary text."""
    tokenizer = import_module("splintr").Tokenizer.from_pretrained(name)
    marks = special_marks(tokenizer.special_tokens())
    composed = name == "qwen3"

    def counts(texts: Sequence[str]) -> list[int]:
        if composed:
            texts = [text if is_normalized("NFC", text) else normalize("NFC", text) for text in texts]
        plain = [text for text in texts if not any(mark in text for mark in marks)]
        if len(plain) == len(texts):
            return _row_lengths(tokenizer.encode_batch_flat(plain)[1])
        sizes = iter(_row_lengths(tokenizer.encode_batch_flat(plain)[1]))
        return [len(tokenizer.encode_ordinary(t)) if any(mark in t for mark in marks) else next(sizes) for t in texts]

    return counts


def _row_lengths(offsets: bytes) -> list[int]:
    lengths: list[int] = np.diff(np.frombuffer(offsets, dtype="<u8").astype(np.int64)).tolist()
    return lengths


def special_marks(tokens: Mapping[str, int]) -> tuple[str, ...]:
    """Few strings of which one is in every text that spells a special token.

    Splintr's batch call turns a special token written in a text into one id (its own 54 agent tokens too); here it is ordinary text.
    """
    openings = ("<|", "<｜", "[unused", "<unused")
    rest = {token for token in tokens if not token.startswith(openings)}
    return (*(opening for opening in openings if any(token.startswith(opening) for token in tokens)), *sorted(rest))


def _ctok_counts(version: str) -> Counts:
    """Counts by ctok without the frame that it puts around a message."""
    ctok = import_module("ctok")
    frame = ctok.tokenize("x", version=version).count("⟨pad⟩")
    return lambda texts: [len(ctok.tokenize(text, version=version)) - frame for text in texts]
