"""Claude Code's microcompaction: old tool results lose their text in batches, before anything is summarised."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ctxcore.policies.edits import Plan, replaced
from ctxcore.policies.history import History
from ctxcore.policies.planned import PlannedPolicy
from ctxcore.policies.protocol import Parameter
from ctxcore.policies.pruning import Batch, prune, pruned, results

RULE = "Tool result behind those protected, gone in a batch"


@dataclass(frozen=True, slots=True)
class ClaudeCodeMicrocompact(PlannedPolicy):
    """What is cleared stays cleared."""

    protect: int | None = None
    minimum: int | None = None
    tools: tuple[str, ...] = ()
    placeholder: str = "[Old tool result content cleared]"

    name: ClassVar[str] = "claude-code-microcompact"
    title: ClassVar[str] = "Claude Code: microcompact"
    about: ClassVar[str] = (
        "Before each call, protects the newest tool results by size and clears all older ones at once, as soon as they are worth it together. The "
        "program is closed: the rule is what its recordings show. Both batches of a recorded session are those of this rule by characters / 4 "
        "(21,294 and 20,134 tokens saved, 39,070 and 36,839 protected); one of them went two calls later than the rule says. The budget only tells "
        "which requests are refused."
    )
    source: ClassVar[str] = "Claude Code 2.1.17, microcompact_boundary records of session logs; its code is not published."
    rejects: ClassVar[str] = "Nothing: every call keeps a result. What a cleared result said is gone."
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(name="protect", type="size", default=None, help="Size of the newest results that stay; 40,000 tokens as observed."),
        Parameter(name="minimum", type="size", default=None, help="Only a batch larger than this goes; 20,000 tokens as observed."),
        Parameter(name="tools", type="names", default=(), help="Tools whose results may be cleared; all if empty."),
        Parameter(name="placeholder", type="str", default="[Old tool result content cleared]", help="Stands in place of a result."),
    )

    def plan(self, history: History, budget: int) -> Plan:
        """See ``PlannedPolicy.plan``."""
        items = results(history, only=self.tools)
        worth = history.tokens(20_000) if self.minimum is None else self.minimum
        batch = Batch(protect=history.tokens(40_000) if self.protect is None else self.protect, worth=lambda size: size > worth)
        gone = prune(history.pieces.size[items], history.begun_pieces(items).tolist(), batch)
        freed = replaced(history, items, self.placeholder)
        return Plan(
            layers=(pruned(history, RULE, items, gone, freed, lambda _piece: self.placeholder),),
            assumed=("Trigger, protected size and placeholder are read from recordings, not from code.",),
        )
