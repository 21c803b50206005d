"""Everything a report tells, computed once: a thread under a policy, beside other policies and as it was recorded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ctxcore.columns import BoolArray
from ctxcore.keep import Keep
from ctxcore.measures.compare import UNLIMITED, Compared
from ctxcore.measures.finder import Finding, find_budget
from ctxcore.measures.prices import Overrides
from ctxcore.measures.recorded_cost import Calibration, calibration
from ctxcore.model import Session, Thread
from ctxcore.policies import POLICIES, Policy, all_policies, make_policy
from ctxcore.replay import replay
from ctxcore.views.budget import default_budget
from ctxcore.views.notes import Note

FIELD = (
    "whole-units",
    "whole-units-sticky",
    "langchain-trim",
    "langchain-clear-tool-uses",
    "anthropic-clear-tool-uses",
    "opencode-prune",
    "openhands-amortized-forgetting",
    "cline-half-or-quarter",
    "none",
)
"""Policies that a report compares with, if nobody says which."""


CHOSEN = "chosen for this report"
"""Of a budget that somebody named."""


@dataclass(frozen=True, kw_only=True)
class Study:
    """What a report is about."""

    session: Session
    """As read."""
    thread: Thread
    """Of the session, with at least one call."""
    chosen: Compared
    """The thread under the policy that the report is about."""
    whole: Compared
    """The thread as it was recorded, nothing trimmed."""
    rows: tuple[Compared, ...]
    """The thread under several policies at the same budget, the chosen one first."""
    smallest: Finding
    """What other budgets do for the chosen policy."""
    calibration: Calibration | None
    """How well the rules of the cache predict what was recorded; None where nothing tells."""
    budget_note: str
    """Where the budget comes from."""
    notes: tuple[Note, ...] = ()
    """The reader's own, where they are to go with the report."""

    @property
    def budget(self) -> int:
        """In ``unit``."""
        return self.chosen.replay.budget

    @property
    def unit(self) -> str:
        """Of all sizes."""
        return self.chosen.replay.unit

    @property
    def title(self) -> str:
        """Of the policy, for people."""
        return policy_title(self.chosen.name)

    @property
    def sent(self) -> BoolArray:
        """Per call: it is sent under the policy."""
        return ~self.chosen.replay.refused

    @property
    def nothing_sent(self) -> bool:
        """Every request is refused: no size, money or loss can be told."""
        return sends_nothing(self.chosen)

    def before(self, row: Compared) -> int:
        """Sizes as recorded of the calls that a policy sends: what is refused is no saving."""
        return int(row.replay.before[~row.replay.refused].sum())

    def saved_share(self, row: Compared) -> float:
        """Share of that which the policy saves, from 0 to 1; negative where it adds."""
        before = self.before(row)
        return 1 - row.size / before if before else 0.0

    def dollars(self, row: Compared) -> tuple[float, float] | None:
        """Of the calls that a policy sends: as recorded, and under the policy; None without a price."""
        if row.cost is None or self.whole.cost is None:
            return None
        return float(self.whole.cost.dollars[~row.replay.refused].sum()), row.cost.total


def sends_nothing(row: Compared) -> bool:
    """A policy under which every request is refused."""
    return bool(row.replay.refused.all())


def policy_title(name: str) -> str:
    """A policy for people."""
    return next((kind.title for kind in all_policies() if kind.name == name), name)


def study(
    thread: Thread,
    session: Session,
    policy: str | Policy = POLICIES[0].name,
    budget: int | None = None,
    unit: str = "chars",
    *,
    others: Sequence[str] | None = None,
    keep: Keep | None = None,
    own: Overrides | None = None,
    notes: Sequence[Note] = (),
    **parameters: object,
) -> Study:
    """What a report tells of a thread.

    Args:
        thread: With at least one call.
        session: That it is of.
        policy: A name or an object.
        budget: At least 1, in ``unit``; the default of the pages if left out, half of the largest request where there is none.
        unit: ``chars`` or ``tokens``.
        others: Names of policies to compare with; a few of the field if left out.
        keep: Units that stay whatever a policy says.
        own: Prices of the user's.
        notes: The reader's own, to go with the report.
        **parameters: Settings of a policy given by name.

    Raises:
        InputError: A budget, unit or policy that makes no sense.
    """
    chosen = make_policy(policy, **parameters) if isinstance(policy, str) else policy
    whole = Compared(replay=replay(thread, "none", UNLIMITED, unit), own=own)
    limit, note = _budget(thread, budget, unit, int(whole.replay.before.max(initial=1)))
    first = Compared(replay=replay(thread, chosen, limit, unit, keep), own=own)
    names = [name for name in (FIELD if others is None else others) if name != chosen.name]
    return Study(
        session=session,
        thread=thread,
        chosen=first,
        whole=whole,
        rows=(first, *(Compared(replay=replay(thread, name, limit, unit, keep), own=own) for name in dict.fromkeys(names))),
        smallest=find_budget(thread, chosen, unit),
        calibration=calibration(thread),
        budget_note=note,
        notes=tuple(notes),
    )


def _budget(thread: Thread, asked: int | None, unit: str, peak: int) -> tuple[int, str]:
    if asked is not None:
        return asked, CHOSEN
    known = default_budget(thread, unit)
    if known is not None:
        return known, "the default: the safe part of the model's window" if unit == "tokens" else "the default of the whole-unit rule"
    return max(1, peak // 2), "half of the largest request, since the model's window is not known"
