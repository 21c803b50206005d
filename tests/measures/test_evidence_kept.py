"""Evidence kept and late references: derived by hand, and compared with the slow way on any conversation under every policy."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxcore import replay
from ctxcore.atoms import TYPES, Atom, atoms
from ctxcore.measures.evidence_index import thread_evidence
from ctxcore.measures.evidence_kept import evidence_kept
from ctxcore.model import Thread
from ctxcore.policies import POLICIES
from tests.measures.conversations import constant, conversations, part_text, recorded_texts, sent_texts, stands_in, story, thread_of, used
from tests.measures.test_references import STORY

# STORY under "keep the newest two messages", evidence held and kept by hand:
#
# call 0: held notes/plan.md                                    kept the same                             1/1
# call 1: and src/core/engine.py, #4711 (result a)              kept notes/plan.md (ask a), both others   3/3
# call 2: nothing new (ask b repeats the path)                  kept src/core/engine.py (ask b)           1/3
# call 3: nothing new (ask c repeats the ticket)                kept #4711 (ask c)                        1/3
# call 4: nothing new (ask d repeats plan and ticket)           kept notes/plan.md, #4711 (ask d)         2/3
#
# First sent without: notes/plan.md and #4711 by call 2, src/core/engine.py by call 3. Used from there on: #4711 (calls 2, 3), notes/plan.md (call 3).


def test_evidence_kept_of_a_derived_example() -> None:
    found = evidence_kept(replay(thread_of(*STORY), "autogen-buffered", 10_000, buffer_size=2))
    assert found.share().tolist() == pytest.approx([1, 1, 1 / 3, 1 / 3, 2 / 3])
    assert found.least() == (2, pytest.approx(1 / 3))
    assert found.final() == pytest.approx(2 / 3)
    assert found.share("id").tolist()[1:] == [1, 0, 1, 1]
    assert math.isnan(found.share("id")[0])
    assert {found.evidence.atoms[n].value: int(call) for n, call in enumerate(found.gone_at) if call >= 0} == {
        "notes/plan.md": 2,
        "#4711": 2,
        "src/core/engine.py": 3,
    }
    assert found.late_rate == pytest.approx(2 / 3)
    assert found.at_risk.tolist() == [0, 0, 2, 0, 0]


def test_a_refused_call_keeps_nothing_and_has_no_share() -> None:
    result = replay(thread_of(*STORY), "none", 400)
    found = evidence_kept(result)
    assert np.isnan(found.share()[result.refused]).all()
    assert (found.share()[~result.refused] == 1).all()
    assert found.late_rate is None


@settings(max_examples=40)
@given(conversations(), st.sampled_from([kind.name for kind in POLICIES]), st.sampled_from([300, 600, 1_200, 5_000]))
def test_any_policy_keeps_what_the_slow_way_finds(thread: Thread, policy: str, budget: int) -> None:
    compare(thread, policy, budget)


@pytest.mark.parametrize("policy", [kind.name for kind in POLICIES])
def test_every_policy_keeps_what_the_slow_way_finds(policy: str) -> None:
    compare(story(), policy, 2_500)


own = cache(atoms)


def compare(thread: Thread, policy: str, budget: int) -> None:
    after = replay(thread, policy, budget)
    found = evidence_kept(after)
    needed = {atom for call in thread.calls if call.reply is not None for atom in used(thread.messages[call.reply])}
    known = {atom for message in thread.messages for part in message.parts for atom in atoms(part_text(part))} | needed
    known = {atom for atom in known if not constant(atom, thread)}
    assert known == set(thread_evidence(thread).atoms)

    def standing(texts: list[str]) -> set[Atom]:
        return {atom for text in texts for atom in known if atom in own(text) or (atom in needed and stands_in(atom, text))}

    for call in range(len(thread.calls)):
        held = standing(list(recorded_texts(thread, call)))
        kept = held & standing(list(sent_texts(after, call)))
        for row, kind in enumerate(TYPES):
            wanted = (-1, -1) if after.refused[call] else tuple(sum(atom.type == kind for atom in group) for group in (held, kept))
            assert (found.held[row, call], found.kept[row, call]) == wanted
