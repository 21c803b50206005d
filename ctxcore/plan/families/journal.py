"""What programs that run agents write down about their plans: events of our own planner, plans in the state of a graph.

Source: the planner's rules (``ctxcore.runtime.planning``): run_started, plan, step_started, step_ended, revision, run_ended; format notes, 2.9:
LangGraph's ``todos``, ``plan`` and ``past_steps``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import ClassVar

from ctxcore.model import JournalEntry, Json
from ctxcore.plan.families.protocol import read_item, read_items
from ctxcore.plan.values import Item, Write

PLAN_EVENT, STATE_EVENT, PROGRESS_EVENT = "plan", "plan_state", "task_progress"
"""A plan of our planner, a plan in the state of a graph, a check list that a screen log repeats."""


class Journal:
    """See the module."""

    name: ClassVar[str] = "planner"
    tools: ClassVar[str] = "events of ctxscope's planner, and todos, plan and past_steps in the state of a LangGraph graph"

    def read_entry(self, entry: JournalEntry) -> Write | None:
        """What an entry says about the plan, or None."""
        read = EVENTS.get(entry.event)
        return None if read is None else read(entry.facts)


def state_write(entry: JournalEntry) -> tuple[str, Write] | None:
    """Family and write of a plan in the state of a graph: todos are those of the tool that writes them, a plan is a list of what is left to do."""
    facts = entry.facts
    if isinstance(facts.get("todos"), list):
        items = read_items(facts["todos"])
        return None if items is None else ("todo-list", Write(items=items))
    left = facts.get("plan")
    if isinstance(left, Mapping):
        left = left.get("steps")
    past = facts.get("past_steps")
    done = [step[0] if isinstance(step, list) and step else step for step in past] if isinstance(past, list) else []
    titles = [(title, "completed") for title in done] + [(title, "pending") for title in (left if isinstance(left, list) else [])]
    items = tuple(Item(title=title, word=word) for title, word in titles if isinstance(title, str) and title.strip())
    goal = facts.get("input", facts.get("objective"))
    return ("graph-state", Write(items=items, goal=goal if isinstance(goal, str) else "")) if items else None


def _pending(steps: Json) -> Iterator[Item]:
    for step in steps if isinstance(steps, list) else ():
        item = read_item(step)
        if item is not None:
            yield Item(title=item.title, id=item.id, word="pending")


def _revision(facts: Mapping[str, Json]) -> Write:
    """Steps that are replaced are skipped, unless they stand among the new ones."""
    added = list(_pending(facts.get("added")))
    known = {item.id for item in added}
    replaced = [Item(id=item.id, title=item.title, word="skipped") for item in _pending(facts.get("replaced")) if item.id not in known]
    return Write(items=(*replaced, *added), mode="merge", note=_text(facts.get("why")))


def _end(facts: Mapping[str, Json]) -> Write:
    """The last word on every step, and the goal as the state has it."""
    state = facts.get("state")
    return Write(
        items=tuple(_last(facts.get("steps"))),
        mode="merge",
        note=_text(facts.get("reason")),
        goal=_text(state.get("goal")) if isinstance(state, Mapping) else "",
    )


def _last(steps: Json) -> Iterable[Item]:
    found = (read_item(step) for step in (steps if isinstance(steps, list) else ()))
    return (Item(id=item.id, word=item.word) for item in found if item is not None and item.id)


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""


def _start(facts: Mapping[str, Json]) -> Write:
    return Write(items=(), mode="merge", goal=_text(facts.get("goal")))


def _plan(facts: Mapping[str, Json]) -> Write:
    return Write(items=tuple(_pending(facts.get("steps"))))


def _step_start(facts: Mapping[str, Json]) -> Write:
    item = Item(id=_text(facts.get("step")), title=_text(facts.get("title")) or None, word="in_progress")
    return Write(items=(item,), mode="update")


def _step_end(facts: Mapping[str, Json]) -> Write:
    item = Item(id=_text(facts.get("step")), word=_text(facts.get("status")))
    return Write(items=(item,), mode="update", note=_text(facts.get("reason")) or _text(facts.get("evidence")))


EVENTS: Mapping[str, Callable[[Mapping[str, Json]], Write]] = {
    "run_started": _start,
    PLAN_EVENT: _plan,
    "step_started": _step_start,
    "step_ended": _step_end,
    "revision": _revision,
    "run_ended": _end,
}
"""Events that change the plan; others (tool, report, checkpoint, finding) tell of the run."""
