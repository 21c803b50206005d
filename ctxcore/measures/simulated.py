"""What this project's own compaction would make of a recorded context, whatever the session did."""

from __future__ import annotations

from dataclasses import dataclass

from ctxcore.compaction.compact import Compaction, compact
from ctxcore.compaction.settings import DEFAULT, Settings
from ctxcore.compaction.source_text import passages
from ctxcore.compaction.state_anchors import anchors_of
from ctxcore.compaction.survival import FactKind, Kept, facts, survival
from ctxcore.model import Thread
from ctxcore.sizes.measure import thread_counter
from ctxcore.state.domain import Domain
from ctxcore.state.domains import NAMES, shipped_domain
from ctxcore.units import PINNED_ROLES


@dataclass(frozen=True, kw_only=True)
class SimulatedCompaction:
    """A compaction of the context of one call."""

    call: int
    """Whose context and reply are compacted."""
    replaced: tuple[int, ...]
    """Thread messages that it stands for."""
    compaction: Compaction
    """What it made, and its checks."""
    table: dict[FactKind, Kept]
    """The survival table."""


def simulate(
    thread: Thread, call: int | None = None, *, keep_rounds: int = 1, settings: Settings = DEFAULT, domain: Domain | None = None
) -> SimulatedCompaction | None:
    """Compact the history of a call: everything but instructions and the newest rounds; everything where there are no older rounds.

    Args:
        thread: Of a session.
        call: Index; the last one if left out.
        keep_rounds: Newest rounds that stay as they are.
        settings: Of the compaction.
        domain: Whose state stands to the letter; ``open`` if left out.

    Returns:
        None where nothing can be compacted.
    """
    if not thread.calls:
        return None
    chosen = thread.calls[-1 if call is None else call]
    context = [*chosen.messages(), *(() if chosen.reply is None else (chosen.reply,))]
    loose = [index for index in context if thread.messages[index].role not in PINNED_ROLES]
    begins = [place for place, index in enumerate(loose) if thread.messages[index].is_real_user]
    stop = begins[-keep_rounds] if 0 < keep_rounds <= len(begins) else len(loose)
    which = loose[: stop or len(loose)]
    if not which:
        return None
    told = passages(thread.messages, which)
    anchors = anchors_of(thread, domain or shipped_domain(NAMES[0]), sorted(which))
    made = compact(told, count=thread_counter(thread).count, settings=settings, anchors=anchors)
    return SimulatedCompaction(call=chosen.index, replaced=tuple(which), compaction=made, table=survival(facts(told), made.text))
