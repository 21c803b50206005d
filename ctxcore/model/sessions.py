"""One recorded log, read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ctxcore.model.calls import Usage
from ctxcore.model.places import NO_RECORDS, Ledger, Problem
from ctxcore.model.threads import Thread
from ctxcore.model.words import Level


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One recorded log, read."""

    id: str
    """The log's own id, or the start of the digest."""
    name: str
    """The file's name."""
    format: str
    """Name of the reader."""
    level: Level
    """What it can show at best."""
    threads: tuple[Thread, ...]
    """Main thread first."""
    not_recorded: tuple[str, ...] = ()
    """Parts of a request that the log does not hold, for example ``system prompt``."""
    problems: tuple[Problem, ...] = ()
    """What could not be read as it stands."""
    ledger: Ledger = NO_RECORDS
    """What became of every record."""
    notes: tuple[str, ...] = ()
    """Sentences that a user should read: other sessions in the file, what a number rests on."""
    digest: str = ""
    """Of the upload's bytes, the format they were read as and the session's place in it: equal digests, equal sessions."""
    seen_calls: Mapping[str, Usage] = field(default_factory=dict)
    """Each of its calls, by its id or a name made of what was said, with its usage: another upload with the same names repeats them."""

    def thread(self, id: str = "") -> Thread:
        """The thread with this id, or the first one for an empty id.

        Raises:
            KeyError: No such thread.
        """
        for thread in self.threads:
            if not id or thread.id == id:
                return thread
        raise KeyError(id)
