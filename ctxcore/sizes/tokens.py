"""Tokens by a model's own tokenizer, offline.

A counter says plainly what it is: exact where the vocabulary is the model's own and passed its self-check, an estimate otherwise. Only the text is
counted; what a provider adds around messages is not recorded anywhere and is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ctxcore.model import Basis
from ctxcore.sizes.encoders import Encoder, Encoders
from ctxcore.sizes.media import media_tokens
from ctxcore.sizes.vocabularies import ROUGH, Method, methods

__all__ = ["TokenCounter", "media_tokens", "token_counter", "warm"]

ENCODERS = Encoders()
"""The process's tokenizers, shared by all counters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenCounter:
    """Counts tokens of plain text; a tokenizer is loaded when something of it is first asked."""

    model: str
    """The model it counts for, as recorded; empty is unknown."""
    methods: tuple[Method, ...]
    """Ways to count, the best first; the first whose tokenizer works is taken."""
    encoders: Encoders = field(default=ENCODERS, repr=False, compare=False)
    """Where tokenizers come from."""

    @property
    def name(self) -> str:
        """For people, for example ``o200k, exact for gpt-5``; with the reason where a better way failed."""
        method, _, faults = self._chosen()
        counted = f"{method.title}, {'exact' if method.exact else 'estimate'} for {self.model or 'an unknown model'}"
        return f"{counted} ({'; '.join(dict.fromkeys(faults))})" if faults else counted

    @property
    def basis(self) -> Basis:
        """``exact`` or ``estimate``."""
        return "exact" if self._chosen()[0].exact else "estimate"

    @property
    def vocabulary(self) -> str:
        """Name of the vocabulary in use; empty where none works."""
        return self._chosen()[0].encoder

    def is_own_of(self, model: str) -> bool:
        """True where another model's tokens are exactly those that are counted here.

        Args:
            model: As recorded; of an empty one nothing else is known, and it is taken for the counter's.
        """
        own = methods(model)[0]
        return not model or model == self.model or (self.basis == "exact" and own.exact and own.encoder == self.vocabulary)

    def count(self, text: str) -> int:
        """Tokens of one text: 0 for an empty one, at least 1 for any other. Never raises on a string."""
        return self.count_many([text])[0]

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, same order. Special tokens that a text spells out are ordinary text."""
        method, encoder, _ = self._chosen()
        counts = encoder.count_many(texts)
        if method.factors is None:
            return counts
        return list(map(method.factors.scale, texts, counts))

    def _chosen(self) -> tuple[Method, Encoder, list[str]]:
        """The best way that works, and why better ones do not."""
        faults: list[str] = []
        for method in self.methods:
            encoder = self.encoders.get(method.encoder)
            if not encoder.fault:
                return method, encoder, faults
            faults.append(encoder.fault)
        return ROUGH, self.encoders.get(ROUGH.encoder), faults


def token_counter(model: str, encoders: Encoders = ENCODERS) -> TokenCounter:
    """The counter for a model's name as recorded; o200k, an estimate, where no rule knows it. Nothing is loaded yet.

    Args:
        model: With or without a provider's prefix; empty is unknown.
        encoders: Where tokenizers come from.
    """
    return TokenCounter(model=model, methods=methods(model), encoders=encoders)


def warm(*models: str) -> None:
    """Load and check the tokenizers of these models (of an unknown one without arguments), for a thread at the start: some 0.1 s each."""
    for model in models or ("",):
        token_counter(model).count("")
