"""A model call as a trace tells of it, before calls are sorted into threads."""

from __future__ import annotations

from dataclasses import dataclass, field

from ctxcore.model import Json, SourceRef, Usage
from ctxcore.readers.document import Document


@dataclass(slots=True)
class TraceCall:
    """One model call."""

    key: str
    """The span's or run's id: unique in the upload."""
    trace: str
    """Id of its trace."""
    parent: str
    """Key of what it ran in, or empty."""
    source: SourceRef
    start: float | None = None
    """Unix seconds."""
    end: float | None = None
    """Unix seconds."""
    messages: list[Json] | None = None
    """Recorded input, one by one; None where the trace has none."""
    reply: Json | None = None
    """Recorded output, or None."""
    tools: list[Json] | None = None
    """Tool definitions, or None where the trace has none."""
    model: str = ""
    usage: Usage | None = None
    id: str = ""
    """The provider's response id, or empty."""
    session: str = ""
    """Conversation that it belongs to, or empty."""
    scope: str = ""
    """Who recorded it."""
    records: int = 1
    """Records of the file that it was read from."""
    flags: tuple[str, ...] = ()
    rebuilt: bool = False
    """True where the input does not stand in the trace as a whole."""
    lost: int = 0
    """Attributes that the recorder left out."""
    first: int = 0
    """Index of the first message of which something is left, where those before were lost."""
    parts_of_first: bool = False
    """True where part of the first message was lost too."""


@dataclass(slots=True)
class TraceNode:
    """Anything else in a trace: an agent, a tool, a chain."""

    key: str
    trace: str
    parent: str
    name: str
    kind: str
    """``agent``, ``tool`` or ``other``."""
    start: float | None = None
    end: float | None = None
    usage: Usage | None = None
    """Its own total, where it has one; it repeats that of the calls in it."""
    call_id: str = ""
    """Of the tool call that it ran."""
    result: Json = None
    """What the tool gave back."""
    arguments: Json = None
    """What the tool was given."""
    output: Json = None
    """What it ended with."""
    records: int = 1
    """Records of the file that it was read from."""


@dataclass(slots=True)
class Trace:
    """Calls and everything around them, from all files of an upload."""

    calls: list[TraceCall] = field(default_factory=list)
    """In the order of the files."""
    nodes: list[TraceNode] = field(default_factory=list)
    """In the order of the files."""
    documents: dict[str, list[Document]] = field(default_factory=dict)
    """Files of each trace id."""

    def met(self, trace: str, document: Document) -> None:
        """Note that a file holds part of a trace."""
        known = self.documents.setdefault(trace, [])
        if not any(document is other for other in known):
            known.append(document)
