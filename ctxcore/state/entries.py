"""What the editor makes of a conversation: fields with their chains of changes, alerts, and a log of every round."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from ctxcore.model import Json
from ctxcore.state.found import FoundKind, Shade

Why = Literal["initial_selection", "user_correction", "user_reversion", "tool_update", "cleared_by_rule", "expired"]
"""Why a chain has an entry; `user_reversion` is a return to an earlier value."""

Status = Literal["accepted", "asked", "refused", "withdrawn"]
"""`asked` waits for the assistant's word and the user's going on; `refused` was proposed and turned down; `withdrawn` taken back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """The words that say something; slicing the message's source text by `start` and `end` gives `quote`."""

    message: int
    """Thread message."""
    start: int
    """First code point."""
    end: int
    """Code point after the last."""
    quote: str
    """As recorded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One link of a chain."""

    value: Json
    """The value; None where the entry clears or expires the field."""
    kind: FoundKind = "text"
    """What the value is."""
    round: int
    """Ordinal of the user message that it belongs to, from 1."""
    why: Why
    """Why it is there."""
    status: Status = "accepted"
    """Whether it counts."""
    source: Source
    """Where it was said."""
    more: tuple[Source, ...] = ()
    """Further sources that it needed: the confirmation of an attribute that was asked about."""
    extractor: str
    """Rule that read it."""
    confidence: float
    """0 to 1."""
    unit: str = ""
    """Currency or measure word, where it is said or assumed."""
    shades: frozenset[Shade] = frozenset()
    """How it was said."""
    of: Json = None
    """The product in scope when an attribute was said; else None."""
    rule: str = ""
    """What decided, where there was something to decide: `later_in_text`, `higher_confidence`, `user_over_tool`, or the code of a rule."""
    at: int
    """Message with which it joined the chain; that of its source, unless a rule or time put it there."""
    decided: int | None = None
    """Message that accepted what was asked, or refused or withdrew it."""
    decided_round: int | None = None
    """Round of that message."""
    before: Status = "accepted"
    """Status until then."""

    @property
    def since(self) -> int:
        """Round from which it counts: of what was only asked about, the one in which the user went on."""
        waited = self.status == "accepted" and self.before != "accepted"
        return self.decided_round if waited and self.decided_round is not None else self.round


@dataclass(frozen=True, slots=True, kw_only=True)
class Restated:
    """The current value said again: no change."""

    round: int
    """Where."""
    source: Source
    """Words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldChain:
    """Everything that happened to one field, oldest first."""

    name: str
    """Dotted name, or the noun phrase as written."""
    entries: tuple[Entry, ...] = ()
    """Accepted, asked and refused ones."""
    restated: tuple[Restated, ...] = ()
    """When the user said the current value again, or a reply kept it against a remark."""

    @property
    def current(self) -> Entry | None:
        """The last accepted entry; its value is None where the field was cleared or expired."""
        return next((entry for entry in reversed(self.entries) if entry.status == "accepted"), None)

    @property
    def value(self) -> Json:
        """The current value, or None."""
        return self.current.value if self.current else None

    def as_of(self, message: int) -> FieldChain:
        """The chain before a message was said."""
        entries = tuple(entry if entry.decided is None or entry.decided < message else replace(entry, status=entry.before) for entry in self.entries)
        return replace(
            self,
            entries=tuple(entry for entry in entries if entry.at < message),
            restated=tuple(one for one in self.restated if one.source.message < message),
        )

    @property
    def changes(self) -> int:
        """Accepted entries after the first."""
        return max(0, sum(entry.status == "accepted" for entry in self.entries) - 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    """Something that a person should look at."""

    code: str
    """Stable."""
    round: int
    """Where."""
    text: str
    """One sentence with the words in question."""
    field: str = ""
    """Field concerned."""
    source: Source | None = None
    """Where it was said."""


LogKind = Literal["extracted", "transformed", "validated", "refused", "expired", "injected"]
"""Parts of a log entry."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogItem:
    """One thing the editor did, or refused to do."""

    kind: LogKind
    """Which step."""
    field: str
    """Field concerned; empty where none is."""
    value: Json
    """Value concerned."""
    code: str
    """Why, or the stable code of a refusal."""
    extractor: str = ""
    """The rule that read the value."""
    source: Source | None = None
    """Words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogEntry:
    """What one round did to the state."""

    round: int
    """From 1."""
    message: int
    """The user message that begins it."""
    items: tuple[LogItem, ...] = ()
    """In order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """A conversation as a structured state."""

    domain: str
    """Name of the domain."""
    fields: Mapping[str, FieldChain]
    """By name, in order of first mention."""
    alerts: tuple[Alert, ...] = ()
    """In order."""
    log: tuple[LogEntry, ...] = ()
    """One per round."""
    rounds: int = 0
    """Rounds read."""

    def as_of(self, message: int) -> State:
        """The state before a message was said: what joined or was decided later is not there yet."""
        fields = {name: chain.as_of(message) for name, chain in self.fields.items()}
        return replace(self, fields={name: chain for name, chain in fields.items() if chain.entries})

    def value(self, name: str) -> Json:
        """Current value of a field, or None."""
        chain = self.fields.get(name)
        return chain.value if chain else None

    def values(self) -> dict[str, Json]:
        """Fields that have a value."""
        return {name: chain.value for name, chain in self.fields.items() if not is_missing(chain.value)}


def is_missing(value: Json) -> bool:
    """None, empty text, an empty list or an empty object."""
    return value is None or (isinstance(value, (str, list, tuple, dict)) and not (value.strip() if isinstance(value, str) else value))
