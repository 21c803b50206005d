"""Recorded Responses requests and their answers as calls: history that the provider keeps is rebuilt from earlier lines of the file.

``previous_response_id`` brings back all earlier input and output, but not the earlier ``instructions``.
Source: OpenAI Responses reference, ``previous_response_id`` and ``conversation``; format notes 2.2.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ctxcore.model import Call, Json, Message, SourceRef
from ctxcore.readers.build import ThreadDraft
from ctxcore.readers.request_log import RequestLog
from ctxcore.readers.responses_item import COMPACTIONS, Item, items_message, kind_of, split_items
from ctxcore.readers.values import items, mapping, seconds, text, tool_list, usage
from ctxcore.units import merge_ranges

Group = tuple[Item, ...]
"""The items of one message."""

RECORDING_KEYS = frozenset({"id", "status", "created_by"})
"""What the provider adds to an item when it stores it."""


def system_groups(instructions: Json) -> list[Group]:
    """``instructions`` as the messages in front of a request: one system message for text, the items themselves for a list."""
    if isinstance(instructions, str) and instructions:
        return [({"role": "system", "content": instructions},)]
    return split_items(item for item in items(instructions) if isinstance(item, dict))


def input_items(request: Mapping[str, Json]) -> tuple[list[Item], int]:
    """Items of a request, ``instructions`` not included, and how many entries were no objects."""
    given = request.get("input")
    if isinstance(given, str):
        return [{"type": "message", "role": "user", "content": given}], 0
    found: list[Item] = [item for item in items(given) if isinstance(item, dict)]
    return found, len(items(given)) - len(found)


def normal_item(item: Item) -> Json:
    """The form in which an item is the same in an answer and in the next request."""
    plain = {key: value for key, value in item.items() if key not in RECORDING_KEYS and value not in (None, [])}
    plain.setdefault("type", "message")
    content = plain.get("content")
    if isinstance(content, str):
        plain["content"] = [content]
    elif isinstance(content, list):
        plain["content"] = [_normal_part(part) for part in content]
    return plain


def _normal_part(part: Json) -> Json:
    fields = mapping(part)
    if text(fields.get("type")) in ("input_text", "output_text"):
        return fields.get("text")
    return {key: value for key, value in fields.items() if value not in (None, [])} or part


@dataclass(frozen=True, slots=True)
class _Stored:
    """What the provider keeps under the id of a response."""

    parent: str
    groups: tuple[Group, ...]
    compacted: bool
    """One of them is a compaction of the provider."""


@dataclass(frozen=True, slots=True)
class _History:
    """All that the provider adds to a request."""

    groups: Sequence[Group] = ()
    compacted: bool = False
    complete: bool = False
    """It is all in the file."""


@dataclass(slots=True)
class ResponsesLog:
    """Collects requests and answers, in file order, into threads."""

    log: RequestLog = field(default_factory=lambda: RequestLog(_make, _normal))
    stored: dict[str, _Stored] = field(default_factory=dict)
    newest: dict[str, str] = field(default_factory=dict)
    """Per conversation: its newest response."""
    by_id: dict[str, Item] = field(default_factory=dict)
    """Items seen so far, for references."""
    _newest_history: tuple[str, _History] | None = None
    """Of the newest response: its id, and what a request that goes on from it gets; only where all of it is in the file."""
    lost: int = 0
    """Calls whose history only the provider has."""
    brought: int = 0
    """Calls whose history the provider added and the file has: all that was said before, not what the provider made of it."""
    answered: int = 0
    """Calls with a reply."""
    compacted: int = 0
    """Calls whose request holds a compaction of the provider."""

    @property
    def at_provider(self) -> bool:
        """True if the history of some call was kept by the provider: its request in the file is only what was new."""
        return bool(self.lost or self.brought)

    def add(
        self, request: Mapping[str, Json], response: Mapping[str, Json] | None, source: SourceRef, at: float | None, *, flags: tuple[str, ...] = ()
    ) -> int:
        """One request and its answer; how many entries of its input were no objects."""
        answer = mapping(response)
        found, bad = input_items(request)
        groups = split_items(self._resolved(found))
        parent = text(request.get("previous_response_id")) or self.newest.get(_conversation(request), "")
        history = self._history(parent) if parent or _conversation(request) else _History(complete=True)
        earlier = history.groups
        rebuilt: tuple[str, ...] = () if history.complete else ("history_not_recorded",)
        self.lost += not history.complete
        self.brought += history.complete and bool(earlier)
        output = tuple(item for item in items(answer.get("output")) if isinstance(item, dict))
        compacted = answer.get("object") == "response.compaction"
        instructions = request.get("instructions", answer.get("instructions"))
        reply = output if output and not compacted else None
        if history.compacted or _compacted(groups):
            rebuilt += ("compacted_by_provider",)
            self.compacted += 1
        self.answered += reply is not None
        self.log.add(
            [*system_groups(instructions), *earlier, *groups],
            reply,
            Call(
                index=0,
                context=(),
                known="reconstructed" if earlier or rebuilt else "recorded",
                tools=self.log.tools(_tools(request, answer)),
                model=text(answer.get("model")) or text(request.get("model")),
                usage=usage(answer.get("usage"), cache_in_input=True),
                at=seconds(answer.get("created_at")) or at,
                id=text(answer.get("id")),
                source=source,
                flags=(*flags, *rebuilt, *answer_flags(answer), *(("compaction",) if compacted else ())),
            ),
            after=parent,
        )
        added = split_items(output) if compacted else [*groups, *([output] if output else [])]
        self._store(request, text(answer.get("id")), added, fresh=compacted, history=history)
        return bad

    def start(self, conversation: str, values: Sequence[Json]) -> None:
        """A conversation is opened at the provider, with these items in it: nothing else stands before its first call."""
        groups = split_items(item for item in values if isinstance(item, dict))
        key = f"start of {conversation}"
        self.stored[key], self.newest[conversation] = _Stored("", tuple(groups), _compacted(groups)), key
        self._newest_history = None

    def _resolved(self, found: Iterable[Item]) -> list[Item]:
        """The items, references to earlier ones replaced by them."""
        result = []
        for item in found:
            known = self.by_id.get(text(item.get("id"))) if item.get("type") == "item_reference" else None
            result.append(known or item)
        self._remember(result)
        return result

    def _remember(self, found: Iterable[Item]) -> None:
        for item in found:
            if text(item.get("id")) and item.get("type") != "item_reference":
                self.by_id[item["id"]] = item

    def _history(self, parent: str) -> _History:
        """What the provider adds behind this response; usually the newest history and one response more."""
        if self._newest_history and parent == self._newest_history[0]:
            return self._newest_history[1]
        found: list[_Stored] = []
        while parent in self.stored and len(found) <= len(self.stored):
            found.append(self.stored[parent])
            parent = found[-1].parent
        groups = [group for link in reversed(found) for group in link.groups]
        return _History(groups, any(link.compacted for link in found), bool(found) and not parent)

    def _store(self, request: Mapping[str, Json], id: str, groups: Sequence[Group], *, fresh: bool, history: _History) -> None:
        if not id:
            return
        talk = _conversation(request)
        parent = text(request.get("previous_response_id")) or self.newest.get(talk, "") or (f"start of {talk}" if talk else "")
        stored = _Stored("" if fresh else parent, tuple(groups), _compacted(groups))
        keeps = history.complete and not fresh and id not in self.stored and (bool(history.groups) or not stored.parent)
        self._newest_history = (id, _History([*history.groups, *groups], history.compacted or stored.compacted, complete=True)) if keeps else None
        self.stored[id] = stored
        if talk:
            self.newest[talk] = id
        for group in groups:
            self._remember(group)


def history_notes(log: ResponsesLog) -> list[str]:
    """Sentences about calls that saw less or more than the file shows."""
    notes = []
    if log.brought:
        kept = "the provider kept: in the file they hold only what was new, the rest is put together from earlier calls."
        notes.append(f"{_going_on(log.brought)} from a history that {kept}")
    if log.lost:
        notes.append(f"{_going_on(log.lost)} from a history that only the provider has; the recorded input tokens are the true size.")
    if log.compacted:
        notes.append(f"{log.compacted} requests hold a compaction: the provider leaves out what stands before it.")
    return notes


def _going_on(calls: int) -> str:
    return "1 call goes on" if calls == 1 else f"{calls:,} calls go on"


def _compacted(groups: Iterable[Group]) -> bool:
    return any(kind_of(item) in COMPACTIONS for group in groups for item in group)


def _conversation(request: Mapping[str, Json]) -> str:
    value = request.get("conversation")
    return text(value) or text(mapping(value).get("id"))


def _tools(request: Mapping[str, Json], answer: Mapping[str, Json]) -> Sequence[Json] | None:
    return tool_list(request.get("tools", answer.get("tools")))


def answer_flags(answer: Mapping[str, Json]) -> tuple[str, ...]:
    """``failed`` or ``incomplete`` where the answer says so."""
    status = answer.get("status")
    return (status,) if status in ("failed", "incomplete", "cancelled") else ()


def _make(group: Json, call: Call) -> Message:
    return items_message(group, call.source, at=call.at)


def _normal(group: Json) -> Json:
    return [normal_item(item) for item in group]


def answers_thread(answers: Sequence[tuple[Mapping[str, Json], SourceRef]], log: RequestLog) -> ThreadDraft:
    """Answers whose requests are not recorded: each a call that shows its instructions, earlier replies it names, and its reply."""
    thread = ThreadDraft(id="main")
    prompts: dict[str, list[int]] = {}
    held: dict[str, list[int]] = {}
    for answer, source in answers:
        prompt = answer.get("instructions")
        key = text(prompt)
        if key and key not in prompts:
            prompts[key] = [thread.add(items_message(group, source)) for group in system_groups(prompt)]
        earlier = held.get(text(answer.get("previous_response_id")), [])
        context = [*prompts.get(key, []), *earlier]
        output = [item for item in items(answer.get("output")) if isinstance(item, dict)]
        at = seconds(answer.get("created_at"))
        reply = thread.add(items_message(output, source, at=at)) if output else None
        held[text(answer.get("id"))] = earlier if reply is None else [*earlier, reply]
        thread.calls.append(
            Call(
                index=0,
                context=merge_ranges(context),
                reply=reply,
                known="reconstructed",
                tools=log.tools(_tools({}, answer)),
                model=text(answer.get("model")),
                usage=usage(answer.get("usage"), cache_in_input=True),
                at=at,
                id=text(answer.get("id")),
                source=source,
                flags=("input_not_recorded", *answer_flags(answer), *(() if output else ("no_reply",))),
            )
        )
    return thread
