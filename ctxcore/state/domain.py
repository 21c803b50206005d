"""What a domain file may say: fields, allowed moves, rules, and actions with what each may see."""

from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import Field, model_validator

from ctxcore.state.domain_reads import TAG, FieldName, Form, Pattern, Read, TagName


class FieldForm(Form):
    """One field."""

    type: Literal["text", "number", "money", "date", "enum", "list", "object", "flag"]
    """Of its value."""
    values: tuple[str, ...] = ()
    """Allowed ones of an enum."""
    over: float | None = None
    """Numbers must be greater."""
    under: float | None = None
    """Numbers must be smaller."""
    pattern: Pattern = ""
    """Texts must match it whole."""
    code: str = Field(default="", pattern=r"^[A-Z_]*$")
    """In codes of validation; the name in capitals otherwise."""
    lifetime: Literal["transient", "anchor", "trace", "relation"] = "anchor"
    """How long a value lasts: `transient` for its round, `trace` for seven days, the others for good."""
    core: bool = False
    """Belongs to what must not be forgotten."""
    purposes: tuple[TagName, ...] = ()
    """What it may be used for."""
    unit_field: str = ""
    """Field that gets the value's unit."""
    calls: tuple[str, ...] = ()
    """Words for the field, as users and questions say it."""
    read: tuple[Read, ...] = ()
    """How it is read; the first rule that fits a value takes it."""


class Transition(Form):
    """A move of an enum field that needs something."""

    field: FieldName
    """Which."""
    to: str
    """Value after it."""
    come_from: tuple[str, ...] = Field(default=(), alias="from")
    """Values before it; empty is any, and none."""
    needs: tuple[FieldName, ...] = ()
    """Fields that must have a value."""
    forbidden: bool = False
    """The move is never allowed."""
    code: str = Field(pattern=r"^[A-Z][A-Z0-9_]*$")
    """Of the alert where it is refused."""


class Effect(Form):
    """What else happens when the user says something, or when a field changes."""

    says: Pattern = ""
    """Matches the user's words."""
    changes: str = ""
    """Name of a field that got another value."""
    set: dict[FieldName, Any] = Field(default_factory=dict)
    """Values that follow."""
    clear: tuple[str, ...] = ()
    """Fields that lose their value; a name ending in `.` means all under it."""
    code: str = Field(pattern=r"^[A-Z][A-Z0-9_]*$")
    """Of the rule, in the chain."""


class Question(Form):
    """What to ask where a required field is missing, in at least one language."""

    zh: str = ""
    """In Chinese."""
    en: str = ""
    """In English."""
    heard: tuple[Pattern, ...] = ()
    """Patterns by which a reply is known to ask for the field."""

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not self.zh.strip() and not self.en.strip():
            raise ValueError("needs the question in zh, in en or in both")
        return self

    def said_in(self, language: str) -> str:
        """The question in a language, or in the other one where it is not written in this."""
        return (self.zh or self.en) if language == "zh" else (self.en or self.zh)


class Action(Form):
    """Something the agent does, and what it needs and may see for it."""

    tag: TagName
    """Scope tag of its fragment."""
    purpose: TagName
    """Fields shown must allow it."""
    tools: tuple[Pattern, ...] = ()
    """Names of tools that perform it."""
    required: dict[FieldName, Question] = Field(default_factory=dict)
    """Fields it cannot do without."""
    show: dict[TagName, str | dict[TagName, str]]
    """Sections: a section's name and its field, or the names in the section and their fields; two fields with a space between stand side by side."""
    shared: tuple[FieldName, ...] = ()
    """Fields of other purposes that it may see."""


class Domain(Form):
    """One kind of task."""

    name: str = Field(pattern=TAG, max_length=40)
    """Of the domain."""
    about: str = ""
    """One sentence."""
    open: bool = False
    """Fields are the noun phrases of the conversation."""
    default_currency: str = Field(default="", pattern=r"^([A-Z]{3})?$")
    """Of amounts without a currency."""
    captions: Pattern = ""
    """Names of tools whose results describe images; read by the patterns for captions."""
    attributes_of: str = ""
    """Field that holds the product which attributes belong to."""
    fields: dict[FieldName, FieldForm] = Field(default_factory=dict)
    """By name."""
    transitions: tuple[Transition, ...] = ()
    """Moves that need something."""
    effects: tuple[Effect, ...] = ()
    """What follows from what."""
    rules: tuple[str, ...] = ()
    """Names of business rules."""
    resolver: str = "lexical"
    """Name of what finds the product that vague words mean: the embedded one by words and likeness, or one of another package."""
    actions: dict[TagName, Action] = Field(default_factory=dict)
    """By name."""

    def faults(self) -> list[tuple[tuple[str | int, ...], str]]:
        """What its parts say that does not go together: the place in the file and a clause."""
        found = [(place, f"there is no field {name!r}") for place, name in self._named() if name not in self.fields and not self.under(name)]
        found += [
            (("fields", name, "values"), "an enum needs values") for name, form in self.fields.items() if form.type == "enum" and not form.values
        ]
        return found or [fault for name, action in self.actions.items() for fault in self._unshared(name, action)]

    def _unshared(self, name: str, action: Action) -> list[tuple[tuple[str | int, ...], str]]:
        place = ("actions", name, "show")
        shown = [field for field in shown_fields(self, action) if action.purpose not in self.fields[field].purposes]
        return [(place, f"{field} is not for the purpose {action.purpose!r}: list it as shared") for field in shown if field not in action.shared]

    def _named(self) -> list[tuple[tuple[str | int, ...], str]]:
        named: list[tuple[tuple[str | int, ...], str]] = []
        for number, move in enumerate(self.transitions):
            named += [(("transitions", number), name) for name in (move.field, *move.needs)]
        for number, effect in enumerate(self.effects):
            named += [(("effects", number), name.rstrip(".")) for name in (*effect.set, *effect.clear, effect.changes) if name]
        named += [(("fields", name, "unit_field"), form.unit_field) for name, form in self.fields.items() if form.unit_field]
        for name, action in self.actions.items():
            named += [(("actions", name, "required", field), field) for field in action.required]
            named += [(("actions", name, "shared"), field) for field in action.shared]
            named += [(("actions", name, "show"), field) for field in section_names(action)]
        return [*named, *(((("attributes_of",), self.attributes_of),) if self.attributes_of else ())]

    def under(self, name: str) -> tuple[str, ...]:
        """Fields whose names begin with this one and a dot."""
        return tuple(field for field in self.fields if field.startswith(f"{name.rstrip('.')}."))

    def form(self, name: str) -> FieldForm:
        """The field's form; in an open domain every name has one."""
        return self.fields.get(name, OPEN_FIELD)


OPEN_FIELD = FieldForm(type="text")
"""Of every field of an open domain; its values are whatever was said."""


def section_names(action: Action) -> list[str]:
    """Every field or group of fields that the sections name."""
    entries = [one for part in action.show.values() for one in ([part] if isinstance(part, str) else part.values())]
    return [name for entry in entries for name in entry.split()]


def shown_fields(domain: Domain, action: Action) -> tuple[str, ...]:
    """Fields that the action's fragment may hold, those it shares left out."""
    found = [field for name in section_names(action) for field in (domain.under(name) or (name,))]
    return tuple(dict.fromkeys(found))
