"""Lost references: derived by hand, compared with the slow way on any conversation under every policy, and counted on real sessions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxcore import replay
from ctxcore.atoms import Atom
from ctxcore.measures.evidence_index import FEW_UNITS, thread_evidence
from ctxcore.measures.references import References, references
from ctxcore.model import Thread
from ctxcore.policies import POLICIES, make_policy
from tests.measures.conversations import asks, conversations, corpus_thread, lost_of, result, says, story, thread_of, user, uses_of

# Four exchanges and an answer. By hand, for a policy that keeps the newest two messages and nothing else (autogen-buffered, size 2):
#
# call 0 receives: user               keeps user. Uses notes/plan.md, which the user named: kept.
# call 1 receives: user .. result a   keeps ask a, result a. Uses src/core/engine.py from result a: kept.
# call 2 receives: user .. result b   keeps ask b, result b. Uses #4711, which only result a holds: LOST. Call 1 was the first to receive it: age 1.
# call 3 receives: user .. result c   keeps ask c, result c. Uses #4711 again, in ask c: kept. Uses notes/plan.md: LOST, not a first use; its newest
#                                     place is ask a, which call 1 was the first to receive: age 2.
# call 4 receives: user .. result d   keeps ask d, result d. Uses nothing that was there before.
STORY = (
    user("Work off notes/plan.md, please."),
    asks("a", "read", path="notes/plan.md"),
    result("a", "Change src/core/engine.py for ticket #4711."),
    asks("b", "read", path="src/core/engine.py"),
    result("b", "nothing here"),
    asks("c", "look_up", ticket="#4711"),
    result("c", "open since Monday"),
    asks("d", "write", path="notes/plan.md", text="#4711 is open"),
    result("d", "done"),
    says("All done, 99.75 of it."),
)


def lost(found: References) -> set[tuple[int, str, bool, int]]:
    return {(one.call, one.atom.value, one.first, one.age) for one in found.listed()}


def test_lost_references_of_a_derived_example() -> None:
    found = references(replay(thread_of(*STORY), "autogen-buffered", 10_000, buffer_size=2))
    assert lost(found) == {(2, "#4711", True, 1), (3, "notes/plan.md", False, 2)}
    assert found.total == 2
    assert found.total_first == 1
    assert found.per_call.tolist() == [0, 0, 1, 1, 0]
    assert found.uses_per_call.tolist() == [1, 1, 1, 2, 0]
    assert found.rate == pytest.approx(2 / 5)
    assert found.rate_first == pytest.approx(1 / 3)  # first uses: notes/plan.md, src/core/engine.py, #4711
    assert found.by_type() == {"path": 1, "id": 1}
    first = found.listed(2)[0]
    assert (first.message, first.part, first.action) == (2, 0, "drop")
    assert first.rule in found.by_rule()


def test_nothing_is_lost_where_all_is_sent() -> None:
    found = references(replay(thread_of(*STORY), "none", 10_000))
    assert (found.total, found.rate, found.refused_uses) == (0, 0.0, 0)


def test_a_refused_call_loses_nothing_and_is_counted_apart() -> None:
    result_ = replay(thread_of(*STORY), "none", 400)
    found = references(result_)
    assert result_.refused.any()
    assert found.total == 0
    assert found.refused_uses == found.uses_per_call[result_.refused].sum() > 0


def test_what_stands_in_the_system_message_is_no_evidence() -> None:
    thread = thread_of(*STORY, system="Tickets look like #4711.")
    assert Atom("id", "#4711") not in thread_evidence(thread).atoms
    assert lost(references(replay(thread, "autogen-buffered", 10_000, buffer_size=2))) == {(3, "notes/plan.md", False, 2)}


def test_what_stands_nearly_everywhere_is_no_evidence_in_a_long_thread() -> None:
    """In 20 units, 7 are more than 30 %, 6 are not."""

    def thread(often: int) -> Thread:
        return thread_of(*(user(f"see lib/often.py {n}" if n < often else f"number {n}") for n in range(FEW_UNITS)), says("ok"))

    atom = Atom("path", "lib/often.py")
    assert atom in thread_evidence(thread(6)).atoms
    assert atom not in thread_evidence(thread(7)).atoms


def test_a_shortened_result_still_holds_what_its_shorter_text_holds() -> None:
    """A cleared result holds nothing; the call that asked for it still names the path."""
    looked = (user("Look."), asks("a", "read", path="src/one.py"), result("a", "id #4711 in src/one.py"), says("It is #4711 in src/one.py."))
    kept = replay(thread_of(*looked), make_policy("langchain-clear-tool-uses", trigger=0, keep_results=0), 10_000)
    assert kept.edited[1] == 1
    assert lost(references(kept)) == {(1, "#4711", True, 0)}


@settings(max_examples=60)
@given(conversations(), st.sampled_from([kind.name for kind in POLICIES]), st.sampled_from([300, 600, 1_200, 5_000]))
def test_any_policy_loses_what_the_slow_way_finds(thread: Thread, policy: str, budget: int) -> None:
    after = replay(thread, policy, budget)
    found = references(after)
    for call in range(len(thread.calls)):
        assert {one.atom for one in found.listed(call)} == lost_of(after, call), call
        assert found.uses_per_call[call] == len(uses_of(after, call))


@pytest.mark.parametrize("policy", [kind.name for kind in POLICIES])
def test_every_policy_loses_what_the_slow_way_finds(policy: str) -> None:
    thread = story()
    for budget in (2_500, 6_000):
        after = replay(thread, policy, budget)
        found = references(after)
        for call in range(len(thread.calls)):
            assert {one.atom for one in found.listed(call)} == lost_of(after, call), (budget, call)


# Files of the reference data, with the number of calls; what is lost rises from the largest request down to a quarter of it.
FILES = [("pi-mono_before-compaction_2.4MB.jsonl", 484), ("v1_gpt5_monai-5416_4.6MB.traj", 37)]


@pytest.mark.parametrize(("name", "calls"), FILES)
def test_real_sessions(shared: Path, name: str, calls: int) -> None:
    thread = corpus_thread(shared, name)
    assert len(thread.calls) == calls
    largest = int(replay(thread, "none", 1 << 40).before.max())
    counts = [references(replay(thread, "whole-units", budget)).total for budget in (largest, largest // 2, largest // 4)]
    assert counts[0] == 0 < counts[1] < counts[2]
    for policy in ("whole-units", "langchain-clear-tool-uses"):
        after = replay(thread, policy, largest // 4)
        found = references(after)
        for call in np.unique(found.call[found.lost])[:3].tolist():
            here = list(found.listed(call))
            assert all(one.message in thread.calls[call].messages() for one in here)
            assert all(one.action is not None for one in here)
