"""Tables of what policies save and risk: side by side, lost references with their evidence, faults, budgets."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ctxcore.counted import count
from ctxcore.measures.breakdown import replay_basis
from ctxcore.measures.compare import Compared
from ctxcore.measures.references import LostReference
from ctxcore.measures.validity import REFUSED_BY, WORDS, call_faults
from ctxcore.model import Part, ToolCall
from ctxcore.report.amounts import size_words
from ctxcore.report.release import Release
from ctxcore.report.study import Study, policy_title, sends_nothing
from ctxcore.report.table import Cell, Table, columns, rows
from ctxcore.report.words import facts
from ctxcore.views.comparing import CAVEAT
from ctxcore.views.finding import smallest_sentence
from ctxcore.views.lost import BOUND
from ctxcore.views.settings import setting_text

MOST_LOST, MOST_FAULTS = 5_000, 2_000
"""Rows that are listed one by one."""

AROUND = 60
"""Characters before and after a value that show where it stands."""


COUNTED = "Lost at first use: lost references. Values lost: later uses counted as well."
"""Under tables that have both counts."""


def policies_table(study: Study) -> Table:
    """One row per policy at the budget."""
    return Table(
        name="policies",
        title="Policies compared",
        columns=columns(
            *("policy", "title", "#sent", "#as recorded", "#saved %", "$dollars", "$as recorded ($)", "#lost references", "#all uses lost"),
            *("#different facts lost", "#refused calls", "#rejected calls", "#worst call", "basis", "settings", "assumed"),
        ),
        rows=rows(_policy_row(study, row) for row in study.rows),
        note=f"At {size_words(study.budget, study.unit)} ({study.budget_note}). Sent and as recorded: only calls that are not refused. {CAVEAT}",
        basis=replay_basis(study.chosen.replay),
        group="Policies",
    )


def _policy_row(study: Study, row: Compared) -> tuple[Cell, ...]:
    money = study.dollars(row)
    return (
        row.name,
        policy_title(row.name),
        row.size,
        study.before(row),
        None if sends_nothing(row) else round(100 * study.saved_share(row), 2),
        None if money is None else round(money[1], 6),
        None if money is None else round(money[0], 6),
        int(row.lost_per_call.sum()),
        row.lost.total,
        facts(row),
        row.refused_calls,
        row.rejected_calls,
        row.worst_call,
        row.basis,
        ", ".join(f"{name}={setting_text(value)}" for name, value in row.parameters.items()),
        " ".join(row.replay.assumed),
    )


def budgets_table(study: Study) -> Table:
    """The chosen policy at other budgets."""
    found = study.smallest
    return Table(
        name="budgets",
        title="Other budgets",
        columns=columns("#budget", "#sent", "#values lost", "#lost at first use", "#refused calls", "#rejected calls"),
        rows=rows((point.budget, point.sent, point.lost, point.lost_first, point.refused, point.rejected) for point in found.curve),
        note=f"{study.title} with its settings. {smallest_sentence(study.smallest)} {COUNTED}",
        basis=replay_basis(study.chosen.replay),
        group="Policies",
    )


def lost_table(study: Study, release: Release) -> Table:
    """Lost references one by one, with the place where the value stood and where it was used.

    Args:
        study: Of a thread.
        release: Redacts whole texts before a stretch of them is cut out, so that no secret is cut in two and missed.
    """
    found = study.chosen.lost
    listed, texts = found.listed()[:MOST_LOST], _Texts(study, release)
    cut = f" The first {MOST_LOST:,} of {found.total:,}." if found.total > MOST_LOST else ""
    return Table(
        name="lost-references",
        title="Lost references and later uses",
        columns=columns(
            "#call", "type", '"value', "first use", "#age in calls", "#unit", "where it stood", '"stood in', '"used in', "what was done", "why"
        ),
        rows=rows(_lost_row(study, one, texts) for one in listed),
        note=(
            "A value that a reply uses, that its recorded request held, and that would have been gone. "
            f"{count(found.total_first, 'use')} of {found.total:,} {'is' if found.total_first == 1 else 'are'} a first use: "
            f"a lost reference; at the others the value is needed again. {BOUND}{cut}"
        ),
        basis="exact",
        group="What would be lost",
    )


class _Texts:
    """Texts of messages as they may be shown, each redacted once."""

    def __init__(self, study: Study, release: Release) -> None:
        self.thread, self.release = study.thread, release
        self.known: dict[tuple[int, int], str] = {}

    def part(self, message: int, part: int) -> str:
        """Text of a part; empty where there is no such part, or no text may be shown."""
        parts = self.thread.messages[message].parts
        if not self.release.with_text or part >= len(parts):
            return ""
        if (message, part) not in self.known:
            for number, text in enumerate(self.release.redactor.together([part_text(one) for one in parts])):
                self.known[message, number] = text
        return self.known[message, part]

    def around(self, message: int | None, value: str, part: int | None = None) -> str:
        """The text around a value in one part of a message, or in the first part that has it."""
        if message is None:
            return ""
        texts = [self.part(message, n) for n in (range(len(self.thread.messages[message].parts)) if part is None else (part,))]
        return around(next((text for text in texts if value.lower() in text.lower()), texts[0] if texts else ""), value)


def _lost_row(study: Study, one: LostReference, texts: _Texts) -> tuple[Cell, ...]:
    message = study.thread.messages[one.message]
    return (
        one.call,
        one.atom.type,
        one.atom.value,
        "yes" if one.first else "again",
        one.age,
        one.unit if one.unit >= 0 else None,
        f"{message.role} {message.source}".strip(),
        texts.around(one.message, one.atom.value, one.part),
        texts.around(study.thread.calls[one.call].reply, one.atom.value),
        one.action or "",
        one.rule,
    )


def part_text(part: Part) -> str:
    """Readable text of a part; empty for an image."""
    if isinstance(part, ToolCall):
        return f"{part.name} {part.arguments}"
    return getattr(part, "text", "")


def around(text: str, value: str) -> str:
    """The text around a value; its beginning where the value is written in another way."""
    place = text.find(value)
    if place < 0:
        place = text.lower().find(value.lower())
    if place < 0:
        return f"{text[: 2 * AROUND]}…" if len(text) > 2 * AROUND else text
    start, stop = max(0, place - AROUND), place + len(value) + AROUND
    return f"{'…' if start else ''}{text[start:stop]}{'…' if stop < len(text) else ''}"


def faults_table(study: Study) -> Table:
    """Faults that the policy brings into requests, one by one."""
    return Table(
        name="faults",
        title="Faults in requests",
        columns=columns("#call", "fault", "refused by", "#message", "where"),
        rows=rows(row for _, row in zip(range(MOST_FAULTS), _fault_rows(study), strict=False)),
        note="Only what the policy itself brings in; a recorded request that is odd was sent and answered.",
        basis="exact",
        group="What would be lost",
    )


def _fault_rows(study: Study) -> Iterator[tuple[Cell, ...]]:
    counts = study.chosen.validity.counts
    odd = np.flatnonzero(np.sum([counts[kind] for kind in counts], axis=0))
    for call in odd.tolist():
        for fault in call_faults(study.chosen.replay, call):
            where = "" if fault.message is None else str(study.thread.messages[fault.message].source)
            yield call, WORDS[fault.kind], ", ".join(REFUSED_BY.get(fault.kind, ())) or "nobody", fault.message, where
