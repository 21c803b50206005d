"""The report's answer in one line: what the rule does to size and money, then what it loses."""

from __future__ import annotations

from typing import Literal

from ctxcore.report.amounts import look_equal
from ctxcore.report.study import Study

Verdict = Literal["safe", "dear", "risk", "fails", "idle"]
"""What kind of answer: ``dear`` loses nothing but costs more."""

Change = Literal["less", "same", "more"]
"""Against what was recorded, of the same calls."""

ALIKE = 0.005
"""Share up to which two amounts are called the same."""

LOST, KEPT = "some answers would have missed facts", "on this recording nothing would have been lost"
"""Second half of the line."""

SENDING: dict[Change, str] = {"less": "Sends less", "same": "Sends as much", "more": "Sends more"}
COSTING: dict[Change, str] = {"less": "costs less", "same": "costs the same", "more": "costs more"}


def verdict(study: Study) -> Verdict:
    """Which answer the numbers give."""
    row = study.chosen
    if row.refused_calls or row.rejected_calls:
        return "fails"
    if row.lost.total:
        return "risk"
    if not row.replay.dropped_messages.any() and not row.replay.edited.any():
        return "idle"
    return "dear" if spending(study) == "more" else "safe"


def headline(study: Study) -> str:
    """The answer in one line; money goes first, since whoever decides pays."""
    answer = verdict(study)
    if study.nothing_sent:
        return "Nothing would be sent: every request is too large for this limit"
    if answer == "fails":
        return "Not usable as it stands: some requests would fail"
    if answer == "idle":
        return "Nothing to shorten: every request already fits"
    good = (spending(study) or sending(study)) == "less"
    if answer == "risk":
        return f"{_effect(study)}, {'but' if good else 'and'} {LOST}"
    return f"{_effect(study)}{', and' if good else ';'} {KEPT}"


def _effect(study: Study) -> str:
    sent, spent = sending(study), spending(study)
    if spent is None:
        return SENDING[sent]
    if sent == spent == "less":
        return "It saves"
    return f"{SENDING[sent]} {'and' if sent == spent else 'but'} {COSTING[spent]}"


def sending(study: Study) -> Change:
    """Whether less is sent."""
    return _change(study.before(study.chosen), study.chosen.size)


def spending(study: Study) -> Change | None:
    """Whether it costs less; None without a price."""
    money = study.dollars(study.chosen)
    if money is None:
        return None
    return "same" if look_equal(*money) else _change(*money)


def _change(before: float, after: float) -> Change:
    if abs(after - before) <= ALIKE * before:
        return "same"
    return "less" if after < before else "more"
