"""Claude Code's autocompaction: near the end of the window one summary takes the place of everything, and files come back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ctxcore.policies.compacting import Rewriting, SummarisingPolicy, systems, whole
from ctxcore.policies.edits import Insert, Plan
from ctxcore.policies.file_reads import file_reads
from ctxcore.policies.history import History
from ctxcore.policies.protocol import Parameter
from ctxcore.policies.summaries import SUMMARY_PARAMETERS, Summaries

RULE = "Summarised when the window was nearly full"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaudeCodeAutocompact(SummarisingPolicy):
    """The system text stays; all else becomes a summary and the files read last."""

    reserve: int | None = None
    files: int = 5
    file_limit: int | None = None

    name: ClassVar[str] = "claude-code-autocompact"
    title: ClassVar[str] = "Claude Code: autocompact"
    about: ClassVar[str] = (
        "The budget is the model's window. Once a request reaches the window less a reserve, the whole history, the task included, becomes "
        "one summary; the files read last come back behind it, a large one by its name only. The program is closed: this is what its "
        "recordings and its documentation show. Instructions, rules and skills that it reads from disk again are not in a recording."
    )
    source: ClassVar[str] = "Claude Code, code.claude.com/docs context window and compact_boundary records; the reserve as observed in session logs."
    rejects: ClassVar[str] = "Nothing. The task is in the summary only; what the summary does not say is gone."
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(name="reserve", type="size", default=None, help="Kept free of the window; about 33,000 tokens as observed."),
        Parameter(name="files", type="int", default=5, help="Newest files read that come back."),
        Parameter(name="file_limit", type="size", default=None, help="Size over which a file comes back by its name only; 5,000 tokens."),
        *SUMMARY_PARAMETERS,
    )

    def plan(self, history: History, budget: int) -> Plan:
        """See ``PlannedPolicy.plan``."""
        reserve = history.tokens(33_000) if self.reserve is None else self.reserve
        again = _Files(history, self.files, history.tokens(5_000) if self.file_limit is None else self.file_limit)
        kept = systems(history)
        rewriting = Rewriting(
            history=history,
            kept=kept,
            over=lambda size: size >= budget - reserve,
            cut=whole,
            stand_in=lambda span, stop: self.stand_in(history, span) + again.size(stop),
        )
        made = self.summaries(history, rewriting.firings(), RULE, kept=np.flatnonzero(kept))
        return Plan(
            layers=(made.layer,),
            inserts=(made.insert, again.insert(made)),
            assumed=("While the next firing is looked for, a summary is taken to have its share of what went.", "Files come back as they were read."),
        )


class _Files:
    """What is read again after a compaction."""

    def __init__(self, history: History, count: int, limit: int) -> None:
        self.history, self.count, self.limit = history, count, limit
        self.pieces, self.names = file_reads(history)
        self.known: dict[int, tuple[int, str]] = {}

    def size(self, stop: int) -> int:
        """Of the message that brings the files back, 0 for none."""
        return self._at(stop)[0]

    def _at(self, stop: int) -> tuple[int, str]:
        if stop not in self.known:
            text = self._text(stop)
            self.known[stop] = (self.history.measure.message("user", text) if text else 0, text)
        return self.known[stop]

    def _text(self, stop: int) -> str:
        newest: dict[str, int] = {}
        end = int(np.searchsorted(self.history.pieces.message[self.pieces], stop))
        for index in range(end - 1, -1, -1):
            if len(newest) >= self.count:
                break
            newest.setdefault(self.names[index], int(self.pieces[index]))
        return "\n".join(self._shown(name, piece) for name, piece in newest.items())

    def _shown(self, name: str, piece: int) -> str:
        if self.history.pieces.size[piece] > self.limit:
            return f"File {name} was read before the summary; read it again if needed."
        return f"File {name}:\n{self.history.text(piece)}"

    def insert(self, made: Summaries) -> Insert:
        """The message of each call."""
        stops = [firing.stop for firing in made.firings]
        which = made.which
        sizes = np.asarray([*map(self.size, stops), 0], np.int64)
        return Insert(
            kind="marker",
            role="user",
            rule="Files read last come back",
            size=sizes[which],
            place=made.insert.place,
            text=lambda column: self._at(stops[which[column]])[1],
            version=which,
        )
