"""Puts a request together: task state, core memory, what was retrieved, history, tools. Then the budget decides.

Source: context editing, "Memory".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ctxcore.errors import InputError
from ctxcore.fitting import FitReport, PreparedContext, fit_context
from ctxcore.policies import Policy, make_policy
from ctxcore.policies.strict import check_limit
from ctxcore.runtime.memory.items import Item, core_text, retrieved_text
from ctxcore.runtime.models import ChatMessage, ToolDefinition
from ctxcore.runtime.task_state import TaskState, rendered
from ctxcore.sending import fit_by_policy

FIXED = ("system", "developer")
"""Roles of the messages that stand in front of everything."""

KNOWN = "What this run has found so far, kept by the program:"
"""In front of a task state."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Assembled:
    """A request before a budget looks at it."""

    messages: list[ChatMessage]
    """System messages, task state, retrieved items (the closest last), history with the core facts in its task."""
    task: str | None
    """Text of the task with the core facts: what must be sent whole. None where no message is a task."""
    core: tuple[Item, ...]
    """In the task."""
    retrieved: tuple[Item, ...]
    """The closest first."""


def assemble(task_state: TaskState | None, core: Sequence[Item], retrieved: Sequence[Item], history: Sequence[ChatMessage]) -> Assembled:
    """Put messages together; nothing given is changed.

    The task is the last user message of the history; without one it is the goal of the task state. Each retrieved item is a message of its own, so
    that a budget may drop the farthest and keep the closest.

    Args:
        task_state: What is known about the task, or None.
        core: Goes whole into the task.
        retrieved: The closest first.
        history: The conversation, system messages included.
    """
    places = [n for n, message in enumerate(history) if isinstance(message, dict) and message.get("role") == "user"]
    messages = list(history)
    if not places and task_state is not None:
        places, messages = [len(messages)], [*messages, {"role": "user", "content": task_state.goal}]
    if not places or not isinstance(messages[places[-1]].get("content"), str):  # whoever fits it says what is wrong
        return Assembled(messages=messages, task=None, core=(), retrieved=())
    task = "\n\n".join(filter(None, (messages[places[-1]]["content"], core_text(core))))
    messages[places[-1]] = {**messages[places[-1]], "content": task}
    start = next((n for n, message in enumerate(messages) if message.get("role") not in FIXED), len(messages))
    state = [] if task_state is None else [_user(f"{KNOWN}\n{rendered(task_state)}")]
    found = [_user(retrieved_text(item)) for item in reversed(retrieved)]
    return Assembled(messages=[*messages[:start], *state, *found, *messages[start:]], task=task, core=tuple(core), retrieved=tuple(retrieved))


def _user(text: str) -> ChatMessage:
    return {"role": "user", "content": text}


def seen_items(assembled: Assembled, sent: Sequence[ChatMessage]) -> tuple[str, ...]:
    """Ids of the items that stand whole in what is sent, core first.

    Args:
        assembled: The request before the budget.
        sent: Its messages after.
    """
    texts = [text for message in sent if isinstance(text := message.get("content"), str)]
    whole = core_text(assembled.core)
    core = [item.id for item in assembled.core if any(whole in text for text in texts)]
    return (*core, *(item.id for item in assembled.retrieved if any(retrieved_text(item) in text for text in texts)))


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltContext:
    """A request that fits."""

    messages: list[ChatMessage]
    """As they are sent."""
    tools: list[ToolDefinition]
    """As they are sent."""
    report: FitReport
    """What the budget did; ``before`` holds everything that was put together."""
    core: tuple[str, ...]
    """Ids of the core facts; all of them are in the task."""
    retrieved: tuple[str, ...]
    """Ids of what was retrieved, the closest first."""
    seen: tuple[str, ...]
    """Ids of those of both that the model sees whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextBuilder:
    """Builds requests within a budget.

    Raises:
        ContextBudgetError: ``bad_budget``.
        InputError: No such policy.
    """

    max_characters: int = 16_000
    """Budget in characters of canonical JSON, tools included."""
    policy: str | Policy | None = None
    """What decides; None is the whole-unit rule."""

    def __post_init__(self) -> None:
        """Check the settings."""
        check_limit(self.max_characters)
        if isinstance(self.policy, str):
            make_policy(self.policy)

    def build(
        self,
        task_state: TaskState | None,
        core: Sequence[Item],
        retrieved: Sequence[Item],
        history: Sequence[ChatMessage],
        tools: Sequence[ToolDefinition] = (),
    ) -> BuiltContext:
        """A request with all that fits; see ``assemble`` for the order.

        Args:
            task_state: What is known about the task, or None.
            core: Counts against the budget and is never dropped.
            retrieved: The closest first.
            history: The conversation; never changed.
            tools: Definitions as they are sent.

        Raises:
            ContextBudgetError: Not even task and core fit, or the history is no valid request.
            InputError: Neither the history nor the task state has a task.
        """
        assembled = assemble(task_state, core, retrieved, history)
        if assembled.task is None and not any(message.get("role") == "user" for message in assembled.messages):
            raise InputError("There is no task: give a history with a user message, or a task state.")
        sent_tools = list(tools)
        fitted = self._fitted(assembled, sent_tools)
        return BuiltContext(
            messages=fitted.messages,
            tools=sent_tools,
            report=fitted.report,
            core=tuple(item.id for item in assembled.core),
            retrieved=tuple(item.id for item in assembled.retrieved),
            seen=seen_items(assembled, fitted.messages),
        )

    def _fitted(self, assembled: Assembled, tools: list[Any]) -> PreparedContext:
        if self.policy is None:
            return fit_context(assembled.messages, tools, max_characters=self.max_characters, required_task=assembled.task)
        policy = make_policy(self.policy) if isinstance(self.policy, str) else self.policy
        return fit_by_policy(assembled.messages, tools, policy, max_characters=self.max_characters, required_task=assembled.task)


def within(item: Item, most: int) -> Item:
    """The item, or its beginning and how many characters more there are.

    Args:
        item: Any.
        most: Characters of its text.
    """
    if len(item.text) <= most:
        return item
    return replace(item, text=f"{item.text[:most]} [{len(item.text) - most:,} more characters]")
