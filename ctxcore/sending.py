"""The messages that a call would really send after a policy: its edits made, its inserts put in place."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ctxcore.errors import ContextBudgetError, InputError, shown
from ctxcore.fitting import FitReport, PreparedContext
from ctxcore.keep import Keep
from ctxcore.model import Call, Json, SourceRef, Thread
from ctxcore.policies import Policy
from ctxcore.policies.edits import Edit
from ctxcore.policies.strict import check_request, measured
from ctxcore.policies.wire import edited_wire
from ctxcore.readers.build import ThreadDraft
from ctxcore.readers.chat_message import chat_message
from ctxcore.replay import Replay, replay
from ctxcore.units import catalog


def sent_messages(result: Replay, call: int) -> list[Mapping[str, Json]]:
    """The request of a call after the policy, message by message in its recorded form; copies, also where nothing is edited.

    A refused call sends nothing: what comes back for it is the request as it was.

    Args:
        result: A policy over the call's thread.
        call: Index of the call.

    Raises:
        IndexError: No such call.
    """
    thread = result.thread
    edits = result.edits(call)
    dropped = {edit.message for edit in edits if edit.action == "drop"}
    inside: dict[int, list[Edit]] = defaultdict(list)
    for edit in edits:
        if edit.action != "drop":
            inside[edit.message].append(edit)
    inserts = list(result.inserts(call))
    request: list[Mapping[str, Json]] = []
    for place, message in enumerate((*thread.calls[call].messages(), None)):
        while inserts and (message is None or inserts[0].place <= place):
            one = inserts.pop(0)
            request.append({"role": one.role, "content": one.text})
        if message is not None and message not in dropped:
            request += edited_wire(thread.messages[message], inside[message])
    return request


def fit_by_policy(
    messages: list[dict[str, Any]], tools: list[Any], policy: Policy, *, max_characters: int = 16_000, required_task: str | None = None
) -> PreparedContext:
    """Fit a live request by any policy, or refuse it.

    The list is replayed as the calls that made it, one before each assistant message, so that a rule whose edits last or that waits for a threshold
    decides as it did in the calls before. A required task is kept whatever the policy says. The result must be a valid request: a policy that
    would leave half an exchange or no user message is refused here, not by the provider.

    Args:
        messages: Plain Chat messages with text content; never changed.
        tools: Tool definitions as they will be sent; they count.
        policy: Any.
        max_characters: Budget in characters of canonical JSON, at least 1.
        required_task: What the last user message must be, and what must be sent whole (some rules put a summary behind it); None is not compared.

    Raises:
        ContextBudgetError: The first fault in the order of the whole-unit rule, of the request as given or as fitted.
        InputError: The policy puts in a summary of which only the size is known.
    """
    check_request(messages, tools, max_characters, required_task)
    measured(messages, tools)
    thread = live_thread(messages, tools)
    last = len(thread.calls) - 1
    result = replay(thread, policy, max_characters, keep=None if required_task is None else Keep(units=(_task_unit(thread),)))
    if result.refused[last]:
        raise ContextBudgetError("over_budget", str(result.needs(last)), missing=int(result.missing[last]))
    if any(insert.source == "opaque" for insert in result.inserts(last)):
        raise InputError(f"Policy {policy.name} puts in a text of which only the size is known: choose another kind of summary.")
    try:
        fitted = [dict(message) for message in sent_messages(result, last)]
    except RecursionError as error:
        raise ContextBudgetError("not_json", "The request is nested too deeply to copy.") from error
    check_request(fitted, tools, max_characters, None)
    if required_task is not None and not any(m.get("role") == "user" and m.get("content") == required_task for m in fitted):
        raise ContextBudgetError("task_mismatch", f"Policy {policy.name} does not send the required task: {shown(required_task)}.")
    return PreparedContext(messages=fitted, report=_report(result, last))


def _report(result: Replay, call: int) -> FitReport:
    return FitReport(
        before=int(result.before[call]),
        after=int(result.after[call]),
        limit=result.budget,
        dropped_messages=int(result.dropped_messages[call]),
        dropped_turns=int(result.dropped_turns[call]),
        dropped_exchanges=int(result.dropped_exchanges[call]),
        edited=int(result.edited[call]),
    )


def live_thread(messages: Sequence[dict[str, Any]], tools: Sequence[Json]) -> Thread:
    """The list as the thread it grew in; the last call is the one about to be made."""
    draft = ThreadDraft(id="live")
    for number, message in enumerate(messages):
        draft.add(chat_message(message, SourceRef(path=f"messages[{number}]")))
    ends = [number for number, message in enumerate(messages) if message["role"] == "assistant" and number] + [len(messages)]
    draft.calls = [Call(index=index, context=((0, end),), known="recorded", tools=0) for index, end in enumerate(ends)]
    return draft.build([tools])


def _task_unit(thread: Thread) -> int:
    """Number of the unit of the last user message."""
    last = max(number for number, message in enumerate(thread.messages) if message.role == "user")
    return int(np.searchsorted(catalog(thread).first, last))
