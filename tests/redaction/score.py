"""How much of the labelled set is found, and how much more than that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ctxcore.redaction import find
from tests.redaction.labelled import NEGATIVE, POSITIVE, unmarked


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """Of the whole set."""

    found: int
    missed: tuple[str, ...]
    wrong: tuple[str, ...]

    @property
    def recall(self) -> float:
        """Share of the marked values that are covered whole."""
        return self.found / (self.found + len(self.missed))

    @property
    def precision(self) -> float:
        """Share of what is hidden that is marked."""
        return self.found / (self.found + len(self.wrong))


def sure_spans(text: str) -> list[tuple[int, int]]:
    return [(span.start, span.stop) for span in find(text) if span.rule.sure]


def score(positive: Mapping[str, tuple[str, ...]] = POSITIVE, negative: tuple[str, ...] = NEGATIVE) -> Score:
    """Recall and precision: of what is hidden without being asked."""
    found, missed, wrong = 0, [], []
    for text in (text for texts in positive.values() for text in texts):
        plain, marked = unmarked(text)
        hidden = sure_spans(plain)
        for start, stop in marked:
            if any(a <= start and stop - 1 <= b for a, b in hidden):
                found += 1
            else:
                missed.append(text)
        wrong += [text for a, b in hidden if not any(a < stop and start < b for start, stop in marked)]
    wrong += [text for text in negative for _ in sure_spans(text)]
    return Score(found=found, missed=tuple(missed), wrong=tuple(wrong))
