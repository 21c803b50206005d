"""Prints per rule how many calls were compared, and where ours and the real one differ; exit code 1 if they do, 2 if nothing could be compared."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

from tests.differential.compare import Verdict, verdicts
from tests.differential.environments import NotInstalledError, python_of
from tests.differential.lists import Chat, made_list, recorded_lists
from tests.differential.upstreams import UPSTREAMS, Upstream

SAMPLE, FULL = 12, 60
"""Made lists of the fixed sample and of a full run."""


def main() -> int:
    """Compare what was asked for."""
    parser = argparse.ArgumentParser(prog="python -m tests.differential", description="Our rules beside the real functions of the packages.")
    parser.add_argument("--full", action="store_true", help="many lists, recorded ones among them (minutes)")
    parser.add_argument("--only", choices=sorted(one.driver for one in UPSTREAMS), help="only this package")
    parser.add_argument("--seed", type=int, default=0, help="of the first made list (default 0)")
    options = parser.parse_args()
    chosen = [one for one in UPSTREAMS if options.only in (None, one.driver)]
    try:
        _install(chosen)
    except NotInstalledError as error:
        print(error, file=sys.stderr)
        return 2
    lists = [(f"seed {seed}", made_list(seed)) for seed in range(options.seed, options.seed + (FULL if options.full else SAMPLE))]
    if options.full:
        lists += recorded_lists()
    faults = [_report(upstream, lists) for upstream in chosen]
    return 1 if any(faults) else 0


def _install(chosen: Iterable[Upstream]) -> None:
    start = time.monotonic()
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(python_of, sorted({one.requirements for one in chosen})))
    print(f"packages ready in {time.monotonic() - start:.0f} s")


def _report(upstream: Upstream, lists: list[tuple[str, list[Chat]]]) -> int:
    """Print what comparing one package gave; how many faults."""
    start = time.monotonic()
    found = verdicts(python_of(upstream.requirements), upstream, lists)
    print(f"{upstream.driver}: {len(lists)} lists, {time.monotonic() - start:.0f} s")
    for verdict in found:
        _print(verdict)
    return sum(len(verdict.faults) for verdict in found)


def _print(verdict: Verdict) -> None:
    same = verdict.calls - len(verdict.faults)
    print(f"  {verdict.trial.policy}: {same:,} of {verdict.calls:,} calls the same, {verdict.shortened:,} of them trimmed")
    if verdict.raised:
        print(f"    the real one raises at {verdict.raised:,} more")
    for sentence in verdict.trial.differences:
        print(f"    different on purpose: {sentence}")
    for fault in verdict.faults[:3]:
        print(f"    {fault}")


if __name__ == "__main__":
    sys.exit(main())
