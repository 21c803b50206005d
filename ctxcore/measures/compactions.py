"""Compactions that a session recorded, judged by the checks that our own have to pass.

What a summary lost is a lower bound on harm: sentences count as left where most of their words are. Source: the notes on compaction, checks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ctxcore.compaction.checks import CRITICAL, ratio_faults
from ctxcore.compaction.classify import classify
from ctxcore.compaction.core_fields import ONE_VALUE, core_fields
from ctxcore.compaction.sentences import sentence_spans
from ctxcore.compaction.source_text import passages
from ctxcore.compaction.survival import Fact, FactKind, Kept, Remains, facts, instructions, stems, survival
from ctxcore.compaction.values import Fault, Passage, Place
from ctxcore.compaction.wording import CURRENT, STOPPED
from ctxcore.measures.after_compaction import Needed, needed_after
from ctxcore.model import Event, Message, SourceRef, Thread
from ctxcore.plan.history import plan_history
from ctxcore.plan.values import STATUSES
from ctxcore.readers.compaction_findings import compaction_findings
from ctxcore.sizes.measure import thread_counter
from ctxcore.tool_uses import tool_uses

OPAQUE = "OPAQUE"
"""The summary is encrypted or has no text: what it kept cannot be verified."""

NO_ORIGINAL = "NO_ORIGINAL"
"""The log does not hold what was replaced."""

NO_USER_MESSAGE_KEPT = "NO_USER_MESSAGE_KEPT"
LATEST_INSTRUCTION_LOST = "LATEST_USER_INSTRUCTION_LOST"
SUPERSEDED_INSTRUCTION = "SUPERSEDED_INSTRUCTION"
OPEN_PLAN_STEPS_LOST = "OPEN_PLAN_STEPS_LOST"
NESTED_SUMMARY = "NESTED_SUMMARY"
GREW, LOOP = "GREW", "LOOP"

OPEN = frozenset({"pending", "in_progress"})
"""Statuses of steps that are still to be done."""


@dataclass(frozen=True, kw_only=True)
class RecordedCompaction:
    """One recorded compaction and what the checks say of it."""

    event: Event
    """As read."""
    replaced: tuple[int, ...]
    """Thread messages that are gone after it."""
    left: tuple[int, ...]
    """Thread messages that stand for the history after it: the summary, and what was kept."""
    before: int
    """Tokens before, as recorded; else counted on the messages."""
    after: int
    """Tokens after, as recorded; else counted on what is left."""
    table: Mapping[FactKind, Kept] | None
    """The survival table of what was replaced; None where the summary is opaque or the original is not there."""
    user_messages: tuple[int, int]
    """The user's messages that are still there word for word, and all before it."""
    faults: tuple[Fault, ...]
    """Codes with their sentences."""
    summary: int | None
    """Thread message with readable summary text, or None."""
    needed: Needed | None
    """What the next calls needed of what was lost; None where no call follows."""

    @property
    def codes(self) -> tuple[str, ...]:
        """Stable codes of the faults, each once."""
        return tuple(dict.fromkeys(fault.code for fault in self.faults))

    @property
    def ratio(self) -> float | None:
        """After over before."""
        return self.after / self.before if self.before else None

    @property
    def depth(self) -> int:
        """Summaries inside what was replaced, so that this one is a summary of a summary."""
        return sum(fault.code == NESTED_SUMMARY for fault in self.faults)


def recorded_compactions(thread: Thread) -> tuple[RecordedCompaction, ...]:
    """Every compaction that the log records, in order; made once per thread.

    Args:
        thread: Of a session.
    """
    return thread.once("recorded_compactions", lambda: _recorded(thread))


def _recorded(thread: Thread) -> tuple[RecordedCompaction, ...]:
    wrong = {(finding.kind, finding.source): finding.what for finding in compaction_findings(thread)}
    events = [event for event in thread.events if event.kind == "compaction" and not event.inferred]
    return tuple(_judged(thread, event, wrong) for event in events)


def _judged(thread: Thread, event: Event, wrong: Mapping[tuple[str, SourceRef], str]) -> RecordedCompaction:
    before, left = around(thread, event)
    originals = [index for index in before if index not in set(left)]
    text = _text(thread.messages, left)
    opaque = event.summary is not None and not thread.messages[event.summary].text.strip()
    old, kept = passages(thread.messages, before), passages(thread.messages, left)
    users = [index for index in before if thread.messages[index].is_real_user]
    faults: list[Fault] = []
    table: Mapping[FactKind, Kept] | None = None
    plan = open_steps(thread, event.call)
    if not before:
        faults.append(Fault(code=NO_ORIGINAL, text="What was replaced is not in the log."))
    elif opaque:
        faults.append(Fault(code=OPAQUE, text="The summary cannot be read: what it kept is not verified."))
    else:
        table = survival([*facts(passages(thread.messages, originals or before)), *plan, *_results(thread, originals)], _with_ids(thread, left, text))
        faults += [*instruction_faults(old, kept), *plan_faults(plan, text), *_core_faults(old, text)]
    if users and originals and not any(index in set(left) for index in users):
        faults.append(Fault(code=NO_USER_MESSAGE_KEPT, text=f"None of {len(users):,} user messages is there word for word."))
    nested = [index for index in originals if thread.messages[index].injected == "summary"]
    faults += [Fault(code=NESTED_SUMMARY, text=f"Message {index:,}, itself a summary, was summarised.") for index in nested]
    sizes = _sizes(thread, event, before, left)
    told = ((GREW, "compaction_grew", sizes[1] > sizes[0]), (LOOP, "compaction_loop", True))
    faults += [Fault(code=code, text=wrong[kind, event.source]) for code, kind, so in told if so and (kind, event.source) in wrong]
    return RecordedCompaction(
        event=event,
        replaced=tuple(originals),
        left=tuple(left),
        before=sizes[0],
        after=sizes[1],
        table=table,
        user_messages=(sum(index in set(left) for index in users), len(users)),
        faults=(*faults, *(() if opaque or not originals else ratio_faults(*sizes))),
        summary=None if opaque else event.summary,
        needed=needed_after(thread, event.call, originals, text) if originals and event.call < len(thread.calls) else None,
    )


def around(thread: Thread, event: Event) -> tuple[list[int], list[int]]:
    """Messages before a compaction, and those that stand for them after it; new messages of the next call are in neither."""
    had: list[int] = []
    if event.call > 0:
        last = thread.calls[min(event.call, len(thread.calls)) - 1]
        had = [*last.messages(), *(() if last.reply is None else (last.reply,))]
    stop = event.summary if event.summary is not None else 0
    had += range(max(had, default=-1) + 1, stop)
    if event.call >= len(thread.calls):
        return had, [] if event.summary is None else [event.summary]
    known = set(had)
    after = thread.calls[event.call].messages()
    return had, [index for index in after if index in known or index == event.summary or _is_put_in(thread.messages[index])]


def _is_put_in(message: Message) -> bool:
    return bool(message.injected) or message.role in ("system", "developer")


def _text(messages: Sequence[Message], which: Sequence[int]) -> str:
    return "\n".join(passage.text for passage in passages(messages, which))


def _with_ids(thread: Thread, left: Sequence[int], text: str) -> str:
    ids = [result.call_id for index in left for result in thread.messages[index].results]
    return "\n".join([text, *ids])


def _results(thread: Thread, replaced: Sequence[int]) -> list[Fact]:
    """Tool results with an id that went."""
    found = [(index, result) for index in replaced for result in thread.messages[index].results if result.call_id]
    return [Fact(kind="tool_result", value=result.call_id, place=Place(index, 0, len(result.text))) for index, result in found]


def _sizes(thread: Thread, event: Event, before: Sequence[int], left: Sequence[int]) -> tuple[int, int]:
    """As recorded where both are, else both counted by the model's own tokenizer: two ways of counting make no ratio."""
    if event.before_tokens is not None and event.after_tokens is not None:
        return event.before_tokens, event.after_tokens
    count = thread_counter(thread).count_many
    return sum(count([_text(thread.messages, before)])), sum(count([_text(thread.messages, left)]))


def open_steps(thread: Thread, call: int) -> list[Fact]:
    """Plan steps that are not done when a call begins."""
    if not tool_uses(thread):
        return []
    history = plan_history(thread)
    column = min(call, len(thread.calls)) - 1
    open_now = [step for step, row in zip(history.steps, history.status, strict=True) if column >= 0 and STATUSES[row[column]] in OPEN]
    return [Fact(kind="plan", value=step.title, place=Place(-1, 0, 0)) for step in open_now]


def plan_faults(plan: Sequence[Fact], text: str) -> list[Fault]:
    """Open plan steps that nothing speaks of any more, by name."""
    lost = [fact.value for fact in Remains(text).lost(plan)]
    return [Fault(code=OPEN_PLAN_STEPS_LOST, text=f"Not mentioned any more: {', '.join(lost)}.")] if lost else []


def instruction_faults(before: Sequence[Passage], after: Sequence[Passage]) -> list[Fault]:
    """The latest user instruction that is gone, and one that it took back standing as the current one."""
    asked = instructions(before)
    if not asked:
        return []
    remains = Remains("\n".join(passage.text for passage in after))
    latest, kept = asked[-1], any(passage.message == asked[-1].message for passage in after)
    sentences = [latest.text[start:end] for start, end in sentence_spans(latest.text)]
    lost = [] if kept else [sentence for sentence in sentences if not remains.says(sentence)]
    faults = []
    if 2 * len(lost) >= len(sentences) and lost:
        faults.append(Fault(code=LATEST_INSTRUCTION_LOST, text=f"The user's latest instruction is not there: {' '.join(lost)[:200]}"))
    taken_back = {stem for sentence in sentences if STOPPED.search(sentence) for stem in stems(sentence)}
    current = [] if kept else [sentence for sentence in _current(remains.text) if taken_back & set(stems(sentence))]
    earlier = {stem for passage in asked[:-1] for stem in stems(passage.text)}
    wrong = [sentence for sentence in current if earlier & taken_back & set(stems(sentence))]
    if lost and wrong:
        faults.append(Fault(code=SUPERSEDED_INSTRUCTION, text=f"Told as current although the user took it back: {wrong[0][:200]}"))
    return faults


def _current(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text) if CURRENT.search(text[start:end])]


def _core_faults(before: Sequence[Passage], text: str) -> list[Fault]:
    """Core fields that a summary does not have: values to the letter, sentences by most of their words."""
    remains = Remains(text)
    lost = [field for field in core_fields(classify(before)) if not (field.value in text if field.name in ONE_VALUE else remains.says(field.value))]
    told = ", ".join(f"{field.name} ({' '.join(field.value.split())[:60]})" for field in lost)
    return [Fault(code=CRITICAL, text=f"Core fields without their value: {told}.")] if lost else []
