"""The list of findings for a reviewer: as a table for a terminal, and as JSON. No value stands in it whole."""

from __future__ import annotations

from typing import Any

from rich.table import Table as Shown
from rich.text import Text

from ctxcore.report.release import Release
from ctxcore.views.visible import marked

NEXT = (
    "Each is replaced by its placeholder, those marked “shown” only with --take. Look through the list, then write the report with --reviewed; "
    "--leave PLACEHOLDER leaves one as recorded."
)
"""What to do with the list."""


def findings_json(release: Release) -> dict[str, Any]:
    """``ctxscope.findings/1``: what looks like a secret or personal data, values masked."""
    return {
        "schema": "ctxscope.findings/1",
        "findings": [
            {
                "placeholder": one.placeholder,
                "kind": one.kind,
                "sample": marked(one.sample),
                "count": one.count,
                "place": release.line(one.place),
                "replaced": release.redactor.hidden(one.placeholder),
            }
            for one in release.findings
        ],
    }


def findings_shown(release: Release) -> Shown:
    """The same for a terminal."""
    listed = Shown(title=f"{len(release.findings):,} findings", caption=NEXT)
    for heading in ("placeholder", "looks like", "sample", "times", "first stands in", "what happens"):
        listed.add_column(heading, justify="right" if heading == "times" else "left")
    for one in findings_json(release)["findings"]:
        fate = "replaced" if one["replaced"] else "shown"
        listed.add_row(*map(Text, (f"[{one['placeholder']}]", one["kind"], one["sample"], f"{one['count']:,}", one["place"], fate)))
    return listed
