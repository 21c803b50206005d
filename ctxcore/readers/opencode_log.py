"""What a hook stream or an export of opencode says, gathered by session: messages with their newest parts, system prompts, tools.

Source: format notes 2.6: ``message.part.updated`` repeats a part, the last one wins; the system prompt and the tools are told before each call, the
first system prompt is that of the call that makes the title.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ctxcore.model import Json, SourceRef
from ctxcore.readers.document import Document
from ctxcore.readers.values import items, mapping, text

HIDDEN_TOOL = "invalid"
"""Registered for repairs of broken calls, never offered to the model."""


@dataclass(slots=True)
class Prompt:
    """A system prompt as it was sent, and the tools beside it."""

    session: str
    model: str
    texts: tuple[str, ...]
    tools: tuple[Json, ...]
    source: SourceRef
    used: bool = False


@dataclass(slots=True)
class Entry:
    """A message."""

    info: Mapping[str, Json]
    source: SourceRef
    parts: dict[str, Mapping[str, Json]] = field(default_factory=dict)
    """By id, order of appearance."""
    times: dict[str, Json] = field(default_factory=dict)
    """Part id -> when it was first told."""
    prompts: dict[str, Prompt] = field(default_factory=dict)
    """Id of a step's first part -> what was told before it."""


@dataclass(slots=True)
class OpencodeSession:
    """One session: the main one, or that of a sub-agent."""

    id: str
    info: Mapping[str, Json] = field(default_factory=dict)
    entries: dict[str, Entry] = field(default_factory=dict)
    side: list[Prompt] = field(default_factory=list)
    """Told before no step: calls beside the conversation."""


@dataclass(slots=True)
class OpencodeLog:
    """Everything of one or several files."""

    sessions: dict[str, OpencodeSession] = field(default_factory=dict)
    used: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    has_prompts: bool = False
    _tools: dict[str, Json] = field(default_factory=dict)
    _waiting: list[Prompt] = field(default_factory=list)
    _pieces: dict[str, str] = field(default_factory=dict)

    def take(self, document: Document) -> None:
        """Add a file."""
        for record in document.records():
            source = document.source(record)
            if isinstance(record.value, list):
                self._line(record.value, source)
            elif isinstance(mapping(record.value).get("messages"), list):
                self._export(mapping(record.value), source)
            else:
                self.skipped["neither a hook nor a session"] += 1
        self._settle()

    def join(self, other: OpencodeLog) -> None:
        """Add what another one says."""
        self.sessions |= other.sessions
        self.used += other.used
        self.skipped += other.skipped
        self.has_prompts |= other.has_prompts

    def session(self, id: str) -> OpencodeSession:
        """The session of an id; a new one if it was not met."""
        return self.sessions.setdefault(id, OpencodeSession(id))

    def _export(self, value: Mapping[str, Json], source: SourceRef) -> None:
        info = mapping(value.get("info"))
        session = self.session(text(info.get("id")))
        session.info = info
        for number, item in enumerate(items(value.get("messages"))):
            message = mapping(item)
            place = SourceRef(file=source.file, line=source.line, path=f"messages[{number}]")
            entry = Entry(mapping(message.get("info")), place)
            session.entries[text(entry.info.get("id")) or f"#{number}"] = entry
            for index, part in enumerate(items(message.get("parts"))):
                if isinstance(part, dict):
                    entry.parts[text(part.get("id")) or f"#{index}"] = part
        self.used += 1

    def _line(self, line: Sequence[Json], source: SourceRef) -> None:
        hook, first, second = (*line, None, None, None)[:3]
        self.used += 1
        if hook == "event":
            event = mapping(mapping(first).get("event"))
            if not self._event(text(event.get("type")), mapping(event.get("properties")), source):
                self.used -= 1
                self.skipped[f"event {text(event.get('type'))}, not part of a request"] += 1
        elif hook == "tool.definition":
            name = text(mapping(first).get("toolID"))
            if name != HIDDEN_TOOL:
                self._tools[name] = {"name": name, **{k: v for k, v in mapping(second).items() if k in ("description", "parameters")}}
        elif hook == "experimental.chat.system.transform":
            self._prompt(mapping(first), mapping(second), source)
        else:
            self.used -= 1
            self.skipped[f"hook {hook}, said again by an event" if isinstance(hook, str) else "not a hook"] += 1

    def _prompt(self, told: Mapping[str, Json], sent: Mapping[str, Json], source: SourceRef) -> None:
        texts = tuple(words for words in items(sent.get("system")) if isinstance(words, str))
        model = text(mapping(told.get("model")).get("id"))
        self._waiting.append(Prompt(text(told.get("sessionID")), model, texts, tuple(self._tools.values()), source))
        self._tools = {}
        self.has_prompts = True

    def _event(self, kind: str, told: Mapping[str, Json], source: SourceRef) -> bool:
        """True if the event says something about requests."""
        match kind:
            case "session.created" | "session.updated":
                info = mapping(told.get("info"))
                self.session(text(info.get("id")) or text(told.get("sessionID"))).info = info
            case "message.updated":
                info = mapping(told.get("info"))
                entries = self.session(text(info.get("sessionID"))).entries
                own_id = text(info.get("id"))
                if own_id in entries:
                    entries[own_id].info = info
                else:
                    entries[own_id] = Entry(info, source)
            case "message.part.updated":
                self._part(mapping(told.get("part")), told, source)
            case "message.part.delta" if told.get("field") == "text":
                key = text(told.get("partID"))
                self._pieces[key] = self._pieces.get(key, "") + text(told.get("delta"))
            case _:
                return False
        return True

    def _part(self, part: Mapping[str, Json], told: Mapping[str, Json], source: SourceRef) -> None:
        session = self.session(text(part.get("sessionID")))
        entry = session.entries.setdefault(text(part.get("messageID")), Entry({"role": "assistant", "id": part.get("messageID")}, source))
        key = text(part.get("id"))
        if key not in entry.parts:
            entry.times[key] = told.get("time")
            if part.get("type") == "step-start":
                self._begin(entry, key, session.id)
        entry.parts[key] = part

    def _begin(self, entry: Entry, key: str, session: str) -> None:
        """A step begins: the newest prompt of its session and model was told for it."""
        model = text(entry.info.get("modelID"))
        told = [prompt for prompt in self._waiting if prompt.session == session]
        mine = next((prompt for prompt in reversed(told) if prompt.model == model or not model), None)
        if mine is not None:
            entry.prompts[key] = mine
            self._waiting.remove(mine)

    def _settle(self) -> None:
        """Prompts that no step took are those of calls beside the conversation; texts that only came in pieces are whole."""
        for prompt in self._waiting:
            self.session(prompt.session).side.append(prompt)
        self._waiting = []
        for session in self.sessions.values():
            for entry in session.entries.values():
                for key, part in entry.parts.items():
                    if key in self._pieces and not part.get("text"):
                        entry.parts[key] = {**part, "text": self._pieces[key]}


def families(logs: Sequence[tuple[OpencodeLog, Sequence[Document]]]) -> list[tuple[OpencodeLog, list[Document]]]:
    """Logs of which a session of one started a session of another, put together with their files."""
    holder = {name: number for number, (log, _) in reversed(list(enumerate(logs))) for name in log.sessions}
    home = list(range(len(logs)))
    for number, (log, _) in enumerate(logs):
        for session in log.sessions.values():
            above = holder.get(text(session.info.get("parentID")))
            if above is not None:
                first, second = sorted((_home(home, number), _home(home, above)))
                home[second] = first
    found: dict[int, tuple[OpencodeLog, dict[int, Document]]] = {}
    for number, (log, files) in enumerate(logs):
        whole, held = found.setdefault(_home(home, number), (log, {}))
        held.update((id(file), file) for file in files)
        if whole is not log:
            whole.join(log)
    return [(log, list(held.values())) for log, held in found.values()]


def _home(home: list[int], number: int) -> int:
    """The first of the logs that belong together."""
    while home[number] != number:
        home[number] = home[home[number]]
        number = home[number]
    return number


def with_messages(found: Sequence[tuple[OpencodeLog, list[Document]]]) -> Sequence[tuple[OpencodeLog, list[Document]]]:
    """The logs that hold something; records of the others are counted as skipped with the first of them. All, where none does."""
    full = [entry for entry in found if any(session.entries or session.side for session in entry[0].sessions.values())]
    if not full:
        return found
    first, files = full[0]
    for log, documents in found:
        if not any(log is other for other, _ in full):
            first.skipped["session without messages"] += log.used
            first.skipped += log.skipped
            files += [document for document in documents if not any(document is file for file in files)]
    return full
