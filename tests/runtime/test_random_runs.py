"""A thousand random planned runs: whatever model, tools, checks, clock and canceller do, the record keeps the rules."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from ctxcore.runtime.loop import RunResult
from ctxcore.runtime.models import Answer
from ctxcore.runtime.planning.gates import is_failure, unresolved
from ctxcore.runtime.planning.planner import Planner
from ctxcore.runtime.planning.signals import Triggers
from ctxcore.runtime.planning.values import Limits, PlanResult, PlanStep, StepRecord
from ctxcore.sizes.characters import request_chars
from tests.runtime.clock import FakeTimeLoop
from tests.runtime.scripts import keep_plan, plan, replan, says, step, tool, uses

GOAL = "Reach the random goal."
RUNS = 1_000
DEADLINE_S = 60.0


class Dice:
    """Drawn numbers, again from the start at their end."""

    def __init__(self, numbers: Sequence[int]) -> None:
        self.numbers, self.place = numbers, 0

    def of(self, count: int) -> int:
        self.place += 1
        return self.numbers[self.place % len(self.numbers)] % count

    def one_in(self, count: int) -> bool:
        return self.of(count) == 0


class World:
    """Model, tools and acceptance check that behave as the dice say."""

    def __init__(self, dice: Dice) -> None:
        self.dice, self.made, self.requests = dice, 0, []
        self.accepted: list[tuple[str, RunResult]] = []
        self.replies = 0

    async def wait(self) -> None:
        if self.dice.one_in(3):
            await asyncio.sleep(self.dice.of(20))

    async def complete(self, messages: Any, tools: Any) -> Any:
        self.requests.append((list(messages), list(tools)))
        await self.wait()
        if self.dice.one_in(50):
            raise OSError("model is down")
        if self.dice.one_in(80):
            return {"role": "assistant", "content": 7}
        task = next(m["content"] for m in reversed(messages) if m["role"] == "user")
        if "Make a plan" in task:
            return plan(*self.steps(1 + self.dice.of(5))) if not self.dice.one_in(30) else says("first I look")
        if "Checkpoint, because" in task:
            if self.dice.one_in(5):
                return says("no JSON")
            return keep_plan() if self.dice.one_in(2) else replan(*self.steps(1 + self.dice.of(3)))
        return self.work()

    def steps(self, count: int) -> list[dict[str, Any]]:
        """Steps that depend on some of those before them; now and then the id of an earlier plan comes back, or a wish cannot be granted."""
        ids = [f"s{self.made + n}" for n in range(count)]
        if self.dice.one_in(4) and self.made:
            ids[0] = f"s{self.dice.of(self.made)}"
        self.made += count
        made = [step(name, *[other for other in ids[:n] if self.dice.one_in(3)]) for n, name in enumerate(ids)]
        return made if not self.dice.one_in(40) else [*made, step("odd", "nowhere")]

    def work(self) -> Any:
        self.replies += 1
        if self.dice.one_in(20):
            return Answer(says("cut"), finish_reason="length")
        if self.dice.one_in(2):
            return says(("Complete.", "I am not sure.", "All done, 7.")[self.dice.of(3)])
        names = ["good", "bad", "none", "slow", "says_no", "unknown"]
        return uses(*[names[self.dice.of(len(names))] for _ in range(1 + self.dice.of(3))], first=10 * self.replies)

    async def good(self) -> str:
        await self.wait()
        return "x" * self.dice.of(900)

    async def bad(self) -> str:
        if self.dice.one_in(2):
            return "good this time"
        raise ValueError("bad")

    async def none(self) -> None:
        return None

    async def slow(self) -> str:
        try:
            await asyncio.sleep(self.dice.of(60))
        except asyncio.CancelledError:
            if self.dice.one_in(3):
                return "keeps it to itself"
            raise
        return "slow"

    async def says_no(self) -> dict[str, bool]:
        return {"ok": self.dice.one_in(2)}

    async def accept(self, step: PlanStep, result: RunResult) -> bool:
        await self.wait()
        if self.dice.one_in(8):
            raise KeyError("check")
        if self.dice.one_in(5):
            return False
        self.accepted.append((step.id, result))
        return True


@given(
    st.lists(st.integers(0, 10**6), min_size=20, max_size=60),
    st.integers(900, 9_000),
    st.sampled_from([None, None, "langchain-trim", "none"]),
    st.integers(0, 80),
)
@settings(max_examples=RUNS)
def test_whatever_happens_the_record_keeps_the_rules(numbers: list[int], budget: int, policy: str | None, cancel_at: int) -> None:
    dice = Dice(numbers)
    world = World(dice)
    limits = Limits(
        run_s=DEADLINE_S,
        step_s=25,
        tool_s=15 if dice.one_in(2) else None,
        steps=5,
        step_turns=4,
        step_tool_calls=5,
        calls=12 + dice.of(30),
        attempts_per_step=1 + dice.of(3),
        attempts=3 + dice.of(8),
        revisions=dice.of(4),
    )
    planner = Planner(
        model=world,
        accept=world.accept,
        tools=[tool(name, getattr(world, name)) for name in ("good", "bad", "none", "slow", "says_no")],
        max_characters=budget,
        policy=policy,
        limits=limits,
        triggers=Triggers(phase=dice.one_in(2), tool=dice.one_in(2), uncertain=dice.one_in(2), half=dice.one_in(2)),
    )
    result, ended = _run(planner, cancel_at if cancel_at < 60 and dice.one_in(2) else None)
    assert ended <= DEADLINE_S
    check_limits(result, world, limits, budget)
    check_steps(result, world)
    check_state(result)


def _run(planner: Planner, cancel_at: float | None) -> tuple[PlanResult, float]:
    async def go() -> tuple[PlanResult, float]:
        task = asyncio.create_task(planner.run(GOAL))
        if cancel_at is not None:
            await asyncio.wait([task], timeout=cancel_at)
            was_cancelled = task.cancel()
            result = await task
            assert result.status == "cancelled" or not was_cancelled or result.status == "timed_out"
            return result, asyncio.get_running_loop().time()
        return await task, asyncio.get_running_loop().time()

    with asyncio.Runner(loop_factory=FakeTimeLoop) as runner:
        return runner.run(go())


def check_limits(result: PlanResult, world: World, limits: Limits, budget: int) -> None:
    """Nothing beyond its limit, and every request within budget with the goal in its task."""
    assert len(result.revisions) <= limits.revisions
    assert result.calls == len(world.requests) == len(result.reports) <= limits.calls
    assert result.attempts == sum(record.attempts for record in result.records) <= limits.attempts
    assert all(record.attempts <= limits.attempts_per_step for record in result.records)
    assert all(len(runs) <= limits.step_turns for runs in map(_replies, _conversations(result)))
    for messages, tools in world.requests:
        assert request_chars(messages, tools) <= budget
        assert GOAL in next(m["content"] for m in reversed(messages) if m["role"] == "user")


def check_steps(result: PlanResult, world: World) -> None:
    """Complete means accepted, behind a normal end and without a failure left; nothing is left open."""
    records = {record.step_id: record for record in result.records}
    assert list(records) == [one.id for one in result.steps]
    assert not {"pending", "running"} & {record.status for record in result.records}
    for one in result.steps:
        record = records[one.id]
        if record.status == "complete":
            check_gates(record, world)
            assert all(records[name].status == "complete" and max(records[name].calls) < min(record.calls) for name in one.depends_on)
        else:
            assert record.reason
            assert record.evidence == ""
    planned = [record for record in result.records if record.status != "skipped"]
    if result.status == "complete":
        assert planned
        assert {record.status for record in planned} == {"complete"}
    else:
        assert result.reason
        assert result.error
    if result.status == "cancelled":
        assert not {"skipped"} & {r.status for r in result.records if r.reason.startswith("The run ended")}


def check_gates(record: StepRecord, world: World) -> None:
    last = record.conversations[-1]
    assert last[-1]["role"] == "assistant"
    assert not last[-1].get("tool_calls")
    (mine,) = [result for name, result in world.accepted if name == record.step_id and result.messages == last][-1:]
    assert mine.status == "complete"
    assert unresolved(mine.tool_runs) == []
    assert record.tool_runs[len(record.tool_runs) - len(mine.tool_runs) :] == mine.tool_runs


def check_state(result: PlanResult) -> None:
    """Every tool message has its outcome, every outcome its entry in the right list; the goal is as it was."""
    said = sorted(m["content"] for conversation in _conversations(result) for m in conversation if m["role"] == "tool")
    assert said == sorted(outcome.run.content for outcome in result.outcomes)
    assert len({outcome.evidence for outcome in result.outcomes}) == len(result.outcomes)
    found, failed = ({entry.evidence for entry in entries} for entries in (result.state.key_findings, result.state.failures))
    for outcome in result.outcomes:
        assert outcome.evidence in (failed if is_failure(outcome.run) else found)
        json.loads(outcome.run.content)
    assert {entry.evidence.split("/")[0] for entry in result.state.done} == {r.step_id for r in result.records if r.status == "complete"}
    assert (result.goal, result.state.goal) == (GOAL, GOAL)
    assert "state_drift" not in {finding.kind for finding in result.findings}


def _conversations(result: PlanResult) -> list[Any]:
    return [conversation for record in result.records for conversation in record.conversations]


def _replies(conversation: Any) -> list[Any]:
    return [message for message in conversation if message["role"] == "assistant"]
