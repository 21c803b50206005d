"""What a whole thread comes to, in numbers that two threads can be held against each other by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ctxcore.measures.breakdown import replay_basis
from ctxcore.measures.cost import cost
from ctxcore.measures.durations import Durations, durations
from ctxcore.measures.recorded_cost import recorded_dollars
from ctxcore.model import Basis, Thread
from ctxcore.plan.claims import Verdict
from ctxcore.plan.review import plan_review
from ctxcore.replay import Replay, replay
from ctxcore.tool_uses import tool_uses

COMPACTIONS = ("compaction", "microcompaction")
"""Kinds of events that are counted as one."""

NO_LIMIT = 2**62
"""A budget that trims nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """One thread, summed."""

    calls: int
    """Model calls."""
    turns: int
    """Real user messages."""
    input_tokens: int
    """Of all requests together."""
    peak_tokens: int
    """Of the largest request."""
    basis: Basis
    """Of both: ``recorded`` by the provider, or how our count was made."""
    output_tokens: int | None
    """As recorded; None where a call has none."""
    tools: Mapping[str, int]
    """Tool calls by name, most first."""
    failures: int
    """Tool calls whose result says that they failed."""
    compactions: int
    """Recorded or inferred."""
    duration: Durations | None
    """Span, active time and pauses."""
    dollars: float | None
    """Of all calls; None without a price."""
    dollars_recorded: bool
    """The dollars are recorded usage at list prices, not a simulated cache."""
    claims: Mapping[Verdict, int]
    """Plan steps that were called done, by what the record makes of the last such claim."""

    @property
    def tool_calls(self) -> int:
        """Of all tools."""
        return sum(self.tools.values())


def records_input(thread: Thread) -> bool:
    """True if the log has the provider's input tokens of every call."""
    return bool(thread.calls) and all(call.usage is not None and call.usage.input_tokens is not None for call in thread.calls)


def totals(thread: Thread, *, recorded: bool) -> Totals:
    """Sums of a thread; made once per thread.

    Args:
        thread: Of a session.
        recorded: Take the provider's own input tokens, which every call must have; else count the recorded contexts.
    """
    return thread.once(f"totals:{recorded}", lambda: _totals(thread, recorded=recorded))


def _totals(thread: Thread, *, recorded: bool) -> Totals:
    whole = replay(thread, "none", NO_LIMIT, "tokens")
    sizes = recorded_sizes(thread) if recorded else whole.before.tolist()
    spent = recorded_dollars(thread)
    uses = tool_uses(thread)
    return Totals(
        calls=len(thread.calls),
        turns=sum(message.is_real_user for message in thread.messages),
        input_tokens=sum(sizes),
        peak_tokens=max(sizes, default=0),
        basis="recorded" if recorded else replay_basis(whole),
        output_tokens=_output(thread),
        tools=dict(Counter(use.tool.name for use in uses).most_common()),
        failures=sum(use.failed for use in uses),
        compactions=sum(event.kind in COMPACTIONS for event in thread.events),
        duration=durations([thread]),
        dollars=_simulated(whole) if spent is None else spent,
        dollars_recorded=spent is not None,
        claims=plan_review(thread).verdicts(),
    )


def recorded_sizes(thread: Thread) -> list[int]:
    """Per call: the provider's input tokens; only where ``records_input``."""
    return [call.usage.input_tokens or 0 for call in thread.calls if call.usage is not None]


def _output(thread: Thread) -> int | None:
    known: Sequence[int | None] = [None if call.usage is None else call.usage.output_tokens for call in thread.calls]
    counted = [value for value in known if value is not None]
    return sum(counted) if known and len(counted) == len(known) else None


def _simulated(whole: Replay) -> float | None:
    found = cost(whole) if len(whole.before) else None
    return None if found is None else found.total
