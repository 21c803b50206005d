"""Which of several values for one field in one message counts, and by what rule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ctxcore.state.candidates import Candidate
from ctxcore.state.domain import Domain
from ctxcore.state.found import Shade
from ctxcore.state.resolving import same_value
from ctxcore.state.speech import CORRECTS, LONG_TEXT

SURER = 0.2
"""Confidence by which an earlier value in a message beats a later one."""

NOT_PLAIN: frozenset[Shade] = frozenset(
    {"asked", "negated", "hearsay", "condition", "ambiguous", "cancelled", "relative_change", "others", "uncertain", "undecided", "undated"}
)
"""Shades by which a value is not simply said."""


def plain(candidate: Candidate) -> bool:
    """The value is simply said."""
    return not candidate.shades & NOT_PLAIN


def corrected(found: Sequence[tuple[str, Candidate]], text: str) -> list[tuple[str, Candidate]]:
    """The same candidates; one that the message itself replaces at once (21, no wait, 19) is marked as corrected."""
    marked = _undecided(found, text)
    for place, (name, candidate) in enumerate(found[:-1]):
        later = next((one for field, one in found[place + 1 :] if field == name and plain(one) and one.kind == candidate.kind), None)
        if later is not None and plain(candidate) and CORRECTS.search(text[candidate.source.end : later.source.start]):
            marked[place] = name, replace(candidate, shades=candidate.shades | {"corrected"})
    return marked


MOST_VALUES = 2
"""Different values of a field in one message, none of them said to replace another; more are a list of cases, and in long prose two are."""


def _undecided(found: Sequence[tuple[str, Candidate]], text: str) -> list[tuple[str, Candidate]]:
    """The same candidates; numbers of one field that stand for several cases (0.1 s for these, 1 s for those) are none of them its value."""
    values: dict[str, list[Candidate]] = {}
    for name, one in found:
        known = values.setdefault(name, [])
        if plain(one) and one.kind in ("money", "count", "date") and not any(same_value(one.value, other.value) for other in known):
            known.append(one)
    most = MOST_VALUES if len(text) <= LONG_TEXT else 1
    cases = {name for name, ones in values.items() if len(ones) > most and not CORRECTS.search(text[ones[0].source.end : ones[-1].source.start])}
    return [(name, replace(one, shades=one.shades | {"undecided"}) if name in cases and plain(one) else one) for name, one in found]


def decided(found: Sequence[tuple[str, Candidate]], domain: Domain) -> list[tuple[str, Candidate, str]]:
    """Candidates that go on, each with the rule that decided for it (empty where there was nothing to decide).

    The product comes first, for attributes belong to it; else the order of the text stays.
    """
    kept: list[tuple[str, Candidate, str]] = []
    for place, (name, candidate) in enumerate(found):
        rivals = [
            (other, one) for other, (field, one) in enumerate(found) if field == name and plain(one) and not same_value(one.value, candidate.value)
        ]
        if not plain(candidate) or not rivals or "corrected" in candidate.shades:
            kept.append((name, candidate, ""))
        elif rule := _wins(place, candidate, [one for one in rivals if "corrected" not in one[1].shades]):
            kept.append((name, candidate, rule))
    return sorted(kept, key=lambda one: one[0] != domain.attributes_of)


def _wins(place: int, candidate: Candidate, rivals: Sequence[tuple[int, Candidate]]) -> str:
    """The rule by which a candidate beats its rivals; empty where one of them beats it."""
    if any(
        one.confidence > candidate.confidence + SURER or (other > place and one.confidence >= candidate.confidence - SURER) for other, one in rivals
    ):
        return ""
    later = all(other < place for other, _ in rivals)
    return "later_in_text" if later else "higher_confidence"
