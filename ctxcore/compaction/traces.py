"""Process traces: which are worth a summary, and one made of their own sentences or checked if a model wrote it.

Source: the notes on compaction, process traces.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from ctxcore.compaction.checks import LIMITS, Limits, summary_faults
from ctxcore.compaction.json_members import json_tree, pieces_of, rebuilt
from ctxcore.compaction.sentences import LONGEST, is_chinese, length, sentence_spans, unit_of
from ctxcore.compaction.terms import NO_TERMS, Terms, counted_terms
from ctxcore.compaction.values import Fault
from ctxcore.compaction.wording import CONNECTIVE, FAILURE

LONG, TECHNICAL = 150, 3
"""Characters over which, and terms from which, a trace is worth a summary. Source: the notes on compaction."""

LOOKED_AT = 20_000
"""Characters of a trace that are screened and distilled; tool output behind them is listed with its place only."""

STRETCHES = (400, 3_000)
"""Characters in which terms are counted first."""

RETRIES = 2
"""How often a model is asked again after a summary that fails."""

CANDIDATES = 8
"""Sentences of a longer trace that are weighed exactly: those with the most signs of a term."""

PLAIN_SIGN = re.compile(r"[0-9]+|[a-z][A-Z]|[A-Z]{2,}|[/_@\\]\w", re.ASCII)
SIGN = re.compile(r"[0-9]+|[a-z][A-Z]|[A-Z]{2,}|[/_@\\]\w|[\u3400-\u9fff]{2}")
"""What nearly every term has: digits, capitals inside, joints of paths and names, two Chinese characters; told in one pass."""

WORDS = re.compile(r"\w+")

TERM, CAUSE, WRONG, EACH = 4.0, 2.0, 2.0, 0.02
"""Weights of a sentence: each term that is new, a connective, a failure; what each character costs."""


def screen(text: str, *, asked_why: bool, terms: Terms) -> str:
    """Why a trace is worth a summary; empty if it is not.

    Args:
        text: Of the trace.
        asked_why: The user's message of its round asks for an explanation.
        terms: Of the domain.
    """
    looked = text[:LOOKED_AT]
    if cause := CONNECTIVE.search(looked, 0, STRETCHES[-1]):
        return f"Says {cause[0]!r}."
    if asked_why:
        return "The user asked why or how."
    if len(text) > LONG and (count := _terms_from_the_start(looked, terms)) >= TECHNICAL:
        return f"{len(text):,} characters with {count:,} terms or more."
    later = CONNECTIVE.search(looked, STRETCHES[-1])
    return f"Says {later[0]!r}." if later else ""


def _terms_from_the_start(text: str, terms: Terms) -> int:
    """Terms of the first stretch that has enough of them: most outputs tell in a few lines."""
    for stretch in STRETCHES:
        cut = stretch if len(text) <= stretch else max(text.rfind(" ", 0, stretch), text.rfind("\n", 0, stretch), stretch // 2)
        count = counted_terms(text[:cut], terms)
        if count >= TECHNICAL or len(text) <= stretch:
            return count
    return counted_terms(text, terms)


@dataclass(frozen=True, slots=True, kw_only=True)
class Distilled:
    """What stands for one trace."""

    how: Literal["whole", "extractive", "model", "original"]
    """Short enough as it is, sentences of its own, a model's summary, or the original because every summary failed."""
    text: str
    """What stands there."""
    spans: tuple[tuple[int, int], ...]
    """Stretches of the trace that it stands for: the sentences taken, or all of it."""
    why: str
    """Which limit held, or why the original stayed."""
    faults: tuple[Fault, ...] = ()
    """Of summaries that were refused."""
    refused: str = ""
    """The last of them."""


def extractive(text: str, *, terms: Terms = NO_TERMS, limits: Limits = LIMITS) -> Distilled:
    """Sentences of the trace itself, most terms first, up to the limit or one sentence, whichever is more.

    Args:
        text: Of the trace.
        terms: Protected: a sentence is worth what it holds of them.
        limits: Of the length.
    """
    looked = text[:LOOKED_AT]
    limit = limits.of(looked)
    if is_short(text, limits):
        return Distilled(how="whole", text=text, spans=((0, len(text)),), why=f"Within {limit} {unit_of(looked)} as it is.")
    tree = json_tree(text, LOOKED_AT)
    members = [] if tree is None else pieces_of(tree, LOOKED_AT)
    chosen = _chosen(looked, members or sentence_spans(looked), terms, limit, _words if members and not is_chinese(looked) else length)
    taken = rebuilt(text, tree, chosen) if tree is not None and members else " ".join(looked[start:end] for start, end in chosen)
    if members:
        return Distilled(how="extractive", text=taken, spans=tuple(chosen), why=f"Whole members of its JSON, about {limit} {unit_of(looked)}.")
    over = length(taken) > limit
    which = f"One sentence, {length(taken)} {unit_of(looked)}; the limit of {limit} is less." if over else f"Limit {limit} {unit_of(looked)}."
    cut = " An excerpt: it begins like JSON and does not parse." if looked.lstrip()[:1] in ("{", "[") else ""
    return Distilled(how="extractive", text=taken, spans=tuple(chosen), why=f"{which}{cut}")


def is_short(text: str, limits: Limits = LIMITS) -> bool:
    """True where a trace is within the limit as it is."""
    return len(text) <= LONGEST and length(text) <= limits.of(text)


def _chosen(text: str, spans: Sequence[tuple[int, int]], terms: Terms, limit: int, size_of: Callable[[str], int]) -> list[tuple[int, int]]:
    """The best sentence, then whatever fits and adds a term; in the order of the text."""
    spans = _promising(text, spans, terms)
    held = [frozenset(terms.of(text[start:end])) for start, end in spans]
    worth = [_worth(text[start:end], some) for (start, end), some in zip(spans, held, strict=True)]
    order = sorted(range(len(spans)), key=lambda one: (-worth[one], one))
    chosen, known = [order[0]], set(held[order[0]])
    room = limit - size_of(text[slice(*spans[order[0]])])
    for one in order[1:]:
        size = size_of(text[slice(*spans[one])])
        if room <= 0:
            break
        if size <= room and held[one] - known:
            chosen.append(one)
            known |= held[one]
            room -= size
    return [spans[one] for one in sorted(chosen)]


def _words(text: str) -> int:
    """Words of JSON, which may have no spaces."""
    return len(WORDS.findall(text))


def _promising(text: str, spans: Sequence[tuple[int, int]], terms: Terms) -> Sequence[tuple[int, int]]:
    """The sentences that can be worth most, in order; exact terms of every line of a long output would take a hundred times as long."""
    if len(spans) <= CANDIDATES:
        return spans
    signs = [TERM * _signs(text[start:end], terms) - EACH * (end - start) for start, end in spans]
    best = sorted(range(len(spans)), key=lambda one: (-signs[one], one))[:CANDIDATES]
    return [spans[one] for one in sorted(best)]


def _signs(sentence: str, terms: Terms) -> int:
    known = sum(term in sentence for term in terms.known) if terms.known else 0
    return known + len(set((PLAIN_SIGN if sentence.isascii() else SIGN).findall(sentence)))


def _worth(text: str, terms: frozenset[str]) -> float:
    return TERM * len(terms) + CAUSE * bool(CONNECTIVE.search(text)) + WRONG * bool(FAILURE.search(text)) - EACH * len(text)


Write = Callable[[str, int, tuple[Fault, ...]], str]
"""The trace, the limit, and what was wrong with the summary before → a summary."""


def distil(text: str, write: Write, *, terms: Terms = NO_TERMS, limits: Limits = LIMITS, retries: int = RETRIES) -> Distilled:
    """A summary by any writer, if it passes the checks within the retries; else the original.

    Args:
        text: Of the trace.
        write: Writes a summary, for example a model.
        terms: Of the domain.
        limits: Of the length.
        retries: After a summary that fails.
    """
    faults: tuple[Fault, ...] = ()
    every: list[Fault] = []
    summary = ""
    for _ in range(retries + 1):
        summary = write(text, limits.of(text), faults)
        found = judged(text, summary, terms=terms, limits=limits)
        if isinstance(found, Distilled):
            return found
        faults = found
        every += found
    return kept_original(text, every, summary)


def judged(text: str, summary: str, *, terms: Terms = NO_TERMS, limits: Limits = LIMITS) -> Distilled | tuple[Fault, ...]:
    """A model's summary of a trace if it passes, else its faults."""
    faults = summary_faults(summary.strip(), text, terms=terms, limits=limits, longest=limits.of(text))
    if faults:
        return faults
    return Distilled(how="model", text=summary.strip(), spans=((0, len(text)),), why=f"A model's summary within {limits.of(text)} {unit_of(text)}.")


def kept_original(text: str, faults: Sequence[Fault], refused: str) -> Distilled:
    """The trace as it is, because no summary passed."""
    codes = ", ".join(dict.fromkeys(fault.code for fault in faults))
    why = f"No summary passed: {codes}."
    return Distilled(how="original", text=text, spans=((0, len(text)),), why=why, faults=tuple(faults), refused=refused)
