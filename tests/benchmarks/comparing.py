"""All policies over a long thread, as the page Compare asks for them: fits alone, the evidence index, and the whole table."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from ctxcore import Thread, read_session, replay
from ctxcore.atoms import token_atoms
from ctxcore.measures.compare import compared
from ctxcore.measures.evidence_index import thread_evidence
from ctxcore.policies import all_policies
from ctxcore.sizes.measure import thread_sizes
from tests.benchmarks.generate import conversation_file
from tests.benchmarks.measure import Row, limited_row, median_ms

CALLS, CALL_BYTES = 3000, 4_000
"""Of the long session: about 12 MB."""

SHARE = 0.4
"""Budget as a share of the largest request."""

WRITES = "compact"
"""The policy that writes a text of its own: it reads every sentence before it can say how large a request becomes."""


def rows(folder: Path, repetitions: int) -> Iterator[Row]:
    """Five rows."""
    file = conversation_file(folder / "compared.json", CALLS, CALL_BYTES)
    thread = read_session(file).threads[0]
    thread_sizes(thread, "tokens")
    budget = int(replay(thread, "none", 2**60, "tokens").before.max() * SHARE)
    exact = [kind.name for kind in all_policies() if not kind.needs_summary]
    several = max(1, repetitions // 3)

    choosing = [name for name in exact if name != WRITES]

    def fit(names: list[str]) -> None:
        for name in names:
            replay(thread, name, budget, "tokens").after.sum()

    calls = f"{CALLS:,} calls, {file.stat().st_size / 1e6:.0f} MB"
    yield limited_row(f"all {len(choosing)} deterministic policies that choose, over {calls}", median_ms(lambda: fit(choosing), several), 2_000)
    yield limited_row(f"the one that writes ({WRITES}), every sentence read, over {calls}", median_ms(lambda: fit([WRITES]), 1), 4_000)
    yield limited_row(f"the same again, at the same budget, over {calls}", median_ms(lambda: fit([WRITES]), several), 600)
    yield limited_row(f"evidence index of {calls}", median_ms(lambda: _index_anew(thread), several), 3_000)
    yield limited_row(f"the same policies with money, faults and lost references, {calls}", _table_ms(thread, budget, exact), 10_000)


def _index_anew(thread: Thread) -> None:
    thread.memo.pop("evidence", None)
    token_atoms.cache_clear()
    thread_evidence(thread)


def _table_ms(thread: Thread, budget: int, names: list[str]) -> float:
    start = time.perf_counter()
    for row in compared(thread, budget, "tokens", names):
        _ = (row.cost, row.validity, row.lost)
    return (time.perf_counter() - start) * 1000
