"""Whether the newest value of a change chain is in the context of a call, after a policy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from ctxcore.replay import DROPPED, Replay
from ctxcore.state.values import Chain, Step

PresenceWord = Literal["yes", "stale only", "dropped", "not in the request", "not yet", "only failed", "no result", "refused"]
"""What the context of a call holds of a chain.

``yes`` the newest value, ``stale only`` an older one alone, ``dropped`` none because the policy dropped it, ``not in the request`` none because the
recorded request does not hold it either (a compaction), ``not yet`` the call comes before the first step, ``only failed`` all steps before the
call failed, ``no result`` some did not, but nothing came back, ``refused`` nothing is sent.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Presence:
    """What the context of one call holds of a chain."""

    word: PresenceWord
    """In short."""
    step: int | None = None
    """The newest step of the chain that the call receives, or None."""
    newest: int | None = None
    """The newest step before the call, received or not; None before the first."""


def call_messages(replay: Replay, call: int) -> Mapping[int, int]:
    """Thread messages of a call's recorded context, and what became of each (codes of ``replay``)."""
    indexes = replay.thread.calls[call].messages()
    return dict(zip(indexes, replay.message_status(call).tolist(), strict=True))


def presence(chain: Chain, call: int, status: Mapping[int, int], *, refused: bool = False) -> Presence:
    """What a call receives of a chain.

    A change carries its value in the tool call, a read in its result. A read counts for the version that it saw.

    Args:
        chain: Of the thread.
        call: Index of the call.
        status: From ``call_messages``.
        refused: The policy refuses the call.
    """
    tried = [n for n, s in enumerate(chain.steps) if s.call < call]
    before = [n for n in tried if not chain.steps[n].failed and chain.steps[n].carrier is not None]
    if not before:
        return Presence(word="not yet" if not tried else "only failed" if all(chain.steps[n].failed for n in tried) else "no result")
    newest = before[-1]
    if refused:
        return Presence(word="refused", newest=newest)
    received = [n for n in before if status.get(_carrier(chain.steps[n]), DROPPED) != DROPPED]
    current = [n for n in received if chain.steps[n].version == chain.steps[newest].version]
    if current:
        return Presence(word="yes", step=current[-1], newest=newest)
    if received:
        return Presence(word="stale only", step=received[-1], newest=newest)
    dropped = any(_carrier(chain.steps[n]) in status for n in before)
    return Presence(word="dropped" if dropped else "not in the request", newest=newest)


def _carrier(step: Step) -> int:
    return -1 if step.carrier is None else step.carrier


def presences(chains: Sequence[Chain], replay: Replay, call: int) -> tuple[Presence, ...]:
    """What a call receives of each chain.

    Args:
        chains: Of the replay's thread.
        replay: A policy at a budget.
        call: Index of the call.
    """
    status = call_messages(replay, call)
    refused = bool(replay.refused[call])
    return tuple(presence(chain, call, status, refused=refused) for chain in chains)
