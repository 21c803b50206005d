"""Gemini CLI's chat compression: the older 70 % becomes a summary, old tool outputs are clipped."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ctxcore.policies.clipping import ends
from ctxcore.policies.compacting import Rewriting, SummarisingPolicy, View, systems
from ctxcore.policies.edits import Insert, Layer, Plan, lasting, rewritten
from ctxcore.policies.history import ASSISTANT, History
from ctxcore.policies.pieces import RESULT
from ctxcore.policies.protocol import Parameter
from ctxcore.policies.pruning import newest_side
from ctxcore.policies.summaries import SUMMARY_PARAMETERS, Firing, Summaries

RULE = "Summarised when the context was half full"
CLIPPED = "Tool output behind the newest, clipped when the chat was compressed"

GOT_IT = "Got it. Thanks for the additional context!"

CLIP_CHARS = 40_000
"""Characters that stay of a tool output, a fifth of them of its beginning. Source: as below."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GeminiCompress(SummarisingPolicy):
    """The cut stands at a real user message."""

    threshold: float = 0.5
    preserve: float = 0.3
    response_budget: int | None = None

    name: ClassVar[str] = "gemini-compress"
    title: ClassVar[str] = "Gemini CLI: compress"
    about: ClassVar[str] = (
        "The budget is the model's limit. Once the call before took half of it, the history but the newest message is split at the first user"
        " message behind 70 % of its characters; what stands before becomes a summary in the user's role that the model thanks for. Without "
        "such a message the last user message before is taken, or everything if the history ends with an answer. Tool outputs behind the "
        "newest 50,000 tokens are clipped to 40,000 characters. A summary that would be larger than what it replaces is rejected."
    )
    source: ClassVar[str] = "Gemini CLI, packages/core/src/context/chatCompressionService.ts at 5411f113."
    rejects: ClassVar[str] = "Nothing by its pairs. Where all is one long turn nothing can be cut before it ends."
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(name="threshold", type="float", default=0.5, help="Share of the limit from which it acts."),
        Parameter(name="preserve", type="float", default=0.3, help="Share of the history that stays."),
        Parameter(name="response_budget", type="size", default=None, help="Size of the newest tool outputs that stay whole; upstream 50,000 tokens."),
        *SUMMARY_PARAMETERS,
    )

    def plan(self, history: History, budget: int) -> Plan:
        """See ``PlannedPolicy.plan``."""
        kept = systems(history)
        thanks = history.measure.message("assistant", GOT_IT)
        split = _Split(history, 1 - self.preserve)
        rewriting = Rewriting(
            history=history,
            kept=kept,
            over=lambda size: size >= self.threshold * budget,
            cut=lambda view: split.stop(view, lambda span: self.stand_in(history, span) + thanks),
            stand_in=lambda span, _stop: self.stand_in(history, span) + thanks,
            measured="before",
        )
        firings = rewriting.firings()
        made = self.summaries(history, firings, RULE, kept=np.flatnonzero(kept))
        room = history.tokens(50_000) if self.response_budget is None else self.response_budget
        return Plan(
            layers=(made.layer, _clips(history, firings, room)),
            inserts=(made.insert, _thanks(made, thanks)),
            assumed=(
                "While the next firing is looked for, a summary is taken to have its share of what went; shares are of sizes in the chosen unit.",
                "Outputs are clipped only where a compression succeeds.",
            ),
        )


class _Split:
    """Where the history is split."""

    def __init__(self, history: History, share: float) -> None:
        self.share = share
        self.loose = np.concatenate(([0], np.cumsum(np.where(systems(history), 0, history.size)))).tolist()
        self.persons = np.flatnonzero(history.person).tolist()
        self.ends = newest_side(history).tolist()
        self.answer = ((history.role == ASSISTANT) & ~history.asks).tolist()
        self.reply = (history.role == ASSISTANT).tolist()

    def stop(self, view: View, stand_in: Callable[[int], int]) -> int:
        """Position of the first message that stays; what was done already where nothing can go."""
        end = view.length if self.reply[view.length - 1] else self.ends[view.column]
        if end <= view.done:
            return view.done
        low, high = bisect_left(self.persons, view.done), bisect_left(self.persons, end)
        total = view.added + self.loose[end] - self.loose[view.done]
        behind = [p for p in self.persons[low:high] if view.added + self.loose[p] - self.loose[view.done] >= self.share * total]
        stop = behind[0] if behind else end if self.answer[end - 1] else self.persons[high - 1] if high > low else view.done
        grown = stand_in(self.loose[stop]) >= view.added + self.loose[stop] - self.loose[view.done]
        return view.done if grown else stop


def _clips(history: History, firings: Sequence[Firing], room: int) -> Layer:
    """Long tool outputs behind the newest, at each compression; those that it summarises are gone anyway."""
    pieces, calls = history.pieces, len(history.length)
    results = np.flatnonzero(pieces.kind == RESULT)
    upto = np.concatenate(([0], np.cumsum(pieces.size[results])))
    since = np.full(len(results), calls, np.int64)
    for firing in firings:
        end = int(np.searchsorted(pieces.message[results], history.length[firing.column]))
        passed = upto[end] - upto[:end] > room
        since[:end] = np.where(passed & (pieces.message[results[:end]] >= firing.stop), np.minimum(since[:end], firing.column), since[:end])
    items = results[(since < calls) & (pieces.chars[results] > CLIP_CHARS)].astype(np.int64)

    def text(piece: int) -> str:
        whole = history.text(piece)
        head = CLIP_CHARS // 5
        return ends(whole, head, CLIP_CHARS - head, f"\n... [{len(whole) - CLIP_CHARS} characters omitted] ...\n")

    return lasting(history, "clip", CLIPPED, items, since=since[np.searchsorted(results, items)], freed=rewritten(history, items, text), text=text)


def _thanks(made: Summaries, size: int) -> Insert:
    return Insert(
        kind="marker",
        role="assistant",
        rule="Thanks for the summary",
        size=np.where(made.which >= 0, size, 0).astype(np.int64),
        place=made.insert.place,
        text=lambda _column: GOT_IT,
        version=np.minimum(made.which, 0),
    )
