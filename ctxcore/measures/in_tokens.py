"""The same edits in tokens: what a policy chose by characters, or by a counter of one's own, is paid for in tokens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace as changed

import numpy as np

from ctxcore.columns import IntArray, read_only
from ctxcore.policies.applied import sent_sizes
from ctxcore.policies.edits import Insert, InsertLayer, Layer, Plan
from ctxcore.policies.history import History
from ctxcore.policies.pieces import Measure
from ctxcore.replay import Replay, timelines
from ctxcore.sizes.measure import thread_sizes


def in_tokens(replay: Replay) -> Replay:
    """A replay with sizes in tokens, made once; what goes, stays and is refused is as the policy chose it in its own unit.

    Args:
        replay: In any unit.
    """
    if replay.unit == "tokens":
        return replay
    if "in_tokens" not in replay.memo:
        replay.memo["in_tokens"] = (0, remeasured(replay))
    found: Replay = replay.memo["in_tokens"][1]
    return found


def remeasured(replay: Replay) -> Replay:
    """As ``in_tokens``; a replay in tokens is measured once more.

    Args:
        replay: In any unit.
    """
    thread = replay.thread
    sizes = thread_sizes(thread, "tokens")
    lines = timelines(thread, sizes)
    before, after = np.zeros_like(replay.before), np.zeros_like(replay.after)
    fits = []
    for old, line, fit in zip(replay.timelines, lines, replay.fits, strict=True):
        plan = _plan(fit.plan(0), old.history, line.history)
        calls = line.epoch.calls
        before[calls] = line.before
        after[calls] = np.where(replay.refused[calls], -1, sent_sizes(line.history, plan))
        fits.append(changed(fit, plan=_always(plan)))
    return changed(replay, sizes=sizes, before=read_only(before), after=read_only(after), fits=tuple(fits), timelines=lines, memo={})


def _always(plan: Plan) -> Callable[[int], Plan]:
    return lambda _row: plan


def _plan(plan: Plan, old: History, history: History) -> Plan:
    return changed(
        plan,
        layers=tuple(_layer(layer, history) for layer in plan.layers),
        inserts=tuple(_insert(one, old, history) for one in plan.inserts),
        insert_layers=tuple(_insert_layer(layer, old, history) for layer in plan.insert_layers),
    )


def _layer(layer: Layer, history: History) -> Layer:
    """With what its edits free; only those that some call gets are measured."""
    if layer.action == "drop":
        return changed(layer, freed=history.size[layer.items])
    if layer.text is None:
        return changed(layer, freed=history.pieces.whole[layer.items])
    freed = np.zeros_like(layer.freed)
    used = _used(layer)
    pieces = layer.items[used]
    freed[used] = history.pieces.size[pieces] - _counts(history.measure, [layer.text(piece) for piece in pieces.tolist()])
    return changed(layer, freed=freed)


def _used(layer: Layer | InsertLayer) -> slice:
    """The stretch of items that any call gets."""
    some = layer.stop > layer.start
    return slice(int(layer.start[some].min()), int(layer.stop[some].max())) if some.any() else slice(0, 0)


def _insert(one: Insert, old: History, history: History) -> Insert:
    size = np.zeros_like(one.size)
    versions, columns, back = np.unique(one.version, return_index=True, return_inverse=True)
    texts = [one.text(column) if version >= 0 else "" for version, column in zip(versions.tolist(), columns.tolist(), strict=True)]
    size = _messages(history.measure, one.role, texts)[back]
    unknown = np.asarray([not text for text in texts], np.bool_)[back]
    size = np.where(unknown, np.rint(one.size * _tokens_per_unit(old, history)), size)
    return changed(one, size=read_only(np.where(one.size > 0, size, 0).astype(np.int64)))


def _insert_layer(layer: InsertLayer, old: History, history: History) -> InsertLayer:
    used = _used(layer)
    size = layer.size * float(np.median(_tokens_per_unit(old, history))) if len(layer.start) else layer.size
    texts = [layer.text(item) for item in range(used.start, used.stop)]
    size[used] = np.where([not text for text in texts], size[used], _messages(history.measure, layer.role, texts))
    return changed(layer, size=read_only(np.rint(size).astype(np.int64)))


def _tokens_per_unit(old: History, history: History) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Per call: tokens of one unit of the recorded request, for what has a size and no text."""
    return history.before / np.maximum(old.before, 1)


def _messages(measure: Measure, role: str, texts: Sequence[str]) -> IntArray:
    return _counts(measure, texts) + measure.message(role, "") - measure.one("")


def _counts(measure: Measure, texts: Sequence[str]) -> IntArray:
    """Size of each text; equal ones are counted once."""
    known = list(dict.fromkeys(texts))
    sizes = dict(zip(known, measure.many(known), strict=True))
    return np.asarray([sizes[text] for text in texts], np.int64)
