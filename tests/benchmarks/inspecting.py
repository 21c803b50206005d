"""All of ``ctxscope inspect``, interpreter included, on long Claude Code sessions, against stated limits and a pass that only adds up usage."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.claude import session_file
from tests.benchmarks.measure import Row

CALLS, CALL_BYTES = 3_000, 12_600
"""Together about 40 MB."""

LIMIT_S, LIMIT_MB = 2.5, 400
"""Of the best full analyser among other tools, on such a session."""

LONG_CALLS = 7_500
"""About 100 MB."""

BASE_MB, TIMES_FILE = 150, 5
"""Memory goal of any file: for the interpreter and the libraries, and for each byte of the file."""

USAGE_ONLY = """
import json, sys
total = 0
for line in open(sys.argv[1], "rb"):
    usage = (json.loads(line).get("message") or {}).get("usage")
    total += usage["input_tokens"] if usage else 0
"""


def rows(folder: Path, repetitions: int) -> Iterator[Row]:
    """Time and memory of a 40 MB session, and memory of a 100 MB one."""
    file = session_file(folder / "claude.jsonl", CALLS, CALL_BYTES)
    name = f"{file.stat().st_size / 1e6:.0f} MB of Claude Code, {CALLS:,} calls with sub-agents and compactions"
    usage_s = statistics.median(_seconds(folder, "-c", USAGE_ONLY, str(file))[0] for _ in range(max(3, repetitions)))
    runs = [_inspected(folder, file) for _ in range(max(3, repetitions) + 1)][1:]  # the first one compiles the modules
    seconds, peak_mb = statistics.median(run[0] for run in runs), max(run[1] for run in runs)
    limit = f"limit {LIMIT_S} s (a pass that only adds up usage: {usage_s:.2f} s)"
    yield Row(what=f"ctxscope inspect of {name}", value=f"{seconds:.2f} s", reference=limit, ratio=seconds / LIMIT_S, target=1)
    yield Row(what=f"peak memory of it: {name}", value=f"{peak_mb:.0f} MB", reference=f"limit {LIMIT_MB} MB", ratio=peak_mb / LIMIT_MB, target=1)
    long = session_file(folder / "long.jsonl", LONG_CALLS, CALL_BYTES)
    size_mb = long.stat().st_size / 2**20
    seconds, peak_mb = _inspected(folder, long)
    yield Row(
        what=f"peak memory above {BASE_MB} MB of ctxscope inspect, {LONG_CALLS:,} calls in {seconds:.1f} s",
        value=f"{peak_mb:.0f} MB in all",
        reference=f"file {size_mb:.0f} MB",
        ratio=max(0.0, peak_mb - BASE_MB) / size_mb,
        target=TIMES_FILE,
    )


def _inspected(folder: Path, file: Path) -> tuple[float, float]:
    """Seconds and megabytes of one run."""
    seconds, output = _seconds(folder, "-m", "tests.benchmarks.alone", "inspected", str(file))
    return seconds, json.loads(output) / 2**20


def _seconds(folder: Path, *arguments: str) -> tuple[float, str]:
    """Wall time of an interpreter that finds its modules compiled, as an installed program does; what it printed."""
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(folder / "compiled"), "PYTHONDONTWRITEBYTECODE": ""}
    start = time.perf_counter()
    done = subprocess.run([sys.executable, *arguments], check=True, capture_output=True, text=True, env=environment)
    return time.perf_counter() - start, done.stdout
