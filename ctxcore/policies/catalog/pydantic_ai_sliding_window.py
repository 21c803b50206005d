"""pydantic-ai-harness: the newest messages by number or size, cut where no call is parted from its results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ctxcore.policies.edits import Plan
from ctxcore.policies.history import History
from ctxcore.policies.planned import PlannedPolicy
from ctxcore.policies.protocol import Parameter
from ctxcore.policies.running import RunningHistory

RULE = "Older than the messages that the window keeps"


@dataclass(frozen=True, slots=True)
class PydanticAiSlidingWindow(PlannedPolicy):
    """What is dropped stays away."""

    max_messages: int | None = None
    keep_messages: int = 40
    keep_tokens: int | None = None
    preserve_first_user_message: bool = True

    name: ClassVar[str] = "pydantic-ai-sliding-window"
    title: ClassVar[str] = "Pydantic AI harness: sliding window"
    about: ClassVar[str] = (
        "Once a request is over the budget, the newest messages by number (or at least a size) stay and the older ones go for good; the cut moves "
        "back where it would part a call from its results, and the first request of a user stays in front. All that stands between two replies is "
        "one message, as in Pydantic AI; system texts are instructions and stay. Upstream measures by the usage last reported and 4 characters a "
        "token, and has no default for the trigger."
    )
    source: ClassVar[str] = "pydantic-ai-harness 0.62.0, SlidingWindowCompaction without receipts."
    rejects: ClassVar[str] = "Nothing as a rule; a result that comes more than 5 messages after its call may lose it."
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(name="max_messages", type="int", default=None, help="Messages over which it acts as well; none if left out."),
        Parameter(name="keep_messages", type="int", default=40, help="Newest messages that stay; at least 1."),
        Parameter(name="keep_tokens", type="size", default=None, help="Size of newest messages that stays at least, instead of their number."),
        Parameter(name="preserve_first_user_message", type="bool", default=True, help="Keep the first request of a user."),
    )

    def plan(self, history: History, budget: int) -> Plan:
        """See ``PlannedPolicy.plan``."""
        run = RunningHistory(history, keep_first=self.preserve_first_user_message)
        for column in range(run.never):
            many = self.max_messages is not None and run.left(column) > self.max_messages
            if many or run.size(column) > budget:
                run.drop(column, self._cut(run, column))
        return Plan(layers=(run.drop_layer(RULE),))

    def _cut(self, run: RunningHistory, column: int) -> int:
        if self.keep_tokens:
            return run.token_cut(column, self.keep_tokens)
        return run.safe_cut(column, self.keep_messages if self.keep_tokens is None else 1)
