"""The list of policies, for programs and for people."""

from __future__ import annotations

from typing import Any

from rich.table import Table
from rich.text import Text

from ctxcore.policies import Policy, all_policies
from ctxcore.views.words import visible_lines


def policies_json() -> dict[str, Any]:
    """``ctxscope.policies/1``: every policy, default first."""
    return {"schema": "ctxscope.policies/1", "policies": [_policy(kind) for kind in all_policies()]}


def _policy(kind: type[Policy]) -> dict[str, Any]:
    parameters = [
        {"name": p.name, "type": p.type, "default": list(p.default) if isinstance(p.default, tuple) else p.default, "help": p.help}
        for p in kind.parameters
    ]
    return {
        "name": kind.name,
        "title": kind.title,
        "about": kind.about,
        "rejects": kind.rejects,
        "parameters": parameters,
        "needs_summary": kind.needs_summary,
        "source": kind.source,
    }


def policies_table() -> Table:
    """The same as a table for a terminal."""
    table = Table(title="Policies", show_lines=True)
    for heading in ("name", "what it does", "settings", "source"):
        table.add_column(heading, overflow="fold")
    for kind in all_policies():
        settings = "\n".join(f"{p.name}={_shown(p.default)}" for p in kind.parameters)
        told = (kind.name, f"{kind.title}. {kind.about}", settings, kind.source)
        table.add_row(*(Text(visible_lines(cell)) for cell in told))
    return table


def _shown(value: object) -> str:
    return ",".join(value) if isinstance(value, tuple) else "" if value is None else str(value)
