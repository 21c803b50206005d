"""The plan as it stands while a thread is read, write by write."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ctxcore.plan.matching import match, plain_title
from ctxcore.plan.rewording import Known, Rewording
from ctxcore.plan.values import Change, ChangeKind, Finding, FindingKind, Item, PlanStep, Status, Write, read_status

LONGEST_LIST = 20
"""Steps that one sentence names."""

GOAL_CHARS = 200
"""Characters of a goal that a sentence repeats."""


@dataclass(slots=True)
class Row:
    """One step while the thread is read."""

    family: str
    first: int
    title: str = ""
    plain: str = ""
    id: str = ""
    status: Status = "absent"
    word: str = ""
    last: int = 0
    titles: list[str] = field(default_factory=list)
    before_removal: Status = "absent"

    def step(self) -> PlanStep:
        """The finished step."""
        return PlanStep(
            title=self.title,
            id=self.id,
            family=self.family,
            first=self.first,
            last=self.last,
            status=self.status,
            word=self.word,
            titles=tuple(self.titles),
            before_removal=self.before_removal if self.status == "absent" else "absent",
        )


@dataclass(slots=True)
class Track:
    """All steps of a thread and the plan of each family as it stands."""

    rows: list[Row] = field(default_factory=list)
    plans: dict[str, dict[int, None]] = field(default_factory=dict)
    """Per family: rows of its plan, in order."""
    findings: list[Finding] = field(default_factory=list)
    busy: dict[str, dict[int, None]] = field(default_factory=dict)
    """Per family: the steps in progress."""
    told_busy: dict[str, frozenset[int]] = field(default_factory=dict)
    """Per family: the steps in progress when last looked at."""
    goals: dict[str, str] = field(default_factory=dict)
    """Per family: what the plan is for, as last said."""
    by_id: dict[tuple[str, str], int] = field(default_factory=dict)
    """Newest step of a family with an id."""
    by_title: dict[tuple[str, str], int] = field(default_factory=dict)
    """Newest step of a family with a title, in plain form."""
    rewording: Rewording = field(default_factory=Rewording)

    def apply(self, family: str, write: Write, revision: int, call: int) -> tuple[Change, ...]:
        """Change the plan; what changed, and findings."""
        note = _Noter(self, revision, call)
        self._note_goal(family, write.goal, note)
        items, doubled = _last_of_each_id(write.items)
        plan = self.plans.setdefault(family, {})
        rows = self._place(family, items, write, revision, note)
        _note_doubled(doubled, rows, items, note)
        changes = [self._change(row, item, revision, note, whole=write.mode == "whole") for row, item in zip(rows, items, strict=True)]
        if write.mode == "whole":
            kept = set(rows)
            changes += [self._remove(row, revision, note) for row in plan if row not in kept]
            _note_renumbering(changes, note)
            plan = self.plans[family] = {}
        plan.update(dict.fromkeys(rows))
        self._settle(family, changes, note)
        return tuple(change for change in changes if change is not None)

    def _settle(self, family: str, changes: Sequence[Change | None], note: _Noter) -> None:
        """Bring what is kept about the family's plan up to the changes."""
        busy = self.busy.setdefault(family, {})
        for change in changes:
            if change is not None and change.after == "absent":
                self.plans[family].pop(change.step, None)
            if change is not None and change.after == "in_progress":
                busy.setdefault(change.step)
            elif change is not None:
                busy.pop(change.step, None)
        self._note_busy(family, note)

    def _place(self, family: str, items: Sequence[Item], write: Write, revision: int, note: _Noter) -> list[int]:
        """The row of each item, new ones made."""
        plan = list(self.plans[family])
        if write.mode == "whole":
            found = match([Known(r.title, r.id, r.status) for r in (self.rows[row] for row in plan)], items, self.rewording)
            rows = [None if place is None else plan[place] for place in found]
            taken = set(rows)
            rows = [row if row is not None else self._returning(family, item, taken) for row, item in zip(rows, items, strict=True)]
        elif write.mode == "create":
            rows = [None] * len(items)
        else:
            rows = [self._known(family, item) for item in items]
            if write.mode == "merge" and not any(item.id for item in items) and 2 * sum(row is not None for row in rows) < len(rows):
                rows = [None] * len(rows)  # another list that shares a title or two
        return [self._new(family, item, write, revision, note) if row is None else row for row, item in zip(rows, items, strict=True)]

    def _known(self, family: str, item: Item) -> int | None:
        """The newest step with the item's id; without an id, the newest one with its title while it is in the plan."""
        if item.id:
            return self.by_id.get((family, item.id))
        row = self.by_title.get((family, plain_title(item.title or "")))
        return row if row is not None and self.rows[row].status != "absent" else None

    def _returning(self, family: str, item: Item, taken: set[int | None]) -> int | None:
        """A removed step with the same title, if the item may be it: it was not finished, or the plan around it goes on."""
        number = self.by_title.get((family, plain_title(item.title or "")))
        if number is None or number in taken or self.rows[number].status != "absent":
            return None
        taken.add(number)
        return number if self.rows[number].before_removal != "completed" or len(taken - {None, number}) > 0 else None

    def _new(self, family: str, item: Item, write: Write, revision: int, note: _Noter) -> int:
        self.rows.append(Row(family=family, first=revision, last=revision))
        if write.mode == "update":
            note("unknown_id", (len(self.rows) - 1,), f"The step {item.id!r} is changed here but was never created in this recording.")
        return len(self.rows) - 1

    def _change(self, number: int, item: Item, revision: int, note: _Noter, *, whole: bool) -> Change | None:
        """Bring one step to what the item says."""
        row = self.rows[number]
        before = row.status
        after: Status = read_status(item.word) if item.word is not None else ("pending" if before == "absent" else before)
        word = item.word if item.word is not None else row.word
        kind, detail = _rename(row, item, whole=whole)
        self.by_id[row.family, row.id] = self.by_title[row.family, row.plain] = number
        _note_status(number, row, after, word, note)
        if after == "absent":
            return self._remove(number, revision, note) if before != "absent" else None
        if before == "absent":
            kind = "added" if row.before_removal == "absent" else "returned"
        row.status, row.word = after, word
        if kind == "status" and before == after:
            return None
        row.last = revision
        return Change(step=number, before=before, after=after, word=word, kind=kind, detail=detail)

    def _remove(self, number: int, revision: int, note: _Noter) -> Change:
        row = self.rows[number]
        before = row.status
        row.before_removal, row.status, row.last = before, "absent", revision
        if before not in ("completed", "cancelled"):
            note("vanished", (number,), f"{_name(row)} was removed while {row.word.replace('_', ' ') or 'pending'}: removed without completion.")
        return Change(step=number, before=before, after="absent", word=row.word, kind="removed")

    def _note_busy(self, family: str, note: _Noter) -> None:
        busy = tuple(self.busy[family])
        if len(busy) > 1 and frozenset(busy) != self.told_busy.get(family):
            names = " and ".join(_name(self.rows[row]) for row in busy[:LONGEST_LIST])
            more = f" and {len(busy) - LONGEST_LIST} more" if len(busy) > LONGEST_LIST else ""
            note("two_in_progress", busy, f"{len(busy)} steps in progress at once: {names}{more}.")
        self.told_busy[family] = frozenset(busy)

    def _note_goal(self, family: str, goal: str, note: _Noter) -> None:
        before = self.goals.get(family, "")
        if goal and before and plain_title(goal) != plain_title(before):
            note("goal_changed", (), f"The goal was “{before[:GOAL_CHARS]}” and is “{goal[:GOAL_CHARS]}”.")
        self.goals[family] = goal or before


@dataclass(frozen=True, slots=True)
class _Noter:
    """Adds findings of one revision."""

    track: Track
    revision: int
    call: int

    def __call__(self, kind: FindingKind, steps: tuple[int, ...], sentence: str) -> None:
        self.track.findings.append(Finding(kind=kind, revision=self.revision, call=self.call, steps=steps, note=sentence))


def _rename(row: Row, item: Item, *, whole: bool) -> tuple[ChangeKind, str]:
    """Take over title and id; what kind of change that is, with the earlier title or id."""
    kind: ChangeKind = "status"
    detail = ""
    if item.id and item.id != row.id:
        if row.id and whole:
            kind, detail = "renumbered", row.id
        row.id = item.id
    if item.title is not None and item.title != row.title:
        if row.title:
            kind, detail = "reworded", row.title
        row.title, row.plain = item.title, plain_title(item.title)
        row.titles.append(item.title)
    return kind, detail


def _note_status(number: int, row: Row, after: Status, word: str, note: _Noter) -> None:
    """Findings that a step's next status gives; the row still holds the one before."""
    earlier = row.before_removal if row.status == "absent" else row.status
    if after == "unknown" and (row.status != "unknown" or word != row.word):
        note("unknown_status", (number,), f"The status {word!r} of {_name(row)} is not one that is known; it is shown as recorded.")
    if earlier == "completed" and after in ("pending", "in_progress"):
        note("reopened", (number,), f"{_name(row)} was completed and is {after.replace('_', ' ')} again.")


def _note_renumbering(changes: Sequence[Change | None], note: _Noter) -> None:
    moved = tuple(change.step for change in changes if change is not None and change.kind == "renumbered" and change.detail.isdigit())
    if moved:
        note("renumbered", moved, "Step numbers changed; the steps were matched by their titles.")


def _name(row: Row) -> str:
    return f"“{row.title}”" if row.title else f"step {row.id}"


def _note_doubled(doubled: Iterable[str], rows: Sequence[int], items: Sequence[Item], note: _Noter) -> None:
    same: dict[str, list[int]] = {id_: [] for id_ in doubled}
    for row, item in zip(rows, items, strict=True):
        if item.id in same:
            same[item.id].append(row)
    for id_, found in same.items():
        note("duplicate_id", tuple(found), f"The id {id_!r} stands twice in one write; for the same title the last entry counts.")


def _last_of_each_id(items: Sequence[Item]) -> tuple[list[Item], list[str]]:
    """One item per id and title, the last one; entries that share an id but not a title stay apart. And the ids that stand twice."""
    kept: dict[tuple[str, str | None] | int, Item] = {}
    known: set[str] = set()
    doubled: list[str] = []
    for place, item in enumerate(items):
        if item.id in known:
            doubled.append(item.id)
        known.update([item.id] if item.id else [])
        kept[(item.id, item.title) if item.id else place] = item
    return list(kept.values()), doubled
