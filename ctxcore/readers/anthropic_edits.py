"""What the provider changed in a context on its own: compaction blocks and applied edits.

Source: format notes, 2.3. A compaction block makes everything before it unseen from the next call on. Applied edits clear old results or thinking
at the provider while the client keeps sending them: the file shows more than the model saw.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ctxcore.model import Call, Event, Json, Message, Other
from ctxcore.readers.build import ThreadDraft
from ctxcore.readers.values import items, mapping, natural, text, usage
from ctxcore.units import merge_ranges


def apply_edits(thread: ThreadDraft, answers: Mapping[str, Mapping[str, Json]]) -> bool:
    """Note a thread's edits as events and cut the contexts that follow a compaction block.

    Args:
        thread: With all its calls; changed in place.
        answers: Response objects by call id.

    Returns:
        True if any edit was found, so that a recorded request is not exactly what the model saw.
    """
    blocks = {index for index, message in enumerate(thread.messages) if _is_compaction(message)}
    found = bool(blocks)
    for number, recorded in enumerate(thread.calls):
        call = _cut(recorded, thread.messages, blocks)
        answer = mapping(answers.get(call.id)) if call.id else {}
        edits = items(mapping(answer.get("context_management")).get("applied_edits"))
        if edits:
            found = True
            call = replace(call, flags=(*call.flags, "cleared_on_server"))
            thread.events += [_cleared(mapping(edit), number, call) for edit in edits]
        if call.reply in blocks:
            thread.events.append(_compacted(call, answer))
        thread.calls[number] = call
    thread.events.sort(key=lambda event: event.call)
    return found


def has_server_state(answer: Mapping[str, Json]) -> bool:
    """True for an answer that says the provider changed the context."""
    edits = items(mapping(answer.get("context_management")).get("applied_edits"))
    return bool(edits) or any(mapping(block).get("type") == "compaction" for block in items(answer.get("content")))


def _is_compaction(message: Message) -> bool:
    return message.role == "assistant" and any(isinstance(p, Other) and p.type == "compaction" for p in message.parts)


def _cut(call: Call, messages: Sequence[Message], blocks: set[int]) -> Call:
    """The call without what stands before the newest compaction block; system messages in front stay."""
    if not blocks:
        return call
    positions = call.messages()
    at = max((place for place, index in enumerate(positions) if index in blocks), default=0)
    kept = [index for index in positions[:at] if messages[index].role == "system"]
    if at == len(kept):
        return call
    return replace(call, context=merge_ranges([*kept, *positions[at:]]), known="reconstructed", flags=(*call.flags, "compacted_on_server"))


def _compacted(call: Call, answer: Mapping[str, Json]) -> Event:
    passes = [mapping(i) for i in items(mapping(answer.get("usage")).get("iterations")) if mapping(i).get("type") == "compaction"]
    counted = usage(passes[0], cache_in_input=False) if passes else None
    return Event(
        kind="compaction",
        call=call.index + 1,
        trigger="auto",
        before_tokens=counted.input_tokens if counted else None,
        after_tokens=counted.output_tokens if counted else None,
        summary=call.reply,
        at=call.at,
        source=call.source,
        note="The provider compacted: nothing before this reply's compaction block is seen from the next call on.",
    )


def _cleared(edit: Mapping[str, Json], number: int, call: Call) -> Event:
    counts = ", ".join(f"{key.removeprefix('cleared_').replace('_', ' ')} {value}" for key, value in edit.items() if natural(value) is not None)
    return Event(
        kind="microcompaction",
        call=number,
        trigger="auto",
        at=call.at,
        source=call.source,
        note=f"Cleared on the server by {text(edit.get('type')) or 'an edit'}: {counts or 'no counts recorded'}.",
    )
