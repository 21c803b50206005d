"""What a report says in plain words, for people who decide and do not read logs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ctxcore.counted import count
from ctxcore.measures.compare import Compared
from ctxcore.report.headline import spending, verdict
from ctxcore.report.study import Study, policy_title

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
    """Half a page: what was looked at, what the policy saves, what it risks, and what to do.

    Args:
        study: Of a thread.
        file: Its name, as it may be shown.
    """
    return (_looked_at(study, file), _saves(study), _risks(study), _advice(study))


def _looked_at(study: Study, file: str) -> str:
    before, calls = study.chosen.replay.before, len(study.thread.calls)
    over = int((before > study.budget).sum())
    lead = f"We replayed a recorded session of an AI agent, {file}: {count(calls, 'request')} to its model."
    grown = f"Each request carries the conversation so far, so they grow: the largest holds {_size(int(before.max()), study)}."
    limit = f"At the limit looked at here, {_size(study.budget, study)}, {_of(over, calls)} would have to be shortened."
    return f"{lead} {grown} {limit}"


def _saves(study: Study) -> str:
    row = study.chosen
    share = study.saved_share(row)
    if not row.replay.dropped_messages.any() and not row.replay.edited.any():
        return f"The rule “{study.title}” would have sent nothing shorter than it was recorded: it saves nothing here."
    told = f"The rule “{study.title}” would have sent {_size(row.size, study)} in all instead of {_size(study.before(row), study)}: {_change(share)}."
    money = study.dollars(row)
    if money is None:
        return f"{told} The price of this model is not known, so no money is named."
    before, after = money
    if spending(study) == "more":
        why = "because a shortened request breaks the provider's cache, and input that could have been read from it is paid in full"
        return (
            f"{told} At list prices it would have cost more, about {dollars(after)} instead "
            f"of {dollars(before)}, {why if share > 0 else 'as it sends more'}."
        )
    return f"{told} At list prices that is about {dollars(after)} instead of {dollars(before)}."


def _risks(study: Study) -> str:
    row = study.chosen
    first, lost, calls = row.lost.total_first, facts(row), int((row.lost.per_call > 0).sum())
    parts = []
    if row.refused_calls:
        parts.append(f"{count(row.refused_calls, 'request')} could not be shortened enough and would not have been sent at all.")
    if row.rejected_calls:
        parts.append(
            f"{count(row.rejected_calls, 'request')} would have been turned down by the provider, "
            "because shortening left them in a form that its rules forbid."
        )
    if lost:
        parts.append(
            f"In {count(calls, 'request')} the agent's answer relies on something that would have been gone by then, such as a file path, number, "
            f"name or id: {count(first, 'lost reference')}, each missing where it is first needed; {again(first, lost)}."
        )
    else:
        parts.append("No fact that the agent's answers rely on would have been gone.")
    return " ".join(parts)


def _advice(study: Study) -> str:
    found = study.smallest
    peak = int(study.chosen.replay.before.max())
    if verdict(study) == "idle":
        return "There is nothing to decide for this recording; a longer one may tell more."
    if verdict(study) == "dear":
        return "Nothing is lost, but each shortening is paid for: use the rule where the model's window leaves no choice, not to save money."
    if verdict(study) == "safe":
        smaller = found.smallest is not None and found.smallest.budget < study.budget * 0.9
        room = f" A limit of {_size(found.smallest.budget, study)} would still lose nothing here." if smaller and found.smallest else ""
        return f"For work like this recording, the rule can be used at this limit.{room} Check it on a few more recordings before it goes live."
    if found.smallest is not None and not found.smallest.rejected and found.smallest.budget < peak:
        return (
            f"With the same rule, a limit of {_size(found.smallest.budget, study)} is the smallest "
            "found at which nothing is lost and nothing fails: start there."
        )
    better = best_other(study)
    if better is None:
        return (
            "No limit below the largest request was found at which this rule loses nothing: raise the "
            "limit to that size, or have a person weigh the facts listed under engineers."
        )
    how = f"{_change(study.saved_share(better))} sent, {count(better.lost.total_first, 'lost reference')}"
    return (
        f"At the same limit the rule “{policy_title(better.name)}” loses less on this "
        f"recording: {how}{_money_change(study, better)}, no request fails. Compare it on a few more recordings."
    )


def _money_change(study: Study, row: Compared) -> str:
    money = study.dollars(row)
    return "" if money is None or not money[0] else f", cost {signed_percent(money[1] / money[0] - 1)}"


def facts(row: Compared) -> int:
    """Different values that some reply uses and would not have had; each counts once, however often it is missed."""
    return len(np.unique(row.lost.atom[row.lost.lost]))


def facts_used(row: Compared) -> int:
    """Different values that replies of sent calls use and that their requests held."""
    return len(np.unique(row.lost.atom[row.lost.sent]))


def again(first: int, lost: int) -> str:
    """The other count beside lost references at first use: different values that any use would have missed."""
    return f"counting later uses as well, {count(lost, 'different fact')} would have been missing" if lost != first else "no other is missed later"


def best_other(study: Study) -> Compared | None:
    """Another policy that fails nowhere and loses less; None without one."""
    mine = (study.chosen.refused_calls + study.chosen.rejected_calls > 0, study.chosen.lost.total_first)
    sound = [row for row in study.rows[1:] if not row.refused_calls and not row.rejected_calls and row.name != "none"]
    better = [row for row in sound if (False, row.lost.total_first) < mine]
    return min(better, key=lambda row: (row.lost.total_first, row.size), default=None)


def tiles(study: Study) -> tuple[Tile, ...]:
    """Four numbers."""
    row = study.chosen
    money, failing = study.dollars(row), int((row.replay.refused | row.validity.rejected).sum())
    share = study.saved_share(row)
    cost = "price not known" if money is None else f"{dollars(money[0])} → {dollars(money[1])}"
    nothing_sent = bool(row.replay.refused.all())
    sizes = "no request is sent" if nothing_sent else f"{study.before(row):,} → {row.size:,} {study.unit}"
    return (
        Tile(label="Sent to the model", value="–" if nothing_sent else signed_percent(-share), note=sizes, basis=row.basis),
        Tile(
            label="Cost at list prices",
            value="–" if money is None or not money[0] else signed_percent(money[1] / money[0] - 1),
            note=cost,
            basis="" if money is None else "estimate",
        ),
        Tile(
            label="Lost references",
            value=f"{row.lost.total_first:,}",
            note=f"missing at first use; at any use {facts(row):,} of {facts_used(row):,} facts",
            basis="exact",
        ),
        Tile(label="Requests that fail", value=f"{failing:,}", note=f"of {len(study.thread.calls):,}", basis="exact"),
    )


def chart_words(study: Study) -> tuple[str, str, str]:
    """A sentence above each of the three charts, saying what it shows for this session."""
    before, row = study.chosen.replay.before, study.chosen
    peak = int(before.argmax())
    over = int((before > study.budget).sum())
    first = (
        f"The largest request is #{peak:,} with {_size(int(before[peak]), study)}; {_of(over, len(before))} "
        "stand above the limit. Bars below the line are lost references."
    )
    sound = [r for r in study.rows if not r.unsent_calls]
    third = f"{len(sound)} of {len(study.rows)} rules send every request in a form that the provider takes. Short bars on both sides are best."
    refused = row.replay.refused
    if not (row.replay.dropped_messages.any() or (row.replay.after != before)[~refused].any()):
        kept = f"{_of(int(refused.sum()), len(before))} are too large and not sent; none is shortened" if refused.any() else "nothing is shortened"
        first = f"The largest request is #{peak:,} with {_size(int(before[peak]), study)}; {kept} at this limit."
    return first, "What all requests together are made of; a message counts in every request that sends it again, as on a bill.", third


def dollars(value: float) -> str:
    """Money with as many digits as it needs."""
    return f"${value:,.0f}" if value >= 1000 else f"${value:,.2f}" if value >= 1 else f"${value:,.4f}" if value >= 0.0001 else f"${value:,.6f}"


def signed_percent(share: float) -> str:
    """A change in percent with its sign."""
    percent = 100 * share
    text = f"{percent:+.1f} %" if abs(percent) < 99.95 or percent > 0 else f"{percent:+.2f} %"
    return "±0 %" if abs(percent) < 0.05 else text.replace("-", "−")


def _change(share: float) -> str:
    if abs(share) < 0.0005:
        return "no change"
    return f"{abs(100 * share):.1f} % {'less' if share > 0 else 'more'}"


def _size(value: int, study: Study) -> str:
    return f"{value:,} {'characters' if study.unit == 'chars' else study.unit}"


def _of(part: int, whole: int) -> str:
    return "none of them" if not part else f"all {whole:,}" if part == whole else f"{part:,} of {whole:,}"
