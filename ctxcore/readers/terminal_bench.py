"""Terminal-Bench 1 agent logs: ``debug.json`` of each episode, LiteLLM's own record of one call.

Source: terminal-bench ``llms/lite_llm.py`` (its logger), format notes 2.16.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import ClassVar

from ctxcore.model import Call, Json, Level, Message
from ctxcore.readers.build import ThreadDraft
from ctxcore.readers.chat_message import chat_message, normal_form
from ctxcore.readers.chat_record import reply_of, tools_of
from ctxcore.readers.document import Document, Record
from ctxcore.readers.protocol import SessionDraft
from ctxcore.readers.request_log import RequestLog
from ctxcore.readers.values import items, mapping, object_in, seconds, text, usage


class TerminalBench:
    """See the module."""

    name: ClassVar[str] = "terminal-bench-v1"
    family: ClassVar[str] = "agent logs"
    level: ClassVar[Level] = "full requests"
    detects: ClassVar[str] = "one object with litellm_call_id, messages and original_response as text"

    def matches(self, document: Document, head: Sequence[Json]) -> bool:
        """See ``Reader.matches``."""
        return document.shape == "json" and _is_record(head[0])

    def read(self, documents: Sequence[Document]) -> list[SessionDraft]:
        """See ``Reader.read``."""
        runs: dict[str, list[Document]] = defaultdict(list)
        for document in documents:
            runs[_run_of(document.name)].append(document)
        return [_run(files) for files in runs.values()]


def _is_record(value: Json) -> bool:
    record = mapping(value)
    return "litellm_call_id" in record and isinstance(record.get("messages"), list) and isinstance(record.get("original_response"), str)


def _run_of(name: str) -> str:
    """The folder of a run: an episode's own folder lies in it."""
    folder = PurePosixPath(name).parent
    return str(folder.parent if folder.name.startswith("episode") else folder)


def _run(files: Sequence[Document]) -> SessionDraft:
    """The calls of one run, in order of time."""
    draft = SessionDraft(id="", level=TerminalBench.level, documents=tuple(files))
    log = RequestLog(_message, normal_form)
    records = [(document, record) for document in files for record in document.records()]
    for document, record in sorted(records, key=lambda pair: _at(mapping(pair[1].value)) or 0.0):
        draft.used += 1
        _add(log, document, record)
    draft.threads, draft.tool_sets = log.threads(), log.tool_sets
    for thread in draft.threads:
        _mark_terminal(thread)
    return draft


def _mark_terminal(thread: ThreadDraft) -> None:
    """A person gives the task; what the terminal printed is sent in the user's role after it."""
    users = [index for index, message in enumerate(thread.messages) if message.role == "user"]
    for index in users[1:]:
        thread.messages[index] = replace(thread.messages[index], injected="meta")


def _add(log: RequestLog, document: Document, record: Record) -> None:
    value = mapping(record.value)
    sent = mapping(mapping(value.get("additional_args")).get("complete_input_dict"))
    messages = items(sent.get("messages")) or items(value.get("messages"))
    response = object_in(text(value.get("original_response")))
    reply = reply_of(response) or _anthropic_reply(response)
    tools = tools_of(sent, {})
    call = Call(
        index=0,
        context=(),
        known="recorded",
        tools=log.tools(tools),
        model=text(response.get("model")) or text(sent.get("model")) or text(value.get("model")),
        usage=usage(response.get("usage"), cache_in_input="choices" in response),
        at=_at(value),
        id=text(response.get("id")) or text(value.get("litellm_call_id")),
        source=document.source(record),
        flags=() if reply is not None else ("failed",),
    )
    log.add([message for message in messages if isinstance(message, dict)], reply, call)


def _message(value: Json, call: Call) -> Message:
    """A message of the request, or the reply."""
    return replace(chat_message(mapping(value), call.source), at=call.at)


def _at(value: Mapping[str, Json]) -> float | None:
    return seconds(value.get("api_call_start_time")) or seconds(value.get("start_time"))


def _anthropic_reply(response: Mapping[str, Json]) -> Mapping[str, Json] | None:
    """The text of a reply of Anthropic Messages as a chat message."""
    blocks = [mapping(block) for block in items(response.get("content"))]
    words = "".join(text(block.get("text")) for block in blocks)
    return {"role": "assistant", "content": words} if words else None
