"""A cut that the log does not record is inferred from what the recorded input lacks; reasoning that may go is no cut."""

from __future__ import annotations

from pathlib import Path

import pytest

from ctxcore.model import Call, Event, Message, SourceRef, Text, Usage
from ctxcore.readers.build import ThreadDraft
from ctxcore.readers.conversation import infer_compactions
from ctxcore.readers.detect import read_sessions


def inferred(before: int, after: int, *, more: int = 4_000, reasoning: int | None = None, turn: bool = True) -> ThreadDraft:
    """Two calls; behind the first come its reply and a message of ``more`` characters."""
    texts = (("user", "go"), ("assistant", "ok"), ("user" if turn else "assistant", "x" * more))
    draft = ThreadDraft(
        id="main", messages=[Message(role=role, parts=(Text(text=text),), wire=(), raw={}, source=SourceRef()) for role, text in texts]
    )
    used = Usage(input_tokens=before, reasoning_tokens=reasoning)
    first = Call(index=0, context=((0, 1),), reply=1, known="reconstructed", usage=used)
    draft.calls = [first, Call(index=1, context=((0, 3),), known="reconstructed", usage=Usage(input_tokens=after))]
    infer_compactions(draft, 0.8)
    return draft


@pytest.mark.parametrize(
    ("before", "after", "reasoning", "more", "is_cut"),
    [
        (127_707, 114_069, None, 4_000, True),  # 13,638 less although 500 tokens or more came: 10.7 % of it
        (127_707, 117_000, None, 4_000, True),  # 10,707 + 500
        (127_707, 119_000, None, 4_000, False),  # 8,707 + 500 is less than 10,000
        (127_707, 114_069, 5_000, 4_000, False),  # 13,638 + 500 − 5,000 of reasoning
        (50_000, 39_000, None, 0, True),  # falls below four fifths
        (100_000, 101_000, None, 160_000, True),  # 160,000 characters are 20,000 tokens or more; 1,000 came
        (100_000, 101_000, None, 80_000, False),  # 10,000 − 1,000
        (9_000, 1_000, None, 0, False),  # too small to tell
    ],
)
def test_what_the_input_lacks_tells_of_a_cut(before: int, after: int, reasoning: int | None, more: int, is_cut: bool) -> None:
    draft = inferred(before, after, reasoning=reasoning, more=more)
    assert [(event.call, event.inferred) for event in draft.events] == [(1, True)] * is_cut
    assert [call.flags for call in draft.calls] == [(), ("upper_bound",) if is_cut else ()]


def test_sizes_are_sure_again_from_a_recorded_compaction_on() -> None:
    draft = inferred(127_707, 114_069)
    draft.events.clear()
    draft.calls[1] = Call(index=1, context=((0, 3),), known="reconstructed", usage=Usage(input_tokens=114_069))
    draft.calls.append(Call(index=2, context=((2, 3),), known="reconstructed", usage=Usage(input_tokens=20_000)))
    draft.events.append(Event(kind="compaction", call=2))
    assert infer_compactions(draft, 0.8) == 1
    assert [call.flags for call in draft.calls] == [(), ("upper_bound",), ()]


def test_a_resumed_session_lost_what_its_log_still_has(shared: Path) -> None:
    """Line 106 of the file counts 114,069 after the 127,707 before `/exit`; lines 101 and 102 are the resume, and nothing says what went."""
    read = read_sessions(shared / "corpus" / "claude-code" / "entire_cd-95ad_3compact_6interrupts.jsonl")[0]
    events = [event for event in read.threads[0].events if event.inferred]
    assert [(e.call, e.before_tokens, e.after_tokens, e.source.line) for e in events] == [(18, 127_707, 114_069, 106)]
    compacted = min(e.call for e in read.threads[0].events if e.kind == "compaction" and not e.inferred)
    assert {c.index for c in read.threads[0].calls if "upper_bound" in c.flags} == set(range(18, compacted))


@pytest.mark.parametrize("name", ["agentv_1f-4427-0_websearch_compact", "agentv_3c-162d_modelswitch", "jerome_20260219_partial_export"])
def test_dropped_reasoning_is_no_cut(shared: Path, name: str) -> None:
    """These lose up to 7,949 tokens where a person speaks again: what was thought before is not sent any more."""
    read = read_sessions(shared / "corpus" / "codex-cli" / f"{name}.jsonl")[0]
    assert not [event for thread in read.threads for event in thread.events if event.inferred]
