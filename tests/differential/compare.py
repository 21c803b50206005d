"""Our rule and its original on the same lists, budget by budget and call by call."""

from __future__ import annotations

import json
import subprocess
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ctxcore.policies import make_policy
from ctxcore.policies.applied import edits_of, inserts_of
from ctxcore.policies.edits import Plan
from ctxcore.policies.protocol import Timeline
from ctxcore.policies.wire import edited_wire
from ctxcore.replay import timelines
from ctxcore.sizes.measure import thread_sizes
from tests.differential.lists import Chat, thread_of
from tests.differential.upstreams import Trial, Upstream

SHARES = (0.1, 0.35, 0.6, 0.9)
"""Budgets, as shares of the size of the greatest request."""

Outcome = list[list[Any]]
"""Per message that is sent: its index or None, and its chat form where it is not the recorded one."""


@dataclass(frozen=True, kw_only=True)
class Job:
    """One epoch of one list under one rule, with its settings and budget."""

    name: str
    """Of the list."""
    trial: Trial
    """The rule."""
    settings: Mapping[str, Any]
    """Of both sides."""
    budget: int
    """Characters."""
    line: Timeline
    """Of the list."""

    def asked(self) -> dict[str, Any]:
        """What the driver is sent."""
        history = self.line.history
        return {
            "function": self.trial.function,
            "settings": dict(self.settings),
            "budget": self.budget,
            "messages": [dict(message.wire[0]) for message in history.messages],
            "calls": list(zip(history.length.tolist(), history.fixed.tolist(), strict=True)),
        }

    def ours(self) -> list[Outcome]:
        """What our rule sends, call by call; nothing is refused here, as the originals refuse nothing."""
        policy = make_policy(self.trial.policy, **self.settings)
        plan: Plan = policy.plan(self.line.history, self.budget)  # type: ignore[attr-defined]
        return [_sent(self.line, plan, column) for column in range(len(self.line.before))]


def _sent(line: Timeline, plan: Plan, column: int) -> Outcome:
    changed: dict[int, list[Any]] = defaultdict(list)
    position = {int(message): index for index, message in enumerate(line.epoch.message.tolist())}
    for edit in edits_of(line, plan, column):
        changed[position[edit.message]].append(edit)
    inserts = [one for one in inserts_of(plan, column) if one.size]
    sent: Outcome = []
    for index in range(int(line.history.length[column]) + 1):
        while inserts and inserts[0].place <= index:
            one = inserts.pop(0)
            sent.append([None, {"role": one.role, "content": one.text}])
        if index < line.history.length[column] and not any(edit.action == "drop" for edit in changed.get(index, ())):
            message = line.history.messages[index]
            wire = dict(edited_wire(message, changed[index])[0]) if index in changed else message.wire[0]
            sent.append([index, None if wire == message.wire[0] else wire])
    return sent


@dataclass(kw_only=True)
class Verdict:
    """What comparing one rule gave."""

    trial: Trial
    """The rule."""
    calls: int = 0
    """Calls compared."""
    shortened: int = 0
    """Of them, calls that the original changed."""
    raised: int = 0
    """Calls at which the original raises, which are not compared."""
    faults: list[str] = field(default_factory=list)
    """Where they differ, in words."""


def jobs(upstream: Upstream, lists: Sequence[tuple[str, list[Chat]]]) -> Iterator[Job]:
    """Every list under every rule, setting and budget."""
    for name, messages in lists:
        thread = thread_of(messages)
        for line in timelines(thread, thread_sizes(thread, "chars")):
            for trial in upstream.trials:
                for settings in trial.settings:
                    for share in SHARES:
                        yield Job(name=name, trial=trial, settings=settings, budget=max(1, int(share * line.before.max(initial=1))), line=line)


def answers(python: Path, upstream: Upstream, asked: Sequence[Job]) -> list[list[Outcome | None]]:
    """What the real functions send.

    Raises:
        RuntimeError: The driver failed.
    """
    found: list[list[Outcome | None]] = ask(python, upstream.driver, [job.asked() for job in asked])
    return found


def ask(python: Path, driver: str, jobs: Sequence[Mapping[str, Any]]) -> list[Any]:
    """One answer per job.

    Raises:
        RuntimeError: The driver failed.
    """
    script = Path(__file__).parent / "drivers" / f"{driver}_driver.py"
    done = subprocess.run([python, "-W", "ignore", script], input=json.dumps(jobs), capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"The driver {driver} failed:\n{done.stderr[-3000:]}")
    found: list[Any] = json.loads(done.stdout)
    return found


def verdicts(python: Path, upstream: Upstream, lists: Sequence[tuple[str, list[Chat]]]) -> list[Verdict]:
    """Compare every rule of a package."""
    asked = list(jobs(upstream, lists))
    found = {id(trial): Verdict(trial=trial) for trial in upstream.trials}
    for job, theirs in zip(asked, answers(python, upstream, asked), strict=True):
        _compare(found[id(job.trial)], job, theirs)
    return list(found.values())


def _compare(verdict: Verdict, job: Job, theirs: Sequence[Outcome | None]) -> None:
    for column, (ours, real) in enumerate(zip(job.ours(), theirs, strict=True)):
        if real is None:
            verdict.raised += 1
            continue
        verdict.calls += 1
        whole = [[index, None] for index in range(int(job.line.history.length[column]))]
        verdict.shortened += real != whole
        if ours != real:
            place = f"{job.name}, call {column}, budget {job.budget}, {dict(job.settings)}"
            verdict.faults.append(f"{place}\n{_difference(ours, real)}")


def _difference(ours: Outcome, real: Outcome) -> str:
    """Indexes of both if they differ, and the first message that does."""
    if [index for index, _ in ours] != [index for index, _ in real]:
        return f"      ours {_indexes(ours)}\n      real {_indexes(real)}"
    first = next(pair for pair in zip(ours, real, strict=True) if pair[0] != pair[1])
    return "\n".join(f"      {name} {json.dumps(one, ensure_ascii=False)[:600]}" for name, one in zip(("ours", "real"), first, strict=True))


def _indexes(sent: Outcome) -> str:
    return " ".join("+" if index is None else str(index) for index, _ in sent)
