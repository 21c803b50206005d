"""Pasted output in a user's message is no instruction: made logs, traces, diffs; and what only looks like one."""

from __future__ import annotations

import pytest

from ctxcore.compaction.classify import classify
from ctxcore.compaction.facts import facts
from ctxcore.compaction.values import Passage

LOG = """--- FAIL: TestKiln (1.20s)
    kiln_test.go:31: Oven state: 3 shelves
        Fired glaze: blue
        Shelves must never be empty (2):
          - bowl.go
          + plate.go
    kiln_test.go:44: done
FAIL"""

TRACE = 'Traceback (most recent call last):\n  File "kiln.py", line 3, in fire\n    raise Cold("door")\nkiln.Cold: door'

DIFF = "diff --git a/kiln.py b/kiln.py\nindex 1f2..3d4 100644\n--- a/kiln.py\n+++ b/kiln.py\n@@ -1,2 +1,2 @@\n-hot = 1\n+hot = 2"

FENCE = "```sh\nfire --shelf 3\nwait 10\n```"

STAMPED = "2025-05-01 10:00:00 INFO oven is hot\n2025-05-01 10:00:01 WARN door is open"


def instructions(text: str) -> list[str]:
    passage = Passage(message=0, start=0, text=text, voice="person", round=1)
    return [fact.value for fact in facts([passage]) if fact.kind == "user_instruction"]


@pytest.mark.parametrize("pasted", [LOG, DIFF, FENCE, STAMPED], ids=["log of a test", "diff", "code in a fence", "log with times"])
def test_of_a_message_with_pasted_output_only_the_users_words_are_instructions(pasted: str) -> None:
    assert instructions(pasted) == []
    assert instructions(f"Mend this test.\n{pasted}\nThen fire the bowl.") == ["Mend this test.", "Then fire the bowl."]


def test_of_a_stack_trace_at_most_its_last_line_is_taken_for_words() -> None:
    assert instructions(f"Mend it.\n{TRACE}") == ["Mend it.", "kiln.Cold: door"]


@pytest.mark.parametrize(
    "said",
    [
        "kiln.go:31 is wrong, take four shelves",
        "- bowl.go needs a handle",
        "--- from the notes, this is no longer needed.",
        "2 bowls at 10:30 please",
        "> take four shelves",
        "ok then take four shelves",
    ],
)
def test_what_only_looks_like_output_is_left_to_the_user(said: str) -> None:
    assert instructions(said) == [said]


def test_the_number_of_a_point_is_no_instruction() -> None:
    assert instructions("2.\nFire the bowl") == ["Fire the bowl"]


def test_our_own_compaction_takes_pasted_output_for_a_trace() -> None:
    """Its lines demand nothing, though one says must."""
    spans = classify([Passage(message=0, start=0, text=f"Mend this test.\n{LOG}", voice="person", round=1)])
    assert [(span.kind, span.key) for span in spans] == [("anchor", "instruction"), ("trace", "")]
    assert spans[1].text == LOG


def test_a_value_with_its_name_is_found_in_pasted_output_as_well() -> None:
    spans = classify([Passage(message=0, start=0, text="2025-05-01 10:00:00 INFO session_id=k7-31 opened", voice="person", round=1)])
    assert [span.key for span in spans] == ["session_id"]
