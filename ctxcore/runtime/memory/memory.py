"""A memory with its two stores, and what it does in a conversation.

Source: context editing, "Memory".
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from itertools import count
from pathlib import Path
from typing import Any, Self

from ctxcore.runtime.memory.context import Assembled, assemble, seen_items, within
from ctxcore.runtime.memory.episodic import EpisodicStore
from ctxcore.runtime.memory.items import Item, Layer, Sight
from ctxcore.runtime.memory.semantic import SemanticStore
from ctxcore.runtime.memory.texts import connect
from ctxcore.runtime.models import ChatMessage, Model, ToolDefinition

WRITTEN = "request"
"""Kind of an episode that the program wrote to the model; kept, never retrieved."""

ITEM_CHARS = 600
"""Of a retrieved item in a request."""

Tell = Callable[..., None]
"""Takes the word of an event and its facts by name: ``memory_item`` for an item that is stored, ``memory`` for what became of them in a request."""


class Memory:
    """Keeps what happened and what is known, in a file or for as long as the program runs.

    Give it to ``run_agent`` or ``Planner`` as ``memory``: every message is kept, and every request gets the core facts in its task and what was
    retrieved for it before its history.

    Attributes:
        episodic: What happened.
        semantic: Facts.
    """

    def __init__(self, path: str | Path | None = None, *, limit: int = 5) -> None:
        """Open a memory.

        Args:
            path: Of an SQLite file, made if it is not there; None keeps everything in memory.
            limit: Items of each store that are retrieved for a request at most.
        """
        self._connection = connect(path)
        lock = threading.RLock()
        self.limit = limit
        self._names = count(1)
        self.episodic = EpisodicStore(self._connection, lock)
        self.semantic = SemanticStore(self._connection, lock)

    def close(self) -> None:
        """Close the database; a memory without a file is gone."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def core(self) -> tuple[Item, ...]:
        """The core facts."""
        return tuple(map(Item.of_fact, self.semantic.core()))

    def retrieve(self, text: str, *, not_of: Iterable[str] = ()) -> tuple[Item, ...]:
        """Facts, then episodes, that share words with a text; the closest of each first.

        Args:
            text: Of a step.
            not_of: Conversations whose episodes are left out.
        """
        facts = self.semantic.retrieve(text, self.limit)
        episodes = self.episodic.retrieve(text, self.limit, not_of=not_of, without=(WRITTEN,))
        return tuple(within(item, ITEM_CHARS) for item in (*map(Item.of_fact, facts), *map(Item.of_episode, episodes)))

    def stored(self) -> dict[Layer, int]:
        """How many items each store holds."""
        return {"core": len(self.semantic.core()), "extended": len(self.semantic.extended()), "episodic": len(self.episodic)}

    def next_name(self, word: str) -> str:
        """A name that no conversation of this memory has had.

        Args:
            word: In front.
        """
        return f"{word} {len(self.episodic) + 1}.{next(self._names)}"

    def session(
        self, name: str = "", *, words: str = "", given: str = "", known: int = 0, tell: Tell | None = None, told: set[str] | None = None
    ) -> MemorySession:
        """The memory of one conversation.

        Args:
            name: Unique in the memory; ``next_name`` if left out.
            words: What is looked up for each request; the words of its task if left out.
            given: Kind of the messages that the conversation begins with; their roles if left out.
            known: Messages at its beginning that the memory has already, where a conversation goes on.
            tell: Told what is stored and what becomes of it, for example ``RunRecorder.event``.
            told: Ids of items that were told already, shared by the conversations of a run; added to.
        """
        return MemorySession(self, name or self.next_name("conversation"), words, given, known, tell, set() if told is None else told)


class MemorySession:
    """What a memory does in one conversation."""

    def __init__(self, memory: Memory, name: str, words: str, given: str, known: int, tell: Tell | None, told: set[str]) -> None:
        self._memory, self._name, self._words, self._given, self._known, self._tell = memory, name, words, given, known, tell
        self._items, self._begun = told, False

    def session(self) -> MemorySession:
        """Itself: a loop takes a memory or one of its sessions."""
        return self

    def around(self, model: Model) -> Model:
        """The model, whose requests are put together here before a budget sees them."""
        remembering: Callable[[MemorySession], Model] | None = getattr(model, "remembering", None)  # a BudgetedModel, or what wraps one
        return _Assembling(model, self) if remembering is None else remembering(self)

    def note(self, messages: Sequence[ChatMessage]) -> None:
        """Keep messages of the conversation; system messages are rules, nothing that happened."""
        if not self._begun:
            self._tell_stored()
        begins, self._begun = not self._begun, True
        for message in messages[self._known if begins else 0 :]:
            if message.get("role") in ("system", "developer"):
                continue
            kind = self._given if begins and self._given else str(message.get("role"))
            episode = self._memory.episodic.append(said(message), kind=kind, run=self._name)
            self._tell_item(Item.of_episode(episode))

    def assemble(self, messages: Sequence[ChatMessage]) -> Assembled:
        """A request with the core facts in its task and what was retrieved before its history."""
        task = next((m.get("content") for m in reversed(messages) if isinstance(m, dict) and m.get("role") == "user"), None)
        words = self._words or (task if isinstance(task, str) else "")
        return assemble(None, self._memory.core(), self._memory.retrieve(words, not_of=(self._name,)), messages)

    def sent(self, assembled: Assembled, messages: Sequence[ChatMessage]) -> Sight:
        """What became of the items; it is told."""
        sight = Sight(
            stored=self._memory.stored(),
            core=tuple(item.id for item in assembled.core),
            retrieved=tuple(item.id for item in assembled.retrieved),
            seen=seen_items(assembled, messages),
        )
        self._told("memory", sight.as_json())
        return sight

    def _tell_stored(self) -> None:
        """What was in the memory before, so that a record of this run says what could be retrieved."""
        if self._tell is not None:
            for item in (*map(Item.of_fact, self._memory.semantic.all()), *map(Item.of_episode, self._memory.episodic.all())):
                self._tell_item(item)

    def _tell_item(self, item: Item) -> None:
        if item.id not in self._items:
            self._items.add(item.id)
            self._told("memory_item", item.as_json())

    def _told(self, event: str, facts: dict[str, Any]) -> None:
        if self._tell is not None:
            self._tell(event, **facts)


class _Assembling:
    """A model without a budget."""

    def __init__(self, model: Model, session: MemorySession) -> None:
        self._model, self._session = model, session

    async def complete(self, messages: list[ChatMessage], tools: list[ToolDefinition]) -> ChatMessage:
        assembled = self._session.assemble(messages)
        self._session.sent(assembled, assembled.messages)
        return await self._model.complete(assembled.messages, tools)


def said(message: ChatMessage) -> str:
    """A message as text: what it says, and which tools it calls with what."""
    content = message.get("content")
    functions = [call.get("function", {}) for call in message.get("tool_calls") or [] if isinstance(call, dict)]
    calls = [f"{function.get('name')} {function.get('arguments')}" for function in functions]
    return "\n".join([*([content] if isinstance(content, str) and content else []), *calls])
