"""Tables of what happened in the session itself: plan, state, compactions, repeated tool calls."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from ctxcore.measures.symptoms import repetition
from ctxcore.plan.review import PlanReview, plan_review
from ctxcore.plan.values import PlanHistory
from ctxcore.report.study import Study
from ctxcore.report.table import Cell, Table, columns, rows
from ctxcore.state.chains import change_chains
from ctxcore.state.values import CHANGES, Chain
from ctxcore.views.events import KINDS, change, known, place
from ctxcore.views.plan import STATUS_WORDS, final_words

GROUP = "What happened in the session"

MOST_STEPS = 20_000
"""Rows of single steps of state chains."""


def plan_tables(study: Study) -> tuple[Table, ...]:
    """Steps of the plan, and its changes; none where the thread has no plan."""
    review = plan_review(study.thread)
    history = review.history
    if not history.revisions:
        return ()
    steps = Table(
        name="plan-steps",
        title="Plan: steps",
        columns=columns(
            *("#step", '"title', '"id', "status at the end", "verdict", "#claimed at call", '"what the record says', "#first call", "#last change"),
            "findings",
        ),
        rows=rows(_steps(review)),
        note=(
            "The status is what the model said, the verdict what the record says to the last claim that a step is done; supported means that "
            "something was done, not that it was right."
        ),
        basis="recorded",
        group=GROUP,
    )
    changes = Table(
        name="plan-changes",
        title="Plan: changes",
        columns=columns("#call", "#turn", "#step", '"title', "change", "from", "to", '"finding', "tool", "where"),
        rows=rows(_changes(history)),
        note="A change counts from the call whose reply made it. Writes that only repeat the plan are left out.",
        basis="recorded",
        group=GROUP,
    )
    return steps, changes


def _steps(review: PlanReview) -> Iterator[tuple[Cell, ...]]:
    history, newest = review.history, review.newest()
    kinds: dict[int, dict[str, None]] = defaultdict(dict)
    for finding in review.findings:
        for row in finding.steps:
            kinds[row][finding.kind.replace("_", " ")] = None
    for row, step in enumerate(history.steps):
        claim = newest.get(row)
        said = "; ".join(f"#{fact.call} {fact.what}" for fact in claim.facts) if claim else ""
        judged = (claim.verdict, claim.call, said) if claim else ("", None, "")
        calls = history.revisions[step.first].call, history.revisions[step.last].call
        yield row + 1, step.title, step.id, final_words(step), *judged, *calls, ", ".join(kinds[row])


def _changes(history: PlanHistory) -> Iterator[tuple[Cell, ...]]:
    for revision in history.revisions:
        found = [f for f in history.findings if f.revision == revision.index]
        for one in revision.changes:
            notes = " ".join(f.note for f in found if one.step in f.steps)
            before, after = ("" if one.before == "absent" else STATUS_WORDS[one.before]), STATUS_WORDS[one.after]
            title = history.steps[one.step].title
            yield revision.call, revision.turn, one.step + 1, title, one.kind, before, after, notes, revision.tool, str(revision.source)
        if not revision.applied:
            yield revision.call, revision.turn, None, "", "not applied", "", "", " ".join(f.note for f in found), revision.tool, str(revision.source)


def state_tables(study: Study) -> tuple[Table, ...]:
    """Files and values that tool calls touched, and each touch; none where no tool call names any."""
    chains = change_chains(study.thread)
    if not chains:
        return ()
    listed = Table(
        name="state",
        title="State: files and values",
        columns=columns("kind", '"name', '"belongs to', "#changes", "#reads", "#stale reads", "#first call", "#last call", '"newest value'),
        rows=rows((c.kind, c.name, c.scope, c.changes, c.reads, c.stale_reads, c.steps[0].call, c.steps[-1].call, c.value) for c in chains),
        note="Read from tool calls that name what they touch. A stale read is older than a later change in this thread.",
        basis="recorded",
        group=GROUP,
    )
    steps = [row for chain in chains for row in _chain_steps(chain)][:MOST_STEPS]
    chained = Table(
        name="state-steps",
        title="State: chains step by step",
        columns=columns('"name', "#call", "#turn", "action", '"old', '"new', "#version", "read is", "tool", "where"),
        rows=rows(steps),
        note="Each chain oldest first.",
        basis="recorded",
        group=GROUP,
    )
    return listed, chained


def _chain_steps(chain: Chain) -> Iterator[tuple[Cell, ...]]:
    for step in chain.steps:
        action = f"{step.action} again" if step.again else str(step.action)
        stale = "" if step.action in CHANGES or step.failed else "current" if step.stale_from is None else f"superseded by call {step.stale_from}"
        words = f"{action} (failed)" if step.failed else action
        yield chain.name, step.call, step.turn, words, step.old, step.new, step.version, stale, step.tool, str(step.source)


def events_table(study: Study) -> tuple[Table, ...]:
    """Compactions and other changes of the context; none where the log has none."""
    thread = study.thread
    found = (
        (
            place(thread, event)[0],
            KINDS[event.kind],
            event.trigger or "not recorded",
            event.before_tokens,
            event.after_tokens,
            change(event),
            known(event),
            "" if event.summary is None else thread.messages[event.summary].text,
            event.note,
            str(event.source),
        )
        for event in sorted(thread.events, key=lambda event: event.call)
    )
    table = Table(
        name="events",
        title="Compactions and other changes of the context",
        columns=columns("#call", "what", "trigger", "#tokens before", "#tokens after", "change", "how it is known", '"summary', '"note', "where"),
        rows=rows(found),
        note="Sizes as recorded, in tokens.",
        basis="recorded",
        group=GROUP,
    )
    return (table,) if table.rows else ()


def repeats_table(study: Study) -> tuple[Table, ...]:
    """Tool calls that ask again for what was asked before; none where there are none."""
    found = repetition(study.thread)
    if not found.asked:
        return ()
    return (
        Table(
            name="asked-again",
            title="Asked again",
            columns=columns("tool", '"what', "#times", "calls"),
            rows=rows((one.tool, one.what, len(one.calls), ", ".join(map(str, one.calls[:40]))) for one in found.asked),
            note=(
                f"{len(found.repeats):,} of {found.tool_calls:,} tool calls repeat an earlier one that "
                f"was answered; before {found.unchanged:,} of them nothing was changed."
            ),
            basis="exact",
            group=GROUP,
        ),
    )
