"""opencode's prune: after each turn, tool results behind the newest ones lose their text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ctxcore.columns import IntArray
from ctxcore.policies.edits import Plan, replaced
from ctxcore.policies.history import History
from ctxcore.policies.planned import PlannedPolicy
from ctxcore.policies.protocol import Parameter
from ctxcore.policies.pruning import Batch, prune, pruned, results

RULE = "Tool result behind those protected, gone in a batch"


@dataclass(frozen=True, slots=True)
class OpencodePrune(PlannedPolicy):
    """What is pruned stays pruned."""

    protect: int | None = None
    minimum: int | None = None
    protected_turns: int = 2
    protected_tools: tuple[str, ...] = ("skill",)
    placeholder: str = "[Old tool result content cleared]"

    name: ClassVar[str] = "opencode-prune"
    title: ClassVar[str] = "opencode: prune"
    about: ClassVar[str] = (
        "When a turn has ended, walks back over the tool results, leaves the newest turns alone, protects the newest results by size, and puts a "
        "placeholder in place of all older ones if they are worth it together. Failed results and those of protected tools are not looked at. "
        "The original counts characters / 4 and does this only where the configuration asks for it; the budget only tells which requests are refused."
    )
    source: ClassVar[str] = "opencode, packages/opencode/src/session/compaction.ts at 31e22f65, prune."
    rejects: ClassVar[str] = "Nothing: every call keeps a result. What a pruned result said is gone."
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(name="protect", type="size", default=None, help="Size of the newest results that stay; upstream 40,000 tokens."),
        Parameter(name="minimum", type="size", default=None, help="Only a batch larger than this goes; upstream 20,000 tokens."),
        Parameter(name="protected_turns", type="int", default=2, help="Newest user turns left alone, the ended one included; at least 1."),
        Parameter(name="protected_tools", type="names", default=("skill",), help="Tools whose results stay."),
        Parameter(name="placeholder", type="str", default="[Old tool result content cleared]", help="Stands in place of a result."),
    )

    def plan(self, history: History, budget: int) -> Plan:
        """See ``PlannedPolicy.plan``."""
        items = self._items(history)
        gone = self._by_turn(history, items)
        freed = replaced(history, items, self.placeholder)
        layer = pruned(history, RULE, items, gone, freed, lambda _piece: self.placeholder)
        return Plan(layers=(layer,), assumed=("It runs when a turn has ended, so the next turn is the first to see it.",))

    def _items(self, history: History) -> IntArray:
        """Results that the walk can reach: it ends at a summary."""
        items = results(history, without=self.protected_tools, failed=False)
        last = np.flatnonzero(history.summary)[-1:]
        return items[history.pieces.message[items] > last[0]] if len(last) else items

    def _by_turn(self, history: History, items: IntArray) -> IntArray:
        """Per call: results gone when its turn began. The walk at the end of turn t sees what stands before the turns it leaves alone."""
        begins = np.flatnonzero(history.person)
        turns = max(self.protected_turns, 1)
        reach = np.zeros(len(begins), np.int64)
        reach[turns:] = np.searchsorted(history.pieces.message[items], begins[: max(len(begins) - turns, 0)])
        worth = history.tokens(20_000) if self.minimum is None else self.minimum
        batch = Batch(protect=history.tokens(40_000) if self.protect is None else self.protect, worth=lambda size: size > worth)
        gone = np.concatenate(([0], prune(history.pieces.size[items], reach.tolist(), batch)))
        return gone[np.searchsorted(begins, history.length)].astype(np.int64)
