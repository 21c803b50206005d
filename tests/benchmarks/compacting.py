"""Times of a compaction's processors, one trace at a time."""

from __future__ import annotations

from collections.abc import Iterator

from ctxcore.compaction.checks import summary_faults
from ctxcore.compaction.terms import NO_TERMS, not_in, squeezed
from ctxcore.compaction.traces import extractive, screen
from tests.benchmarks.measure import Row, median_ms, timed_row


def _checked(summary: str, text: str) -> object:
    """Anew each time."""
    not_in.cache_clear()
    squeezed.cache_clear()
    return summary_faults(summary, text, longest=100)


SCREEN_MS, CHECK_MS = 100, 5
"""Source: the notes on compaction."""

LINE = "2025-03-10 09:00:{n:02d} worker-{n} retried job {n}41 in src/queue/worker_{n}.py because the lock of E{n}4 was held for {n}.5 s\n"
CHINESE = "第{n}次重试时，src/queue/worker_{n}.py 因为锁 E{n}4 被占用 {n}.5 秒，所以任务 {n}41 重新排队。"


def rows(repetitions: int) -> Iterator[Row]:
    """Screening with distillation, and the checks of one summary, of 20,000 characters in English and Chinese."""
    for language, form in (("English", LINE), ("Chinese", CHINESE)):
        text = "".join(form.format(n=n) for n in range(400))[:20_000]
        summary = extractive(text).text
        screened = median_ms(lambda text=text: (screen(text, asked_why=False, terms=NO_TERMS), extractive(text)), repetitions)
        checked = median_ms(lambda text=text, summary=summary: _checked(summary, text), repetitions)
        limit = "limit"
        yield timed_row(f"screen and distil a trace of {len(text):,} characters, {language}", screened, limit, SCREEN_MS, 1)
        yield timed_row(f"check a summary of it, {language}", checked, limit, CHECK_MS, 1)
