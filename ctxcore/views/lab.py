"""A run as it goes on, or as it was recorded: its requests with what a budget did to each, what happened between them, what its memory gave.

Facts of a recording are anybody's: whatever is not as our own recorder writes it counts as nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from ctxcore.counted import count
from ctxcore.model import Thread
from ctxcore.runtime.live import LiveEvent, LiveView
from ctxcore.views.tables import Fact, PartsTable, Row
from ctxcore.views.visible import one_line, shortened
from ctxcore.views.words import number

TITLES: Mapping[str, str] = {"published": "Published demo", "night-line": "Night bus plan"}
"""Runs that can be started, by name."""

ABOUT: Mapping[str, str] = {
    "published": "Four synthetic documents are read one after another. At 3,700 characters the first exchange has to go before the third request.",
    "night-line": "A planner finds out why a bus is late and posts a notice. A step counts as done only behind its gates, whatever the model says.",
}
"""What each shows."""

SWITCHES: Mapping[str, str] = {"failure": "A tool fails", "timeout": "A tool hangs", "checkpoint": "A doubt leads to a new plan"}
"""What can be injected."""

TEXT_CHARS, ARGUMENT_CHARS = 160, 100
"""Of a text in a table, and of the arguments of a tool in it."""


@dataclass(slots=True)
class _Request:
    """One request while events are read."""

    where: str
    report: Mapping[str, Any]
    memory: Mapping[str, Any] = field(default_factory=dict)


def recorded_events(thread: Thread) -> tuple[LiveEvent, ...]:
    """What a recorded run wrote down beside its requests; empty for other recordings."""
    return tuple(LiveEvent(entry.event, entry.facts) for entry in thread.journal)


def _whole(facts: Mapping[str, Any], key: str) -> int:
    value = facts.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**53 else 0


def _word(facts: Mapping[str, Any], key: str) -> str:
    value = facts.get(key)
    return value if isinstance(value, str) else ""


def _names(facts: Mapping[str, Any], key: str) -> tuple[str, ...]:
    value = facts.get(key)
    return tuple(one for one in value if isinstance(one, str)) if isinstance(value, (list, tuple)) else ()


def _requests(events: Sequence[LiveEvent]) -> list[_Request]:
    """One entry per report, with where in the run its request belongs."""
    found: list[_Request] = []
    where = "plan" if any(event.event == "run_started" for event in events) else ""
    memory: Mapping[str, Any] = {}
    for event in events:
        if event.event == "step_started":
            where = f"step {_word(event.facts, 'step')}"
        elif event.event == "step_ended":
            where = "checkpoint"
        elif event.event == "memory":
            memory = event.facts
        elif event.event == "report":
            found.append(_Request(where, event.facts, memory))
            memory = {}
    return found


def requests_table(events: Sequence[LiveEvent]) -> PartsTable:
    """Every request with its size before and after the budget, and what its memory gave; in order."""
    found = _requests(events)
    remembers = any(request.memory for request in found)
    columns: tuple[str, ...] = ("Request", "before", "after", "limit", "dropped", "exchanges")
    rows = tuple(_row(place, request, remembers) for place, request in enumerate(found))
    note = "In characters; the striped part of a bar was not sent. Dropped: messages, and how many exchanges went with them."
    if remembers:
        columns = (*columns, "stored", "retrieved", "seen")
        note = f"{note} Memory: items stored, retrieved for the request, seen by the model."
    return PartsTable(title="Requests", columns=columns, rows=rows, note=note)


def _row(place: int, request: _Request, remembers: bool) -> Row:
    before, after, limit = (_whole(request.report, key) for key in ("before", "after", "limit"))
    cells = [number(before), number(after), number(limit)]
    cells += [number(_whole(request.report, key)) for key in ("dropped_messages", "dropped_exchanges")]
    if remembers:
        stored = request.memory.get("stored")
        total = sum(_whole(stored, layer) for layer in ("core", "extended", "episodic")) if isinstance(stored, Mapping) else 0
        asked = len(_names(request.memory, "core")) + len(_names(request.memory, "retrieved"))
        cells += [number(total), number(asked), number(len(_names(request.memory, "seen")))]
    name = f"#{place} {request.where}".strip()
    return Row(name=shortened(name, 60), before=before, after=after, colour="user", cells=tuple(cells), full=shortened(name, 300))


def _about_tool(facts: Mapping[str, Any]) -> tuple[str, str]:
    ended = "gave a result" if facts.get("ok") is True else "failed" if facts.get("finished") is not False else "was not finished"
    arguments = shortened(one_line(_word(facts, "arguments")), ARGUMENT_CHARS)
    return "Tool", f"{_word(facts, 'name')} {ended}{f': {arguments}' if arguments and arguments != '{}' else ''}"


def _about_step_end(facts: Mapping[str, Any]) -> tuple[str, str]:
    told = _word(facts, "evidence") or _word(facts, "reason")
    again = " It is tried again." if facts.get("again") is True else ""
    return "Step ended", f"{_word(facts, 'step')}: {_word(facts, 'status')}. {told}{again}"


def _about_plan(facts: Mapping[str, Any]) -> tuple[str, str]:
    steps = facts.get("steps")
    titles = [_word(step, "title") for step in steps if isinstance(step, Mapping)] if isinstance(steps, (list, tuple)) else []
    return "Plan", "; ".join(titles)


TOLD: Mapping[str, Callable[[Mapping[str, Any]], tuple[str, str]]] = {
    "plan": _about_plan,
    "step_started": lambda facts: ("Step started", f"{_word(facts, 'step')}: {_word(facts, 'title')}, attempt {_whole(facts, 'attempt')}"),
    "tool": _about_tool,
    "step_ended": _about_step_end,
    "checkpoint": lambda facts: ("Checkpoint", f"{', '.join(_names(facts, 'triggers'))}: {_word(facts, 'why')}"),
    "revision": lambda facts: ("Plan revised", _word(facts, "why")),
    "finding": lambda facts: ("Finding", _word(facts, "note")),
    "run_ended": lambda facts: ("Run ended", f"{_word(facts, 'status')}. {_word(facts, 'reason')}"),
}
"""Heading and words of an event; others are shown elsewhere."""


def happened_frame(events: Sequence[LiveEvent]) -> pd.DataFrame:
    """What happened between the requests, in order: ``after`` (number of the request before it, or None), ``what``, ``words``."""
    rows: list[tuple[int | None, str, str]] = []
    done = 0
    for event in events:
        done += event.event == "report"
        if event.event in TOLD:
            what, words = TOLD[event.event](event.facts)
            rows.append((done - 1 if done else None, what, shortened(words.strip(), TEXT_CHARS)))
    return pd.DataFrame(rows, columns=["after", "what", "words"])


def memory_frame(events: Sequence[LiveEvent], request: int) -> pd.DataFrame:
    """Every stored item: ``item``, ``layer``, ``text``, ``here`` (what became of it in one request), ``retrieved`` and ``seen`` (in how many).

    Args:
        events: Of the run.
        request: Number of the request for ``here``.
    """
    sights = [one.memory for one in _requests(events)]
    here: Mapping[str, Any] = sights[request] if 0 <= request < len(sights) else {}
    asked, seen = _counted(sights, "core", "retrieved"), _counted(sights, "seen")
    rows = [(item, layer, text, _fate(item, here), asked[item], seen[item]) for item, (layer, text) in _items(events, before=request).items()]
    return pd.DataFrame(rows, columns=["item", "layer", "text", "here", "retrieved", "seen"])


def _items(events: Sequence[LiveEvent], *, before: int) -> dict[str, tuple[str, str]]:
    """Items that were stored when a request was made, in the order they came in."""
    found: dict[str, tuple[str, str]] = {}
    requests = 0
    for event in events:
        if event.event == "memory_item" and requests <= before:
            found[_word(event.facts, "id")] = (_word(event.facts, "layer"), shortened(_word(event.facts, "text"), TEXT_CHARS))
        requests += event.event == "report"
    return found


def _counted(sights: Sequence[Mapping[str, Any]], *keys: str) -> defaultdict[str, int]:
    counts: defaultdict[str, int] = defaultdict(int)
    for sight in sights:
        for name in {name for key in keys for name in _names(sight, key)}:
            counts[name] += 1
    return counts


def _fate(item: str, sight: Mapping[str, Any]) -> str:
    if item in _names(sight, "seen"):
        return "seen"
    return "retrieved, not sent" if item in (*_names(sight, "core"), *_names(sight, "retrieved")) else "stored only"


def has_memory(events: Sequence[LiveEvent]) -> bool:
    """True if the run had a memory."""
    return any(event.event == "memory" for event in events)


def requests_made(events: Sequence[LiveEvent]) -> int:
    """How many requests went out so far."""
    return sum(event.event == "report" for event in events)


def live_facts(view: LiveView) -> tuple[Fact, ...]:
    """The run in a few numbers."""
    reports = [event.facts for event in view.events if event.event == "report"]
    trimmed = sum(_whole(report, "dropped_messages") > 0 or _whole(report, "edited") > 0 for report in reports)
    tools = [event.facts for event in view.events if event.event == "tool"]
    failed = sum(facts.get("ok") is not True for facts in tools)
    largest = max((_whole(report, "after") for report in reports), default=0)
    return (
        Fact(name="Requests", value=f"{number(len(reports))}, trimmed {number(trimmed)}"),
        Fact(name="Largest sent", value=f"{number(largest)} chars", basis="exact"),
        Fact(name="Tool calls", value=f"{number(len(tools))}, failed {number(failed)}" if failed else number(len(tools))),
    )


def status_word(view: LiveView) -> str:
    """How the run stands, in a word or two."""
    if not view.done:
        return "running"
    return view.played.status.replace("_", " ") if view.played is not None else "not played"


def status_sentence(view: LiveView) -> str:
    """How the run stands, in a sentence."""
    made = requests_made(view.events)
    if not view.done:
        return f"Running, {count(made, 'request')} so far." if made else "Running, nothing was sent yet."
    if view.played is None:
        return view.error
    return f"{status_word(view).capitalize()} after {count(made, 'request')}. {view.played.reason}".strip()
