"""mini-swe-agent trajectories: one linear list, every reply with the provider's own response beside it.

Source: mini-swe-agent ``agents/default.py``, ``models/litellm_model.py``, ``models/litellm_response_model.py``; format notes 2.12.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from ctxcore.counted import count
from ctxcore.model import Call, Injected, Json, Level, Message, SourceRef
from ctxcore.readers.build import ThreadDraft
from ctxcore.readers.chat_message import chat_message
from ctxcore.readers.context import Context
from ctxcore.readers.document import Document, Record
from ctxcore.readers.marks import majority
from ctxcore.readers.protocol import SessionDraft
from ctxcore.readers.responses_item import items_message
from ctxcore.readers.values import items, mapping, seconds, text, usage, whole

NEVER_SENT = frozenset({"exit"})
"""Roles of entries that end the run."""


class MiniSWEAgent:
    """See the module."""

    name: ClassVar[str] = "mini-swe-agent"
    family: ClassVar[str] = "agent logs"
    level: ClassVar[Level] = "message list only"
    detects: ClassVar[str] = "trajectory_format mini-swe-agent…, or info with mini_version, beside messages"

    def matches(self, document: Document, head: Sequence[Json]) -> bool:
        """See ``Reader.matches``."""
        return document.shape != "text" and majority(head, _is_trajectory)

    def read(self, documents: Sequence[Document]) -> list[SessionDraft]:
        """See ``Reader.read``."""
        drafts: list[SessionDraft] = []
        for document in documents:
            records = list(document.records())
            found = [_read(document, record) for record in records if _is_trajectory(record.value)]
            for draft in found:
                draft.skipped.update("not a trajectory" for record in records if not _is_trajectory(record.value))
            drafts += found
        return drafts


def _is_trajectory(value: Json) -> bool:
    record = mapping(value)
    named = text(record.get("trajectory_format")).startswith("mini-swe-agent") or "mini_version" in mapping(record.get("info"))
    return named and isinstance(record.get("messages"), list)


def _read(document: Document, record: Record) -> SessionDraft:
    value = record.value
    info = mapping(value.get("info"))
    thread = ThreadDraft(id="main")
    draft = SessionDraft(id=text(value.get("instance_id")), level=MiniSWEAgent.level, threads=[thread], used=1, documents=(document,))
    context = Context(thread)
    model = text(mapping(mapping(info.get("config")).get("model")).get("model_name"))
    entries = _sent(value["messages"], info, draft)
    for number, entry in enumerate(entries):
        message = _message(mapping(entry), document.source(record, f"messages[{number}]"), thread)
        if message.role == "assistant":
            context.call(_call(mapping(entry), message, model, reply=len(thread.messages)))
        context.add(message)
    if thread.messages and thread.messages[-1].role != "assistant":
        context.call(Call(index=0, context=(), known="reconstructed", model=model, flags=("no_reply",), source=thread.messages[-1].source))
    _finish(draft, thread, info)
    return draft


def _sent(entries: Sequence[Json], info: Mapping[str, Json], draft: SessionDraft) -> list[Json]:
    """The entries without the one that only ends the run: an exit, or a last entry after the agent had stopped."""
    kept = [entry for entry in entries if isinstance(entry, dict) and text(entry.get("role")) not in NEVER_SENT]
    ends = len(kept) < len(entries)
    last = mapping(kept[-1]) if kept else {}
    if not ends and info.get("exit_status") and len(kept) > 2 and last.get("role") == "user":
        kept.pop()
        draft.notes.append(f"The last entry ({len(text(last.get('content'))):,} characters, the run's end) was never sent and is left out.")
    return kept


def _message(entry: Mapping[str, Json], source: SourceRef, thread: ThreadDraft) -> Message:
    extra = mapping(entry.get("extra"))
    at = seconds(extra.get("timestamp")) or seconds(mapping(extra.get("response")).get("created"))
    if "role" not in entry and (isinstance(entry.get("output"), list) or entry.get("type") == "function_call_output"):
        group = [item for item in items(entry.get("output")) if isinstance(item, dict)] if "type" not in entry else [entry]
        return replace(items_message(group, source, at=at), raw=entry)
    wire = {key: value for key, value in entry.items() if key != "extra" and (value is not None or key == "content")}
    return replace(chat_message(wire, source, raw=entry), at=at, injected=_injected(entry, extra, thread))


def _injected(entry: Mapping[str, Json], extra: Mapping[str, Json], thread: ThreadDraft) -> Injected:
    """A person gives the task (the first user entry) and may break in; all other user entries are output of the shell."""
    if entry.get("role") != "user" or text(extra.get("interrupt_type")).startswith("User"):
        return ""
    return "meta" if any(message.role == "user" for message in thread.messages) else ""


def _call(entry: Mapping[str, Json], message: Message, model: str, *, reply: int) -> Call:
    extra = mapping(entry.get("extra"))
    response = mapping(extra.get("response")) or (entry if entry.get("object") == "response" else {})
    return Call(
        index=0,
        context=(),
        reply=reply,
        known="reconstructed",
        model=text(response.get("model")) or model,
        usage=usage(response.get("usage"), cache_in_input=True),
        at=message.at,
        id=text(response.get("id")),
        source=message.source,
    )


def _finish(draft: SessionDraft, thread: ThreadDraft, info: Mapping[str, Json]) -> None:
    missing = [] if any(message.role == "system" for message in thread.messages) else ["system prompt"]
    if any(message.calls for message in thread.messages):
        missing.append("tool definitions")
    draft.not_recorded = tuple(missing)
    counted = whole(mapping(info.get("model_stats")).get("api_calls"))
    answered = sum(call.reply is not None for call in thread.calls)
    if counted and counted != answered:
        draft.notes.append(f"{count(counted, 'call is', 'calls are')} counted, {answered:,} with a reply in the log: others failed, unrecorded.")
    if any(call.usage for call in thread.calls):
        draft.notes.append("Recorded input tokens include the cached ones.")
