"""Another thread watches the reading of a file and can end it."""

from __future__ import annotations

import json

import pytest

from ctxcore import read_session
from ctxcore.readers.stopping import ReadingStopped, Watch, watched
from tests.cases import CASES

LINES = 400
LOG = b"\n".join([*(CASES / "FILE-01.jsonl").read_bytes().splitlines(), *[b'{"type": "progress"}'] * LINES])
REQUEST = json.dumps({"model": "gpt-4o", "messages": [{"role": "user", "content": "Go."}, {"role": "assistant", "content": "Done."}]}).encode()


class StopsAt(Watch):
    """Asks for the end once so much of a file is read."""

    def __init__(self, share: float) -> None:
        super().__init__()
        self.at, self.seen = share, []

    def reached(self, share: float) -> None:
        self.seen.append(share)
        if share >= self.at:
            self.stop()
        super().reached(share)


def test_a_log_is_read_no_further_than_the_wish_to_stop() -> None:
    watch = StopsAt(0.5)
    with watched(watch), pytest.raises(ReadingStopped):
        read_session(LOG, "log.jsonl")
    assert 0.5 <= watch.seen[-1] < 0.6


def test_the_share_read_grows_to_the_end_of_the_file() -> None:
    watch = StopsAt(2.0)
    with watched(watch):
        read_session(LOG, "log.jsonl")
    behind_the_look_at_its_format = watch.seen[len(watch.seen) - watch.seen[::-1].index(0.0) :]
    assert behind_the_look_at_its_format == sorted(behind_the_look_at_its_format)
    assert watch.seen[-1] == 1.0


@pytest.mark.parametrize("data", [LOG, REQUEST])
def test_a_wish_before_the_begin_reads_nothing(data: bytes) -> None:
    watch = Watch()
    watch.stop()
    with watched(watch), pytest.raises(ReadingStopped):
        read_session(data, "file")


def test_reading_that_nobody_watches_is_as_before() -> None:
    watch = Watch()
    watch.stop()
    with watched(watch):
        pass
    assert read_session(REQUEST, "file.json").threads
