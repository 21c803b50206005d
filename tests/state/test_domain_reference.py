"""The reference of a domain file names every key that is checked, and its example is one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

import pytest
from pydantic import BaseModel

from ctxcore.cli import main
from ctxcore.state.domain import Domain, FieldForm
from ctxcore.state.domain_file import DomainError, parse_domain
from ctxcore.state.domain_reads import Read
from ctxcore.state.found import FoundKind, Shade
from ctxcore.views.domain_reference import EXAMPLE, domain_reference
from tests.state.talk import state_of, tool


def forms(kind: object = Domain) -> Iterator[type[BaseModel]]:
    """Every form that a domain is made of, found from the outermost on."""
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        yield kind
        for field in kind.model_fields.values():
            yield from forms(field.annotation)
    for inner in get_args(kind):
        yield from forms(inner)


def test_every_key_of_every_form_has_a_line_that_says_something() -> None:
    lines = [line.strip() for line in domain_reference().splitlines()]
    for form in forms():
        for name, field in form.model_fields.items():
            if name != "by":
                mark = f"{field.alias or name}{'*' if field.is_required() else ''}: "
                assert any(line.startswith(mark) and len(line) > len(mark) + 5 for line in lines), (form, name)


def test_every_word_that_a_key_takes_is_told() -> None:
    told = domain_reference()
    kinds = [word for form in get_args(get_args(Read)[0]) for word in get_args(form.model_fields["by"].annotation)]
    types = get_args(FieldForm.model_fields["type"].annotation)
    assert len(kinds) > 6
    for word in (*kinds, *types, *get_args(FoundKind), *get_args(Shade)):
        assert word in told


def test_the_example_is_a_domain_that_reads() -> None:
    domain = parse_domain(EXAMPLE.encode(), "example.yaml")
    assert EXAMPLE.strip() in domain_reference()
    assert state_of(domain, "u: Set the timeout to 30", "a: ok").value("timeout_s") == 30
    set_it = tool("set_option", "done", option="timeout", value=45)
    assert state_of(domain, "u: go on", *set_it, "a: ok").value("timeout_s") == 45
    other = tool("set_option", "done", option="color", value=7)
    assert state_of(domain, "u: go on", *other, "a: ok").value("timeout_s") is None


def test_the_command_tells_it_without_a_file(capsys) -> None:
    assert main(["state", "--domain-help"]) == 0
    assert capsys.readouterr().out == domain_reference()


def test_a_pattern_over_commands_needs_its_group() -> None:
    text = "name: a\nfields:\n  b:\n    type: text\n    read:\n      - {by: output, pattern: total}\n"
    with pytest.raises(DomainError, match=r"line 6: .*the pattern needs a group \(\?P<value>"):
        parse_domain(text.encode(), "a.yaml")
