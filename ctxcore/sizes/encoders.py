"""Tokenizers behind one small interface: loaded when first used, checked against known counts, their latest counts kept."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import islice
from typing import TypeVar

from ctxcore.counted import count
from ctxcore.sizes.loaders import Counts, LoadCounts, load_counts
from ctxcore.sizes.vocabularies import rough_count

T = TypeVar("T")

KEPT_COUNTS = 65_536
"""Counts that an encoder keeps: some 10 MB, and more texts than a session of 40 MB has."""

KEPT_ENCODERS = 6
"""Vocabularies in memory at a time, 10 to 70 MB each."""

KEY_CHARS = 64
"""Texts up to this length are their own key; longer ones are known by their digest."""

BATCH_CHARS = 1_000_000
"""Characters handed to a tokenizer in one call: its answer takes a byte for each."""

PIECE_CHARS = 1_000_000
"""Longest text that a tokenizer gets whole."""

BREAK = re.compile("[ \\n]")
"""Where a longer text may be cut."""

KNOWN_TEXTS = ("test", "，。！？；：“”", "Hello, world! 12345", "<|endoftext|>", "今天的天气很好，我们去公园散步。")
"""Texts of the self-check."""

KNOWN_COUNTS: Mapping[str, tuple[int, ...]] = {
    "o200k_base": (1, 6, 7, 7, 11),
    "cl100k_base": (1, 7, 7, 7, 19),
    "llama3": (1, 7, 7, 7, 13),
    "qwen3": (1, 7, 10, 7, 9),
    "deepseek_v3": (1, 7, 7, 7, 8),
    "glm4": (1, 7, 7, 7, 8),
    "mistral_v3": (1, 6, 10, 7, 14),
    "mistral_v2": (1, 9, 10, 7, 17),
    "mistral_v1": (1, 9, 10, 7, 17),
    "llama2": (1, 9, 10, 7, 27),
    "gemma2": (1, 6, 10, 6, 11),
    "gemma3": (1, 6, 10, 6, 11),
    "gemma4": (1, 6, 10, 6, 11),
}
"""Their counts. Source: the owners' tokenizers as listed in ``tests/data/README.md``, not the library that counts here."""

KNOWN_CLAUDE: Mapping[str, tuple[tuple[str, int], ...]] = {
    "claude-3": (("Hi", 1), ("Hello, Claude", 3), ("You are a scientist", 4)),
    "claude-4.7": (("Hi", 3),),
    "claude-4.8": (("Hi", 3),),
}
"""Self-check of the rebuilt Claude vocabularies. Source: counts of Anthropic's endpoint that others published (8 for "Hi" and 14 for the other two,
7 of each being the frame); for the later generations ctok 1.3.0 itself, against an unseen change."""


class Encoder:
    """One vocabulary's counts, the latest ones kept; never raises on a string."""

    def __init__(self, counts: Counts, fault: str = "") -> None:
        self.fault = fault
        """Why it must not be used; empty where it passed its self-check."""
        self._counts = counts
        self._kept: dict[str | bytes, int] = {}
        self._lock = threading.Lock()

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, same order; at least 1 for a text that is not empty."""
        keys = [text if len(text) <= KEY_CHARS else content_key(text) for text in texts]
        kept = self._kept
        known = [kept.get(key) for key in keys]
        fresh = {key: text for key, text, count in zip(keys, texts, known, strict=True) if count is None}
        if fresh:
            counted = dict(zip(fresh, self._count_fresh(list(fresh.values())), strict=True))
            self._keep(counted)
            known = [counted[key] if count is None else count for key, count in zip(keys, known, strict=True)]
        return [count for count in known if count is not None]

    def _count_fresh(self, texts: list[str]) -> list[int]:
        parts = [pieces(text) for text in texts]
        flat = [piece for part in parts for piece in part]
        counts = iter([count for batch in batches(flat) for count in safe_counts(self._counts, batch)])
        sums = [sum(islice(counts, len(part))) for part in parts]
        return [max(1, count) if text else 0 for text, count in zip(texts, sums, strict=True)]

    def _keep(self, counted: dict[str | bytes, int]) -> None:
        """Add counts and let the oldest go."""
        with self._lock:
            self._kept.update(counted)
            for key in list(islice(self._kept, max(0, len(self._kept) - KEPT_COUNTS))):
                del self._kept[key]


def content_key(text: str) -> bytes:
    """A digest that stands for a text."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def pieces(text: str) -> list[str]:
    """The text in pieces of at most ``PIECE_CHARS``, as a tokenizer may abort the process on a hundred megabytes without a break.

    A border stands before the last space or behind the last line break of a piece's last tenth, else at its very end; each may cost one token.
    """
    found: list[str] = []
    start = 0
    while len(text) - start > PIECE_CHARS:
        stop = start + PIECE_CHARS
        near = stop - PIECE_CHARS // 10
        stop = max(text.rfind(" ", near, stop), text.rfind("\n", near, stop) + 1) if BREAK.search(text, near, stop) else stop
        found.append(text[start:stop])
        start = stop
    return [*found, text[start:]] if found else [text]


def batches(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    """The texts in runs of about ``BATCH_CHARS``."""
    start = chars = 0
    for number, text in enumerate(texts):
        chars += len(text)
        if chars >= BATCH_CHARS:
            yield texts[start : number + 1]
            start, chars = number + 1, 0
    if start < len(texts):
        yield texts[start:]


def repaired(text: str) -> str:
    """The text with halves of surrogate pairs joined and lone ones replaced by U+FFFD, as tiktoken does."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def safe_counts(counts: Counts, texts: Sequence[str]) -> list[int]:
    """Counts of a batch; lone surrogates are repaired, and a text that the tokenizer cannot take is counted roughly."""
    counted, _ = tried(lambda: counts(texts))
    return [_safe_count(counts, repaired(text)) for text in texts] if counted is None else counted


def _safe_count(counts: Counts, text: str) -> int:
    counted, _ = tried(lambda: counts([text])[0])
    return rough_count(text) if counted is None else counted


def tried(work: Callable[[], T]) -> tuple[T | None, str]:
    """A tokenizer's answer, or None and its failure in words; what is not its failure (an interrupt, an exit) is raised.

    A panic of native code reaches Python as ``PanicException``, which is no ``Exception`` and has no importable name.
    """
    try:
        return work(), ""
    except BaseException as error:
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        if isinstance(error, ModuleNotFoundError):
            return None, f"{error.name} is not installed"
        return None, f"{type(error).__name__}: {error}"


def self_check(name: str, counts: Counts) -> str:
    """What is wrong with an encoder, in a few words; empty where it counts the known texts right."""
    known = KNOWN_CLAUDE.get(name) or tuple(zip(KNOWN_TEXTS, KNOWN_COUNTS.get(name, (1,)), strict=False))
    got, failure = tried(lambda: counts([text for text, _ in known]))
    if failure:
        return f"{name} failed its self-check: {failure}"
    wrong = next(((text, size, count) for (text, size), count in zip(known, got or (), strict=True) if size != count), None)
    return f"{name} failed its self-check: {wrong[0]!r} gave {count(wrong[2], 'token')}, not {wrong[1]}" if wrong else ""


class Encoders:
    """Encoders by name, each loaded and checked once, the least used given up."""

    def __init__(self, load: LoadCounts = load_counts) -> None:
        self._load = load
        self._loaded: dict[str, Encoder] = {}
        self._lock = threading.RLock()

    def get(self, name: str) -> Encoder:
        """The encoder, loaded where needed; an empty name, or one with a fault, counts roughly."""
        with self._lock:
            encoder = self._loaded.pop(name, None) or self._open(name)
            self._loaded[name] = encoder
            while len(self._loaded) > KEPT_ENCODERS:
                del self._loaded[next(iter(self._loaded))]
            return encoder

    def _open(self, name: str) -> Encoder:
        if not name:
            return Encoder(rough_counts)
        counts, failure = tried(lambda: self._load(name))
        if counts is None:
            return Encoder(rough_counts, failure)
        return Encoder(counts, self_check(name, counts))


def rough_counts(texts: Sequence[str]) -> list[int]:
    """Counts by bytes, for want of a tokenizer."""
    return list(map(rough_count, texts))
