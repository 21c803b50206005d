"""What a plan's history is made of. Every status is a claim of the model, shown as recorded."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ctxcore.model import SourceRef

Status = Literal["absent", "pending", "in_progress", "completed", "cancelled", "unknown", "failed", "blocked"]
"""Of a step after a call; ``unknown`` is a recorded word that no rule knows, ``failed`` an attempt that did not complete."""

STATUSES: tuple[Status, ...] = ("absent", "pending", "in_progress", "completed", "cancelled", "unknown", "failed", "blocked")
"""In the order of their codes in ``PlanHistory.status``."""

ABSENT, PENDING, IN_PROGRESS, COMPLETED, CANCELLED, UNKNOWN, FAILED, BLOCKED = range(8)
"""Codes of ``STATUSES``."""

WORDS: dict[str, Status] = {
    **dict.fromkeys(("pending", "todo", "notstarted", "open", "planned", "queued", "waiting", "待办", "未开始", "待处理"), "pending"),
    **dict.fromkeys(("inprogress", "doing", "active", "started", "running", "working", "current", "进行中"), "in_progress"),
    **dict.fromkeys(("completed", "complete", "done", "finished", "已完成", "完成"), "completed"),
    **dict.fromkeys(("cancelled", "canceled", "skipped", "abandoned", "wontdo", "已取消", "取消"), "cancelled"),
    **dict.fromkeys(("failed", "failure", "timedout", "limitreached", "失败"), "failed"),
    **dict.fromkeys(("blocked", "受阻"), "blocked"),
    **dict.fromkeys(("deleted", "removed", "已删除"), "absent"),
}
"""Recorded words (lower case, letters and digits only) and what they mean."""


@lru_cache(maxsize=256)
def read_status(word: str) -> Status:
    """What a recorded status word means; empty is pending."""
    plain = "".join(c for c in word.lower() if c.isalnum())
    return WORDS.get(plain, "unknown") if plain else "pending"


FindingKind = Literal[
    "reopened",
    "vanished",
    "two_in_progress",
    "goal_changed",
    "unknown_status",
    "duplicate_id",
    "renumbered",
    "failed_write",
    "unknown_id",
    "malformed_write",
    "no_action",
    "contradicted",
    "resurrected",
    "state_drift",
    "said_done",
]
"""What a reader should look at. The last five come from a review of the plan (``ctxcore.plan.review``)."""

ChangeKind = Literal["added", "status", "reworded", "renumbered", "removed", "returned"]
"""What a write did to a step."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One entry of a recorded plan write."""

    title: str | None = None
    """As recorded; None where the write names the step by id alone."""
    id: str = ""
    """As recorded; empty where the tool has none."""
    word: str | None = None
    """The status as recorded; None leaves it as it was."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Write:
    """What one tool call says about a plan."""

    items: tuple[Item, ...]
    """In recorded order."""
    mode: Literal["whole", "merge", "create", "update"] = "whole"
    """The items are the whole plan, are merged into it (known ones by id or title), are new steps, or change known ones."""
    note: str = ""
    """The model's own explanation."""
    goal: str = ""
    """What the plan is for, where the write says it."""
    fault: str = ""
    """Why the write cannot be read, a sentence; empty where it can."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What a revision did to one step."""

    step: int
    """Row in ``PlanHistory.steps``."""
    before: Status
    """Absent for a new step."""
    after: Status
    """Absent for a removed one."""
    word: str = ""
    """The status as recorded."""
    kind: ChangeKind = "status"
    """What changed first of all."""
    detail: str = ""
    """The earlier title or id, where that changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """One tool call, message or recorded event that wrote the plan."""

    index: int
    """From 0."""
    call: int
    """Model call after which it counts."""
    message: int | None
    """Thread message that holds it; None where no message does (an event of the program that ran the agent)."""
    uses: int = 0
    """Tool uses of the thread (``tool_uses``) that come before it."""
    turn: int
    """Ordinal of the turn."""
    tool: str
    """As recorded; ``message`` for a plan in a message, else the name of the event."""
    source: SourceRef
    """Where."""
    at: float | None = None
    """Unix seconds, where the record itself has a time."""
    applied: bool = True
    """False where the tool refused it: the plan is as before."""
    note: str = ""
    """The model's explanation, or why it was not applied."""
    changes: tuple[Change, ...] = ()
    """Empty where it only repeats the plan."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something in the plan's history that a reader should look at."""

    kind: FindingKind
    """Stable word."""
    revision: int
    """Where it shows."""
    call: int
    """The revision's call."""
    steps: tuple[int, ...]
    """Rows concerned."""
    note: str
    """One sentence; session text in it is as recorded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanStep:
    """One step with its identity over the whole thread."""

    title: str
    """The newest one."""
    id: str
    """The newest recorded id, or empty."""
    family: str
    """Name of the plan tool family that wrote it."""
    first: int
    """Revision that began it."""
    last: int
    """Revision that last changed it."""
    status: Status
    """At the end of the thread; absent where it was removed."""
    word: str
    """The newest recorded status word."""
    titles: tuple[str, ...]
    """Every title, oldest first."""
    before_removal: Status = "absent"
    """For a removed step: its last status; absent for others."""

    @property
    def label(self) -> str:
        """How a sentence names it; as recorded."""
        return f"“{self.title}”" if self.title else f"step {self.id}"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanHistory:
    """All plans of a thread, call by call."""

    steps: tuple[PlanStep, ...]
    """In order of first appearance."""
    revisions: tuple[Revision, ...]
    """In recorded order, refused ones included."""
    findings: tuple[Finding, ...]
    """In order of revision."""
    status: NDArray[np.int8]
    """Codes of ``STATUSES``, shape (steps, calls): the status after each call's reply. Read-only."""
    goals: tuple[str, ...] = ()
    """What the plans are for, as last said; empty where no record says it."""

    def count(self, kind: FindingKind) -> int:
        """How many findings of a kind."""
        return sum(f.kind == kind for f in self.findings)

    def progress(self) -> dict[Status, int]:
        """Steps of the final plan by status; removed steps are not in it."""
        counts: dict[Status, int] = {status: 0 for status in STATUSES if status != "absent"}
        for step in self.steps:
            if step.status != "absent":
                counts[step.status] += 1
        return counts
