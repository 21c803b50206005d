"""Tables of what was read and how each number was made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ctxcore.counted import count
from ctxcore.measures.breakdown import replay_basis
from ctxcore.report.amounts import size_words
from ctxcore.report.release import Release
from ctxcore.report.study import Study
from ctxcore.report.table import Cell, Table, columns, rows
from ctxcore.views.duration import time_sentence
from ctxcore.views.finding import smallest_sentence
from ctxcore.views.words import counter_sentence

GROUP = "What was read, and how numbers were made"

BASES = (
    "recorded: stands in the log. exact: counted on recorded text. reconstructed: counted on a context that the format's rules rebuilt. estimate: "
    "another tokenizer, a price list, or a rule of thumb."
)
"""Words for where a number comes from."""

LOST = (
    "A path, number, id, code, quote or name that a recorded reply uses, that its "
    "recorded request held, and that the shortened request does not hold "
    "in any spelling. Lost references count the first use of each value, all uses lost every use, "
    "different facts lost each value once at whatever use. A lower bound on harm."
)

FAULTS = (
    "The rules of the provider's API about pairs of calls and results, first message, "
    "empty messages and signed reasoning; only what the policy brings in."
)


def session_table(study: Study) -> Table:
    """What the recording is."""
    session, ledger = study.session, study.session.ledger
    models = Counter(call.model for call in study.thread.calls if call.model)
    found = (
        ("File", session.name),
        ("Format", session.format),
        ("Shows at best", session.level),
        ("Not recorded", ", ".join(session.not_recorded) or "nothing known to be missing"),
        ("Session", session.id),
        ("SHA-256 of the upload", session.digest),
        ("Thread", f"{study.thread.id} ({study.thread.kind}), one of {count(len(session.threads), 'thread')}"),
        ("Models", ", ".join(f"{name} ({number:,})" for name, number in models.most_common(12)) or "not recorded"),
        ("Calls", f"{len(study.thread.calls):,}"),
        ("Messages", f"{len(study.thread.messages):,}"),
        ("Time", time_sentence(session.threads)),
        ("Records", f"{ledger.records:,}: {ledger.read:,} read, {sum(n for _, n in ledger.skipped):,} skipped"),
        ("Policy", f"{study.title} ({study.chosen.name})"),
        ("Settings", ", ".join(f"{name}={value}" for name, value in study.chosen.parameters.items()) or "none"),
        ("Budget", f"{size_words(study.budget, study.unit)}, {study.budget_note}"),
    )
    return Table(name="session", title="The recording", columns=columns("what", "value"), rows=rows(found), basis="recorded", group=GROUP)


def ledger_table(study: Study) -> Table:
    """What became of every record."""
    ledger = study.session.ledger
    found = [("read", ledger.read), *((reason.replace("_", " "), number) for reason, number in ledger.skipped), ("all", ledger.records)]
    note = "All records are those read and those skipped."
    return Table(
        name="ledger",
        title="Ledger of records",
        columns=columns("became of them", "#records"),
        rows=rows(found),
        note=note,
        basis="exact",
        group=GROUP,
    )


def problems_table(study: Study) -> tuple[Table, ...]:
    """What could not be read as it stands; none where all could."""
    found = rows((str(p.source), p.kind.replace("_", " "), p.what, p.excerpt) for p in study.session.problems)
    named = columns("where", "kind", '"what', '"excerpt')
    return (Table(name="problems", title="Problems while reading", columns=named, rows=found, basis="recorded", group=GROUP),) if found else ()


def findings_table(release: Release) -> tuple[Table, ...]:
    """What the search for secrets found, values masked; none where it found nothing."""
    found = rows(
        (f"[{one.placeholder}]", one.kind, one.count, "replaced" if release.redactor.hidden(one.placeholder) else "left as recorded")
        for one in release.findings
    )
    table = Table(
        name="redaction",
        title="Secrets and personal data",
        columns=columns("placeholder", "looks like", "#times", "what was done"),
        rows=found,
        note=release.sentence,
        group=GROUP,
    )
    return (table,) if found else ()


def methods_table(study: Study, release: Release) -> Table:
    """How each number was made, and what it rests on."""
    return Table(
        name="methods",
        title="How each number was made",
        columns=columns("number", "how", "basis"),
        rows=rows(_methods(study, release)),
        note=BASES,
        group=GROUP,
    )


def _methods(study: Study, release: Release) -> Iterator[tuple[Cell, ...]]:
    replay = study.chosen.replay
    yield "size as recorded", f"Every request of the thread, tool definitions included. {counter_sentence(replay.sizes)}", replay_basis(replay)
    yield "size after the policy", f"{study.title}, replayed over every call. Its rule: {_source(study)}", study.chosen.basis
    yield "saved", "Size as recorded less size after, over the calls that are sent; a refused call saves nothing.", study.chosen.basis
    yield "refused", "No cut that the policy allows makes the request fit the budget.", replay_basis(replay)
    yield (
        "lost reference",
        LOST,
        "exact",
    )
    yield (
        "rejected, faults",
        FAULTS,
        "exact",
    )
    yield "money", _money(study), "estimate"
    yield (
        "smallest budget",
        f"Sixteen budgets from the least that refuses nothing to the largest request, then halving to one unit. {smallest_sentence(study.smallest)}",
        replay_basis(replay),
    )
    yield "recorded tokens, cache", "As the provider counted them, from the log.", "recorded"
    yield "plan", "Tool calls that write a plan; a status is what the model claimed.", "recorded"
    yield "state", "Tool calls that name the file or value they touch.", "recorded"
    yield "text", release.sentence, ""
    for note in study.session.notes if release.with_text else ():  # a note may quote the session
        yield "note of the reader", note, ""
    for sentence in replay.assumed:
        yield "assumed of the policy", sentence, ""


def _source(study: Study) -> str:
    return type(study.chosen.replay.policy).source


def _money(study: Study) -> str:
    cost = study.chosen.cost
    if cost is None:
        return "The price of this model is not known."
    clock = {"recorded": "entries expire by the recorded times", "warm": "entries never expire, for want of times", "cold": "nothing is cached"}
    told = f"{cost.rates.model} by {cost.rates.source}; the provider's published cache rules ({cost.rules.model}), {clock[cost.clock]}."
    if study.calibration is None:
        return told
    error = f"{study.calibration.median_error:.1%}"
    return f"{told} Predicted cached tokens differ from recorded ones by {error} of the input (median of {count(study.calibration.calls, 'call')})."
