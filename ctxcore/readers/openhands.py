"""OpenHands: event lists of V0, evaluation outputs, and conversations of V1 (a folder of events, a list, lines, or single events).

Source: format notes 2.13.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import ClassVar

from ctxcore.errors import UnreadableFile
from ctxcore.model import Json, Level, SourceRef, Usage
from ctxcore.readers import openhands_v0 as v0
from ctxcore.readers import openhands_v1 as v1
from ctxcore.readers.document import Document, Record
from ctxcore.readers.marks import majority
from ctxcore.readers.openhands_logs import log_roots, take_logs
from ctxcore.readers.openhands_texts import CUT, MAX_MESSAGE_CHARS, message_limit
from ctxcore.readers.openhands_usage import usage_of
from ctxcore.readers.protocol import SessionDraft
from ctxcore.readers.values import items, mapping, text
from ctxcore.redaction.masking import masked_part

LOOK_EVENTS = 20
"""Entries of a list that detection looks at."""

Placed = tuple[Mapping[str, Json], SourceRef]


class OpenHands:
    """See the module."""

    name: ClassVar[str] = "openhands"
    family: ClassVar[str] = "agent logs"
    level: ClassVar[Level] = "message list only"
    detects: ClassVar[str] = "events with source and action or observation (V0) or kind and id (V1); or lines with instance_id and a history of such"

    def matches(self, document: Document, head: Sequence[Json]) -> bool:
        """See ``Reader.matches``."""
        if document.shape == "text" or not head:
            return False
        if document.shape == "json":
            value = head[0]
            if isinstance(value, list):
                return majority(value[:LOOK_EVENTS], _is_event)
            return _is_event(value) or v1.is_state(value) or _is_run(value)
        return majority(head, _is_run) or majority(head, _is_event)

    def roots(self, names: Sequence[str]) -> Sequence[str]:
        """See ``ArchiveReader.roots``: the requests that a client logged beside the folder of a conversation."""
        return log_roots(names)

    def read(self, documents: Sequence[Document]) -> list[SessionDraft]:
        """See ``Reader.read``.

        Raises:
            UnreadableFile: Only the state of a conversation, without its events.
        """
        drafts: list[SessionDraft] = []
        folders: dict[str, list[Document]] = defaultdict(list)
        beside = set(log_roots([document.name for document in documents]))
        for document in documents:
            if document.name in beside:
                continue
            if document.shape == "json" and isinstance(document.value, dict) and not _is_run(document.value):
                folders[_folder(document.name)].append(document)
            elif majority(document.head(), _is_run):
                drafts += _runs(document)
            else:
                drafts.append(_event_list(document))
        told = [_conversation(files) for files in folders.values() if any(_is_event(file.value) for file in files)]
        if told and beside:
            take_logs(told, [document for document in documents if document.name in beside])
        drafts += told
        if not drafts:
            what = "this is the state of an OpenHands conversation without its events"
            raise UnreadableFile(documents[0].name, what, advice="zip the conversation's folder, events included")
        return drafts


def _is_event(value: Json) -> bool:
    return v0.is_event(value) or v1.is_event(value) or _is_step(value)


def _is_step(value: Json) -> bool:
    """An action with its observation, as old evaluation outputs pair them."""
    return isinstance(value, list) and 0 < len(value) <= 2 and all(map(v0.is_event, value))


def _is_run(value: Json) -> bool:
    """True for a line of an evaluation output."""
    record = mapping(value)
    history = record.get("history")
    return "instance_id" in record and isinstance(history, list) and ("metrics" in record or majority(history[:LOOK_EVENTS], _is_event))


def _folder(name: str) -> str:
    """The folder of a conversation: that of its state, one above that of its events."""
    folder = PurePosixPath(name).parent
    return str(folder.parent if folder.name == "events" else folder)


def _flat(document: Document, record: Record, values: Sequence[Json], draft: SessionDraft, path: str = "") -> Iterator[Placed]:
    """Events of a list, pairs opened; others are counted."""
    for number, value in enumerate(values):
        for event in value if _is_step(value) else (value,):
            if isinstance(event, dict) and _is_event(event):
                yield event, document.source(record, f"{path}[{number}]")
            else:
                draft.skipped["not an event"] += 1


def _event_list(document: Document) -> SessionDraft:
    """One conversation: a list of events, or one a line."""
    draft = SessionDraft(id="", level=OpenHands.level, documents=(document,))
    if document.shape == "json":
        (record,) = list(document.records())[:1] or (Record([], 0),)
        events = list(_flat(document, record, items(record.value), draft))
        document.record_count = len(events) + draft.skipped["not an event"]
    else:
        events = [(r.value, document.source(r)) for r in document.records() if isinstance(r.value, dict) and _is_event(r.value)]
        others = document.record_count - len(events) - document.unreadable.total()
        draft.skipped.update({"not an event": others} if others else {})
    _replay(draft, events, {})
    return draft


def _replay(draft: SessionDraft, events: Sequence[Placed], state: Mapping[str, Json]) -> None:
    """Read events by the rules of their version."""
    if majority([event for event, _ in events], v1.is_event):
        conversation = v1.Conversation(draft, v1.Stats(state))
        conversation.read((event, source) for event, source in events if v1.is_event(event))
        draft.skipped.update("event of another version" for event, _ in events if not v1.is_event(event))
        if conversation.condensers:
            draft.notes.append("The calls that wrote the summaries of condensations are not recorded.")
    else:
        _replay_v0(draft, events, None, {})
    _finish(draft)


def _replay_v0(draft: SessionDraft, events: Sequence[Placed], limit: int | None, usages: Mapping[str, Usage]) -> v0.History:
    history = v0.History(draft, max_message_chars=limit, usages=usages)
    history.read(events)
    draft.tool_sets = history.tools
    if any(event.kind == "compaction" for thread in draft.threads for event in thread.events):
        draft.notes.append("The calls that wrote the summaries of condensations are not recorded.")
    if limit is None and any(CUT in message.text for thread in draft.threads for message in thread.messages):
        what = "The log does not say how long an observation may be in a prompt; OpenHands' default is taken"
        draft.notes.append(f"{what}, the middle of anything over {MAX_MESSAGE_CHARS:,} characters was not sent.")
    return history


def _finish(draft: SessionDraft) -> None:
    every = [message for thread in draft.threads for message in thread.messages]
    missing = [] if any(message.role == "system" for message in every) else ["system prompt"]
    draft.not_recorded = tuple(missing if draft.tool_sets else [*missing, "tool definitions"])
    if any(call.usage for thread in draft.threads for call in thread.calls):
        draft.notes.append("Recorded input tokens include the cached ones.")


def _runs(document: Document) -> list[SessionDraft]:
    """One session for each line of an evaluation output."""
    drafts: list[SessionDraft] = []
    others = 0
    for record in document.records():
        if _is_run(record.value):
            drafts.append(_run(document, record))
        else:
            others += 1
    for draft in drafts:
        if others:
            draft.skipped["not a run of an evaluation"] = others
    return drafts


def _run(document: Document, record: Record) -> SessionDraft:
    run = record.value
    draft = SessionDraft(id=str(run["instance_id"]), level=OpenHands.level, documents=(document,))
    listed = {text(u.get("response_id")): found for u in _usages(run) if (found := usage_of(u)) is not None}
    config = mapping(mapping(run.get("metadata")).get("llm_config"))
    events = list(_flat(document, record, run["history"], draft, "history"))
    history = _replay_v0(draft, events, message_limit(config), listed)
    history.model = text(config.get("model"))
    _finish(draft)
    draft.used, draft.skipped = 1, Counter()
    _unmatched(draft, listed)
    if text(run.get("error")):
        draft.notes.append(f"The run ended with an error: {masked_part(run['error'], 0, 200)}")
    return draft


def _usages(run: Mapping[str, Json]) -> list[Mapping[str, Json]]:
    return [mapping(usage) for usage in items(mapping(run.get("metrics")).get("token_usages"))]


def _unmatched(draft: SessionDraft, listed: Mapping[str, Usage]) -> None:
    """Say which counted calls the events do not show, and the other way round."""
    calls = [call for thread in draft.threads for call in thread.calls]
    unseen = len(listed.keys() - {call.id for call in calls})
    if unseen:
        draft.notes.append(f"{unseen} more calls are counted in the metrics than the events show (retries and condensations).")
    uncounted = sum(call.usage is None for call in calls)
    if listed and uncounted:
        draft.notes.append(f"{uncounted} of {len(calls)} calls are not counted in the metrics; their usage is unknown.")


def _conversation(files: Sequence[Document]) -> SessionDraft:
    """One conversation whose events are files of their own, in the order of their names."""
    draft = SessionDraft(id="", level=OpenHands.level, documents=tuple(files))
    state: Mapping[str, Json] = {}
    events: list[Placed] = []
    for document in sorted(files, key=_order):
        for record in document.records():
            if _is_event(record.value):
                events.append((record.value, document.source(record)))
            elif v1.is_state(record.value):
                state = record.value
                draft.id = text(state.get("id"))
                draft.used += 1
            else:
                draft.skipped["not an event"] += 1
    _replay(draft, events, state)
    if len(events) == 1:
        draft.notes.append("This is one event of a conversation; read the conversation's folder as a zip for the whole.")
    if not state and majority([event for event, _ in events], v1.is_event):
        draft.notes.append("Without base_state.json the usage of the calls is unknown.")
    return draft


def _order(document: Document) -> tuple[int, str]:
    """Files in the order of the numbers in their names (event-00012-…, 12.json)."""
    stem = PurePosixPath(document.name).stem
    words = "".join(c if c.isdigit() else " " for c in stem.removeprefix("event-").partition("-")[0]).split()
    return (int(words[0]) if words else -1, document.name)
