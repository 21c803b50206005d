"""The relation network: topics and how they depend on each other, weighed once and pruned.

Source: the notes on compaction, relation network.
"""

from __future__ import annotations

import html
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from ctxcore.compaction.values import Span

STRENGTH: Mapping[str, float] = MappingProxyType({"prerequisite": 0.8, "uses": 0.6, "requires": 0.8, "relates": 0.3})
"""Weight of an edge by its type. Source: the notes on compaction."""

PER_MENTION, KEPT_ABOVE = 10.0, 5.0
"""Initial weight of a mention; a topic of no more than this weight is pruned. Source: the notes on compaction."""

CORE_TOPICS = 3
"""Kept topics that PageRank puts first."""

DAMPING, ROUNDS, CLOSE = 0.85, 100, 1e-6
"""Of PageRank: the published damping, and when it has settled. Source: Brin and Page, 1998; the same defaults as networkx."""


class Edge(NamedTuple):
    """One relation."""

    start: str
    """Topic."""
    type: str
    """A key of the strengths."""
    end: str
    """Topic."""


@dataclass(frozen=True, kw_only=True)
class RelationGraph:
    """Topics with their mentions, and relations between them."""

    mentions: Mapping[str, int]
    """Topic → how often the user came to it, over all sessions that were merged."""
    edges: tuple[Edge, ...]
    """Each once, in order of first appearance."""
    strength: Mapping[str, float] = field(default_factory=lambda: STRENGTH)
    """Type → weight."""
    kept_above: float = KEPT_ABOVE
    """Weight over which a topic stays."""

    @cached_property
    def topics(self) -> tuple[str, ...]:
        """All topics, those of edges first."""
        return tuple(dict.fromkeys([*(name for edge in self.edges for name in (edge.start, edge.end)), *self.mentions]))

    @cached_property
    def weights(self) -> dict[str, float]:
        """Topic → mentions × 10, and over each edge in either direction the neighbour's initial weight × the edge's; one pass."""
        initial = {topic: PER_MENTION * self.mentions.get(topic, 0) for topic in self.topics}
        found = dict(initial)
        for edge in self.edges:
            found[edge.start] += initial[edge.end] * self.strength.get(edge.type, 0.0)
            found[edge.end] += initial[edge.start] * self.strength.get(edge.type, 0.0)
        return found

    @cached_property
    def kept(self) -> tuple[str, ...]:
        """Topics that stay, in their order."""
        return tuple(topic for topic in self.topics if self.weights[topic] > self.kept_above)

    @cached_property
    def ranks(self) -> dict[str, float]:
        """Topic → PageRank over all edges; ranks kept topics and decides nothing else."""
        place = {topic: number for number, topic in enumerate(self.topics)}
        edges = {(place[edge.start], place[edge.end]): self.strength.get(edge.type, 0.0) for edge in self.edges}
        return dict(zip(self.topics, _page_rank(len(place), edges).tolist(), strict=True))

    @cached_property
    def core_topics(self) -> tuple[str, ...]:
        """The kept topics with the highest rank; of equals the heavier, then the earlier."""
        order = sorted(self.kept, key=lambda topic: (-round(self.ranks[topic], 9), -self.weights[topic], self.topics.index(topic)))
        return tuple(order[:CORE_TOPICS])

    @cached_property
    def pruned(self) -> dict[str, tuple[str, ...]]:
        """Topic that goes → its nearest core topics."""
        return {topic: self._nearest(topic) for topic in self.topics if topic not in self.kept}

    def gaps(self, current: str) -> tuple[str, ...]:
        """Prerequisites of a topic, and theirs, that the user never came to."""
        before: dict[str, list[str]] = {}
        for edge in self.edges:
            if edge.type == "prerequisite":
                before.setdefault(edge.end, []).append(edge.start)
            elif edge.type == "requires":
                before.setdefault(edge.start, []).append(edge.end)
        found = dict.fromkeys(before.get(current, ()))
        waiting = deque(found)
        while waiting:
            for topic in before.get(waiting.popleft(), ()):
                if topic not in found:
                    found[topic] = None
                    waiting.append(topic)
        return tuple(topic for topic in found if topic != current and not self.mentions.get(topic))

    def merged(self, other: RelationGraph) -> RelationGraph:
        """Both, with mentions added: a user's later session on top of an earlier one."""
        mentions = Counter(self.mentions)
        mentions.update(other.mentions)
        return replace(self, mentions=dict(mentions), edges=tuple(dict.fromkeys((*self.edges, *other.edges))))

    def _nearest(self, topic: str) -> tuple[str, ...]:
        """Core topics at the smallest distance; none where no edge leads there."""
        near: dict[str, list[str]] = {}
        for edge in self.edges:
            near.setdefault(edge.start, []).append(edge.end)
            near.setdefault(edge.end, []).append(edge.start)
        seen, level = {topic}, [topic]
        while level:
            found = tuple(name for name in self.core_topics if name in level)
            if found:
                return found
            level = list(dict.fromkeys(name for one in level for name in near.get(one, ()) if name not in seen))
            seen.update(level)
        return ()


def graph_of(spans: Sequence[Span]) -> RelationGraph:
    """The relations that spans state, and how often the user's messages name each topic.

    Args:
        spans: Classified; mentions are counted in all of them that the user said.
    """
    edges = tuple(dict.fromkeys(Edge(span.ends[0], span.key, span.ends[1]) for span in spans if span.kind == "relation" and span.key))
    topics = dict.fromkeys(name for edge in edges for name in (edge.start, edge.end))
    said = [span.text.lower() for span in spans if span.voice == "person"]
    return RelationGraph(mentions={topic: sum(topic.lower() in text for text in said) for topic in topics}, edges=edges)


def knowledge_context(graph: RelationGraph, current: str = "") -> str:
    """What is put into a request of the network; names are escaped, so that none can close the tag.

    Args:
        graph: Pruned when shown.
        current: Topic that is spoken of now; the first core topic if empty.
    """
    topic = current or next(iter(graph.core_topics), "")
    lines = [f"core_topics: {_listed(graph.core_topics)}"]
    related = [edge for edge in graph.edges if edge.start in graph.kept and edge.end in graph.kept]
    lines += [f"related_concepts: {'; '.join(f'{_safe(e.start)} {_safe(e.type)} {_safe(e.end)}' for e in related)}"] if related else []
    lines += [f"{_safe(name)}: {{related_to_core_topics: [{_listed(near)}]}}" for name, near in graph.pruned.items()]
    lines.append(f"knowledge_gaps: {_listed(graph.gaps(topic))}")
    return "\n".join(["<user_knowledge_context>", *lines, "</user_knowledge_context>"])


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(_safe, names))


def _safe(name: str) -> str:
    return " ".join(html.escape(name, quote=False).split())


def _page_rank(count: int, edges: Mapping[tuple[int, int], float]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Ranks that sum to 1; what has no way out goes to all alike."""
    if not count:
        return np.zeros(0)
    start, end = (np.asarray([edge[side] for edge in edges], np.int64) for side in (0, 1))
    weight = np.asarray(list(edges.values()), np.float64)
    out = np.bincount(start, weight, count)
    share = weight / np.where(out[start] > 0, out[start], 1.0)
    rank = np.full(count, 1.0 / count)
    for _ in range(ROUNDS):
        lost = rank[out == 0].sum() / count
        newer = (1 - DAMPING) / count + DAMPING * (np.bincount(end, rank[start] * share, count) + lost)
        settled = np.abs(newer - rank).sum() < count * CLOSE
        rank = newer
        if settled:
            break
    return rank
