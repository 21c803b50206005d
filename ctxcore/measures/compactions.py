"""Compactions that a session recorded, judged by the checks that our own have to pass.

What a summary lost is a lower bound on harm: sentences count as left where most of their words stand together.
Source: the notes on compaction, checks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ctxcore.compaction.checks import ratio_faults
from ctxcore.compaction.facts import Fact, FactKind, facts
from ctxcore.compaction.source_text import passages
from ctxcore.compaction.state_anchors import state_anchors
from ctxcore.compaction.survival import Kept, Remains, survival_in
from ctxcore.compaction.values import Fault, Place
from ctxcore.counted import count
from ctxcore.measures.after_compaction import Needed, needed_after
from ctxcore.measures.compaction_checks import core_faults, instruction_faults, plan_faults
from ctxcore.measures.compaction_sizes import RecordedSizes, recorded_sizes_of
from ctxcore.model import Event, Message, Other, SourceRef, Text, Thread
from ctxcore.plan.history import plan_history
from ctxcore.plan.values import STATUSES
from ctxcore.readers.codex_marks import UNRECORDED
from ctxcore.readers.compaction_findings import compaction_findings
from ctxcore.state.domains import NAMES, shipped_domain
from ctxcore.tool_uses import tool_uses

OPAQUE = "OPAQUE"
"""The summary is encrypted or has no text: what it kept cannot be verified."""

NO_ORIGINAL = "NO_ORIGINAL"
"""The log does not hold what was replaced."""

SUMMARY_NOT_RECORDED = "SUMMARY_NOT_RECORDED"
"""The log has no summary: what the model got beside the messages that stayed is not known."""

AFTER_NOT_RECORDED = "AFTER_NOT_RECORDED"
"""No call follows: which messages stayed beside the summary is not known."""

UNTOLD = frozenset({OPAQUE, NO_ORIGINAL, SUMMARY_NOT_RECORDED, AFTER_NOT_RECORDED})
"""Codes with which nothing is called lost."""

NO_USER_MESSAGE_KEPT = "NO_USER_MESSAGE_KEPT"
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
    sizes: RecordedSizes
    """Tokens before and after, and what they rest on."""
    table: Mapping[FactKind, Kept] | None
    """The survival table of what was replaced; None where the summary is opaque or the original is not there."""
    user_messages: tuple[int, int]
    """The user's messages that are still there word for word, and all before it."""
    faults: tuple[Fault, ...]
    """Codes with their sentences."""
    summary: int | None
    """Thread message with readable summary text, or None."""
    needed: Needed | None
    """What the next calls needed of what was lost, of what is left where the original is not in the log; None where no call follows."""

    @property
    def codes(self) -> tuple[str, ...]:
        """Stable codes of the faults, each once."""
        return tuple(dict.fromkeys(fault.code for fault in self.faults))

    @property
    def before(self) -> int | None:
        """Tokens before, as recorded; else counted; None where neither the log nor its messages say."""
        return self.sizes.before

    @property
    def after(self) -> int:
        """Tokens after, as recorded; else counted."""
        return self.sizes.after

    @property
    def ratio(self) -> float | None:
        """After over before, both on one basis; None where one of them is not known."""
        return None if self.sizes.compared is None else self.sizes.compared.ratio

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
    doubts = _doubts(thread, event, before, originals)
    unclear = {fault.code for fault in doubts}
    readable = not unclear & {NO_ORIGINAL, OPAQUE}
    plan = open_steps(thread, event.call)
    table = _table(thread, before, left, plan) if readable else None
    users = [index for index in before if thread.messages[index].is_real_user]
    kept_users = sum(index in set(left) for index in users)
    faults = [*doubts, *([] if doubts else _lost(thread, before, left, plan))]
    if users and originals and not kept_users and not _open_ended(thread, event):
        faults.append(Fault(code=NO_USER_MESSAGE_KEPT, text=_told_otherwise(_quoted(thread, users, text), len(users), table)))
    nested = [index for index in originals if thread.messages[index].injected == "summary"]
    faults += [Fault(code=NESTED_SUMMARY, text=f"Message {index:,}, itself a summary, was summarised.") for index in nested]
    sizes = recorded_sizes_of(thread, event, before, left, whole=not unclear, original=NO_ORIGINAL not in unclear)
    both = sizes.compared
    told = ((GREW, "compaction_grew", both is not None and both.after > both.before), (LOOP, "compaction_loop", True))
    faults += [Fault(code=code, text=wrong[kind, event.source]) for code, kind, so in told if so and (kind, event.source) in wrong]
    measured = both if originals and OPAQUE not in unclear else None
    return RecordedCompaction(
        event=event,
        replaced=tuple(originals),
        left=tuple(left),
        sizes=sizes,
        table=table,
        user_messages=(kept_users, len(users)),
        faults=(*faults, *(ratio_faults(measured.before, measured.after) if measured else ())),
        summary=None if OPAQUE in unclear else event.summary,
        needed=None if _open_ended(thread, event) else needed_after(thread, event.call, left if NO_ORIGINAL in unclear else originals, text),
    )


def _doubts(thread: Thread, event: Event, before: Sequence[int], originals: Sequence[int]) -> list[Fault]:
    """Why nothing can be said to be lost, where that is so."""
    if not before or (event.call == 0 and not originals):
        return [Fault(code=NO_ORIGINAL, text="What was replaced is not in the log, so nothing is judged: what the summary kept of it is not known.")]
    if event.summary is not None and _is_opaque(thread.messages[event.summary]):
        return [Fault(code=OPAQUE, text="The summary cannot be read: what it kept is not verified.")]
    if UNRECORDED in event.note:
        return [Fault(code=SUMMARY_NOT_RECORDED, text="The log has no summary: only what stayed word for word can be looked at.")]
    if _open_ended(thread, event):
        return [Fault(code=AFTER_NOT_RECORDED, text="No call follows: what stayed beside the summary is not known, so nothing is called lost.")]
    return []


def _is_opaque(message: Message) -> bool:
    """No words at all, or a reply whose block of compacted history has none; what the reply says beside it is no summary."""
    blocks = [part for part in message.parts if isinstance(part, Other) and "compaction" in part.type]
    return not any(block.text for block in blocks) if blocks else not any(isinstance(p, (Text, Other)) and p.text.strip() for p in message.parts)


def _open_ended(thread: Thread, event: Event) -> bool:
    return event.call >= len(thread.calls)


def _table(thread: Thread, before: Sequence[int], left: Sequence[int], plan: Sequence[Fact]) -> Mapping[FactKind, Kept]:
    """What of the replaced messages is left."""
    gone = [index for index in before if index not in set(left)]
    return survival_in([*facts(passages(thread.messages, gone or before)), *plan, *_results(thread, gone)], _remains(thread, left))


def lost_facts(thread: Thread, one: RecordedCompaction) -> tuple[Fact, ...]:
    """What of the replaced messages is not left, with its passage; nothing where that cannot be told."""
    if one.table is None or any(fault.code in UNTOLD for fault in one.faults):
        return ()
    wanted = [*facts(passages(thread.messages, one.replaced)), *open_steps(thread, one.event.call)]
    return _remains(thread, one.left).lost(wanted)


def _lost(thread: Thread, before: Sequence[int], left: Sequence[int], plan: Sequence[Fact]) -> list[Fault]:
    """What the words prove to be lost."""
    old, kept, remains = passages(thread.messages, before), passages(thread.messages, left), _remains(thread, left)
    anchors = state_anchors(thread, shipped_domain(NAMES[0]), max(before) + 1)
    return [*instruction_faults(old, kept, remains), *plan_faults(plan, remains), *core_faults(old, remains, anchors)]


def _remains(thread: Thread, left: Sequence[int]) -> Remains:
    """What is left, in which instructions that stood there before tell nothing in other words."""
    told = [index for index in left if thread.messages[index].injected == "summary" or not _is_put_in(thread.messages[index])]
    return Remains(_with_ids(thread, left, _text(thread.messages, left)), _text(thread.messages, told))


def _quoted(thread: Thread, users: Sequence[int], text: str) -> int:
    """How many of these messages stand whole in a text, white space aside."""
    there = " ".join(text.split())
    return sum(" ".join(thread.messages[index].text.split()) in there for index in users)


def _told_otherwise(quoted: int, users: int, table: Mapping[FactKind, Kept] | None) -> str:
    """How many of the user's messages stand in the summary whole, and how much of their words does."""
    row = None if table is None else table.get("user_instruction")
    told = "" if row is None else f" Of their {row.total:,} sentences to act on, {row.kept:,} or more are told in the summary."
    whole = f"{quoted:,} of them {'stands' if quoted == 1 else 'stand'} whole in the summary" if quoted else "none stands whole in the summary"
    return f"None of {count(users, 'user message')} stayed as a message of its own; {whole}.{told}"


def around(thread: Thread, event: Event) -> tuple[list[int], list[int]]:
    """Messages before a compaction, and those that stand for them after it; new messages of the next call are in neither."""
    had: list[int] = []
    if event.call > 0:
        last = thread.calls[min(event.call, len(thread.calls)) - 1]
        had = [*last.messages(), *(() if last.reply is None else (last.reply,))]
    newest = max(had, default=-1)
    had += range(newest + 1, event.summary if event.summary is not None else _next_message(thread, event, newest))
    if event.call >= len(thread.calls):
        return had, [] if event.summary is None else [event.summary]
    known = set(had)
    after = thread.calls[event.call].messages()
    return had, [index for index in after if index in known or index == event.summary or _is_put_in(thread.messages[index])]


def _next_message(thread: Thread, event: Event, newest: int) -> int:
    """First message after a compaction without a summary; results of the last call stand before it, in the context of no call."""
    if event.call >= len(thread.calls):
        return newest + 1
    call = thread.calls[event.call]
    later = [index for index in (*call.messages(), *(() if call.reply is None else (call.reply,))) if index > newest]
    return min(later, default=newest + 1)


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


def open_steps(thread: Thread, call: int) -> list[Fact]:
    """Plan steps that are not done when a call begins."""
    if not tool_uses(thread):
        return []
    history = plan_history(thread)
    column = min(call, len(thread.calls)) - 1
    open_now = [step for step, row in zip(history.steps, history.status, strict=True) if column >= 0 and STATUSES[row[column]] in OPEN]
    return [Fact(kind="plan", value=step.title, place=Place(-1, 0, 0)) for step in open_now]
