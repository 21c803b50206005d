"""Time of the text rules on messages, against stated limits."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from itertools import cycle, islice

from ctxcore.state.text_rules import read_text
from tests.benchmarks.measure import Row
from tests.state.labelled import PARTS, SAID_AT, sentences

MESSAGES = 10_000
MEDIAN_LIMIT_MS, LIMIT_S = 3.0, 20.0


def rows() -> Iterator[Row]:
    """Median of one message, and all of 10,000: the labelled sentences alone, and every fourth followed by ten more."""
    said = [sentence.text for part in PARTS for sentence in sentences(part)]
    messages = [" ".join(said[place : place + 11]) if place % 4 == 0 else said[place] for place in range(len(said))]
    times = [_seconds(message) for message in islice(cycle(messages), MESSAGES)]
    median_ms, seconds = statistics.median(times) * 1000, sum(times)
    limit = f"limit {MEDIAN_LIMIT_MS} ms"
    yield Row(what="values of one message, median", value=f"{median_ms:.2f} ms", reference=limit, ratio=median_ms / MEDIAN_LIMIT_MS, target=1)
    yield Row(what=f"values of {MESSAGES:,} messages", value=f"{seconds:.1f} s", reference=f"limit {LIMIT_S} s", ratio=seconds / LIMIT_S, target=1)


def _seconds(message: str) -> float:
    start = time.perf_counter()
    read_text(message, said_at=SAID_AT)
    return time.perf_counter() - start
