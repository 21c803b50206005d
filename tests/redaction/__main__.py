"""``python -m tests.redaction`` prints recall and precision on the labelled set."""

from __future__ import annotations

from tests.redaction.labelled import NEGATIVE, POSITIVE
from tests.redaction.score import score

result = score()
print(f"{sum(map(len, POSITIVE.values()))} positives of {len(POSITIVE)} kinds, {len(NEGATIVE)} negatives")
print(f"recall {result.recall:.1%}, precision {result.precision:.1%}")
for name, texts in (("missed", result.missed), ("wrong", result.wrong)):
    for text in texts:
        print(f"  {name}: {text!r}")
