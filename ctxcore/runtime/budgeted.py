"""A model that never receives more than its budget.

Source: the whole-unit rule, "The wrapper".
"""

from __future__ import annotations

from collections import deque
from copy import deepcopy

from ctxcore.errors import ContextBudgetError
from ctxcore.fitting import FitReport, fit_context
from ctxcore.policies.strict import check_limit
from ctxcore.runtime.models import ChatMessage, Model, ToolDefinition

KEPT_REPORTS = 64
"""Reports that are kept; older ones go. Source: the whole-unit rule, "The wrapper"."""


class BudgetedModel:
    """Fits every request before the model it wraps sees it.

    Attributes:
        calls: Requests that reached the wrapped model, refused ones not counted.
    """

    def __init__(self, model: Model, max_characters: int = 16_000, required_task: str | None = None) -> None:
        """Wrap a model.

        Args:
            model: Receives fitted copies only.
            max_characters: Budget in characters of canonical JSON, tools included, at least 1.
            required_task: What the last user message of every request must be; None is not compared.

        Raises:
            ContextBudgetError: ``bad_budget``.
        """
        self._model = model
        self._max_characters = check_limit(max_characters)
        self._required_task = required_task
        self._reports: deque[FitReport] = deque(maxlen=KEPT_REPORTS)
        self.calls = 0

    @property
    def reports(self) -> tuple[FitReport, ...]:
        """The last 64 reports, oldest first, one per call that reached the wrapped model."""
        return tuple(self._reports)

    async def complete(self, messages: list[ChatMessage], tools: list[ToolDefinition]) -> ChatMessage:
        """The wrapped model's answer to the fitted request, unchanged.

        Raises:
            ContextBudgetError: The request was refused; the wrapped model was not called.
        """
        fitted = fit_context(messages, tools, max_characters=self._max_characters, required_task=self._required_task)
        sent_tools = _copied(tools)
        self.calls += 1
        self._reports.append(fitted.report)
        return await self._model.complete(fitted.messages, sent_tools)


def _copied(tools: list[ToolDefinition]) -> list[ToolDefinition]:
    try:
        return deepcopy(tools)
    except RecursionError as error:
        raise ContextBudgetError("not_json", "The tools are nested too deeply to copy.") from error
