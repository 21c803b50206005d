"""The Microsoft Agent Framework's truncation: the oldest groups go, and then more than were needed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ctxcore.policies.edits import Plan
from ctxcore.policies.history import History
from ctxcore.policies.planned import PlannedPolicy
from ctxcore.policies.protocol import Parameter
from ctxcore.policies.settings import at_least
from ctxcore.policies.shrinking import Shrinking, shrunk

RULE = "Oldest groups, until the rest is well below the limit"


@dataclass(frozen=True, slots=True)
class AgentFrameworkTruncation(PlannedPolicy):
    """What is left out is marked in the history itself and stays out."""

    max_size: int | None = None
    compact_to: int | None = None
    max_messages: int | None = None
    compact_to_messages: int | None = None
    preserve_system: bool = True
    preserve_first_user_group: bool = False

    name: ClassVar[str] = "agent-framework-truncation"
    title: ClassVar[str] = "Microsoft Agent Framework: truncation"
    about: ClassVar[str] = (
        "Once the messages are over the limit, the oldest groups go until the rest is at most compact_to. A call goes with its results. What is out "
        "stays out, so the next cut comes only after the room is used up. System text and the newest group stay. The limit is the budget less tools "
        "and brackets; upstream counts characters of its own form of a message, 4 to a token, or messages."
    )
    source: ClassVar[str] = "agent-framework-core 1.23.0, TruncationStrategy."
    rejects: ClassVar[str] = "Nothing: groups are whole. The task is lost once it is among the oldest groups."
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(name="max_size", type="size", default=None, help="Size of all messages over which it acts; left out, what the budget leaves."),
        Parameter(name="compact_to", type="size", default=None, help="Size down to which it cuts; left out, half of the limit (upstream has none)."),
        Parameter(name="max_messages", type="int", default=None, help="Count messages in place of sizes: more than this many, and it acts."),
        Parameter(name="compact_to_messages", type="int", default=None, help="Messages down to which it cuts; left out, half of max_messages."),
        Parameter(name="preserve_system", type="bool", default=True, help="System texts never go."),
        Parameter(name="preserve_first_user_group", type="bool", default=False, help="The first user message never goes."),
    )

    def __post_init__(self) -> None:
        for name in ("max_size", "compact_to", "max_messages", "compact_to_messages"):
            if getattr(self, name) is not None:
                at_least(name, getattr(self, name), 1)

    def plan(self, history: History, budget: int) -> Plan:
        """See ``PlannedPolicy.plan``."""
        room = (budget - history.fixed).tolist()

        def step(groups: Shrinking) -> None:
            counting = self.max_messages is not None
            most = self.max_messages if self.max_messages is not None else room[groups.column] if self.max_size is None else self.max_size
            least = self.compact_to_messages if counting else self.compact_to
            target = most // 2 if least is None else min(least, most)

            def fill() -> int:
                return groups.count if counting else groups.total

            if fill() > most:
                groups.drop_until(lambda: fill() <= target, RULE, "loose" if self.preserve_system else "every")

        return shrunk(history, step, protect_first_user=self.preserve_first_user_group).plan()
