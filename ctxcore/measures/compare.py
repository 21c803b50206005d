"""Policies side by side at one budget: size, money, validity and lost evidence of a thread under each.

The recording fixes what the agent did. Sizes are exact for the recorded path; what is lost is at risk, not failed: the agent might have asked again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ctxcore.columns import IntArray
from ctxcore.keep import Keep
from ctxcore.measures.breakdown import replay_basis
from ctxcore.measures.caching import Clock
from ctxcore.measures.cost import Cost, cost
from ctxcore.measures.in_tokens import in_tokens
from ctxcore.measures.prices import Overrides
from ctxcore.measures.recorded_cost import recorded_cost, with_input
from ctxcore.measures.references import References, references
from ctxcore.measures.validity import Validity, validity
from ctxcore.model import Basis, Thread
from ctxcore.policies import Policy, all_policies
from ctxcore.replay import Replay, replay
from ctxcore.sizes.measure import Unit


@dataclass(frozen=True, kw_only=True)
class Compared:
    """A thread under one policy; what is asked for is computed once."""

    replay: Replay
    """Sizes and edits."""
    own: Overrides | None = None
    """Prices of the user's."""
    clock: Clock | None = None
    """When cache entries expire; as ``cost`` chooses, if None."""

    @property
    def name(self) -> str:
        """Of the policy."""
        return self.replay.policy.name

    @property
    def parameters(self) -> dict[str, object]:
        """Settings of the policy in force."""
        return {p.name: getattr(self.replay.policy, p.name, p.default) for p in self.replay.policy.parameters}

    @property
    def size(self) -> int:
        """Sum of what is sent over all calls that are not refused, in the unit of the budget."""
        return int(self.replay.after[~self.replay.refused].sum())

    @property
    def tokens(self) -> int:
        """The same in tokens, whatever the unit of the budget."""
        return int(in_tokens(self.replay).after[~self.replay.refused].sum())

    @property
    def refused_calls(self) -> int:
        """Calls that would not fit and send nothing."""
        return int(self.replay.refused.sum())

    @cached_property
    def cost(self) -> Cost | None:
        """Money; None where the model has no known price."""
        return cost(self.replay, own=self.own, clock=self.clock)

    @cached_property
    def validity(self) -> Validity:
        """Faults that the policy brings in."""
        return validity(self.replay)

    @property
    def rejected_calls(self) -> int:
        """Calls that the provider would refuse for their form."""
        return int(self.validity.rejected.sum())

    @property
    def unsent_calls(self) -> int:
        """Calls that are refused or that the provider would refuse for their form."""
        return int((self.replay.refused | self.validity.rejected).sum())

    @cached_property
    def lost(self) -> References:
        """Evidence used by a reply that stands only in what was removed."""
        return references(self.replay)

    @property
    def lost_per_call(self) -> IntArray:
        """Per call: lost references, each at its first use only."""
        return self.lost.first_per_call

    @property
    def worst_call(self) -> int | None:
        """The call with most lost references, else the largest one sent; None where nothing is sent."""
        lost = self.lost_per_call
        if lost.any():
            return int(np.argmax(lost))
        sent = np.where(self.replay.refused, -1, self.replay.after)
        return int(np.argmax(sent)) if len(sent) and sent.max() >= 0 else None

    @property
    def basis(self) -> Basis:
        """What the sizes rest on; a summary that only stands in makes them an estimate."""
        stands_in = any(one.kind == "summary" and one.source != "recorded" for fits in self.replay.fits for one in fits.plan(0).inserts)
        return "estimate" if stands_in else replay_basis(self.replay)


def compared(
    thread: Thread,
    budget: int,
    unit: Unit = "tokens",
    policies: Sequence[str | Policy] = (),
    *,
    keep: Keep | None = None,
    own: Overrides | None = None,
    clock: Clock | None = None,
) -> Iterator[Compared]:
    """A thread under several policies, one after the other.

    Args:
        thread: Of a session.
        budget: At least 1, in ``unit``.
        unit: As for ``replay``.
        policies: Names or objects; all that need no summary if left out.
        keep: Units that stay whatever a policy says.
        own: Prices of the user's.
        clock: When cache entries expire, as for ``cost``.

    Raises:
        InputError: A budget, unit or policy that makes no sense.
    """
    chosen = policies or [kind.name for kind in all_policies() if not kind.needs_summary]
    for policy in chosen:
        yield Compared(replay=replay(thread, policy, budget, unit, keep), own=own, clock=clock)


UNLIMITED = 2**62
"""A budget that trims nothing."""


@dataclass(frozen=True, kw_only=True)
class Baseline:
    """A thread with nothing trimmed: what policies are measured against."""

    counted: Compared
    """Sized and priced as policies are; their savings are against this one."""
    input_tokens: int | None
    """Recorded, of the calls that have them; None where none has."""
    dollars: float | None
    """Of the same calls by recorded usage; None without a price."""
    calls_with_input: int
    """Calls whose input tokens are recorded."""
    calls_with_output: int
    """Of these, calls whose output tokens are recorded too; the replies of the others are left out."""


def baseline(thread: Thread, unit: Unit = "tokens", *, own: Overrides | None = None, clock: Clock | None = None) -> Baseline:
    """A thread with nothing trimmed, as policies are counted and as it was recorded.

    Args:
        thread: Of a session.
        unit: As for ``replay``.
        own: Prices of the user's.
        clock: When cache entries expire, as for ``cost``.
    """
    used = with_input(thread)
    spent = recorded_cost(thread, own)
    return Baseline(
        counted=Compared(replay=replay(thread, "none", UNLIMITED, unit), own=own, clock=clock),
        input_tokens=sum(usage.input_tokens or 0 for usage in used) if used else None,
        dollars=None if spent is None else spent.dollars,
        calls_with_input=len(used),
        calls_with_output=sum(usage.output_tokens is not None for usage in used),
    )


def by_merit(rows: Iterable[Compared]) -> list[Compared]:
    """Policies that send every call first: least lost, then cheapest, then smallest; the others last, fewest unsent calls first."""
    return sorted(rows, key=_merit)


def _merit(row: Compared) -> tuple[int, int, float, int]:
    return row.unsent_calls, int(row.lost_per_call.sum()), 0.0 if row.cost is None else row.cost.total, row.size


def first_difference(one: Replay, other: Replay) -> IntArray:
    """Calls that two replays of one thread send differently, ascending.

    Args:
        one: A replay.
        other: Of the same thread.
    """
    differs = (one.after != other.after) | (one.refused != other.refused)
    equal = np.flatnonzero(~differs & ~one.refused)
    for call in equal.tolist():
        differs[call] = one.edits(call) != other.edits(call)
    return np.flatnonzero(differs).astype(np.int64)
