"""What this project's own compaction would make of a recorded context, whatever the session did."""

from __future__ import annotations

from dataclasses import dataclass

from ctxcore.compaction.compact import DEFAULT, Compaction, Settings, compact
from ctxcore.compaction.source_text import passages
from ctxcore.compaction.survival import FactKind, Kept, facts, survival
from ctxcore.model import Thread
from ctxcore.sizes.measure import thread_counter
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


def simulate(thread: Thread, call: int | None = None, *, keep_rounds: int = 1, settings: Settings = DEFAULT) -> SimulatedCompaction | None:
    """Compact the history of a call: everything but instructions and the newest rounds; everything where there are no older rounds.

    Args:
        thread: Of a session.
        call: Index; the last one if left out.
        keep_rounds: Newest rounds that stay as they are.
        settings: Of the compaction.

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
    made = compact(told, count=thread_counter(thread).count, settings=settings)
    return SimulatedCompaction(call=chosen.index, replaced=tuple(which), compaction=made, table=survival(facts(told), made.text))
