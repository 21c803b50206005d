"""Domain files: YAML of strangers, read without building anything, with the line of every fault."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from ctxcore.errors import InputError
from ctxcore.form_faults import plain_fault
from ctxcore.state.domain import Domain

MOST_BYTES = 256 * 1024
"""Of a domain file."""

MOST_DEPTH = 20
"""Levels of nesting; the forms of a domain need seven."""

SHOWN_FAULTS = 5
"""Of a file that is refused."""


class DomainError(InputError):
    """A domain file that cannot be used.

    Attributes:
        name: Of the file.
        faults: Line (from 1; 0 where unknown) and what is wrong there.
    """

    def __init__(self, name: str, faults: Sequence[tuple[int, str]]) -> None:
        self.name, self.faults = name, tuple(faults)
        told = "; ".join(f"line {line}: {what}" if line else what for line, what in self.faults[:SHOWN_FAULTS])
        more = len(self.faults) - SHOWN_FAULTS
        super().__init__(f"{name} is no domain: {told}{f'; and {more} more' if more > 0 else ''}.")


def parse_domain(data: bytes, name: str) -> Domain:
    """A domain from the bytes of its file.

    Args:
        data: YAML of one document.
        name: Of the file, for errors.

    Raises:
        DomainError: Too big, no YAML, aliases, tags or repeated keys in it, or something that no domain can say.
    """
    if len(data) > MOST_BYTES:
        raise DomainError(name, [(0, f"it has {len(data):,} bytes, at most {MOST_BYTES:,} are read")])
    node, value = _loaded(data, name)
    try:
        domain = Domain.model_validate(value)
    except ValidationError as error:
        raise DomainError(name, [(_line(node, one["loc"]), plain_fault(one)) for one in error.errors()]) from error
    if faults := domain.faults():
        raise DomainError(name, [(_line(node, place), f"{'.'.join(map(str, place))}: {what}") for place, what in faults])
    return domain


def read_domain(path: str | Path) -> Domain:
    """A domain from a file.

    Raises:
        DomainError: It cannot be read, or is no domain.
    """
    name = Path(path).name
    try:
        with Path(path).open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise DomainError(name, [(0, error.strerror or str(error))]) from error
    return parse_domain(data, name)


def _loaded(data: bytes, name: str) -> tuple[yaml.Node, Any]:
    try:
        _refuse_aliases(data, name)
        node = yaml.compose(data, Loader=yaml.CSafeLoader)
        if node is None:
            raise DomainError(name, [(1, "it is empty")])
        if faults := list(_repeated(node)):
            raise DomainError(name, faults)
        return node, yaml.load(data, Loader=yaml.CSafeLoader)
    except DomainError:
        raise
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise DomainError(name, [(mark.line + 1 if mark else 0, str(error.problem or error.context or "no YAML"))]) from error
    except (yaml.YAMLError, ValueError, TypeError, RecursionError) as error:
        raise DomainError(name, [(0, f"no YAML: {error}".splitlines()[0])]) from error


def _refuse_aliases(data: bytes, name: str) -> None:
    """Aliases can stand for far more than a file holds, and a domain needs none; nor does it nest deeply."""
    level = 0
    for event in yaml.parse(data, Loader=yaml.CSafeLoader):
        if isinstance(event, yaml.AliasEvent):
            raise DomainError(name, [(_line_of(event), "aliases are not allowed")])
        level += isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent))
        level -= isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent))
        if level > MOST_DEPTH:
            raise DomainError(name, [(_line_of(event), "nested too deeply")])


def _repeated(node: yaml.Node) -> Iterator[tuple[int, str]]:
    """Keys that stand twice in one place, of which YAML would take the last and say nothing."""
    if isinstance(node, yaml.MappingNode):
        lines: dict[str, int] = {}
        for key, value in node.value:
            if isinstance(key, yaml.ScalarNode):
                line = key.start_mark.line + 1
                if key.value in lines:
                    yield line, f"{key.value!r:.80} stands there already, in line {lines[key.value]}"
                lines.setdefault(key.value, line)
            yield from _repeated(value)
    elif isinstance(node, yaml.SequenceNode):
        for value in node.value:
            yield from _repeated(value)


def _line_of(event: yaml.Event) -> int:
    return event.start_mark.line + 1 if event.start_mark else 0


def _line(node: yaml.Node, place: Sequence[int | str]) -> int:
    """Line of the deepest part of the place that stands in the file; the tag of a form that pydantic adds is no part of it."""
    line = node.start_mark.line + 1
    for part in place:
        found = _inner(node, part)
        if found is not None:
            line, node = found
    return line


def _inner(node: yaml.Node, part: int | str) -> tuple[int, yaml.Node] | None:
    if isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
        return node.value[part].start_mark.line + 1, node.value[part]
    if isinstance(node, yaml.MappingNode):
        return next(((key.start_mark.line + 1, value) for key, value in node.value if key.value == part), None)
    return None
