"""Applies plans: sizes of what would be sent, and what became of units and messages. No policy measures its own result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ctxcore.columns import CATEGORIES, BoolArray, IntArray
from ctxcore.policies.edits import Edit, Inserted, InsertLayer, Layer, Plan
from ctxcore.policies.history import ASSISTANT, SYSTEM, TOOL, USER, History
from ctxcore.policies.pieces import CALL, MEDIA, REASONING, RESULT
from ctxcore.policies.protocol import Fits, Timeline


def fits_of(history: History, plans: Sequence[Plan], budgets: IntArray, kept: BoolArray | None = None) -> Fits:
    """What plans do to the calls of an epoch.

    A request that is still over its budget after the plan is refused, as one that nobody trimmed: the rules of the field edit and hope.

    Args:
        history: Of the epoch.
        plans: One per budget.
        budgets: In the unit of the history's sizes.
        kept: Per unit: the user wants it kept; None where there is no wish.
    """
    after = np.stack([sent_sizes(history, plan) for plan in plans])
    refused = after > budgets[:, None]
    counted = [_Counts(history, plan) for plan in plans]
    rules = tuple(dict.fromkeys(layer.rule for plan in plans for layer in plan.layers))
    return Fits(
        after=np.where(refused, -1, after),
        refused=refused,
        missing=np.where(refused, after - budgets[:, None], 0),
        dropped_messages=np.where(refused, 0, np.stack([one.messages for one in counted])),
        dropped_turns=np.where(refused, 0, np.stack([one.turns for one in counted])),
        dropped_exchanges=np.where(refused, 0, np.stack([one.exchanges for one in counted])),
        edited=np.where(refused, 0, np.stack([one.edited for one in counted])),
        drops=_Drops(history, plans, refused, rules),
        pins=_Pins(history, kept),
        rules=rules,
        plan=lambda row: plans[row],
    )


def spared(history: History, plan: Plan, kept: BoolArray) -> Plan:
    """The same plan without edits to units that the user wants kept; the rule does not know of it and frees less.

    Args:
        history: Of the epoch.
        plan: Of a rule.
        kept: Per unit.
    """
    lines = tuple(_spared_lines(layer, ~kept[history.epoch.units.unit_of[layer.place]]) for layer in plan.insert_layers)
    return replace(plan, layers=tuple(_spared(history, layer, kept) for layer in plan.layers), insert_layers=lines)


def _spared_lines(layer: InsertLayer, chosen: BoolArray) -> InsertLayer:
    """Without those that would stand for a unit that is kept."""
    index, items = np.concatenate(([0], np.cumsum(chosen))), np.flatnonzero(chosen).tolist()
    return replace(
        layer,
        size=layer.size[chosen],
        place=layer.place[chosen],
        start=index[layer.start],
        stop=index[layer.stop],
        text=lambda item: layer.text(items[item]),
    )


def _spared(history: History, layer: Layer, kept: BoolArray) -> Layer:
    positions = layer.items if layer.action == "drop" else history.pieces.message[layer.items]
    return subset(layer, ~kept[history.epoch.units.unit_of[positions]])


def subset(layer: Layer, chosen: BoolArray) -> Layer:
    """The same layer on some of its items.

    Args:
        layer: Of a plan.
        chosen: Per item.
    """
    index = np.concatenate(([0], np.cumsum(chosen)))
    since = None if layer.since is None else layer.since[chosen]
    return replace(layer, items=layer.items[chosen], freed=layer.freed[chosen], start=index[layer.start], stop=index[layer.stop], since=since)


@dataclass(frozen=True, slots=True)
class _Pins:
    """Units that the user wants kept, among those that a call holds."""

    history: History
    kept: BoolArray | None

    def __call__(self, column: int) -> IntArray:
        if self.kept is None:
            return np.empty(0, np.int64)
        seen = np.searchsorted(self.history.epoch.units.first, self.history.length[column])
        return np.flatnonzero(self.kept[:seen]).astype(np.int64)


def dropping(plan: Plan) -> list[Layer]:
    """Layers that drop whole messages."""
    return [layer for layer in plan.layers if layer.action == "drop"]


def editing(plan: Plan) -> list[Layer]:
    """Layers that edit inside messages."""
    return [layer for layer in plan.layers if layer.action != "drop"]


def sent_sizes(history: History, plan: Plan) -> IntArray:
    """Per call: size of what would be sent."""
    drops, edits = dropping(plan), editing(plan)
    freed = sum((layer.totals for layer in plan.layers), np.zeros(len(history.length), np.int64))
    twice = sum((_overlap(history, edit, drop) for edit in edits for drop in drops), np.zeros(len(history.length), np.int64))
    added = plan.added(len(history.length))
    gone = sum((layer.counts for layer in drops), np.zeros(len(history.length), np.int64))
    empty = (gone >= history.length) & (history.length > 0) & (added == 0)
    return history.before - freed + twice + added + np.where(empty, history.sizes.separator, 0)


def _overlap(history: History, edit: Layer, drop: Layer) -> IntArray:
    """Per call: what an edit frees inside messages that are dropped altogether, and which must not count twice."""
    inside = np.isin(history.pieces.message[edit.items], drop.items)
    if not inside.any():
        return np.zeros(len(history.length), np.int64)
    if edit.since is not None and drop.since is not None and _grows(edit):
        return _overlap_of_lasting(history, edit, drop)
    if edit.since is not None or drop.since is not None or (np.diff(drop.items) < 0).any():
        return _overlap_by_call(history, edit, drop)
    index = np.flatnonzero(inside)
    rank = np.searchsorted(drop.items, history.pieces.message[edit.items[index]])
    upto = np.concatenate(([0], np.cumsum(edit.freed[index])))
    low = np.maximum(np.searchsorted(index, edit.start), np.searchsorted(rank, drop.start))
    high = np.minimum(np.searchsorted(index, edit.stop), np.searchsorted(rank, drop.stop))
    return np.where(high > low, upto[np.maximum(high, low)] - upto[low], 0)


def _grows(layer: Layer) -> bool:
    """No call has a shorter context than an earlier one."""
    return bool((np.diff(layer.stop) >= 0).all())


def _overlap_of_lasting(history: History, edit: Layer, drop: Layer) -> IntArray:
    """For two lasting layers over growing contexts: both hold from the later of the two columns on."""
    assert edit.since is not None  # noqa: S101  (told by the caller)
    assert drop.since is not None  # noqa: S101  (told by the caller)
    home = history.pieces.message[edit.items].astype(np.int64)
    rank = np.where(home < len(drop.rank), drop.rank[np.minimum(home, len(drop.rank) - 1)], -1)
    both = np.flatnonzero(rank >= 0)
    steps = np.zeros(len(history.length) + 1, np.int64)
    np.add.at(steps, np.minimum(np.maximum(edit.since[both], drop.since[rank[both]]), len(history.length)), edit.freed[both])
    return np.cumsum(steps[:-1])


def _overlap_by_call(history: History, edit: Layer, drop: Layer) -> IntArray:
    total = np.zeros(len(history.length), np.int64)
    home = history.pieces.message[edit.items].astype(np.int64)
    active = np.flatnonzero(drop.counts > 0).tolist()
    for column in active:
        columns = np.full(len(home), column)
        total[column] = edit.freed[drop.covers(home, columns) & edit.covers(edit.items, columns)].sum()
    return total


class _Counts:
    """Messages, exchanges and turns that a plan drops whole, and pieces that it edits; one entry per call."""

    def __init__(self, history: History, plan: Plan) -> None:
        none = np.zeros(len(history.length), np.int64)
        drops = dropping(plan)
        units = history.epoch.units
        self.messages = sum((layer.counts for layer in drops), none)
        self.edited = sum((layer.counts for layer in editing(plan)), none)
        self.exchanges = sum((_whole(history, layer, units.exchange) for layer in drops), none)
        self.turns = sum((_whole(history, layer, units.user) for layer in drops), none)


def _whole(history: History, layer: Layer, marks: BoolArray) -> IntArray:
    """Per call: marked units of which a layer drops every message."""
    units = history.epoch.units
    inside = np.bincount(units.unit_of[layer.items], minlength=len(units.first))
    chosen = np.flatnonzero((inside == np.bincount(units.unit_of, minlength=len(units.first))) & marks)
    if layer.since is not None:
        since = np.zeros(len(units.first), np.int64)
        np.maximum.at(since, units.unit_of[layer.items], layer.since)
        whole = np.searchsorted(np.sort(since[chosen]), np.arange(len(history.length)), side="right")
        for column in np.flatnonzero(history.length < np.maximum.accumulate(history.length)).tolist():
            whole[column] = ((since[chosen] <= column) & (units.last[chosen] < history.length[column])).sum()
        return whole
    first, last = layer.rank[units.first[chosen]], layer.rank[units.last[chosen]]
    order = np.argsort(last, kind="stable")
    if (np.diff(first[order]) >= 0).all():
        found = np.searchsorted(last[order], layer.stop) - np.searchsorted(first[order], layer.start)
        return np.where(layer.stop > layer.start, np.maximum(found, 0), 0)
    return np.asarray([((first >= a) & (last < b)).sum() for a, b in zip(layer.start.tolist(), layer.stop.tolist(), strict=True)], np.int64)


@dataclass(frozen=True, slots=True)
class _Drops:
    """Units left out whole, from plans."""

    history: History
    plans: Sequence[Plan]
    refused: BoolArray
    rules: tuple[str, ...]

    def __call__(self, row: int, column: int) -> tuple[IntArray, IntArray]:
        if self.refused[row, column]:
            return np.empty(0, np.int64), np.empty(0, np.int64)
        positions, rules = dropped_positions(self.plans[row], column)
        unit_of = self.history.epoch.units.unit_of[: int(self.history.length[column])]
        held = np.bincount(unit_of, minlength=1)
        units = np.flatnonzero((np.bincount(unit_of[positions], minlength=len(held)) == held) & (held > 0))
        why = dict(zip(unit_of[positions].tolist(), rules, strict=True))
        return units.astype(np.int64), np.asarray([self.rules.index(why[unit]) for unit in units.tolist()], np.int64)


def dropped_positions(plan: Plan, column: int) -> tuple[IntArray, list[str]]:
    """Positions of the sequence that a call leaves out, ascending, with the rule of each."""
    found = [(layer.at(column), layer.rule) for layer in dropping(plan)]
    positions = np.concatenate([np.empty(0, np.int64), *(items for items, _ in found)])
    order = np.argsort(positions, kind="stable")
    rules = [rule for items, rule in found for _ in range(len(items))]
    return positions[order], [rules[index] for index in order.tolist()]


def changed_positions(fits: Fits, line: Timeline, column: int) -> IntArray:
    """Positions of the sequence that a call sends in part or with another text, and those of messages that go."""
    plan = fits.plan(0)
    found = [dropped_positions(plan, column)[0]]
    found += [line.history.pieces.message[layer.at(column)].astype(np.int64) for layer in editing(plan)]
    return np.unique(np.concatenate(found))


def edits_of(line: Timeline, plan: Plan, column: int) -> tuple[Edit, ...]:
    """Every edit to one call, drops first; edits inside dropped messages are left out."""
    dropped, rules = dropped_positions(plan, column)
    gone = set(dropped.tolist())
    sequence = line.epoch.message
    edits = [Edit("drop", int(sequence[position]), -1, rule, "") for position, rule in zip(dropped.tolist(), rules, strict=True)]
    for layer in editing(plan):
        pieces = line.history.pieces
        for piece in layer.at(column).tolist():
            position = int(pieces.message[piece])
            if position not in gone:
                text = layer.text(piece) if layer.text else ""
                edits.append(Edit(layer.action, int(sequence[position]), int(pieces.part[piece]), layer.rule, text))
    return tuple(edits)


def inserts_of(plan: Plan, column: int) -> tuple[Inserted, ...]:
    """Messages put into one call, request order."""
    found = [
        Inserted(one.kind, one.role, int(one.place[column]), int(one.size[column]), one.text(column), one.rule, one.source)
        for one in plan.inserts
        if one.size[column]
    ]
    for layer in plan.insert_layers:
        found += [
            Inserted(layer.kind, layer.role, int(layer.place[item]), int(layer.size[item]), layer.text(item), layer.rule, layer.source)
            for item in layer.at(column)
        ]
    return tuple(sorted(found, key=lambda one: one.place))


def freed_parts(history: History, plan: Plan) -> IntArray:
    """What a plan frees, by category of content; inserted messages are not counted.

    Returns:
        Shape (calls, categories), in the unit of the history's sizes.
    """
    table = np.zeros((len(history.length), len(CATEGORIES)), np.int64)
    drops = dropping(plan)
    for layer in drops:
        parts = history.sizes.parts[history.epoch.message[layer.items]].astype(np.int64)
        parts[:, CATEGORIES.index("frame")] += history.sizes.separator
        table += _by_category(layer, parts)
    for layer in editing(plan):
        categories = _categories(history, layer)
        for column in np.unique(categories).tolist():
            part = subset(layer, categories == column)
            table[:, column] += part.totals - sum((_overlap(history, part, drop) for drop in drops), np.zeros(len(table), np.int64))
    return table


OF_KIND = {REASONING: "reasoning", CALL: "tool_calls", RESULT: "tool_results", MEDIA: "media"}
"""Category of a piece by its kind; texts have that of their role."""

OF_ROLE = {SYSTEM: "system", USER: "user", ASSISTANT: "assistant_text", TOOL: "user"}
"""Category of a text by its message's role."""


def _categories(history: History, layer: Layer) -> IntArray:
    """Per item of an editing layer: the category that it frees."""
    kinds = history.pieces.kind[layer.items].tolist()
    roles = history.role[history.pieces.message[layer.items]].tolist()
    names = [OF_KIND.get(kind) or OF_ROLE.get(role, "other") for kind, role in zip(kinds, roles, strict=True)]
    return np.asarray([CATEGORIES.index(name) for name in names], np.int64)


def _by_category(layer: Layer, values: IntArray) -> IntArray:
    """Per call: sums of rows of the items edited."""
    if layer.since is not None:
        steps = np.zeros((len(layer.start) + 1, values.shape[1]), np.int64)
        np.add.at(steps, np.minimum(layer.since, len(layer.start)), values)
        found: IntArray = np.cumsum(steps[:-1], axis=0)
        return found
    upto = np.zeros((len(values) + 1, values.shape[1]), np.int64)
    np.cumsum(values, axis=0, out=upto[1:])
    taken: IntArray = np.where((layer.stop > layer.start)[:, None], upto[np.maximum(layer.stop, layer.start)] - upto[layer.start], 0)
    return taken
