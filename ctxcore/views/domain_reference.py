"""What a domain file may say, read off the forms that check it."""

from __future__ import annotations

from collections.abc import Iterator
from inspect import cleandoc
from typing import Annotated, Any, Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from ctxcore.state.domain import Action, Domain, Effect, FieldForm, Question, Transition
from ctxcore.state.domain_reads import Read
from ctxcore.state.validation import TYPE_WORDS

EXAMPLE = r"""
name: service
fields:
  timeout_s:
    type: number
    over: 0
    core: true
    purposes: [deploy]
    calls: [timeout]
    read:
      - {by: pattern, pattern: 'timeout (of|to) (?P<value>\d+)'}
      - {by: tool_argument, tool: set_option, path: $.value, where: {$.option: timeout}}
actions:
  deploy:
    tag: deploy_context
    purpose: deploy
    tools: [deploy]
    required:
      timeout_s: {en: Which timeout?}
    show: {limits: timeout_s}
"""
"""A whole domain file."""

PLACES: tuple[tuple[str, type[BaseModel]], ...] = (
    ("the file itself", Domain),
    ("fields.NAME", FieldForm),
    ("transitions, each", Transition),
    ("effects, each", Effect),
    ("actions.NAME", Action),
    ("actions.NAME.required.FIELD", Question),
)
"""Where each form stands, but for the rules of ``read``."""


def domain_reference() -> str:
    """All keys of a domain file, a line each, with an example in front."""
    reads = [(f"fields.NAME.read, with by: {' or '.join(_words(form.model_fields['by'].annotation))}", form) for form in get_args(get_args(Read)[0])]
    parts = ["A domain file is YAML. Keys marked * are needed; nothing else may stand there. For example:", EXAMPLE.strip("\n")]
    parts += [_section(place, form) for place, form in (*PLACES[:2], *reads, *PLACES[2:])]
    types = "\n".join(f"  {name}: {words}" for name, words in TYPE_WORDS.items())
    return "\n\n".join([*parts, f"Types of a field, and what a value of each must be\n{types}"]) + "\n"


def _section(place: str, form: type[BaseModel]) -> str:
    return "\n".join([f"{place}\n  {' '.join(cleandoc(form.__doc__ or '').split())}", *_lines(form)])


def _lines(form: type[BaseModel]) -> Iterator[str]:
    for name, field in form.model_fields.items():
        if name != "by":
            words = ", ".join(_words(field.annotation))
            mark = "*" if field.is_required() else ""
            yield f"  {field.alias or name}{mark}: {_about(field)}{f' One of {words}.' if words else ''}"


def _about(field: FieldInfo) -> str:
    return " ".join((field.description or "").split())


def _words(kind: Any) -> tuple[str, ...]:
    """The words that a key takes; none where it takes any."""
    if get_origin(kind) is Literal:
        return tuple(map(str, get_args(kind)))
    inner = get_args(kind)[:1] if get_origin(kind) is Annotated else get_args(kind)
    return tuple(word for one in inner for word in _words(one))
