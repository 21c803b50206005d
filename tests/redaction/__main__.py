"""``python -m tests.redaction`` prints recall and precision on the labelled set."""

from __future__ import annotations

from tests.redaction.held_out import NEGATIVE as HELD_NEGATIVE
from tests.redaction.held_out import POSITIVE as HELD_POSITIVE
from tests.redaction.labelled import NEGATIVE, POSITIVE
from tests.redaction.score import score

held = score({"held out": HELD_POSITIVE}, HELD_NEGATIVE)
result = score()
print(f"{sum(map(len, POSITIVE.values()))} positives of {len(POSITIVE)} kinds, {len(NEGATIVE)} negatives")
print(f"recall {result.recall:.1%}, precision {result.precision:.1%}")
for name, texts in (("missed", result.missed), ("wrong", result.wrong)):
    for text in texts:
        print(f"  {name}: {text!r}")
print(f"held out, {len(HELD_POSITIVE)} positives, {len(HELD_NEGATIVE)} negatives: recall {held.recall:.1%}, precision {held.precision:.1%}")
for name, texts in (("missed", held.missed), ("wrong", held.wrong)):
    for text in texts:
        print(f"  {name}: {text!r}")
