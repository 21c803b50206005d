"""A model that is given, before each call, the part of the state that its action needs.

Source: context editing, "Inject" and "Edit log".
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import replace
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from ctxcore.errors import InputError
from ctxcore.runtime.models import ChatMessage, Model, ToolDefinition
from ctxcore.sending import live_thread
from ctxcore.state.domain import Domain
from ctxcore.state.edit_log import RETENTION_DAYS, injection_items, kept
from ctxcore.state.editor import edit_messages
from ctxcore.state.entries import LogEntry, LogItem, State
from ctxcore.state.injection import Fragment, action_named, context_for, inject
from ctxcore.state.said_candidates import ReadText
from ctxcore.state.text_rules import read_text
from ctxcore.tool_uses import tool_uses

if TYPE_CHECKING:
    from ctxcore.runtime.memory.memory import MemorySession

Chooser = Callable[[State], str | None]
"""Which action is next, from the state; None injects nothing."""


REMEMBERED = 4_096
"""Texts whose values are remembered by content: every request says again what the one before it said."""


def _now() -> datetime:
    return datetime.now(UTC)


class StateModel:
    """Reads the conversation of every request, and puts the fragment of an action in front of its last user message.

    Wrap a ``BudgetedModel``: the fragment is then a part of the request that is fitted, and counts against the budget. It is a system message, which
    no whole-unit rule drops. The conversation itself is never changed, so the next request gets a fragment of its own, not two.
    """

    def __init__(
        self,
        model: Model,
        domain: Domain,
        action: str | Chooser,
        *,
        language: Literal["zh", "en"] = "zh",
        most_chars: int | None = None,
        retention_days: int = RETENTION_DAYS,
        now: Callable[[], datetime] = _now,
    ) -> None:
        """Wrap a model.

        Args:
            model: Gets the requests with their fragments.
            domain: What is read, and what each action may see.
            action: Name of the action, or a function that names it.
            language: Of the questions for missing fields.
            most_chars: Size that a fragment may have; required fields stay in any case.
            retention_days: Entries of the log that are older are not given any more.
            now: Clock: says when a message came that was not there before.

        Raises:
            InputError: No such action, or a retention of less than a day.
        """
        if retention_days < 1:
            raise InputError(f"A retention of {retention_days} days: give at least 1.")
        if isinstance(action, str):
            action_named(domain, action)
        self._model, self._domain, self._language, self._most, self._now = model, domain, language, most_chars, now
        self._action: Chooser = (lambda _state: action) if isinstance(action, str) else action
        self._days = retention_days
        self._kept = _Kept()

    @property
    def fragment(self) -> Fragment | None:
        """Of the last request, with the required fields that are missing and what to ask for them; None before the first, or where none was made."""
        return self._kept.fragment

    @property
    def state(self) -> State | None:
        """As the last request left it; None before the first."""
        return self._kept.state

    @property
    def log(self) -> tuple[LogEntry, ...]:
        """What was read, changed, injected and refused, one entry per round; without what is older than the retention."""
        state = self._kept.state
        if state is None:
            return ()
        entries = [replace(entry, items=(*entry.items, *self._kept.items.get(entry.round, ()))) for entry in state.log]
        return kept(entries, self._kept.times, self._now(), self._days)

    def remembering(self, memory: MemorySession) -> StateModel:
        """The same for requests that a memory adds to: what is remembered is put in behind the reading, for it is nothing that was just said.

        Args:
            memory: Of one conversation.
        """
        same = copy(self)
        same._model = memory.around(self._model)  # noqa: SLF001 - of its own class
        return same

    async def complete(self, messages: list[ChatMessage], tools: list[ToolDefinition]) -> ChatMessage:
        """The wrapped model's answer to the request with its fragment.

        Raises:
            ContextBudgetError: The request does not fit, fragment included.
        """
        return await self._model.complete(self._with_fragment(messages, tools), tools)

    def _with_fragment(self, messages: list[ChatMessage], tools: list[ToolDefinition]) -> list[ChatMessage]:
        if not all(isinstance(one, dict) and isinstance(one.get("role"), str) for one in messages):
            return messages  # whoever fits it says what is wrong
        state = self._read(messages, tools)
        name = self._action(state)
        if name is None:
            self._kept.fragment = None
            return messages
        fragment = self._kept.fragment = context_for(self._domain, state, name, language=self._language, most_chars=self._most)
        injected = inject(messages, fragment, self._kept.ledger)
        self._kept.ledger = injected.ledger
        self._kept.items.setdefault(state.rounds, []).extend(injection_items(state, fragment.tag, fragment.fields, injected.code))
        return [dict(message) for message in injected.messages]

    def _read(self, messages: list[ChatMessage], tools: list[ToolDefinition]) -> State:
        """The state before the call; fragments of earlier requests that stand in the conversation say nothing new."""
        times = self._kept.times = [*self._kept.times[: len(messages)], *([self._now()] * (len(messages) - len(self._kept.times)))]
        thread = live_thread(messages, list(tools))
        self._kept.state = edit_messages(thread.messages, self._domain, times, tool_uses(thread), rules=self._kept.rules)
        return self._kept.state


class _Kept:
    """What is known of a conversation; a model and its remembering copy share it."""

    def __init__(self) -> None:
        self.rules: ReadText = lru_cache(maxsize=REMEMBERED)(read_text)
        self.ledger: tuple[Fragment, ...] = ()
        self.items: dict[int, list[LogItem]] = {}
        self.times: list[datetime] = []
        self.state: State | None = None
        self.fragment: Fragment | None = None
