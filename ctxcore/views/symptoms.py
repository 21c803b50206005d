"""Symptoms in a recording for people: each with its numbers, what they rest on, and a call to look at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ctxcore.counted import count
from ctxcore.measures.drift import Drift, goal_drift
from ctxcore.measures.firing import CLOSE, Firings, firings
from ctxcore.measures.noise import Noise, noise
from ctxcore.measures.reopened import reopened
from ctxcore.measures.symptoms import AroundCompaction, Repetition, around_compactions, repetition
from ctxcore.model import Thread
from ctxcore.replay import Replay
from ctxcore.sizes.measure import thread_sizes
from ctxcore.state.domains import shipped_domain
from ctxcore.state.editor import edit
from ctxcore.views.state_domain import suggested_domain
from ctxcore.views.visible import shortened
from ctxcore.views.words import number, percent

MOST_FIELDS = 20
"""Changes whose fields are named in a sentence."""

TOOL_CHARS, WHAT_CHARS = 30, 90
"""Characters of a tool's name and of what it is asked that a table shows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Symptom:
    """One symptom."""

    name: str
    """What."""
    value: str
    """Its numbers, in words."""
    basis: str
    """What they rest on."""
    call: int | None
    """A call to look at; None where there is none."""


def symptoms(replay: Replay) -> tuple[Symptom, ...]:
    """Symptoms of the recording, and of the policy's firings.

    Args:
        replay: A policy at a budget; only the last symptom is about it.
    """
    thread = replay.thread
    sizes = thread_sizes(thread, "tokens")
    found = [
        *_repeated(repetition(thread), around_compactions(thread)),
        *_drifting(goal_drift(thread)),
        *_noisy(noise(thread), sizes.basis),
        *_reopened(thread),
        *_firing(firings(replay), replay),
    ]
    return tuple(found)


def _reopened(thread: Thread) -> Iterator[Symptom]:
    """Decisions opened again, by the domain that suggests itself."""
    name, _ = suggested_domain(thread)
    domain = shipped_domain(name)
    found = reopened(thread, domain, edit(thread, domain))
    basis = f"rules of the domain {name}; a lower bound"
    if not found:
        yield Symptom(name="Decisions opened again", value="none that was confirmed or acted on", basis=basis, call=None)
        return
    acted, back = sum(one.settled == "acted on" for one in found), sum(one.why == "user_reversion" for one in found)
    fields = ", ".join(dict.fromkeys(shortened(one.field, TOOL_CHARS) for one in found[:MOST_FIELDS]))
    changed = count(len(found), "settled value")
    value = f"{changed} changed by the user, {number(acted)} of them already acted on; {number(back)} back to an earlier one ({fields})"
    yield Symptom(name="Decisions opened again", value=value, basis=basis, call=found[0].call)


def _repeated(found: Repetition, stretches: Sequence[AroundCompaction]) -> Iterator[Symptom]:
    again = len(found.repeats)
    share = percent(again, found.tool_calls)
    value = f"{number(again)} of {count(found.tool_calls, 'tool call')} ({share}) ask again; {number(found.unchanged)} with nothing changed since"
    yield Symptom(name="Repeated tool calls", value=value, basis="exact", call=found.asked[0].calls[-1] if found.asked else None)
    if len(stretches) > 1:
        across = [one.across for one in stretches]
        worst = stretches[int(np.argmax(across))]
        told = f"{number(sum(across))} of them ask for what was asked before a recorded compaction"
        yield Symptom(name="Repeats across compactions", value=told, basis="exact", call=worst.first_call if worst.across else None)


def _drifting(found: Drift) -> Iterator[Symptom]:
    if found.start is None or found.end is None:
        yield Symptom(name="Goal drift", value="no task, or no reply that says anything", basis="", call=None)
        return
    value = f"{_percent(found.start)} of the task's values and words stand in the first fifth of the replies, {_percent(found.end)} in the last"
    known = np.flatnonzero(~np.isnan(found.share))
    last = known[len(known) - max(1, len(known) // 5) :]
    yield Symptom(name="Goal drift", value=value, basis="estimate, by words", call=int(last[np.argmin(found.share[last])]))


def _noisy(found: Noise, basis: str) -> Iterator[Symptom]:
    total, loud = int(found.total.sum()), int((found.acknowledgements + found.repeated_system).sum())
    whose = f"{number(int(found.acknowledgements.sum()))} acknowledgements, {number(int(found.repeated_system.sum()))} repeated system text"
    worst = _extreme(found.share, largest=True)
    value = f"{_share(loud, total)} of all {found.unit} sent ({whose}){_at(found.share, worst)}"
    yield Symptom(name="Noise", value=value, basis=basis, call=worst if loud else None)
    least = _extreme(found.utilisation, largest=False)
    value = (
        f"{_share(int(found.used.sum()), total)} of all {found.unit} sent are used later, still valid, or instructions{_at(found.utilisation, least)}"
    )
    yield Symptom(name="Utilisation", value=value, basis=f"{basis}; a lower bound", call=least)


def _firing(found: Firings, replay: Replay) -> Iterator[Symptom]:
    close, none = int(found.thrash.sum()), int(found.no_gain.sum())
    value = f"{count(found.count, 'firing')}: {number(close)} within {CLOSE} calls of the one before, {number(none)} gain nothing"
    grows = "" if found.regrowth is None else f"; between them a request grows by {found.regrowth:,.0f} {replay.unit} a call"
    marks = np.flatnonzero(found.no_gain | found.thrash)
    fired = np.flatnonzero(found.fired)
    call = int(marks[0]) if len(marks) else int(fired[0]) if len(fired) else None
    yield Symptom(name="The policy's firings", value=f"{value}{grows}", basis="exact", call=call)


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "–"


def _extreme(share: NDArray[np.float64], *, largest: bool) -> int | None:
    if np.isnan(share).all():
        return None
    return int(np.nanargmax(share) if largest else np.nanargmin(share))


def _at(share: NDArray[np.float64], call: int | None) -> str:
    return "" if call is None else f"; {100 * share[call]:.1f} % in call #{number(call)}"


def symptoms_frame(found: Sequence[Symptom]) -> pd.DataFrame:
    """One row per symptom."""
    rows = [{"symptom": one.name, "value": one.value, "basis": one.basis, "call": one.call} for one in found]
    frame = pd.DataFrame(rows, columns=["symptom", "value", "basis", "call"])
    frame["call"] = frame["call"].astype("Int64")
    return frame


def asked_frame(found: Repetition, most: int = 20) -> pd.DataFrame:
    """What is asked most often, with the calls that ask."""
    rows = [
        {
            "tool": shortened(one.tool, TOOL_CHARS),
            "what": shortened(one.what, WHAT_CHARS),
            "times": len(one.calls),
            "first": one.calls[0],
            "last": one.calls[-1],
        }
        for one in found.asked[:most]
    ]
    return pd.DataFrame(rows, columns=["tool", "what", "times", "first", "last"])
