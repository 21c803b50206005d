"""All tables of a report, in order."""

from __future__ import annotations

from ctxcore.report.call_tables import calls_table, messages_table, parts_table, units_table
from ctxcore.report.differences import differences_table
from ctxcore.report.history_tables import events_table, plan_tables, repeats_table, state_tables
from ctxcore.report.loss_tables import budgets_table, faults_table, lost_table, policies_table
from ctxcore.report.notes_table import notes_table
from ctxcore.report.reading_tables import findings_table, ledger_table, methods_table, problems_table, session_table
from ctxcore.report.release import Release
from ctxcore.report.study import Study
from ctxcore.report.table import Table


def tables(study: Study, release: Release) -> tuple[Table, ...]:
    """Every table as it may be shown.

    Args:
        study: Of a thread.
        release: What of the session's text may leave the machine.
    """
    found = (
        *notes_table(study),
        policies_table(study),
        differences_table(study),
        budgets_table(study),
        lost_table(study, release),
        faults_table(study),
        calls_table(study),
        parts_table(study),
        units_table(study),
        messages_table(study),
        *events_table(study),
        *plan_tables(study),
        *state_tables(study),
        *repeats_table(study),
        session_table(study),
        ledger_table(study),
        *problems_table(study),
        *findings_table(release),
        methods_table(study, release),
    )
    return tuple(release.table(table) for table in found)
