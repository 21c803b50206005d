"""What one action gets of the state: its own fields inside its own tag, escaped, or the questions to ask first."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ctxcore.errors import InputError
from ctxcore.model import Json
from ctxcore.state.domain import Action, Domain
from ctxcore.state.entries import State, is_missing

LOOP = "CONTEXT_LOOP_DETECTED"
"""Code of a fragment that is refused because its tag stands in the request already."""

MISSING = "MISSING_REQUIRED_FIELD"
"""Code of an action that is refused because a required field has no value."""

_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;", "\r": "&#13;", "\n": "&#10;"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Fragment:
    """A part of the state for one action."""

    action: str
    """Name."""
    tag: str
    """Scope tag that encloses it."""
    text: str
    """As it is put into a request."""
    fields: tuple[str, ...]
    """Fields whose values it holds."""
    missing: tuple[str, ...] = ()
    """Required fields without a value; an action with any must not be done."""
    questions: tuple[str, ...] = ()
    """What to ask for them, in order."""
    left_out: tuple[str, ...] = ()
    """Fields that did not fit the size that was allowed."""

    @property
    def code(self) -> str:
        """Why the gate refuses the action; empty where it does not."""
        return MISSING if self.missing else ""

    @property
    def chars(self) -> int:
        """Its size, which counts against the budget of the call."""
        return len(self.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Injected:
    """A request with a fragment, or without it where it was refused."""

    messages: tuple[Mapping[str, Json], ...]
    """To send."""
    ledger: tuple[Fragment, ...]
    """Every fragment that this editor has injected into the conversation."""
    code: str = ""
    """Why it was refused; empty where it was not."""


def escaped(value: Json) -> str:
    """A value as text that opens and closes no tag and stays on its line."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text.translate(_ESCAPES)


def action_named(domain: Domain, name: str) -> Action:
    """An action of a domain.

    Raises:
        InputError: It has none of this name.
    """
    if name not in domain.actions:
        raise InputError(f"No action {name!r:.80} in the domain {domain.name}. It has: {', '.join(domain.actions) or 'none'}.")
    return domain.actions[name]


def context_for(domain: Domain, state: State, name: str, *, language: Literal["zh", "en"] = "zh", most_chars: int | None = None) -> Fragment:
    """The smallest fragment that an action needs.

    Args:
        domain: Has the action.
        state: Current values.
        name: The action.
        language: Of the questions.
        most_chars: Size that the fragment may have; what does not fit is named by a `truncated_context` tag. Required fields stay in any case.

    Raises:
        InputError: No such action.
    """
    action = action_named(domain, name)
    missing = tuple(field for field in action.required if is_missing(state.value(field)))
    lines = [*_sections(domain, state, action), *_shared(state, action)]
    kept, left_out = _fitting(lines, action, most_chars)
    text = _joined(action.tag, kept, left_out, most_chars)
    return Fragment(
        action=name,
        tag=action.tag,
        text=text,
        fields=tuple(dict.fromkeys(field for line in kept for field in line.fields)),
        missing=missing,
        questions=tuple(action.required[field].said_in(language) for field in missing),
        left_out=tuple(dict.fromkeys(field for line in left_out for field in line.fields)),
    )


@dataclass(frozen=True, slots=True)
class _Line:
    """One value of a fragment with the sections around it."""

    path: tuple[str, ...]
    text: str
    fields: tuple[str, ...]


def _sections(domain: Domain, state: State, action: Action) -> list[_Line]:
    lines: list[_Line] = []
    for section, shown in action.show.items():
        if isinstance(shown, str):
            lines += _lines(domain, state, (section,), shown)
        else:
            for name, entry in shown.items():
                lines += _lines(domain, state, (section, name), entry)
    return lines


def _lines(domain: Domain, state: State, path: tuple[str, ...], entry: str) -> list[_Line]:
    names = entry.split()
    group = domain.under(names[0]) if len(names) == 1 and names[0] not in domain.fields else ()
    if group:
        return [
            _Line((*path, field.rsplit(".", 1)[-1]), escaped(state.value(field)), (field,)) for field in group if not is_missing(state.value(field))
        ]
    said = [name for name in names if not is_missing(state.value(name))]
    if not said or said[0] != names[0]:
        return []
    return [_Line(path, _about(state, said[0]) + " ".join(escaped(state.value(name)) for name in said), tuple(said))]


def _about(state: State, name: str) -> str:
    now = state.fields[name].current
    return "about " if now is not None and "approximate" in now.shades else ""


def _shared(state: State, action: Action) -> list[_Line]:
    return [
        _Line(("shared_context", field.replace(".", "_")), escaped(state.value(field)), (field,))
        for field in action.shared
        if not is_missing(state.value(field))
    ]


def _fitting(lines: Sequence[_Line], action: Action, most: int | None) -> tuple[list[_Line], list[_Line]]:
    """Lines that fit and lines that do not: optional ones go from the last."""
    kept = list(lines)
    out: list[_Line] = []
    while most is not None and len(_joined(action.tag, kept, out, most)) > most:
        place = next((n for n in range(len(kept) - 1, -1, -1) if not set(kept[n].fields) & set(action.required)), None)
        if place is None:
            break
        out.insert(0, kept.pop(place))
    return kept, out


def _joined(tag: str, kept: Sequence[_Line], out: Sequence[_Line], most: int | None) -> str:
    lines = [f"<{tag}>"]
    inside: tuple[str, ...] = ()
    for line in kept:
        parents, name = line.path[:-1], line.path[-1]
        lines += _moved(inside, parents)
        inside = parents
        lines.append(f"{'  ' * (len(parents) + 1)}<{name}>{line.text}</{name}>")
    lines += _moved(inside, ())
    if out:
        lines.append(f'  <truncated_context reason="over {most} characters: {len(out)} left out"/>')
    return "\n".join([*lines, f"</{tag}>"])


def _moved(old: tuple[str, ...], new: tuple[str, ...]) -> list[str]:
    """Tags that close and open on the way from one section to another."""
    shared = next((n for n, (one, other) in enumerate(zip(old, new, strict=False)) if one != other), min(len(old), len(new)))
    closed = [f"{'  ' * (level + 1)}</{old[level]}>" for level in range(len(old) - 1, shared - 1, -1)]
    return closed + [f"{'  ' * (level + 1)}<{new[level]}>" for level in range(shared, len(new))]


def inject(messages: Sequence[Mapping[str, Json]], fragment: Fragment, ledger: Sequence[Fragment] = ()) -> Injected:
    """Put a fragment before the last user message of a request, as a system message of its own.

    Refused with `CONTEXT_LOOP_DETECTED` where a fragment with its tag stands in the request that this editor injected: a system
    message that is a fragment of the ledger, word for word. A tag that a user typed or a tool printed is text and does not count.

    Args:
        messages: Of the request; not changed.
        fragment: To put in.
        ledger: Fragments injected so far.
    """
    if any(_is_injected(message, fragment.tag, ledger) for message in messages):
        return Injected(messages=tuple(messages), ledger=tuple(ledger), code=LOOP)
    last = max((n for n, message in enumerate(messages) if message.get("role") == "user"), default=len(messages))
    own: dict[str, Any] = {"role": "system", "content": fragment.text}
    return Injected(messages=(*messages[:last], own, *messages[last:]), ledger=(*ledger, fragment))


def _is_injected(message: Mapping[str, Json], tag: str, ledger: Sequence[Fragment]) -> bool:
    return message.get("role") == "system" and any(one.tag == tag and message.get("content") == one.text for one in ledger)


def state_preview(state: State) -> str:
    """The whole state for people to look at: `<state>{json}</state>`, in which no value can close the tag."""
    text = json.dumps(state.values(), ensure_ascii=False)
    for mark, spelled in (("<", "\\u003c"), (">", "\\u003e"), ("&", "\\u0026")):
        text = text.replace(mark, spelled)
    return f"<state>{text}</state>"
