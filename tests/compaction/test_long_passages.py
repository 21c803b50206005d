"""What is pasted into one message is not judged sentence by sentence."""

from __future__ import annotations

from ctxcore.compaction.classify import LONGEST_SAID, passage_spans
from ctxcore.compaction.values import Passage

LINE = "My budget is 500 dollars. See /a/b/c.py. "


def test_the_rest_of_a_long_message_is_one_span_that_says_so() -> None:
    """A message of megabytes would make hundreds of thousands of spans."""
    text = LINE * (3 * LONGEST_SAID // len(LINE))
    first, most = (list(passage_spans(Passage(message=0, start=0, text=some, voice="person"))) for some in (text[:LONGEST_SAID], text))
    assert most[:-1] == first
    assert (most[-1].place.start, most[-1].place.end) == (LONGEST_SAID, len(text))
    assert "pasted" in most[-1].reason
