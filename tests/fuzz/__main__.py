"""More broken recordings than the test suite draws, new ones each time: ``python -m tests.fuzz --examples 2000``; exit code 1 after a fault."""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from ctxcore.readers import READERS
from tests.conftest import shared_folder
from tests.fuzz.laws import check
from tests.fuzz.mutations import BYTE_MUTATIONS, MUTATIONS, mutated, mutated_bytes
from tests.fuzz.recordings import Recording, corpus_recordings, own_recordings

SHOWN_LINES = 40
"""Of a fault."""


def main() -> int:
    """Break what was asked for."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description="Break recordings of every format and hold the laws of reading.")
    parser.add_argument("--examples", type=int, default=500, help="broken recordings of each kind and format (default 500)")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="equal seeds, equal recordings (default: the time)")
    parser.add_argument("--format", default="", help="only this format")
    parser.add_argument("--corpus", type=Path, nargs="?", const=shared_folder(), help="break the small files of the reference corpus instead")
    options = parser.parse_args()
    found = list(corpus_recordings(options.corpus) if options.corpus else own_recordings())
    groups = {recording.format: [one for one in found if one.format == recording.format] for recording in found}
    faults = 0
    print(f"seed {options.seed}")  # noqa: T201 - what the command is for
    for name in [options.format] if options.format else groups:
        start = time.perf_counter()
        lost = [text for law in laws(groups[name], options) if (text := _fault(law))]
        faults += len(lost)
        print(f"{name:24} {time.perf_counter() - start:6.1f} s  {len(lost)} faults", *lost, sep="\n", flush=True)  # noqa: T201 - as above
    return 1 if faults else 0


def laws(recordings: list[Recording], options: argparse.Namespace) -> Iterator[Callable[[], None]]:
    """Each kind of breaking as a function without arguments."""
    names = [reader.name for reader in READERS]
    chosen = st.sampled_from(recordings)

    def values(recording: Recording, number: int, mutations: list, asked: str) -> None:
        name = list(recording.files)[number % len(recording.files)]
        check(recording.uploads({**recording.files, name: mutated(recording.files[name], mutations)}), format=asked)

    def raw(recording: Recording, mutations: list) -> None:
        check([(file, mutated_bytes(bytes(data), mutations)) for file, data in recording.uploads()])

    def prepared(law: Callable[..., None], examples: int) -> Callable[[], None]:
        quiet = settings(max_examples=max(1, examples), database=None, deadline=None, suppress_health_check=list(HealthCheck))
        return seed(options.seed)(quiet(law))

    yield prepared(given(chosen, st.integers(0, 11), MUTATIONS, st.just(""))(values), options.examples)
    yield prepared(given(chosen, BYTE_MUTATIONS)(raw), options.examples // 2)
    yield prepared(given(chosen, st.integers(0, 11), MUTATIONS | st.just([]), st.sampled_from(names))(values), options.examples // 2)


def _fault(law: Callable[[], None]) -> str:
    """What went wrong, with the smallest recording that shows it; empty if nothing did."""
    try:
        law()
    except Exception:  # noqa: BLE001 - every kind is a fault
        return "\n".join(traceback.format_exc().splitlines()[-SHOWN_LINES:])
    return ""


if __name__ == "__main__":
    sys.exit(main())
