"""What the page State draws: the chains, one chain in detail, and whether the newest value is in a call's context."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pandas as pd

from ctxcore.measures.presence import Presence
from ctxcore.model import Thread
from ctxcore.state.extract import EXTRACTORS
from ctxcore.state.values import CHANGES, Chain, Step
from ctxcore.views.visible import shortened, visible
from ctxcore.views.words import count, number

PRESENCE_WORDS = {
    "yes": "✓ yes",
    "stale only": "◐ stale value only",
    "dropped": "✕ dropped",
    "not in the request": "– not in the recorded request",
    "not yet": "· not yet touched",
    "refused": "⊘ call refused",
}
"""Whether the newest value is in the context, for people: a sign and a word."""

CHAIN_COLUMNS = (
    *("kind", "name", "reads", "changes", "stale reads", "last call"),
    *("newest value", "value by then", "in context", "carried by"),
)
"""Columns of the table of chains."""

VALUE_CHARS = 80
"""Characters of a value that a table shows."""


def state_looks_for() -> tuple[str, ...]:
    """What is recognised, one line per extractor."""
    return tuple(extractor.looks_for for extractor in EXTRACTORS)


def chain_name(chain: Chain) -> str:
    """A chain's name with what it belongs to."""
    return visible(f"{chain.name} ({chain.scope})" if chain.scope else chain.name)


def chains_table(chains: Sequence[Chain], presences: Sequence[Presence]) -> pd.DataFrame:
    """One row per chain; ``in context`` is about the picked call after trimming."""
    rows = [
        {
            "kind": chain.kind,
            "name": chain_name(chain),
            "reads": chain.reads,
            "changes": chain.changes,
            "stale reads": chain.stale_reads,
            "last call": chain.steps[-1].call,
            "newest value": shortened(value_at(chain, len(chain.steps) - 1), VALUE_CHARS),
            "value by then": "" if one.newest is None else shortened(value_at(chain, one.newest), VALUE_CHARS),
            "in context": PRESENCE_WORDS[one.word],
            "carried by": "" if one.step is None else f"call #{chain.steps[one.step].call} ({chain.steps[one.step].action})",
        }
        for chain, one in zip(chains, presences, strict=True)
    ]
    return pd.DataFrame(rows, columns=CHAIN_COLUMNS)


def value_at(chain: Chain, step: int) -> str:
    """The value after a step as far as it is recorded: the value itself, or a file's version."""
    past = [s for s in chain.steps[: step + 1] if not s.failed]
    value = next((s.new for s in reversed(past) if s.action in CHANGES), "")
    if chain.kind == "value":
        return value
    version = past[-1].version if past else 0
    return f"v{version}{f' #{value}' if value else ''}" if version else "as found"


def chain_table(chain: Chain, thread: Thread) -> pd.DataFrame:
    """One row per step of a chain: round, what was done, old → new, source."""
    rows = [
        {
            "call": step.call,
            "turn": step.turn,
            "action": _action(step),
            "old → new": _transition(chain, step),
            "detail": visible(step.detail),
            "read is": _currency(step),
            "who": f"{'model' if thread.kind == 'main' else visible(thread.title or thread.id)} via {shortened(step.tool, 40)}",
            "source": visible(str(step.source)),
        }
        for step in chain.steps
    ]
    return pd.DataFrame(rows)


def _action(step: Step) -> str:
    words = "read again" if step.again else step.action
    return f"{words} (failed)" if step.failed else words


def _transition(chain: Chain, step: Step) -> str:
    if step.failed:
        return "no change"
    if chain.kind == "value":
        return f"{shortened(step.old, VALUE_CHARS) or 'not recorded'} → {shortened(step.new, VALUE_CHARS)}"
    if step.action not in CHANGES:
        return f"sees v{step.version}" if step.version else "sees it as found"
    hashed = f" #{step.new}" if step.new else ""
    return f"v{step.version - 1} → v{step.version}{hashed}"


def _currency(step: Step) -> str:
    if step.action != "read" or step.failed:
        return ""
    return "current" if step.stale_from is None else f"stale from call #{step.stale_from} on"


def state_sentence(chains: Sequence[Chain], presences: Sequence[Presence], call: int) -> str:
    """What is known of the state, and what the picked call holds of it, in plain words."""
    files, values = sum(chain.kind == "file" for chain in chains), sum(chain.kind == "value" for chain in chains)
    kinds = [count(files, "file"), count(values, "named value")] if values else [count(files, "file")]
    stale = sum(chain.stale_reads for chain in chains)
    counts = Counter(one.word for one in presences)
    words = [f"{' and '.join(kinds)}, {count(sum(c.changes for c in chains), 'change')}, {count(stale, 'read')} older than a later change."]
    known = len(chains) - counts["not yet"]
    if not known:
        return " ".join([*words, f"Before call #{number(call)} nothing had been touched."])
    if counts["refused"]:
        return " ".join([*words, f"Call #{number(call)} is refused at this budget: it receives nothing."])
    parts = [f"the newest value of {number(counts['yes'])}"]
    if counts["stale only"]:
        parts.append(f"only a stale one of {number(counts['stale only'])}")
    if gone := counts["dropped"] + counts["not in the request"]:
        parts.append(f"nothing of {number(gone)}")
    return " ".join([*words, f"Of {number(known)} touched by then, call #{number(call)} would receive {', '.join(parts)}."])
