"""Rows of a data set in OpenAI's fine-tuning format: conversations up to an answer, none going on from another."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from ctxcore.model import Json
from ctxcore.readers.build import ThreadDraft, conversation_calls
from ctxcore.readers.chat_message import chat_message, messages_of, normal_form, not_recorded
from ctxcore.readers.chat_record import is_foreign, request_of, response_of, tools_of
from ctxcore.readers.document import Document, Record
from ctxcore.readers.protocol import SessionDraft
from ctxcore.readers.request_log import RequestLog
from ctxcore.readers.values import items, mapping, text


def are_examples(values: Sequence[Json]) -> bool:
    """True for rows of a data set: each a conversation up to an answer, with no response beside it, and none goes on from the one before.

    Source: OpenAI's format of fine-tuning files. A log of requests repeats its history, and a request does not end in an answer.
    """
    rows = [items(request["messages"]) for value in values if not response_of(value) and (request := request_of(value)) is not None]
    if len(rows) < 2 or len(rows) < len(values) or not all(row and mapping(row[-1]).get("role") == "assistant" for row in rows):
        return False
    return not any(row[: len(before)] == before for before, row in pairwise(rows) if len(row) > len(before))


def examples(document: Document, records: Iterable[Record]) -> SessionDraft:
    """Rows of a data set, each a thread of its own whose answers are the replies of calls.

    Args:
        document: The file.
        records: Its rows.
    """
    draft = SessionDraft(id="", level="message list only")
    log = RequestLog(lambda value, call: chat_message(value, call.source), normal_form)
    for record in records:
        request = request_of(record.value)
        if request is None or is_foreign(record.value):
            draft.skipped["not an OpenAI Chat request"] += 1
            continue
        draft.used += 1
        thread = ThreadDraft(id=f"example-{len(draft.threads) + 1}", messages=list(messages_of(document, items(request["messages"]), record)))
        thread.calls = conversation_calls(thread.messages, model=text(request.get("model")), tools=log.tools(tools_of(request, record.value)))
        draft.threads.append(thread)
    draft.tool_sets = log.tool_sets
    every = [message for thread in draft.threads for message in thread.messages]
    draft.not_recorded = not_recorded(every, has_tools=bool(draft.tool_sets))
    return draft
