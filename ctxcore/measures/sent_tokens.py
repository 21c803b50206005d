"""The requests of a replay as a provider's cache sees them: in its own tokens, with what the log does not hold in front.

A call's recorded input is the measure. What it holds beyond the messages of the log is first of all system text and tools that the log lacks: as
much as the smallest request shows. The rest is the error of the count, which grows with the text, so counted tokens are scaled by it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ctxcore.columns import IntArray, read_only
from ctxcore.measures.caching import FloatArray, Requests
from ctxcore.measures.durations import UNCERTAIN
from ctxcore.measures.prefix import Prefix
from ctxcore.measures.starts import FIRST, SAME
from ctxcore.model import Call, Thread
from ctxcore.policies.history import TOOL
from ctxcore.replay import Replay, replay

MOST_SCALE = 1.5
"""Provider's tokens of one counted token, at most; what is beyond that is text that the log does not hold, as where the provider kept the history."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fitted:
    """How counted tokens become the provider's; one entry per call."""

    hidden: FloatArray
    """Tokens in front of the request that the log does not hold."""
    scale: FloatArray
    """Provider's tokens of one counted token."""


def fitted_tokens(thread: Thread) -> Fitted:
    """Hidden tokens and scale of each call, such that the request as recorded has its recorded input; a call without one is as that before it."""
    return thread.once("fitted_tokens", lambda: _fitted(thread))


def _fitted(thread: Thread) -> Fitted:
    counted = whole_tokens(thread).astype(np.float64)
    given = np.asarray([_input(call) for call in thread.calls], np.float64)
    hidden, scale = np.zeros(len(counted)), np.ones(len(counted))
    known = np.flatnonzero(~np.isnan(given))
    if len(known):
        smallest = known[np.argmin(counted[known])]
        front = max(0.0, min(given[smallest] - counted[smallest], given[known].min()))
        scale[known] = np.clip((given[known] - front) / np.maximum(counted[known], 1), 0, MOST_SCALE)
        hidden[known] = given[known] - scale[known] * counted[known]
        nearest = _nearest(known, len(counted))
        hidden, scale = hidden[nearest], scale[nearest]
    return Fitted(hidden=read_only(hidden), scale=read_only(scale))


def _input(call: Call) -> float:
    return np.nan if call.usage is None or call.usage.input_tokens is None else call.usage.input_tokens


def whole_tokens(thread: Thread) -> IntArray:
    """Per call: tokens of the recorded context, by the thread's counter."""
    return replay(thread, "none", 2**62, "tokens").before


def hidden_tokens(thread: Thread) -> IntArray:
    """Per call: input tokens that stand in front of the messages of the log."""
    return np.rint(fitted_tokens(thread).hidden).astype(np.int64)


def sent_requests(replay: Replay, shared: Prefix) -> Requests:
    """Requests in the provider's tokens.

    Args:
        replay: In tokens.
        shared: Of the replay.
    """
    thread = replay.thread
    fitted = fitted_tokens(thread)
    total = np.rint(np.where(replay.refused, 0, replay.after * fitted.scale + fitted.hidden)).astype(np.int64)
    system = np.rint(np.where(replay.refused, 0, shared.system * fitted.scale + fitted.hidden)).astype(np.int64)
    return Requests(
        total=read_only(total),
        shared=read_only(_shared(replay, shared, fitted, total)),
        system=read_only(np.minimum(system, total)),
        messages=read_only(_places(replay)),
        at=thread.once("answered", lambda: read_only(np.asarray([np.nan if call.at is None else call.at for call in thread.calls], np.float64))),
        begun=thread.once("begun", lambda: read_only(np.asarray([_begun(thread, call) for call in thread.calls], np.float64))),
        branch=shared.branch,
        branch_shared=read_only(_branch_shared(shared, fitted, total)),
        hour=hour_shares(thread),
        model=thread.once("models", lambda: read_only(_models(thread))),
    )


def _begun(thread: Thread, call: Call) -> float:
    """Seconds before which a call cannot have begun: its newest message came then; its own time where that tells nothing."""
    own = np.nan if call.at is None else call.at
    newest = [thread.messages[stop - 1] for _, stop in call.context[-1:]]
    return next((one.at for one in newest if one.at is not None and one.at <= own and UNCERTAIN not in one.flags), own)


def hour_shares(thread: Thread) -> FloatArray:
    """Per call: share of what it writes to the cache that is kept for an hour; as the call before it, else the first, where it tells nothing."""
    return thread.once("hour_shares", lambda: read_only(_hour_shares(thread)))


def _hour_shares(thread: Thread) -> FloatArray:
    share = np.asarray([_hour_share(call) for call in thread.calls], np.float64)
    known = np.flatnonzero(~np.isnan(share))
    return share[_nearest(known, len(share))] if len(known) else np.zeros(len(share))


def _hour_share(call: Call) -> float:
    usage = call.usage
    if usage is None or usage.cache_write_1h_tokens is None or not usage.cache_write_tokens:
        return np.nan
    return min(1.0, usage.cache_write_1h_tokens / usage.cache_write_tokens)


def _nearest(known: IntArray, count: int) -> IntArray:
    """Per call: the last known one up to it, else the first."""
    return known[np.maximum(np.searchsorted(known, np.arange(count), side="right") - 1, 0)]


def _models(thread: Thread) -> IntArray:
    """Per call: number of its model; one without a name is as the call before it."""
    numbers: dict[str, int] = {}
    found, last = [], 0
    for call in thread.calls:
        last = numbers.setdefault(call.model, len(numbers)) if call.model else last
        found.append(last)
    return np.asarray(found, np.int64)


def _shared(replay: Replay, shared: Prefix, fitted: Fitted, total: IntArray) -> IntArray:
    """Per call: what it begins with as the sent call before it did, in tokens of that one: all of it where it only goes on."""
    found, last = np.zeros_like(total), -1
    for call in np.flatnonzero(~replay.refused).tolist():
        if last >= 0 and shared.cause[call] == SAME:
            found[call] = min(total[last], total[call])  # fewer where the log cannot tell what had gone
        elif last >= 0 and shared.cause[call] != FIRST:  # what the log does not hold stands in front, so it comes back
            front = min(fitted.hidden[last], fitted.hidden[call])
            found[call] = min(round(shared.shared[call] * fitted.scale[last] + front), total[last], total[call])
        last = call
    return found


def _branch_shared(shared: Prefix, fitted: Fitted, total: IntArray) -> IntArray:
    """The same with the earlier call that it begins more alike with; 0 where there is none."""
    found = np.zeros_like(total)
    for call in np.flatnonzero(shared.branch >= 0).tolist():
        earlier = shared.branch[call]
        front = min(fitted.hidden[earlier], fitted.hidden[call])
        found[call] = min(round(shared.branch_shared[call] * fitted.scale[earlier] + front), total[earlier], total[call])
    return found


def _places(replay: Replay) -> IntArray:
    """Per call: places that a look-up counts: messages, with a run of tool results as one."""
    found = np.zeros(len(replay.thread.calls), np.int64)
    for line in replay.timelines:
        tool = line.history.role == TOOL
        more = np.concatenate(([0], np.cumsum(tool[1:] & tool[:-1])))
        found[line.epoch.calls] = line.history.length - more[np.maximum(line.history.length - 1, 0)]
    return found - replay.dropped_messages
