"""What this project's own compaction would make of a recorded request, whatever the session did."""

from __future__ import annotations

from dataclasses import dataclass

from ctxcore.compaction.checks import TARGET
from ctxcore.compaction.compact import Compaction, compact
from ctxcore.compaction.facts import FactKind, facts
from ctxcore.compaction.settings import Settings
from ctxcore.compaction.source_text import passages
from ctxcore.compaction.state_anchors import anchors_of
from ctxcore.compaction.survival import Kept, survival
from ctxcore.measures.breakdown import call_basis
from ctxcore.measures.compaction_sizes import Change, message_tokens, request_tokens
from ctxcore.model import Call, Thread
from ctxcore.sizes.measure import thread_counter, thread_sizes
from ctxcore.state.domain import Domain
from ctxcore.state.domains import NAMES, shipped_domain
from ctxcore.units import PINNED_ROLES

ON_TARGET = Settings(target=TARGET)
"""Notes go until the size is on target."""


@dataclass(frozen=True, kw_only=True)
class SimulatedCompaction:
    """A compaction of the request of one call."""

    call: int
    """Whose request is compacted."""
    replaced: tuple[int, ...]
    """Thread messages that it stands for."""
    compaction: Compaction
    """What it made, and its checks."""
    table: dict[FactKind, Kept]
    """The survival table."""
    whole: Change
    """The whole request, with what stays word for word on both sides; equal where the compaction was rolled back."""
    part: Change
    """The messages that were compacted alone; its ratio is the one that is judged."""


def simulate(
    thread: Thread, call: int | None = None, *, keep_rounds: int = 1, settings: Settings = ON_TARGET, domain: Domain | None = None
) -> SimulatedCompaction | None:
    """Compact the request of a call: everything but instructions and the newest rounds; everything where there are no older rounds.

    Args:
        thread: Of a session.
        call: Index; the last one if left out.
        keep_rounds: Newest rounds that stay as they are.
        settings: Of the compaction.
        domain: Whose state stands to the letter; ``open`` if left out.

    Returns:
        None where nothing can be compacted.
    """
    which = compacted_messages(thread, call, keep_rounds)
    if not which:
        return None
    chosen = thread.calls[-1 if call is None else call]
    told = passages(thread.messages, which)
    anchors = anchors_of(thread, domain or shipped_domain(NAMES[0]), sorted(which))
    made = compact(told, count=thread_counter(thread).count, settings=settings, anchors=anchors, before=message_tokens(thread, which))
    whole, part = _sizes(thread, chosen, made)
    table = survival(facts(told), made.text)
    return SimulatedCompaction(call=chosen.index, replaced=which, compaction=made, table=table, whole=whole, part=part)


def compacted_messages(thread: Thread, call: int | None, keep_rounds: int) -> tuple[int, ...]:
    """Messages of a call's request before its newest rounds, without instructions; see ``simulate``."""
    if not thread.calls:
        return ()
    loose = [index for index in thread.calls[-1 if call is None else call].messages() if thread.messages[index].role not in PINNED_ROLES]
    begins = [place for place, index in enumerate(loose) if thread.messages[index].is_real_user]
    stop = begins[-keep_rounds] if 0 < keep_rounds <= len(begins) else len(loose)
    return tuple(loose[: stop or len(loose)])


def _sizes(thread: Thread, call: Call, made: Compaction) -> tuple[Change, Change]:
    """Of the whole request, and of what was compacted."""
    basis, request = call_basis(call, thread_sizes(thread, "tokens")), int(request_tokens(thread)[call.index])
    left = request if made.rolled_back else request - made.before + made.after
    return Change(before=request, after=left, basis=basis), Change(before=made.before, after=made.after, basis=basis)
