"""The list of policies, for programs and for people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from ctxcore.counted import count
from ctxcore.policies import TYPE_WORDS, Policy, all_policies, policy_named
from ctxcore.policies.plugins import home
from ctxcore.views.settings import setting_text
from ctxcore.views.terminal import plain
from ctxcore.views.terminal_table import Column, FittedTable


def policies_json(name: str = "") -> dict[str, Any]:
    """``ctxscope.policies/1``: every policy, default first.

    Args:
        name: Only this one; empty for all.

    Raises:
        InputError: There is none of that name.
    """
    return {"schema": "ctxscope.policies/1", "policies": [_policy(kind) for kind in ([policy_named(name)] if name else all_policies())]}


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


OWN_FAMILY = "ctxscope"
"""Of policies that ship and whose title names no program."""


def family(kind: type[Policy]) -> str:
    """Whose rule it is: the title's words before its colon, else the plug-in that it comes from."""
    whose, colon, _ = kind.title.partition(": ")
    return whose if colon else home(kind) or OWN_FAMILY


def policy_label(name: str) -> str:
    """A policy where there is room for one line: the name by which options know it, then what people call it."""
    return next((f"{kind.name} · {kind.title}" for kind in all_policies() if kind.name == name), name)


def policies_tables() -> RenderableType:
    """One line a policy, those of a family together, for a terminal."""
    groups: dict[str, list[type[Policy]]] = {}
    for kind in all_policies():
        groups.setdefault(family(kind), []).append(kind)
    rows = [_line(name, kind, first=not number) for name, kinds in groups.items() for number, kind in enumerate(kinds)]
    notes = ("ctxscope policies NAME tells all about one. A rule marked * puts a summary in, whose text only a model could write.",)
    return FittedTable(title=f"{count(len(rows), 'policy', 'policies')}, default first", columns=COLUMNS, rows=rows, notes=notes)


COLUMNS = (
    Column(name="family", text=True, least=12, rank=1),
    Column(name="name", text=True, least=34),
    Column(name="what it does", text=True, least=20),
)
"""Of the list."""


def _line(whose: str, kind: type[Policy], *, first: bool) -> tuple[str, str, str]:
    return whose if first else "", kind.name, kind.title.removeprefix(f"{whose}: ") + (" *" if kind.needs_summary else "")


def policy_sheet(name: str) -> RenderableType:
    """All about one policy, for a terminal.

    Args:
        name: Of the policy.

    Raises:
        InputError: There is none of that name.
    """
    kind = policy_named(name)
    facts = Table(box=None, show_header=False, pad_edge=False)
    facts.add_column(style="dim")
    facts.add_column(overflow="fold")
    for head, told in _sheet(kind):
        facts.add_row(Text(head), plain(told))
    parts: list[RenderableType] = [plain(f"{kind.name}: {kind.title}", "bold"), facts, ""]
    if not kind.parameters:
        return Group(*parts, plain("It has no settings.", "dim"))
    rows = [(p.name, setting_text(p.default) or "none", TYPE_WORDS[p.type], p.help) for p in kind.parameters]
    return Group(*parts, FittedTable(title="Settings (--set NAME=VALUE)", columns=SETTING_COLUMNS, rows=rows))


SETTING_COLUMNS = (
    Column(name="name", text=True, least=24),
    Column(name="default", text=True, least=10, wraps=True),
    Column(name="takes", text=True, least=16, rank=1, wraps=True),
    Column(name="what", text=True, least=24, wraps=True),
)
"""Of the settings of a policy."""


def _sheet(kind: type[Policy]) -> Iterator[tuple[str, str]]:
    yield "family", family(kind)
    yield "what it does", kind.about
    yield "refused or lost", kind.rejects
    yield "summary", "puts one in; a stand-in is used where the recording has none" if kind.needs_summary else "needs none"
    yield "source", kind.source
