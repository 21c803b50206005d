"""The values that everything else works on: a session and what it holds.

All values are immutable. A session is what a reader made of one recorded log; nothing later changes it.
Times are Unix seconds (UTC). ``None`` is unknown and is never shown as zero.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from ctxcore.frozen import made_when_read, quick_init

if TYPE_CHECKING:
    from ctxcore.columns import Epoch, Sizes

T = TypeVar("T")

Json = Any
"""A value that ``json.loads`` can return."""

Basis = Literal["recorded", "exact", "reconstructed", "estimate"]
"""Where a number comes from: the log itself, counted on recorded text, counted on a rebuilt context, or estimated."""

Known = Literal["recorded", "reconstructed"]
"""How a call's context is known: written in the log, or rebuilt by the format's rules."""

Level = Literal["full requests", "requests only", "message list only", "server-side state"]
"""What a session can show at best, from most to least."""

ThreadKind = Literal["main", "agent", "side"]
"""Main agent, sub-agent with a window of its own, or a side call (title, probe)."""

Injected = Literal["", "summary", "reminder", "interruption", "meta"]
"""Why a user-role message is not a person's: empty for a real one."""


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True)
class SourceRef:
    """Where in the upload a value stands."""

    file: str = ""
    """Name of the file, or of the member of an archive."""
    line: int = 0
    """Physical line, from 1; 0 where the file is one JSON value."""
    path: str = ""
    """Place inside the line's JSON value, for example ``messages[3]``."""

    def __str__(self) -> str:
        """The place as people write it: ``file:line path``."""
        place = f"{self.file}:{self.line}" if self.line else self.file
        return f"{place} {self.path}".strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Something in the upload that could not be read as it stands."""

    what: str
    """One sentence: what is wrong and what was done about it."""
    source: SourceRef = SourceRef()
    """Where."""
    kind: str = "unreadable"
    """Stable word for its kind, for example ``unreadable_line``, ``orphan_result``, ``not_a_number``."""
    excerpt: str = ""
    """The first characters of what stood there."""


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """Plain text that a person or the model wrote."""

    text: str
    """As recorded."""
    kind: Literal["text"] = "text"
    """Tag."""


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True)
class Reasoning:
    """The model's thinking; may be empty, redacted or encrypted."""

    text: str
    """As recorded; empty where only an opaque form exists."""
    opaque: bool = False
    """True where the log holds only a signature or an encrypted form."""
    kind: Literal["reasoning"] = "reasoning"
    """Tag."""


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """The model asks for a tool."""

    id: str
    """As recorded; empty where the log has none."""
    name: str
    """As recorded; empty where the log has none."""
    arguments: str
    """The recorded string; compact JSON where the log holds an object."""
    kind: Literal["tool_call"] = "tool_call"
    """Tag."""


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True)
class Media:
    """An image, document or sound; its bytes stay in ``Message.raw``."""

    media_type: str
    """MIME type, or empty."""
    width: int | None = None
    """Pixels, where the header tells."""
    height: int | None = None
    """Pixels, where the header tells."""
    payload_chars: int = 0
    """Characters that the payload (base64 or address) takes in the request."""
    kind: Literal["media"] = "media"
    """Tag."""


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """What a tool gave back."""

    call_id: str
    """Id of the call it answers; empty where the log has none."""
    text: str
    """All text of the result, joined by newlines."""
    name: str = ""
    """The tool's name where the result itself has it (old function results)."""
    is_error: bool | None = None
    """Marked as failed or not by the log; None where it does not say."""
    media: tuple[Media, ...] = ()
    """Images and the like inside the result."""
    kind: Literal["tool_result"] = "tool_result"
    """Tag."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Other:
    """A part of a kind that no rule knows, kept as it is."""

    type: str
    """The recorded type."""
    text: str = ""
    """Readable text in it, if any."""
    kind: Literal["other"] = "other"
    """Tag."""


Part = Text | Reasoning | ToolCall | ToolResult | Media | Other


@made_when_read("raw")
@quick_init
@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One entry of a context."""

    role: str
    """As recorded: system, developer, user, assistant, tool, function, or a role that no rule knows."""
    parts: tuple[Part, ...]
    """In recorded order."""
    wire: tuple[Mapping[str, Json], ...]
    """The JSON objects that stand for it in a request: one, or several for the items of one Responses reply."""
    raw: Json
    """The record as it stands in the log, unknown fields included. A reader may give a ``Later``; who reads it gets the record."""
    source: SourceRef
    """Where it stands."""
    id: str = ""
    """The log's own id, or empty."""
    at: float | None = None
    """Unix seconds."""
    injected: Injected = ""
    """Why a user-role message is not a person's."""
    flags: tuple[str, ...] = ()
    """Stable words for what is odd: ``unknown_role``, ``arguments_not_json``, ``signed_thinking_empty`` and so on."""

    @property
    def text(self) -> str:
        """Text and reasoning-free content: text parts and tool results, joined by newlines."""
        return "\n".join(p.text for p in self.parts if isinstance(p, (Text, ToolResult, Other)) and p.text)

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """Tool calls in it, in order."""
        return tuple(p for p in self.parts if isinstance(p, ToolCall))

    @property
    def results(self) -> tuple[ToolResult, ...]:
        """Tool results in it, in order."""
        return tuple(p for p in self.parts if isinstance(p, ToolResult))

    @property
    def is_real_user(self) -> bool:
        """True for a person's message: user role, not blank, no tool results, not injected.

        Source: the whole-unit rule. Only such a message starts a turn or is the current task.
        """
        if self.role != "user" or self.injected:
            return False
        real = False
        for part in self.parts:
            match part:
                case ToolResult():
                    return False
                case Text(text=text) | Other(text=text):
                    real = real or bool(text.strip())
                case Media():
                    real = True
        return real


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens as the provider counted them, in the terms of OpenTelemetry GenAI; None is unknown."""

    input_tokens: int | None = None
    """All input, cached included."""
    output_tokens: int | None = None
    """All output, reasoning included."""
    cache_read_tokens: int | None = None
    """Part of the input that came from the cache."""
    cache_write_tokens: int | None = None
    """Part of the input that was written to the cache."""
    cache_write_1h_tokens: int | None = None
    """Part of what was written that is kept for an hour, at a price of its own."""
    reasoning_tokens: int | None = None
    """Part of the output that was reasoning."""


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One model request and its reply."""

    index: int
    """Position in its thread, from 0."""
    context: tuple[tuple[int, int], ...]
    """The request's messages: half-open ranges over the thread's messages, in request order."""
    reply: int | None = None
    """The thread message that answered, or None."""
    known: Known
    """How the context is known."""
    tools: int | None = None
    """Index into the thread's tool sets, or None where the log has none."""
    model: str = ""
    """As recorded; empty is unknown."""
    usage: Usage | None = None
    """As recorded and normalised, or None."""
    at: float | None = None
    """Unix seconds of the request, or of the reply where only that is known."""
    id: str = ""
    """The log's own id (response or message id), or empty."""
    turn: int = 0
    """Ordinal of the newest real user message in the context, from 1; 0 before any."""
    source: SourceRef = SourceRef()
    """Where it stands."""
    flags: tuple[str, ...] = ()
    """Stable words: ``history_changed``, ``failed``, ``no_reply`` and so on."""

    @property
    def message_count(self) -> int:
        """Messages in the context."""
        return sum([stop - start for start, stop in self.context])

    def messages(self) -> tuple[int, ...]:
        """Indexes of the context's messages in the thread, request order."""
        return tuple(i for start, stop in self.context for i in range(start, stop))


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something the log says happened to the context between calls."""

    kind: Literal["compaction", "microcompaction", "history_changed", "rollback", "model_changed"]
    """What."""
    call: int
    """Index of the first call after it (the number of calls where none follows)."""
    trigger: str = ""
    """``auto``, ``manual`` or empty where the log does not say."""
    before_tokens: int | None = None
    """As recorded."""
    after_tokens: int | None = None
    """As recorded."""
    summary: int | None = None
    """The thread message that replaced the history, or None."""
    at: float | None = None
    """Unix seconds."""
    source: SourceRef = SourceRef()
    """Where it stands."""
    note: str = ""
    """One sentence."""
    inferred: bool = False
    """True where no record says so and only a drop in size tells."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalEntry:
    """Something that the program which ran the agent wrote down between calls: what became of its plan, what a budget did to a request."""

    event: str
    """Stable word, for example ``step_ended``."""
    call: int
    """Index of the first call after it (the number of calls where none follows)."""
    facts: Mapping[str, Json]
    """As recorded."""
    at: float | None = None
    """Unix seconds."""
    source: SourceRef = SourceRef()
    """Where it stands."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Thread:
    """One agent with a window of its own, and all its model calls."""

    id: str
    """Unique in the session."""
    kind: ThreadKind
    """Main agent, sub-agent or side call."""
    messages: tuple[Message, ...]
    """Every message of the thread once, unique text only; contexts are ranges over it."""
    calls: tuple[Call, ...]
    """In order of request."""
    parent: str = ""
    """Id of the thread that started it, or empty."""
    parent_call: int | None = None
    """Index of the parent's call that started it, or None where the log does not link them."""
    title: str = ""
    """What it is for, in the log's words."""
    events: tuple[Event, ...] = ()
    """Compactions and other changes of the context."""
    journal: tuple[JournalEntry, ...] = ()
    """What the program that ran the agent recorded beside its calls, in order; empty for most formats."""
    tool_sets: tuple[tuple[Json, ...], ...] = ()
    """Distinct lists of tool definitions; ``Call.tools`` points here."""
    window: int | None = None
    """Tokens that the model takes at most, as recorded; None where the log does not say."""
    chars: Sizes
    """Character sizes."""
    epochs: tuple[Epoch, ...]
    """Runs of calls that extend one context, with their units."""
    memo: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)
    """Results that derive from the rest and cost time (token sizes and the like); never part of the value. See ``once``."""

    def once(self, name: str, make: Callable[[], T], of: object = None) -> T:
        """A result that derives from this thread: made when it is first asked for, then kept.

        Args:
            name: Of the result; one maker per name.
            make: Makes it.
            of: What else it derives from, such as sizes: for another object it is made anew, and only the newest result is kept.
        """
        kept = self.memo.get(name)
        if kept is None or kept[0] is not of:
            kept = self.memo[name] = (of, make())
        made: T = kept[1]
        return made


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """What became of every record of the upload."""

    records: int = 0
    """Values met and places where none could be read: lines as a rule, 1 for a file that is one JSON value; and each skipped file of an archive."""
    read: int = 0
    """Records used."""
    skipped: tuple[tuple[str, int], ...] = ()
    """Records not used: reason and count. ``records`` is ``read`` and all of these."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One recorded log, read."""

    id: str
    """The log's own id, or the start of the digest."""
    name: str
    """The file's name."""
    format: str
    """Name of the reader."""
    level: Level
    """What it can show at best."""
    threads: tuple[Thread, ...]
    """Main thread first."""
    not_recorded: tuple[str, ...] = ()
    """Parts of a request that the log does not hold, for example ``system prompt``."""
    problems: tuple[Problem, ...] = ()
    """What could not be read as it stands."""
    ledger: Ledger = Ledger()
    """What became of every record."""
    notes: tuple[str, ...] = ()
    """Sentences that a user should read: other sessions in the file, what a number rests on."""
    digest: str = ""
    """Of the upload's bytes, the format they were read as and the session's place in it: equal digests, equal sessions."""
    seen_calls: Mapping[str, Usage] = field(default_factory=dict)
    """Each of its calls, by its id or a name made of what was said, with its usage: another upload with the same names repeats them."""

    def thread(self, id: str = "") -> Thread:
        """The thread with this id, or the first one for an empty id.

        Raises:
            KeyError: No such thread.
        """
        for thread in self.threads:
            if not id or thread.id == id:
                return thread
        raise KeyError(id)
