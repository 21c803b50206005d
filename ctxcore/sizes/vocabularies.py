"""Which vocabulary a model's text is counted with, and how sure that is."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from ctxcore.sizes.models import claude_version, family, model_key


@dataclass(frozen=True, slots=True, kw_only=True)
class Factors:
    """Tokens of a model per token of another vocabulary, by what the text is."""

    prose: float
    """Running text of a Latin alphabet."""
    code: float
    """Source code and texts with some brackets and quotes."""
    dense: float
    """JSON, markup, paths: every twentieth character or more is a bracket, quote or slash."""
    cjk: float
    """Chinese, Japanese, Korean."""
    other: float
    """Other writing systems."""

    def __str__(self) -> str:
        """The range, for people."""
        values = (self.prose, self.code, self.dense, self.cjk, self.other)
        return f"{min(values):.2f}–{max(values):.2f}"

    def scale(self, text: str, count: int) -> int:
        """The count in the model's own tokens, rounded up.

        Args:
            text: What was counted.
            count: Tokens of the other vocabulary.
        """
        latin = self._latin(text)
        if text.isascii():
            return math.ceil(count * latin)
        cjk, other = script_shares(text)
        return math.ceil(count * (latin * (1 - cjk - other) + self.cjk * cjk + self.other * other))

    def _latin(self, text: str) -> float:
        plain = text[:SAMPLE_CHARS].encode("ascii", "ignore")
        share = 1 - len(plain.translate(None, MARKS)) / len(plain) if plain else 0.0
        return self.dense if share >= 0.05 else self.code if share >= 0.01 else self.prose


SAMPLE_CHARS = 2_000
"""A text's class is read from its beginning."""

MARKS = b'{}()[]<>=_"/\\;|'
"""Characters that code and data are full of and prose is not."""

CLAUDE_3 = Factors(prose=1.07, code=1.18, dense=1.24, cjk=1.35, other=1.28)
"""Claude 3 to 4.6 against o200k. Source: ratios of counts that Anthropic's counting endpoint gave (English books, MultiPL-E, the declaration of human
rights in Chinese and in 501 languages); ``dense`` and the bounds between classes: ctok 1.3.0 on 1,500 texts of recorded sessions."""

CLAUDE_4_7 = Factors(prose=1.56, code=1.44, dense=1.64, cjk=1.35, other=1.48)
"""Claude 4.7 and later against o200k. Source: as ``CLAUDE_3``."""


def script_shares(text: str) -> tuple[float, float]:
    """Share of CJK and of other non-Latin characters among some 200 characters spread over the text, weighted by their tokens.

    A character beyond Latin takes about three times the tokens of a Latin one, so its share of the tokens is larger than of the characters.
    """
    sample = text[:: max(1, len(text) // 200)]
    cjk = sum(_is_cjk(c) for c in sample)
    other = sum(c > "\u036f" for c in sample) - cjk
    weight = len(sample) + 2 * (cjk + other)
    return 3 * cjk / weight, 3 * other / weight


def _is_cjk(c: str) -> bool:
    return "\u2e80" <= c <= "\u9fff" or "\uac00" <= c <= "\ud7af" or "\uf900" <= c <= "\ufaff" or "\uff00" <= c <= "\uffef" or c >= "\U00020000"


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """One way to count a model's tokens."""

    encoder: str
    """Name of the encoder; see ``loaders.load_counts``."""
    title: str
    """For people."""
    exact: bool
    """True where the encoder is the model's own."""
    factors: Factors | None = None
    """By which the encoder's counts are multiplied."""


@dataclass(frozen=True, slots=True)
class Rule:
    """Models of one family and their vocabulary."""

    models: re.Pattern[str]
    """Fits the names."""
    vocabulary: str
    """Name in splintr."""
    exact: bool
    """True where the vocabulary is known to be the model's own."""
    source: str
    """Why."""


EXACT, NEAR = True, False


def _rule(pattern: str, vocabulary: str, exact: bool, source: str) -> Rule:
    return Rule(family(pattern), vocabulary, exact, source)


RULES = (
    _rule(r"gpt-oss", "o200k_base", EXACT, "tiktoken 0.14 model map: o200k_harmony, which has o200k's merges"),
    _rule(r"(chat)?gpt-(4o|4\.[15]|5)", "o200k_base", EXACT, "tiktoken 0.14 model map; GPT-5.x agrees with recorded usage"),
    _rule(r"codex|(?<!-)o[134](?=$|[-@:])", "o200k_base", EXACT, "tiktoken 0.14 model map; Codex models are o4 and GPT-5 models"),
    _rule(r"gpt-(4(?!\d)|3\.?5)|davinci-002|babbage-002", "cl100k_base", EXACT, "tiktoken 0.14 model map"),
    _rule(r"deepseek.*llama|llama-?3|hermes-3", "llama3", EXACT, "Meta's ranks; the distilled models keep their base's vocabulary"),
    _rule(r"deepseek.*qwen", "qwen3", EXACT, "tokenizer.json of DeepSeek-R1-Distill-Qwen-7B: Qwen 2.5"),
    _rule(r"deepseek[-.](chat|reasoner|r1|v[34])", "deepseek_v3", EXACT, "tokenizer.json of V3, V3.2, V4: one set of merges"),
    _rule(r"deepseek", "deepseek_v3", NEAR, "V2 and the coder models have other vocabularies"),
    _rule(r"qwen-?(3\.[5-9]|[4-9])", "qwen3", NEAR, "from Qwen 3.5 on the vocabulary is larger; Qwen 3's gives 3 % less"),
    _rule(r"qwen-?(2|3)|qwq|qvq", "qwen3", EXACT, "tokenizer.json of Qwen 2.5 and 3: one set of merges"),
    _rule(r"qwen", "qwen3", NEAR, "hosted names without a version"),
    _rule(r"glm-4(\.[0-6])?(?![.\d])", "glm4", EXACT, "tokenizer.json of GLM-4 and 4.5"),
    _rule(r"glm", "glm4", NEAR, "GLM-4.7 and 5 have a vocabulary of their own, near GLM-4's"),
    _rule(r"kimi-k3", "kimi_k3", NEAR, "no second source to check it against"),
    _rule(r"kimi|moonshot", "kimi_k2", NEAR, "no second source to check it against"),
    _rule(r"llama-?2|codellama|tinyllama|vicuna", "llama2", EXACT, "Meta's SentencePiece model"),
    _rule(r"mixtral-8x7b|mistral-7b(?!.*v0\.3)|mistral-medium-2312", "mistral_v1", EXACT, "mistral-common 1.13: v1"),
    _rule(r"mistral-(large|small|tiny)-2(312|40[27]|411)|mistral-7b", "mistral_v2", EXACT, "mistral-common 1.13: v2, v3, v7, one set of pieces"),
    _rule(r"mixtral-8x22b|pixtral-large|codestral-(mamba|2405|22b)", "mistral_v2", EXACT, "mistral-common 1.13: v3, v7"),
    _rule(r"mistral-(nemo|small-2409)|ministral-8b-2410|pixtral-12b", "mistral_v3", EXACT, "mistral-common 1.13: tekken"),
    _rule(r"mistral|mixtral|(mini|code|dev|magi)stral|(pix|vox)tral", "mistral_v3", NEAR, "newer models use tekken; not every one is published"),
    _rule(r"gemini-(2\.|3-(pro|flash)-preview)|gemini-live-2\.5|gemma-?3", "gemma3", EXACT, "google-genai 3.6.1 model map"),
    _rule(r"gemini-3\.[15]|gemma-?4", "gemma4", EXACT, "google-genai 3.6.1 model map"),
    _rule(r"gemini-1|gemma", "gemma2", NEAR, "older than the published map"),
    _rule(r"gemini", "gemma4", NEAR, "newer than the published map, or without a version"),
)  # fmt: skip
"""The first rule that fits a name holds."""

UNKNOWN = Method(encoder="o200k_base", title="o200k", exact=False)
"""For a model that no rule knows."""

ROUGH = Method(encoder="", title="UTF-8 bytes ÷ 3.5", exact=False)
"""Where no tokenizer works: between English and code (4 bytes a token), JSON (3.2) and Chinese (3.9) as measured with o200k."""


def rough_count(text: str) -> int:
    """Tokens by ``ROUGH``, rounded up: 0 only for an empty text."""
    return -(-2 * len(text.encode("utf-8", "surrogatepass")) // 7)


def title(vocabulary: str) -> str:
    """A vocabulary's name for people."""
    return vocabulary.removesuffix("_base")


def methods(model: str) -> tuple[Method, ...]:
    """Ways to count a model's tokens, the best first.

    Args:
        model: Name as recorded; empty is unknown.
    """
    version = claude_version(model)
    if version is not None:
        return _claude_methods(version)
    key = model_key(model)
    for rule in RULES:
        if rule.models.search(key):
            own = Method(encoder=rule.vocabulary, title=title(rule.vocabulary), exact=rule.exact)
            return (own,) if own.encoder == UNKNOWN.encoder else (own, UNKNOWN)
    return (UNKNOWN,)


def _claude_methods(version: tuple[int, int]) -> tuple[Method, ...]:
    """The rebuilt vocabulary where it is installed, else o200k by factors.

    Source: ctok 1.3.0, which serves three generations: up to 4.6, 4.7, and from 4.8 on. Claude 2 and older had another vocabulary.
    """
    factors = CLAUDE_3 if version < (4, 7) else CLAUDE_4_7
    scaled = Method(encoder="o200k_base", title=f"o200k × {factors} by content", exact=False, factors=factors)
    if version < (3, 0):
        return (scaled,)
    generation = "3" if version < (4, 7) else "4.7" if version < (4, 8) else "4.8"
    return (Method(encoder=f"claude-{generation}", title=f"ctok (rebuilt vocabulary of Claude {generation})", exact=True), scaled)
