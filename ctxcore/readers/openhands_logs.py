"""The requests of an OpenHands conversation as its client logged them, one file a call, beside the folder of events: what was sent is then known.

Source: OpenHands SDK, completion logs; format notes 2.13.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ctxcore.model import Call, Json, Message
from ctxcore.readers.build import ThreadDraft
from ctxcore.readers.chat_message import messages_of
from ctxcore.readers.chat_record import request_of, response_of
from ctxcore.readers.document import Document, Record
from ctxcore.readers.openai_chat import call_logs, is_call_log
from ctxcore.readers.protocol import SessionDraft
from ctxcore.readers.values import items, mapping, text, usage
from ctxcore.units import merge_ranges

STATE = "/base_state.json"
"""File of a conversation's folder, which stands in its name's end."""

EVENTS = "/events/"
"""Folder of its events."""

BESIDE = re.compile(r"(?:telemetry[^/]*|completions|llm_completions)/[^/]+\.json$")
"""Files of logged calls, seen from the folder that the conversation's folder is in."""


def log_roots(names: Sequence[str]) -> Sequence[str]:
    """Members that hold logged calls of a conversation of the upload."""
    told = {name.partition(EVENTS)[0] for name in names if EVENTS in name}
    homes = {f"{name.removesuffix(STATE).rpartition('/')[0]}/" for name in names if name.endswith(STATE) and name.removesuffix(STATE) in told}
    return sorted(name for name in names if any(name.startswith(home) and BESIDE.match(name.removeprefix(home)) for home in homes))


def take_logs(drafts: Sequence[SessionDraft], logs: Sequence[Document]) -> None:
    """Give each call of the conversations what its log says that was sent; calls of which only a log is there are side calls.

    Args:
        drafts: Of conversations, at least one.
        logs: Files of one call each.
    """
    by_id = {text(response_of(log.value).get("id")): log for log in logs if is_call_log(log)}
    used: set[int] = set()
    for draft in drafts:
        found = [log for thread in draft.threads for log in _recorded(thread, by_id)]
        used |= set(map(id, found))
        _own(draft, found)
    rest = [log for log in logs if id(log) not in used]
    if rest:
        _own(drafts[0], rest)
        _side_calls(drafts[0], [log for log in rest if is_call_log(log)])


def _own(draft: SessionDraft, logs: Sequence[Document]) -> None:
    """The files belong to the session."""
    draft.documents = (*draft.documents, *logs)
    draft.used += sum(is_call_log(log) for log in logs)
    others = sum(1 for log in logs if not is_call_log(log) for _ in log.records())
    draft.skipped.update({"beside the conversation, no logged call": others} if others else {})
    if logs and all(call.known == "recorded" for thread in draft.threads for call in thread.calls):
        draft.level = "full requests"


def _recorded(thread: ThreadDraft, logs: Mapping[str, Document]) -> list[Document]:
    """The logs of a thread's calls, whose contexts are then the recorded ones."""
    found: list[Document] = []
    for number, call in enumerate(thread.calls):
        log = logs.get(call.id)
        if log is not None:
            found.append(log)
            thread.calls[number] = _as_sent(thread, call, log)
    return found


def _as_sent(thread: ThreadDraft, call: Call, log: Document) -> Call:
    """The call on what its log holds: messages of the conversation where they say the same, others added."""
    record = next(iter(log.records()), Record({}, 0))
    held: dict[Json, list[int]] = defaultdict(list)
    for index in (*call.messages(), *range(len(thread.messages))):
        held[_words(thread.messages[index])].append(index)
    sent: list[int] = []
    for message in messages_of(log, items(mapping(request_of(record.value)).get("messages")), record):
        same = [index for index in held[_words(message)] if index not in sent]
        sent.append(same[0] if same else thread.add(message))
    counted = call.usage or usage(response_of(record.value).get("usage"), cache_in_input=True)
    return replace(call, context=merge_ranges(sent), known="recorded", usage=counted)


def _words(message: Message) -> Json:
    return (message.role, message.text, tuple((call.id, call.name) for call in message.calls))


def _side_calls(draft: SessionDraft, logs: Sequence[Document]) -> None:
    """Calls that no event of the conversation names, such as those that write summaries."""
    if not logs:
        return
    alone = call_logs(logs)
    first = len(draft.tool_sets)
    for thread in alone.threads:
        thread.id, thread.kind = f"logged-{thread.id}", "side"
        thread.calls = [replace(call, tools=None if call.tools is None else call.tools + first) for call in thread.calls]
    draft.threads = [*draft.threads, *alone.threads]
    draft.tool_sets = [*draft.tool_sets, *alone.tool_sets]
