"""A model that never receives more than its budget.

Source: the whole-unit rule, "The wrapper".
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from copy import copy, deepcopy
from typing import TYPE_CHECKING

from ctxcore.errors import ContextBudgetError
from ctxcore.fitting import FitReport, PreparedContext, fit_context
from ctxcore.policies import Policy, make_policy
from ctxcore.policies.strict import check_limit
from ctxcore.runtime.models import ChatMessage, Model, ToolDefinition
from ctxcore.sending import fit_by_policy

if TYPE_CHECKING:
    from ctxcore.runtime.memory.memory import MemorySession

KEPT_REPORTS = 64
"""Reports that are kept; older ones go. Source: the whole-unit rule, "The wrapper"."""


class BudgetedModel:
    """Fits every request before the model it wraps sees it."""

    def __init__(
        self,
        model: Model,
        max_characters: int = 16_000,
        required_task: str | None = None,
        *,
        policy: str | Policy | None = None,
        on_report: Callable[[FitReport], None] | None = None,
    ) -> None:
        """Wrap a model.

        Args:
            model: Receives fitted copies only.
            max_characters: Budget in characters of canonical JSON, tools included, at least 1.
            required_task: What the last user message of every request must be; None is not compared. Kept whatever the policy says.
            policy: A name or a policy object; None is the whole-unit rule.
            on_report: Told of every report, before the wrapped model is called.

        Raises:
            ContextBudgetError: ``bad_budget``.
            InputError: No such policy.
        """
        self._model = model
        self._max_characters = check_limit(max_characters)
        self._required_task = required_task
        self._policy = make_policy(policy) if isinstance(policy, str) else policy
        self._on_report = on_report
        self._reports: deque[FitReport] = deque(maxlen=KEPT_REPORTS)
        self._memory: MemorySession | None = None
        self._count = [0]  # shared with its copies, as the reports are

    @property
    def calls(self) -> int:
        """Requests that reached the wrapped model, refused ones not counted."""
        return self._count[0]

    @property
    def reports(self) -> tuple[FitReport, ...]:
        """The last 64 reports, oldest first, one per call that reached the wrapped model."""
        return tuple(self._reports)

    async def complete(self, messages: list[ChatMessage], tools: list[ToolDefinition]) -> ChatMessage:
        """The wrapped model's answer to the fitted request, unchanged.

        Raises:
            ContextBudgetError: The request was refused; the wrapped model was not called.
        """
        fitted = self._fitted(messages, tools)
        sent_tools = _copied(tools)
        self._count[0] += 1
        self._reports.append(fitted.report)
        if self._on_report is not None:
            self._on_report(fitted.report)
        return await self._model.complete(fitted.messages, sent_tools)

    def remembering(self, memory: MemorySession) -> BudgetedModel:
        """The same model and budget for requests that a memory adds to; reports and calls are counted together.

        Args:
            memory: Of one conversation. What it adds counts; the required task is then the given one with the core facts.
        """
        same = copy(self)
        same._memory = memory  # noqa: SLF001 - of its own class
        return same

    def _fitted(self, messages: list[ChatMessage], tools: list[ToolDefinition]) -> PreparedContext:
        if self._memory is None or not isinstance(messages, list):
            return self._fit(messages, tools, self._required_task)
        assembled = self._memory.assemble(messages)
        is_task = self._required_task is None or _task(messages) == self._required_task
        fitted = self._fit(assembled.messages, tools, assembled.task if is_task else self._required_task)
        self._memory.sent(assembled, fitted.messages)
        return fitted

    def _fit(self, messages: list[ChatMessage], tools: list[ToolDefinition], task: str | None) -> PreparedContext:
        if self._policy is None:
            return fit_context(messages, tools, max_characters=self._max_characters, required_task=task)
        return fit_by_policy(messages, tools, self._policy, max_characters=self._max_characters, required_task=task)


def _task(messages: list[ChatMessage]) -> object:
    """Content of the last user message; None where there is none."""
    return next((one.get("content") for one in reversed(messages) if isinstance(one, dict) and one.get("role") == "user"), None)


def _copied(tools: list[ToolDefinition]) -> list[ToolDefinition]:
    try:
        return deepcopy(tools)
    except RecursionError as error:
        raise ContextBudgetError("not_json", "The tools are nested too deeply to copy.") from error
