"""Import, replay and sweep against ``json.loads`` of the same file, and replay against the rule written the slow way."""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

from ctxcore import Replay, Thread, read_session, replay, sweep
from tests import naive
from tests.benchmarks.generate import Language, conversation_file
from tests.benchmarks.measure import Row, in_new_process, median_ms, timed_row

CALLS, CALL_BYTES = 3000, 13_300
"""Of the long session: together about 40 MB."""

GROWING_CALLS = 200
"""Of the session for the slow way."""


def rows(folder: Path, repetitions: int) -> Iterator[Row]:
    """Every row about speed."""
    languages: tuple[Language, ...] = ("english", "chinese")
    for language in languages:
        file = conversation_file(folder / f"{language}.json", CALLS, CALL_BYTES, language)
        yield from _one_file(file, language, repetitions)
    yield _against_the_slow_way(folder, repetitions)


def _one_file(file: Path, language: str, repetitions: int) -> Iterator[Row]:
    name = f"{language}, {file.stat().st_size / 1e6:.0f} MB"
    loads_ms = median_ms(lambda: json.loads(file.read_bytes()), repetitions)
    reference = "json.loads"
    import_ms = median_ms(lambda: read_session(file), repetitions)
    yield timed_row(f"import with character sizes and units ({name})", import_ms, reference, loads_ms, 2.0)
    thread = read_session(file).threads[0]
    calls = f"{len(thread.calls):,} calls, {language}"
    budgets = count(16_001)
    replay_ms = median_ms(lambda: replay(thread, budget=next(budgets)), 3 * repetitions, thread.memo.clear)
    yield timed_row(f"replay of {calls}", replay_ms, reference, loads_ms, 0.05)
    starts = count(20_000, 7)
    sweep_ms = median_ms(lambda: sweep(thread, range(start := next(starts), start + 100_000, 1000)), repetitions, thread.memo.clear)
    yield timed_row(f"sweep of 100 budgets, {calls}", sweep_ms, reference, loads_ms, 0.40)
    yield _with_tokens(file, name, repetitions)


def _with_tokens(file: Path, name: str, repetitions: int) -> Row:
    """Cold every time: the counts are cached by content."""
    runs = [in_new_process("import_with_tokens", file) for _ in range(max(3, repetitions // 2))]
    middle = {key: statistics.median(run[key] for run in runs) for key in runs[0]}
    return timed_row(f"import with tokens ({name})", middle["both"], "import + tokenizer alone", middle["read"] + middle["tokenizer"], 1.25)


def _against_the_slow_way(folder: Path, repetitions: int) -> Row:
    file = conversation_file(folder / "growing.json", GROWING_CALLS, 1500)
    body = json.loads(file.read_bytes())
    thread = read_session(file).threads[0]
    budget = 40_000
    start = time.perf_counter()
    slow = [naive.fit(_context(body, thread, number), body["tools"], budget) for number in range(len(thread.calls))]
    slow_ms = (time.perf_counter() - start) * 1000
    fast_ms = median_ms(lambda: replay(thread, budget=budget), 3 * repetitions, thread.memo.clear)
    if slow != _reports(replay(thread, budget=budget)):
        raise AssertionError("The rule written the slow way gives other reports.")
    return Row(
        what=f"replay of a growing session of {len(slow)} calls, budget {budget:,}; both give the same {len(slow)} reports",
        value=f"{fast_ms:,.2f} ms",
        reference=f"serialising anew for every candidate {slow_ms:,.0f} ms",
        ratio=slow_ms / fast_ms,
        target=1000,
        side="at least",
    )


def _context(body: dict[str, Any], thread: Thread, call: int) -> list[dict[str, Any]]:
    return [body["messages"][index] for index in thread.calls[call].messages()]


def _reports(result: Replay) -> list[dict[str, Any]]:
    reports: list[dict[str, Any]] = []
    for call, before in enumerate(result.before.tolist()):
        if result.refused[call]:
            reports.append({"before": before, "after": None, "missing": int(result.missing[call])})
            continue
        reports.append(
            {
                "before": before,
                "after": int(result.after[call]),
                "missing": 0,
                "messages": int(result.dropped_messages[call]),
                "turns": int(result.dropped_turns[call]),
                "exchanges": int(result.dropped_exchanges[call]),
            }
        )
    return reports
