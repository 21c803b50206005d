"""Choosing a domain: which one suggests itself, and where a file of one's own is at fault."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from ctxcore.errors import InputError
from ctxcore.model import Thread
from ctxcore.state.business_rules import rule_named
from ctxcore.state.domain import Domain
from ctxcore.state.domain_file import DomainError, parse_domain
from ctxcore.state.domains import NAMES, shipped_domain
from ctxcore.state.domains import __file__ as shipped_file
from ctxcore.state.editor import edit_messages
from ctxcore.state.reading import said_times
from ctxcore.state.resolvers import resolver_named
from ctxcore.state.text_rules import read_text
from ctxcore.tool_uses import tool_uses
from ctxcore.views.link import DOMAINS

OWN = DOMAINS[-1]
"""Name of the choice that takes a file of one's own."""

LOOKED_AT, USERS_LOOKED_AT = 160, 20
"""Messages from the beginning of a thread, and messages of the user, that a suggestion rests on at most."""

LEAST = 2
"""Fields that a domain must fill to be suggested; the one that holds the unit of another does not count."""

AROUND = 2
"""Lines shown before and after one at fault."""


def suggested_domain(thread: Thread) -> tuple[str, int]:
    """The shipped domain that the beginning of a thread fills most of, and how many of its fields; the open one where none fills enough."""
    return thread.once("suggested_domain", lambda: _suggested(thread))


def _suggested(thread: Thread) -> tuple[str, int]:
    users = [index for index, message in enumerate(thread.messages[:LOOKED_AT]) if message.is_real_user]
    stop = users[USERS_LOOKED_AT] if len(users) > USERS_LOOKED_AT else LOOKED_AT
    messages, said = thread.messages[:stop], said_times(thread)[:stop]
    uses = [use for use in tool_uses(thread) if use.message < stop]
    rules = _remembering()
    filled = {}
    for name in NAMES[1:]:
        domain = shipped_domain(name)
        state = edit_messages(messages, domain, said, uses, rules=rules)
        units = {form.unit_field for form in domain.fields.values()}
        filled[name] = len({field for field, chain in state.fields.items() if chain.current is not None} - units)
    best = max(filled, key=lambda name: filled[name])
    return (best, filled[best]) if filled[best] >= LEAST else (NAMES[0], 0)


def _remembering() -> Callable[..., Any]:
    """The rules over text, which the domains share: most ask the same of the same message."""
    return lru_cache(maxsize=2 * LOOKED_AT)(read_text)


def shipped_yaml(name: str) -> str:
    """The file of a shipped domain, to begin one's own with."""
    return (Path(shipped_file).parent / f"{name}.yaml").read_text(encoding="utf-8")


def own_domain(text: str, name: str) -> Domain:
    """A domain from the text of a visitor; business rules and a resolver must be installed, or given when the program was started.

    Args:
        text: YAML.
        name: Of the file, for errors.

    Raises:
        DomainError: It is none; ``faults`` has the lines.
    """
    domain = parse_domain(text.encode("utf-8", "surrogatepass"), name)
    for key, look, names in (("rules", rule_named, domain.rules), ("resolver", resolver_named, (domain.resolver,))):
        line = next((number for number, one in enumerate(text.splitlines(), 1) if one.startswith(key)), 0)
        for one in names:
            try:
                look(one)
            except InputError as error:
                raise DomainError(name, [(line, str(error).rstrip("."))]) from error
    return domain


def fault_lines(text: str, line: int) -> str:
    """The lines around one at fault, numbered, the one itself marked; empty where no line is known."""
    lines = text.splitlines()
    if line < 1 or not lines:
        return ""
    line = min(line, len(lines))  # a parser may miss something only after the end
    shown = range(max(1, line - AROUND), min(len(lines), line + AROUND) + 1)
    return "\n".join(f"{'>' if number == line else ' '} {number:>4} | {lines[number - 1][:200]}" for number in shown)


def fault_sentences(error: DomainError, most: int = 8) -> Sequence[tuple[int, str]]:
    """Line and sentence of each fault, the first few."""
    return [(line, f"Line {line:,}: {what}." if line else f"{what}.") for line, what in error.faults[:most]]
