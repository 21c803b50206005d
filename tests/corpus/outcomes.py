"""What became of every file of the corpus, and how much of it is as it must be."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ctxcore import Session, read_sessions
from ctxcore.errors import ReadError
from tests.corpus.known import known_calls
from tests.corpus.verdicts import WITHOUT_CALLS, expected

WITHIN = 0.1
"""A count is right within this part of the known one."""


@dataclass(frozen=True)
class Outcome:
    """One file, read or refused."""

    file: str
    word: str
    """The index's word for its format."""
    sessions: tuple[Session, ...]
    reason: str
    """Why it was refused; empty for one that was read."""
    known: int | None
    """Calls as plain lines count them; None where they are not known."""
    seconds: float

    @property
    def calls(self) -> int:
        return sum(len(thread.calls) for session in self.sessions for thread in session.threads)

    @property
    def right(self) -> bool:
        """Read as the format that it is, or refused for the right reason."""
        name, words = expected(self.file, self.word)
        if words:
            return words in self.reason
        return {session.format for session in self.sessions} == {name}

    @property
    def holds_calls(self) -> bool:
        """Has calls, or is known to hold none."""
        return bool(self.reason or self.calls or self.known == 0 or self.file.startswith(WITHOUT_CALLS))

    @property
    def near(self) -> bool:
        """As many calls as are known, within ``WITHIN``."""
        return self.known is not None and abs(self.calls - self.known) <= WITHIN * self.known

    @property
    def sums_up(self) -> bool:
        ledgers = [session.ledger for session in self.sessions]
        return all(ledger.records == ledger.read + sum(count for _, count in ledger.skipped) for ledger in ledgers)


def outcomes(corpus: Path) -> Iterator[Outcome]:
    """Every file of the index."""
    for entry in json.loads((corpus / "index.json").read_text()):
        path, start = corpus / entry["file"], time.perf_counter()
        try:
            sessions, reason = read_sessions(path), ""
        except ReadError as error:
            sessions, reason = (), str(error)
        seconds = time.perf_counter() - start
        yield Outcome(entry["file"], entry["format"], sessions, reason, None if reason else known_calls(path, entry["format"]), seconds)


def summary(found: Sequence[Outcome]) -> dict[str, tuple[int, int]]:
    """What is counted, how often it holds, and of how many."""
    read = [one for one in found if not one.reason]
    known = [one for one in read if one.known is not None]
    return {
        "read as what they are, or refused with the right reason": (sum(one.right for one in found), len(found)),
        "read with calls, or known to hold none": (sum(one.holds_calls for one in read), len(read)),
        "ledgers that sum up to the file": (sum(one.sums_up for one in read), len(read)),
        f"calls within {WITHIN:.0%} of the known number": (sum(one.near for one in known), len(known)),
        "calls exactly the known number": (sum(one.calls == one.known for one in known), len(known)),
    }
