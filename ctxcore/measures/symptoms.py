"""Symptoms in the recording itself, whatever the policy: what is asked again, before and after what the recording compacted."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise

from ctxcore.measures.repeats import Repeat, repeats
from ctxcore.model import Thread
from ctxcore.tool_uses import tool_uses


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedAgain:
    """The same tool call, several times."""

    tool: str
    """As recorded."""
    what: str
    """The file that is read, or the arguments."""
    calls: tuple[int, ...]
    """Model calls whose reply asked for it, the first one included."""


@dataclass(frozen=True, kw_only=True)
class Repetition:
    """Repeated tool calls of a recording."""

    tool_calls: int
    """All tool calls."""
    repeats: tuple[Repeat, ...]
    """Those that were asked before and answered."""
    asked: tuple[AskedAgain, ...]
    """The same by what is asked, most often first."""

    @property
    def share(self) -> float | None:
        """Repeats as a share of all tool calls; None without any."""
        return len(self.repeats) / self.tool_calls if self.tool_calls else None

    @property
    def unchanged(self) -> int:
        """Repeats before which nothing was changed since: they could give nothing new, unless the world outside changed."""
        return sum(not one.changed for one in self.repeats)


def repetition(thread: Thread) -> Repetition:
    """Repeated tool calls.

    Args:
        thread: Of a session.
    """
    uses, found = tool_uses(thread), repeats(thread)
    chains: dict[int, list[int]] = {}
    for one in found:
        chain = chains.pop(one.earlier, [one.earlier])
        chains[one.use] = [*chain, one.use]
    target = {one.use: one.target for one in found}
    asked = [
        AskedAgain(
            tool=uses[last].tool.name,
            what=target[last] or uses[last].tool.arguments,
            calls=tuple(uses[use].call for use in chain),
        )
        for last, chain in chains.items()
    ]
    return Repetition(tool_calls=len(uses), repeats=found, asked=tuple(sorted(asked, key=lambda one: (-len(one.calls), one.calls))))


@dataclass(frozen=True, slots=True, kw_only=True)
class AroundCompaction:
    """Repeats between two recorded compactions: what a compaction really did to this session."""

    first_call: int
    """First call of the stretch."""
    stop_call: int
    """Call after its last one."""
    tool_calls: int
    """In the stretch."""
    repeats: int
    """Of them asked before."""
    across: int
    """Of those, repeats of what was asked before the compaction that begins the stretch."""

    @property
    def share(self) -> float | None:
        """Repeats as a share of tool calls; None without any."""
        return self.repeats / self.tool_calls if self.tool_calls else None


def around_compactions(thread: Thread) -> tuple[AroundCompaction, ...]:
    """Repeats in the stretches that recorded compactions make; one stretch where there is none.

    Args:
        thread: Of a session.
    """
    edges = sorted({0, len(thread.calls), *(event.call for event in thread.events if event.kind == "compaction" and event.call <= len(thread.calls))})
    uses = tool_uses(thread)
    per_call = Counter(use.call for use in uses)
    found: list[AroundCompaction] = []
    for start, stop in pairwise(edges):
        here = [one for one in repeats(thread) if start <= one.call < stop]
        found.append(
            AroundCompaction(
                first_call=start,
                stop_call=stop,
                tool_calls=sum(count for call, count in per_call.items() if start <= call < stop),
                repeats=len(here),
                across=sum(uses[one.earlier].call < start for one in here),
            )
        )
    return tuple(found)
