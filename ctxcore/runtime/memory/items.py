"""What a memory puts into a request, item by item, and what came of it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ctxcore.runtime.memory.episodic import Episode
from ctxcore.runtime.memory.semantic import Fact, spoken

Layer = Literal["core", "extended", "episodic"]
"""Where an item is stored: facts of every request, facts that are looked up, what happened."""

SHOWN_CHARS = 200
"""Of an item in a record; the store has it whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """Something stored, as a request may hold it."""

    id: str
    """``core:KEY``, ``extended:KEY`` or ``episodic:NUMBER``."""
    layer: Layer
    """See ``Layer``."""
    text: str
    """Key and value, or what happened."""

    @classmethod
    def of_fact(cls, fact: Fact) -> Item:
        """A fact as ``key: value``."""
        layer: Layer = "core" if fact.core else "extended"
        return cls(id=f"{layer}:{fact.key}", layer=layer, text=f"{fact.key}: {spoken(fact.value)}")

    @classmethod
    def of_episode(cls, episode: Episode) -> Item:
        """An episode with who it is of."""
        return cls(id=f"episodic:{episode.number}", layer="episodic", text=f"{episode.kind}: {episode.text}")

    def as_json(self) -> dict[str, Any]:
        """For records; a long text is cut."""
        return {"id": self.id, "layer": self.layer, "text": self.text[:SHOWN_CHARS], "chars": len(self.text)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """What became of the stored items in one request."""

    stored: Mapping[Layer, int]
    """Items in each store when the request was made."""
    core: tuple[str, ...]
    """Ids of the core facts."""
    retrieved: tuple[str, ...]
    """Ids of what was looked up for it, the closest first."""
    seen: tuple[str, ...]
    """Ids of those of both that stood whole in what was sent."""

    def as_json(self) -> dict[str, Any]:
        """For records."""
        return {"stored": dict(self.stored), "core": list(self.core), "retrieved": list(self.retrieved), "seen": list(self.seen)}


def guarded(text: str) -> str:
    """A text inside of which no tag is closed or opened."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def retrieved_text(item: Item) -> str:
    """A retrieved item as a message of its own says it."""
    return f"<memory id={json.dumps(guarded(item.id), ensure_ascii=False)}>{guarded(item.text)}</memory>"


def core_text(items: Sequence[Item]) -> str:
    """All core facts as they stand in the task; empty where there is none."""
    if not items:
        return ""
    lines = "\n".join(guarded(item.text) for item in items)
    return f"<core_memory>\n{lines}\n</core_memory>"
