"""LiteLLM: logged payloads of its callbacks, and rows of the proxy's spend table.

Both look like OpenAI Chat requests, but the tools stand in ``model_parameters``, and texts may be saved as JSON strings.
Source: format notes, 2.11; LiteLLM ``StandardLoggingPayload``, ``LiteLLM_SpendLogs``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import ClassVar

from ctxcore.model import Json, Level, SourceRef, Usage
from ctxcore.readers.bodies import Pair, answer_provider, request_provider
from ctxcore.readers.body_log import BodyLog, in_order
from ctxcore.readers.document import Document, Record
from ctxcore.readers.marks import majority
from ctxcore.readers.protocol import SessionDraft
from ctxcore.readers.values import items, mapping, seconds, text, usage

Row = Mapping[str, Json]

OTHER_CALLS = ("embedding", "image", "transcription", "speech", "moderation", "rerank", "token_counter", "count_tokens")
"""Parts of a ``call_type`` that asks for no text."""

NOT_STORED = "{} calls have no messages: the proxy keeps them only where store_prompts_in_spend_logs is true."


class LiteLLM:
    """See the module."""

    name: ClassVar[str] = "litellm"
    family: ClassVar[str] = "request logs"
    level: ClassVar[Level] = "full requests"
    detects: ClassVar[str] = "call_type beside litellm_call_id, model_map_information, standard_built_in_tools_params or spend"

    def matches(self, document: Document, head: Sequence[Json]) -> bool:
        """See ``Reader.matches``."""
        return majority(items(head[0])[:200] if document.shape == "json" and isinstance(head[0], list) else head, is_row)

    def read(self, documents: Sequence[Document]) -> list[SessionDraft]:
        """See ``Reader.read``: one session for each recorded session id, and one for the calls without any."""
        return [draft for document in documents for draft in _read(document)]


def is_row(value: Json) -> bool:
    """True for a payload or a row."""
    record = mapping(value)
    if not isinstance(record.get("call_type"), str):
        return False
    payload = any(key in record for key in ("litellm_call_id", "model_map_information", "standard_built_in_tools_params"))
    return payload or ("spend" in record and "request_id" in record) or ("request_id" in record and "startTime" in record)


def _records(document: Document) -> list[Record]:
    found = []
    for record in document.records():
        values = record.value if isinstance(record.value, list) else [record.value]
        document.record_count += len(values) - 1
        found += [Record(value, record.line) for value in values]
    return found


def _read(document: Document) -> list[SessionDraft]:
    drafts: dict[str, tuple[SessionDraft, BodyLog, list[Pair]]] = {}
    records = _records(document)
    for record in in_order(records, lambda record: _start(mapping(record.value))):
        row = mapping(record.value)
        session = text(row.get("session_id"))
        draft, log, lost = drafts.setdefault(session, (SessionDraft(id=session, level="full requests", documents=(document,)), BodyLog(), []))
        reason = _use(row, document.source(record), log, lost)
        draft.skipped.update([reason] if reason else ())
        draft.used += not reason
    for draft, log, lost in drafts.values():
        log.finish(draft)
        if lost:
            draft.notes.append(NOT_STORED.format(len(lost)))
            draft.not_recorded = tuple(dict.fromkeys((*draft.not_recorded, "messages")))
    return [draft for draft, _, _ in drafts.values()]


def _use(row: Row, source: SourceRef, log: BodyLog, lost: list[Pair]) -> str:
    """One row; why it was not used, or an empty string."""
    if not is_row(row):
        return "no call of LiteLLM"
    kind = row["call_type"]
    if any(word in kind for word in OTHER_CALLS):
        return f"no text asked for ({kind})"
    pair = _pair(row, source)
    if pair.request is None:
        lost.append(pair)
    if pair.request is None and pair.answer is None:
        log.add_bare(pair)
        return ""
    return log.add(pair)


def _pair(row: Row, source: SourceRef) -> Pair:
    answer = _loaded(row.get("response", row.get("original_response")))
    if isinstance(answer, str):
        answer = {"choices": [{"index": 0, "message": {"role": "assistant", "content": answer}}]} if answer else None
    return Pair(
        request=_request(row),
        answer=answer if isinstance(answer, dict) and answer_provider(answer) else None,
        source=source,
        at=_start(row),
        failed=row.get("status") == "failure" or bool(row.get("error_str")),
        id=text(row.get("id")) or text(row.get("request_id")),
        usage=_usage(row),
        model=text(row.get("model")),
    )


def _start(row: Row) -> float | None:
    return seconds(row.get("startTime")) or seconds(row.get("start_time"))


def _request(row: Row) -> Row | None:
    """What was sent: the provider's own request where the row has it, else the logged messages with the parameters beside them; None without any."""
    sent = mapping(_loaded(row.get("proxy_server_request")))
    body = mapping(sent.get("body")) or sent
    if request_provider(body):
        return body
    messages = _loaded(row.get("messages"))
    if isinstance(messages, str) and messages:
        messages = [{"role": "user", "content": messages}]
    if not isinstance(messages, list) or not messages:
        return None
    parameters = mapping(row.get("model_parameters")) or mapping(row.get("optional_params"))
    return {**parameters, "model": text(row.get("model")), "messages": messages}


def _usage(row: Row) -> Usage | None:
    """As the gateway counted it; cached tokens are part of its prompt tokens."""
    metadata = mapping(_loaded(row.get("metadata")))
    return usage(metadata.get("usage_object"), cache_in_input=True) or usage(row, cache_in_input=True)


def _loaded(value: Json) -> Json:
    """A value that may have been saved as JSON text."""
    if not isinstance(value, str) or value[:1] not in ("{", "[", '"'):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value
