"""What a report says in plain words, for people who decide and do not read logs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ctxcore.counted import count
from ctxcore.measures.compare import Compared
from ctxcore.report.amounts import change_words, dollars, look_equal, money_change, signed_percent, size_words, unit_words
from ctxcore.report.headline import spending, verdict
from ctxcore.report.study import CHOSEN, Study, policy_title, sends_nothing
from ctxcore.report.unsent import NO_CALL, enough_words, too_large

CAVEATS = (
    (
        "A recording shows what the agent did, not what it would have done. A lost reference is a fact that the agent used and would no longer have "
        "had in front of it, counted where it is first needed; it might have looked it up again, or gone wrong. The count is a lower bound: "
        "nothing here judges what a model understood."
    ),
    "Money is an estimate from list prices and the provider's published rules for cached input, over this recording alone.",
)
"""What the numbers cannot say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tile:
    """One number with what it means."""

    label: str
    """What it counts."""
    value: str
    """The number with its unit."""
    note: str
    """In small letters."""
    basis: str = ""
    """Where it comes from."""


def summary(study: Study, file: str) -> tuple[str, ...]:
    """Half a page: what was looked at, what the policy saves, what it risks, and what to do; where nothing is sent, why.

    Args:
        study: Of a thread.
        file: Its name, as it may be shown.
    """
    if study.nothing_sent:
        return (_looked_at(study, file), too_large(study), _advice(study))
    return (_looked_at(study, file), _saves(study), _risks(study), _advice(study))


def _looked_at(study: Study, file: str) -> str:
    before, calls = study.chosen.replay.before, len(study.thread.calls)
    over = int((before > study.budget).sum())
    lead = f"We replayed a recorded session of an AI agent, {file}: {count(calls, 'request')} to its model."
    grown = f"Each request carries the conversation so far, so they grow: the largest holds {size_words(int(before.max()), study.unit)}."
    whence = "" if study.budget_note == CHOSEN else f" ({study.budget_note})"
    limit = f"At the limit looked at here, {size_words(study.budget, study.unit)}{whence}, {_of(over, calls)} would have to be shortened."
    return f"{lead} {grown} {limit}"


def _saves(study: Study) -> str:
    row = study.chosen
    share = study.saved_share(row)
    if not row.replay.dropped_messages.any() and not row.replay.edited.any():
        return f"The rule “{study.title}” would have sent nothing shorter than it was recorded: it saves nothing here."
    sizes = f"{size_words(row.size, study.unit)} in all instead of {size_words(study.before(row), study.unit)}"
    going = len(study.thread.calls) - row.refused_calls
    over = f" over the {count(going, 'request')} that {'is' if going == 1 else 'are'} sent" if row.refused_calls else ""
    told = f"The rule “{study.title}” would have sent {sizes}{over}: {change_words(share)}."
    money = study.dollars(row)
    if money is None:
        return f"{told} The price of this model is not known, so no money is named."
    before, after = money
    if look_equal(before, after):
        return f"{told} At list prices it costs the same, about {dollars(after)}."
    if spending(study) == "more":
        why = "because a shortened request breaks the provider's cache, and input that could have been read from it is paid in full"
        return (
            f"{told} At list prices it would have cost more, about {dollars(after)} instead "
            f"of {dollars(before)}, {why if share > 0 else 'as it sends more'}."
        )
    return f"{told} At list prices that is about {dollars(after)} instead of {dollars(before)}."


def _risks(study: Study) -> str:
    row = study.chosen
    parts = []
    if row.refused_calls:
        parts.append(f"{count(row.refused_calls, 'request')} could not be shortened enough and would not have been sent at all.")
    if row.rejected_calls:
        parts.append(
            f"{count(row.rejected_calls, 'request')} would have been turned down by the provider, "
            "because shortening left them in a form that its rules forbid."
        )
    return " ".join((*parts, _gone(study)))


def _gone(study: Study) -> str:
    """Facts that would have been gone: those at their first use are the lost references, those at a later use only are counted apart."""
    first, later = study.chosen.lost.total_first, facts_later(study.chosen)
    if not first and not later:
        whose = "of the requests that are sent " if study.chosen.refused_calls else ""
        return f"No fact that the agent's answers {whose}rely on would have been gone."
    lead = "The agent's answers rely on facts that would have been gone by then, such as a file path, number, name or id"
    if not first:
        return f"{lead}: none where it is first needed, but {count(later, 'fact')} where {'it is' if later == 1 else 'they are'} needed again."
    more = f"; {count(later, 'further fact')} would be gone only where needed again" if later else ""
    return f"{lead}: {first:,} where first needed, called lost {'reference' if first == 1 else 'references'} here{more}."


def _advice(study: Study) -> str:
    """What to do."""
    return f"{enough_words(study)} {_suggestion(study)}" if study.chosen.refused_calls else _suggestion(study)


def _suggestion(study: Study) -> str:
    found = study.smallest
    peak = int(study.chosen.replay.before.max())
    if verdict(study) == "idle":
        return "There is nothing to decide for this recording; a longer one may tell more."
    if verdict(study) == "dear":
        return "Nothing is lost, but each shortening is paid for: use the rule where the model's window leaves no choice, not to save money."
    if verdict(study) == "safe":
        smaller = found.smallest is not None and found.smallest.budget < study.budget * 0.9
        room = f" A limit of {size_words(found.smallest.budget, study.unit)} would still lose nothing here." if smaller and found.smallest else ""
        return f"For work like this recording, the rule can be used at this limit.{room} Check it on a few more recordings before it goes live."
    if found.smallest is not None and not found.smallest.rejected and found.smallest.budget < peak:
        return (
            f"With the same rule, a limit of {size_words(found.smallest.budget, study.unit)} is the smallest "
            "found at which nothing is lost and nothing fails: start there."
        )
    better = best_other(study)
    if better is None:
        return (
            "No limit below the largest request was found at which this rule loses nothing: raise the "
            "limit to that size, or have a person weigh the facts listed under engineers."
        )
    how = f"{change_words(study.saved_share(better))} sent, {count(better.lost.total_first, 'lost reference')}"
    return (
        f"At the same limit the rule “{policy_title(better.name)}” loses less on this "
        f"recording: {how}{_moneychange_words(study, better)}, no request fails. Compare it on a few more recordings."
    )


def _moneychange_words(study: Study, row: Compared) -> str:
    money = study.dollars(row)
    return "" if money is None or not money[0] else f", cost {money_change(*money)}"


def facts(row: Compared) -> int:
    """Different values that some reply uses and would not have had; each counts once, however often it is missed."""
    return len(np.unique(row.lost.atom[row.lost.lost]))


def facts_later(row: Compared) -> int:
    """Those of them that are there at their first use, and gone only at a later one."""
    return facts(row) - row.lost.total_first


def best_other(study: Study) -> Compared | None:
    """Another policy that fails nowhere and loses less; None without one."""
    mine = (study.chosen.refused_calls + study.chosen.rejected_calls > 0, study.chosen.lost.total_first)
    sound = [row for row in study.rows[1:] if not row.refused_calls and not row.rejected_calls and row.name != "none"]
    better = [row for row in sound if (False, row.lost.total_first) < mine]
    return min(better, key=lambda row: (row.lost.total_first, row.size), default=None)


def tiles(study: Study) -> tuple[Tile, ...]:
    """Four numbers."""
    row = study.chosen
    failing = int((row.replay.refused | row.validity.rejected).sum())
    if study.nothing_sent:
        labels = ("Sent to the model", "Cost at list prices", "Lost references")
        unknown = tuple(Tile(label=label, value="–", note=NO_CALL) for label in labels)
        return (*unknown, _failing_tile(failing, study))
    sizes = f"{study.before(row):,} → {row.size:,} {unit_words(study.unit)}"
    return (
        Tile(label="Sent to the model", value=signed_percent(-study.saved_share(row)), note=sizes, basis=row.basis),
        _cost_tile(study),
        Tile(
            label="Lost references",
            value=f"{row.lost.total_first:,}",
            note="facts gone where first needed" + (f"; {later:,} more only where needed again" if (later := facts_later(row)) else ""),
            basis="exact",
        ),
        _failing_tile(failing, study),
    )


def _cost_tile(study: Study) -> Tile:
    label, money = "Cost at list prices", study.dollars(study.chosen)
    if money is None:
        return Tile(label=label, value="–", note="price not known")
    both = f"{dollars(money[1])}, as recorded" if look_equal(*money) else f"{dollars(money[0])} → {dollars(money[1])}"
    return Tile(label=label, value=money_change(*money) if money[0] else "–", note=both, basis="estimate")


def _failing_tile(failing: int, study: Study) -> Tile:
    return Tile(label="Requests that fail", value=f"{failing:,}", note=f"of {len(study.thread.calls):,}", basis="exact")


def chart_words(study: Study) -> tuple[str, str, str]:
    """A sentence above each of the three charts, saying what it shows for this session."""
    before, row = study.chosen.replay.before, study.chosen
    peak = int(before.argmax())
    over = int((before > study.budget).sum())
    first = (
        f"The largest request is #{peak:,} with {size_words(int(before[peak]), study.unit)}; {_of(over, len(before))} "
        f"stand above the limit.{' Bars below the line are lost references.' if row.lost.total_first else ''}"
    )
    sound = [r for r in study.rows if not r.unsent_calls]
    third = f"{len(sound)} of {len(study.rows)} rules send every request in a form that the provider takes. Short bars on both sides are best."
    if all(sends_nothing(row) for row in study.rows):
        third = f"At this limit none of {len(study.rows)} rules sends a single request: there is nothing to weigh."
    refused = row.replay.refused
    if not (row.replay.dropped_messages.any() or (row.replay.after != before)[~refused].any()):
        kept = f"{_of(int(refused.sum()), len(before))} are too large and not sent; none is shortened" if refused.any() else "nothing is shortened"
        first = f"The largest request is #{peak:,} with {size_words(int(before[peak]), study.unit)}; {kept} at this limit."
    return first, "What all requests together are made of; a message counts in every request that sends it again, as on a bill.", third


def _of(part: int, whole: int) -> str:
    return "none of them" if not part else f"all {whole:,}" if part == whole else f"{part:,} of {whole:,}"
