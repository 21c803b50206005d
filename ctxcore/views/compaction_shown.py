"""One compaction in words, recorded or simulated: which it is, its sizes with their basis, and what its tables are called."""

from __future__ import annotations

from ctxcore.compaction.checks import LEAST_JUDGED
from ctxcore.compaction.values import Fault
from ctxcore.counted import count
from ctxcore.measures.compaction_sizes import Change
from ctxcore.measures.compactions import AFTER_NOT_RECORDED, NO_ORIGINAL, SUMMARY_NOT_RECORDED, RecordedCompaction
from ctxcore.measures.simulated import SimulatedCompaction

Shown = RecordedCompaction | SimulatedCompaction

STANDS: dict[str, str] = {
    AFTER_NOT_RECORDED: "What stands in the summary (what stayed beside it is not recorded)",
    SUMMARY_NOT_RECORDED: "What stands in the messages that stayed (the summary is not recorded)",
}
"""Head of the survival table where not all that is left can be read."""


def call_of(one: Shown) -> int:
    """The call at which a compaction stands."""
    return one.event.call if isinstance(one, RecordedCompaction) else one.call


def source_of(one: Shown) -> str:
    """``recorded`` or ``simulated``."""
    return "recorded" if isinstance(one, RecordedCompaction) else "simulated"


def sizes_of(one: Shown) -> tuple[int | None, int]:
    """Tokens before and after, of the whole context."""
    return (one.before, one.after) if isinstance(one, RecordedCompaction) else (one.whole.before, one.whole.after)


def basis_of(one: Shown) -> str:
    """What the two sizes rest on, in one word where it is one."""
    if isinstance(one, SimulatedCompaction):
        return one.whole.basis
    first, second = one.sizes.before_basis, one.sizes.after_basis
    return second if first == second or one.before is None else f"{first} → {second}"


def judged_of(one: Shown) -> Change | None:
    """The two sizes whose ratio is judged: of a recorded one both on one basis, of a simulated one the part that was compacted."""
    return one.sizes.compared if isinstance(one, RecordedCompaction) else one.part


def compaction_name(one: Shown) -> str:
    """Which one it is."""
    return f"{source_of(one).capitalize()} compaction {'before' if isinstance(one, RecordedCompaction) else 'of'} call #{call_of(one):,}"


def faults_of(one: Shown) -> tuple[Fault, ...]:
    """What its checks say."""
    return one.faults if isinstance(one, RecordedCompaction) else one.compaction.faults


def survival_title(one: Shown) -> str:
    """Head of the survival table."""
    return next((STANDS[fault.code] for fault in faults_of(one) if fault.code in STANDS), "What survives")


def sizes_sentence(one: Shown) -> str:
    """Sizes of the whole with their basis, then the two sizes whose ratio is judged where these are others."""
    before, after = sizes_of(one)
    judged = judged_of(one)
    if isinstance(one, SimulatedCompaction):
        return f"{_change(one.whole)} of the whole request. Compacted of it: {_change(one.part)}{_of_little(one.part)}."
    if judged is not None and (judged.before, judged.after) == (before, after):
        return f"{_change(judged)}{_of_little(judged)}."
    first = "not recorded" if before is None else f"{before:,} ({one.sizes.before_basis})"
    told = f"{first} → {after:,} tokens ({one.sizes.after_basis}){_alone(one)}."
    return told if judged is None else f"{told} Both counted the same way: {_change(judged)}{_of_little(judged)}."


def needed_sentence(one: Shown) -> str:
    """What the next calls needed of what went, as numbers."""
    if not isinstance(one, RecordedCompaction):
        return "It was never sent, so no call followed it."
    if one.needed is None:
        return "No call follows it in the log."
    need = one.needed
    if NO_ORIGINAL in one.codes:
        used = f"The next {count(need.calls, 'call')} used {count(need.used, 'value')} of what is left."
        return f"{used} What else they needed of the original cannot be told: it is not recorded."
    return (
        f"The next {count(need.calls, 'call')} used {count(need.used, 'value')} of what was replaced: {need.standing:,} still stood there, "
        f"{len(need.fetched_again):,} were fetched again, {len(need.missing):,} stood nowhere. Tool calls repeated: {need.rereads:,}."
    )


def _change(change: Change) -> str:
    share = "" if change.ratio is None else f", {100 * change.ratio:.1f} % left"
    return f"{change.before:,} → {change.after:,} tokens ({change.basis}{share})"


def _of_little(change: Change) -> str:
    return "" if change.before >= LEAST_JUDGED else f", under {LEAST_JUDGED:,} tokens and too little to judge by its ratio"


def _alone(one: RecordedCompaction) -> str:
    """What the second size is of, where not all that is left is known."""
    codes = set(one.codes)
    if AFTER_NOT_RECORDED in codes:
        return " of the summary alone"
    if SUMMARY_NOT_RECORDED in codes:
        return " of what stayed, without the summary"
    return " of what is left" if NO_ORIGINAL in codes else ""
