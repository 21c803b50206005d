"""Units: which messages a policy keeps or drops together, and that a call sees the units of its own prefix."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxcore.columns import UnitTable
from ctxcore.model import Call, Message, SourceRef, Text, ToolCall, ToolResult
from ctxcore.units import Key, Shape, group, shape, split_epochs

USER = Shape(pinned=False, user=True, calls=(), results=())
SYSTEM = Shape(pinned=True, user=False, calls=(), results=())
PLAIN = Shape(pinned=False, user=False, calls=(), results=())


def asks(*keys: str) -> Shape:
    """An assistant message; a key is ``id`` or ``id/name``."""
    return PLAIN._replace(calls=tuple(map(key, keys)))


def answers(*keys: str) -> Shape:
    return PLAIN._replace(results=tuple(map(key, keys)))


def key(words: str) -> Key:
    recorded, _, name = words.partition("/")
    return Key(recorded, name)


@dataclass(frozen=True)
class Case:
    """A sequence, its units as lists of positions, and its flags by first position."""

    id: str
    shapes: list[Shape]
    units: list[list[int]]
    flags: set[tuple[int, str]] = frozenset()


# The rule: a result belongs to the nearest earlier unanswered call with its id; without an id to the next unanswered call in order
CASES = [
    Case("a call and its result", [USER, asks("a"), answers("a")], [[0], [1, 2]]),
    Case("results in any order", [asks("a", "b"), answers("b"), answers("a")], [[0, 1, 2]]),
    Case("all results in one message", [asks("a", "b"), answers("a", "b")], [[0, 1]]),
    Case("what stands between is a unit of its own", [asks("a"), USER, answers("a")], [[0, 2], [1]]),
    Case("an id that repeats in a later turn", [asks("a"), answers("a"), USER, asks("a"), answers("a")], [[0, 1], [2], [3, 4]]),
    Case("a repeated id goes to the nearest unanswered call", [asks("a"), USER, asks("a"), answers("a")], [[0], [1], [2, 3]], {(0, "open")}),
    Case("then to the one before it", [asks("a"), USER, asks("a"), answers("a"), answers("a")], [[0, 4], [1], [2, 3]]),
    Case("an unanswered call at the end is pending", [USER, asks("a", "b"), answers("a")], [[0], [1, 2]], {(1, "pending")}),
    Case("an unanswered call elsewhere is open", [asks("a"), USER], [[0], [1]], {(0, "open")}),
    Case("a result without a call", [USER, answers("x"), USER], [[0], [1], [2]], {(1, "orphan_result")}),
    Case("a result before its call", [answers("a"), asks("a")], [[0], [1]], {(0, "orphan_result"), (1, "pending")}),
    Case("a second answer goes with the exchange", [asks("a"), answers("a"), USER, answers("a")], [[0, 1, 3], [2]], {(0, "duplicate_result")}),
    Case("results without ids, in order", [asks("", ""), answers(""), answers("")], [[0, 1, 2]]),
    Case("a result without an id goes to the newest message that waits", [asks(""), USER, asks(""), answers("")], [[0], [1], [2, 3]], {(0, "open")}),
    Case("old function results go by name", [asks("/f"), asks("/g"), answers("/f"), answers("/g")], [[0, 2], [1, 3]]),
    Case("a result without an id can answer a call with one", [asks("a/f"), answers("/f")], [[0, 1]]),
    Case("one message that answers two exchanges joins them", [asks("a"), USER, asks("b"), answers("a", "b")], [[0, 2, 3], [1]]),
    Case("joined exchanges stay joined for a late result", [asks("a"), asks("b", "c"), answers("a", "b"), USER, answers("c")], [[0, 1, 2, 4], [3]]),
    Case("one message with an orphan and an answer", [asks("a"), answers("x", "a")], [[0, 1]], {(0, "orphan_result")}),
]


def members(table: UnitTable) -> list[list[int]]:
    return [np.flatnonzero(table.unit_of == unit).tolist() for unit in range(len(table.first))]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_the_units_of_a_sequence(case):
    table, _ = group(case.shapes)
    assert members(table) == case.units
    assert {(int(table.first[unit]), word) for unit, word in table.flags} == set(case.flags)


def test_a_call_that_its_own_message_answers_waits_for_nothing():
    """A tool that the provider runs: call and result in one message."""
    parts = (ToolCall(id="s", name="search", arguments=""), ToolResult(call_id="s", text="found"), ToolCall(id="a", name="ls", arguments=""))
    found = shape(Message(role="assistant", parts=parts, wire=(), raw=None, source=SourceRef()))
    assert (found.calls, found.results) == ((Key("a", "ls"),), ())


def test_a_call_in_another_role_asks_for_nothing():
    message = Message(role="user", parts=(Text(text="x"), ToolCall(id="a", name="ls", arguments="")), wire=(), raw=None, source=SourceRef())
    assert shape(message).calls == ()


# Laws

IDS = st.sampled_from(["", "a", "b", "c"])
KEYS = st.builds(Key, IDS, st.sampled_from(["", "f", "g"]))
SHAPES = st.one_of(
    st.sampled_from([USER, SYSTEM, PLAIN]),
    st.builds(lambda keys: PLAIN._replace(calls=tuple(keys)), st.lists(KEYS, min_size=1, max_size=3)),
    st.builds(lambda keys: PLAIN._replace(results=tuple(keys)), st.lists(KEYS, min_size=1, max_size=3)),
    st.builds(
        lambda c, r: PLAIN._replace(calls=tuple(c), results=tuple(r)), st.lists(KEYS, min_size=1, max_size=2), st.lists(KEYS, min_size=1, max_size=2)
    ),
)
SEQUENCES = st.lists(SHAPES, max_size=14)


@given(SEQUENCES)
def test_every_message_is_in_exactly_one_unit_and_units_stand_in_order(shapes):
    table, _ = group(shapes)
    assert sorted(position for unit in members(table) for position in unit) == list(range(len(shapes)))
    assert table.first.tolist() == [unit[0] for unit in members(table)] == sorted(table.first.tolist())
    assert table.last.tolist() == [unit[-1] for unit in members(table)]


def naive_units(shapes: list[Shape]) -> list[list[int]]:
    """The rule again, slowly: every call is a box, a result goes through them, shared messages join."""
    boxes: list[dict] = []
    links: list[tuple[int, int]] = []
    for position, item in enumerate(shapes):
        for wanted in item.results:
            if wanted.id:
                same = [box for box in boxes if box["key"].id == wanted.id]
                waiting = [box for box in same if not box["answered"]]
                box = waiting[-1] if waiting else same[-1] if same else None
            else:
                waiting = [box for box in boxes if not box["answered"] and wanted.name in ("", box["key"].name)]
                box = next((b for b in waiting if b["position"] == waiting[-1]["position"]), None)
            if box is not None:
                box["answered"] = True
                links.append((box["position"], position))
        boxes += [{"position": position, "key": asked, "answered": False} for asked in item.calls]
    label = list(range(len(shapes)))
    for one, other in links:
        low, high = sorted((label[one], label[other]))
        label = [low if x == high else x for x in label]
    return [[p for p, x in enumerate(label) if x == first] for first in sorted(set(label))]


@given(SEQUENCES)
def test_units_are_those_of_the_rule_written_plainly(shapes):
    assert members(group(shapes)[0]) == naive_units(shapes)


@given(SEQUENCES)
def test_a_flag_says_what_is_true(shapes):
    """An exchange has a call; open and pending only where a call waits; an orphan's unit holds a result."""
    table, _ = group(shapes)
    for unit, positions in enumerate(members(table)):
        assert bool(table.exchange[unit]) == any(shapes[p].calls for p in positions)
        words = {word for number, word in table.flags if number == unit}
        assert not ({"open", "pending"} <= words)
        if words & {"open", "pending"}:
            assert table.exchange[unit]
        if "orphan_result" in words:
            assert any(shapes[p].results for p in positions)
        if "pending" in words:
            assert positions[-1] == len(shapes) - 1
            assert unit == len(table.first) - 1


def message_of(item: Shape) -> Message:
    """A recorded message that has this shape."""
    role = "system" if item.pinned else "user" if item.user else "assistant" if item.calls else "tool" if item.results else "assistant"
    parts = (
        *((Text(text="Hello"),) if item.user else ()),
        *(ToolResult(call_id=k.id, name=k.name, text="x") for k in item.results),
        *(ToolCall(id=k.id, name=k.name, arguments="") for k in item.calls),
    )
    return Message(role=role, parts=parts, wire=(), raw=None, source=SourceRef())


@given(SEQUENCES, st.lists(st.integers(0, 14), min_size=1, max_size=8))
def test_each_call_sees_the_units_of_its_own_prefix(shapes, ends):
    """For every call, the epoch's units cut at its length are those of its context grouped alone; each call is in one epoch."""
    messages = [message_of(item) for item in shapes]
    lengths = [min(end, len(shapes)) for end in ends]
    calls = [Call(index=i, context=((0, n),) if n else (), known="recorded") for i, n in enumerate(lengths)]
    epochs = split_epochs(messages, calls)
    assert sorted(i for epoch in epochs for i in epoch.calls.tolist()) == list(range(len(calls)))
    for epoch in epochs:
        for index, length in zip(epoch.calls.tolist(), epoch.lengths.tolist(), strict=True):
            assert epoch.message[:length].tolist() == list(calls[index].messages())
            alone, _ = group([shape(messages[i]) for i in calls[index].messages()])
            assert epoch.units.unit_of[:length].tolist() == alone.unit_of.tolist()
            assert epoch.units.first[: len(alone.first)].tolist() == alone.first.tolist()
            for name in ("exchange", "pinned", "user"):
                assert getattr(epoch.units, name)[: len(alone.first)].tolist() == getattr(alone, name).tolist()


@given(SEQUENCES, st.data())
def test_a_context_that_leaves_messages_out_has_its_own_units(shapes, data):
    """After a compaction only what the context holds can pair."""
    messages = [message_of(item) for item in shapes]
    kept = sorted(data.draw(st.sets(st.integers(0, max(0, len(shapes) - 1)), max_size=len(shapes)))) if shapes else []
    call = Call(index=0, context=tuple((i, i + 1) for i in kept), known="recorded")
    (epoch,) = split_epochs(messages, [call])
    assert members(epoch.units) == naive_units([shape(messages[i]) for i in kept])


def test_one_late_result_costs_one_epoch_and_not_one_a_call():
    """A call at the start is answered at the very end: the calls between share an epoch in which it is open."""
    turns = [item for n in range(50) for item in (asks(f"c{n}"), answers(f"c{n}"))]
    messages = [message_of(item) for item in [asks("late"), *turns, answers("late"), PLAIN]]
    calls = [Call(index=i, context=((0, 1 + 2 * i),), known="recorded") for i in range(1, 51)]
    calls += [Call(index=50, context=((0, len(messages)),), known="recorded")]
    epochs = split_epochs(messages, [replace(call, index=i) for i, call in enumerate(calls)])
    assert [len(epoch.calls) for epoch in epochs] == [1, 50]
    assert (0, "open") in epochs[1].units.flags
    assert epochs[0].units.flags == ()
