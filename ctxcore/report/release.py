"""What of a session may leave the machine: nothing of its text, or its text with findings replaced."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace

from ctxcore.counted import count
from ctxcore.model import Session
from ctxcore.redaction import Finding, Redactor, findings
from ctxcore.report.table import Cell, Table
from ctxcore.views.visible import marked, one_line

LEFT_OUT = "(text left out)"
"""Stands in a table for text of the session that is not released."""

CELL_CHARS = 300
"""Characters of one cell of text."""

READ_CHARS, EDGE_CHARS = 6_000, 400
"""Characters of a text that are looked at for such a cell, and how many of them at the end are not shown: a secret may be cut there."""


@dataclass(frozen=True, kw_only=True)
class Release:
    """The decision, and the findings it rests on."""

    with_text: bool
    """Text of the session may be shown."""
    reviewed: bool
    """A person says that the findings were looked at."""
    findings: tuple[Finding, ...]
    """All of the session, replaced or not."""
    redactor: Redactor = field(repr=False)
    """Has learned every finding."""

    @classmethod
    def of(
        cls,
        session: Session,
        *,
        reviewed: bool = False,
        with_text: bool = True,
        leave: frozenset[str] = frozenset(),
        take: frozenset[str] = frozenset(),
    ) -> Release:
        """Look for findings, and release text only where they were reviewed.

        Args:
            session: As read.
            reviewed: A person has looked at the findings.
            with_text: Text is wanted.
            leave: Placeholders of findings that stay as they are.
            take: Placeholders of unsure findings that are replaced as well.
        """
        redactor = Redactor(leave=leave, take=take)
        found = findings(session, redactor)
        return cls(with_text=with_text and reviewed, reviewed=reviewed, findings=found, redactor=redactor)

    def chosen(self, *, reviewed: bool, with_text: bool, leave: frozenset[str], take: frozenset[str]) -> Release:
        """The same findings under another decision; nothing is looked for again.

        Args:
            reviewed: As for ``of``.
            with_text: As for ``of``.
            leave: As for ``of``.
            take: As for ``of``.
        """
        known = self.redactor
        redactor = Redactor(leave=leave, take=take, placeholders=known.placeholders, counts=known.counts, rules=known.rules, pieces=known.pieces)
        return Release(with_text=with_text and reviewed, reviewed=reviewed or not with_text, findings=self.findings, redactor=redactor)

    @property
    def sentence(self) -> str:
        """What was done, for the report itself."""
        hidden = [one for one in self.findings if self.redactor.hidden(one.placeholder)]
        kinds = ", ".join(f"{kind} ({amount:,})" for kind, amount in Counter(one.kind for one in hidden).most_common())
        replaced = f"Replaced by placeholders: {kinds}." if hidden else "No secrets or personal data were found by the rules."
        if self.with_text:
            left = sum(one.sure for one in self.findings) - sum(one.sure for one in hidden)
            stays = f" {count(left, 'finding')} left as recorded after review." if left else ""
            return f"{replaced}{stays} Rules find what looks like a secret; they cannot promise that nothing else is one."
        why = "as asked" if self.reviewed else "because nobody has reviewed what was found by the search for secrets and personal data"
        return f"This report holds no message text, {why}. Names of tools and models are shown. {replaced}"

    def line(self, text: str, most: int = CELL_CHARS) -> str:
        """A text in one line as it may be shown: redacted, controls as marks, cut."""
        clear = self.redactor.redacted(text[:READ_CHARS])
        shown = marked(one_line(clear[:-EDGE_CHARS] if len(text) > READ_CHARS else clear))
        return shown if len(shown) <= most else f"{shown[: most - 1]}…"

    def table(self, table: Table) -> Table:
        """A table as it may be shown."""
        kinds = [column.kind for column in table.columns]
        return replace(table, rows=tuple(tuple(map(self._cell, row, kinds)) for row in table.rows))

    def _cell(self, cell: Cell, kind: str) -> Cell:
        if not isinstance(cell, str) or not cell:
            return cell
        return LEFT_OUT if kind == "text" and not self.with_text else self.line(cell)
