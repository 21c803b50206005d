"""LlamaIndex's ``Memory``: a queue that sheds its oldest messages in batches."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ctxcore.columns import IntArray
from ctxcore.policies.edits import Plan, window
from ctxcore.policies.history import USER, History
from ctxcore.policies.planned import PlannedPolicy
from ctxcore.policies.protocol import Parameter
from ctxcore.policies.talk import Talk, talk

RULE = "Flushed from the queue of messages"

DEFAULT_FLUSH_TOKENS = 3000
"""Source: llama-index-core, ``DEFAULT_FLUSH_SIZE``."""

SMALLER_FLUSH = 0.7
"""Share of the limit that is flushed at once where the flush size is over the limit. Source: ``Memory.from_defaults``."""


@dataclass(frozen=True, slots=True)
class LlamaindexMemory(PlannedPolicy):
    """What is flushed stays away."""

    chat_history_token_ratio: float = 0.7
    token_flush_size: int | None = None

    name: ClassVar[str] = "llamaindex-memory"
    title: ClassVar[str] = "LlamaIndex: memory"
    about: ClassVar[str] = (
        "Messages stand in a queue. Once it is over a share of the budget, the oldest go in batches of at least the flush size, and on until the "
        "queue begins with a user message; the last user message and what follows stay, whatever their size. What is gone never comes back: "
        "upstream hands it to memory blocks, and there are none by default. The system text stands outside and is taken off the limit (upstream "
        "30,000 tokens). Upstream counts texts, no tool calls."
    )
    source: ClassVar[str] = "llama-index-core 0.14.25, Memory without memory blocks."
    rejects: ClassVar[str] = "An empty request where the history holds no user message; else nothing, earlier turns are lost whole."
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(name="chat_history_token_ratio", type="float", default=0.7, help="Share of the budget over which the queue is flushed."),
        Parameter(name="token_flush_size", type="size", default=None, help="Flushed at once, at least; 3,000 tokens if left out."),
    )

    def plan(self, history: History, budget: int) -> Plan:
        """See ``PlannedPolicy.plan``."""
        said = talk(history)
        size = self.token_flush_size if self.token_flush_size is not None else history.tokens(DEFAULT_FLUSH_TOKENS)
        queue = _Queue(said)
        stop, put = [], 0
        for limit, begun in zip(np.maximum(budget - said.outside, 1).tolist(), said.begun.tolist(), strict=True):
            for count in range(put + 1, begun + 1):
                queue.put(count, limit * self.chat_history_token_ratio, _flush_size(size, limit))
            put = max(put, begun)
            stop.append(min(queue.front, begun))
        assumed = ("Messages enter the queue one by one as recorded; LlamaIndex's own agents put those of a turn in when it ends.",)
        return Plan(layers=(window(history, "drop", RULE, said.items, stop=np.asarray(stop, np.int64)),), assumed=assumed)


def _flush_size(size: int, limit: int) -> int:
    """What is flushed at once: less where the size asked for is over the limit, a tenth of the limit where it is below 1."""
    smaller = int(limit * SMALLER_FLUSH) if size > limit else size
    return smaller if smaller >= 1 else int(limit * 0.1)


class _Queue:
    """Index of the first message that is still in the queue."""

    def __init__(self, said: Talk) -> None:
        self.front = 0
        self.upto: list[int] = said.upto.tolist()
        is_user: IntArray = np.flatnonzero(said.role == USER)
        self.users: list[int] = is_user.tolist()

    def put(self, count: int, limit: float, flush: int) -> None:
        """Flush after message ``count - 1`` has come in."""
        while self.upto[count] - self.upto[self.front] > limit and count - self.front > 1:
            front = self._flushed(count, flush)
            if front == self.front:
                return
            self.front = front

    def _flushed(self, count: int, flush: int) -> int:
        """The first message left by one batch: a user message; the one that began the turn if the batch would take all of it."""
        least = min(bisect_left(self.upto, self.upto[self.front] + flush, lo=self.front), count - 1)
        behind = bisect_left(self.users, least)
        if behind < len(self.users) and self.users[behind] < count:
            return self.users[behind]
        return self.users[behind - 1] if behind and self.users[behind - 1] >= self.front else count
