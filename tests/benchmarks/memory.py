"""Peak memory of reading, and what a log of requests that repeat the history keeps."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.generate import Language, conversation_file, request_log_file, small_lines_file
from tests.benchmarks.measure import Row, in_new_process
from tests.benchmarks.speed import CALL_BYTES, CALLS

BASE_MB = 150
"""Allowed for the interpreter and the libraries."""

SMALL_LINES = 200_000
"""Of a Claude Code session that says little in each: 58 MB."""

LOG_CALLS = (100, 200, 400)
"""Lengths of the request logs; each twice the one before."""


def rows(folder: Path) -> Iterator[Row]:
    """Every row about memory."""
    languages: tuple[Language, ...] = ("english", "chinese")
    for language in languages:
        file = conversation_file(folder / f"{language}.json", CALLS, CALL_BYTES, language)
        yield _peak(file, f"{language} session, {CALLS:,} calls")
    yield _peak(small_lines_file(folder / "small.jsonl", SMALL_LINES), f"Claude Code session, {SMALL_LINES:,} small lines")
    yield from _request_logs(folder)


def _peak(file: Path, what: str) -> Row:
    """The ratio is of what lies above the base to the file; 5 is allowed."""
    size, peak = file.stat().st_size, in_new_process("peak_memory", file)
    return Row(
        what=f"peak memory above {BASE_MB} MB: {what}",
        value=f"{peak / 2**20:,.0f} MB in all",
        reference=f"file {size / 2**20:,.0f} MB",
        ratio=max(0, peak - BASE_MB * 2**20) / size,
        target=5,
    )


def _request_logs(folder: Path) -> Iterator[Row]:
    """Twice the calls make four times the file and twice the unique text: what is kept may only double."""
    files = [folder / f"log_{calls}.jsonl" for calls in LOG_CALLS]
    unique = [request_log_file(file, calls, 700) for file, calls in zip(files, LOG_CALLS, strict=True)]
    kept = [in_new_process("kept_memory", file) for file in files]
    for small, large in ((0, 1), (1, 2)):
        grown_file = files[large].stat().st_size / files[small].stat().st_size
        yield Row(
            what=f"memory kept of a request log, {LOG_CALLS[small]} to {LOG_CALLS[large]} calls (the file grows {grown_file:.1f} ×)",
            value=f"{kept[small] / 1e6:,.2f} to {kept[large] / 1e6:,.2f} MB",
            reference=f"unique text {unique[small] / 1e6:,.2f} to {unique[large] / 1e6:,.2f} MB",
            ratio=(kept[large] / kept[small]) / (unique[large] / unique[small]),
            target=1.2,
        )
    yield _peak(files[-1], f"request log, {LOG_CALLS[-1]} calls")
