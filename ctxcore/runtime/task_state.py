"""What a run knows about its task, as a plain value: kept by the program from tool outcomes, never by the model.

Source: the planner's rules, 8.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal

from ctxcore.runtime.loop import ToolRun
from ctxcore.runtime.planning.gates import is_failure

TEXT_CHARS = 200
"""Of an entry; the raw data behind it is kept whole elsewhere."""

ListField = Literal["done", "key_findings", "decisions_made", "blockers", "failures"]
"""Fields that grow."""

LIST_FIELDS: tuple[ListField, ...] = ("done", "key_findings", "decisions_made", "blockers", "failures")
"""In the order they are told."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that the state holds."""

    text: str
    """At most ``TEXT_CHARS`` characters; what was cut is counted in it."""
    evidence: str
    """Reference to raw data that is kept whole: a tool outcome (``step/attempt/number``), an attempt, or a checkpoint."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolOutcome:
    """What became of one tool call of a run: a success, a failure, or one that was stopped."""

    evidence: str
    """Its reference, unique in the run."""
    step: str
    """Id of the step that it belongs to."""
    run: ToolRun
    """The call and its whole result."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskState:
    """The state; every change makes a new value."""

    goal: str
    """As the user gave it; nothing changes it."""
    focus: str = ""
    """Title of the step that runs, or of the last one."""
    done: tuple[Entry, ...] = ()
    """Steps that passed their gates."""
    key_findings: tuple[Entry, ...] = ()
    """What tools returned."""
    decisions_made: tuple[Entry, ...] = ()
    """Plans and their revisions."""
    blockers: tuple[Entry, ...] = ()
    """Steps that cannot be done any more."""
    failures: tuple[Entry, ...] = ()
    """What was tried and did not work."""

    def adding(self, field: ListField, text: str, evidence: str) -> TaskState:
        """The state with one more entry.

        Args:
            field: Where.
            text: What; cut where it is long.
            evidence: Reference to the raw data.
        """
        more: dict[str, Any] = {field: (*getattr(self, field), Entry(short(text), evidence))}
        return replace(self, **more)

    def focused(self, title: str) -> TaskState:
        """The state while this step runs."""
        return replace(self, focus=title)

    def references(self) -> set[str]:
        """Every reference to raw data in it."""
        return {entry.evidence for name in LIST_FIELDS for entry in getattr(self, name)}

    def as_json(self) -> dict[str, Any]:
        """Plain values, for records and requests."""
        lists: dict[str, Any] = {name: [{"text": e.text, "evidence": e.evidence} for e in getattr(self, name)] for name in LIST_FIELDS}
        return {"goal": self.goal, "focus": self.focus, **lists}


Hook = Callable[[TaskState, ToolOutcome], TaskState]
"""Takes a tool outcome into the state. An outcome that leaves no entry is the finding ``state_drift``."""


def record_outcome(state: TaskState, outcome: ToolOutcome) -> TaskState:
    """The hook that is used where no other is given: a success is a finding, all else a failure."""
    run = outcome.run
    call = f"{run.name}({short(run.arguments, TEXT_CHARS // 2)})"
    field: ListField = "failures" if is_failure(run) else "key_findings"
    return state.adding(field, f"{call}: {run.content}", outcome.evidence)


def drifted(state: TaskState, outcomes: Iterable[ToolOutcome]) -> list[str]:
    """References of tool outcomes that have no entry."""
    known = state.references()
    return [outcome.evidence for outcome in outcomes if outcome.evidence not in known]


def short(text: str, most: int = TEXT_CHARS) -> str:
    """The text, or its beginning and how many characters more there are."""
    return text if len(text) <= most else f"{text[:most]} [{len(text) - most:,} more characters]"


def rendered(state: TaskState) -> str:
    """The state inside a tag of its own; text in it cannot close the tag or open another."""
    body = json.dumps(state.as_json(), ensure_ascii=False).replace("<", "\\u003c").replace(">", "\\u003e")
    return f"<task_state>{body}</task_state>"
