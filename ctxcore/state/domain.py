"""What a domain file may say: fields, how they are read, allowed moves, rules, and actions with what each may see."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any, Literal

import regex
from jsonpath_ng.exceptions import JSONPathError
from jsonpath_ng.jsonpath import JSONPath
from jsonpath_ng.parser import parse
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from ctxcore.state.found import FoundKind, Shade

NAME = r"^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*$"
"""Of a field: lower-case words, dots between its levels."""

TAG = r"^[a-z][a-z0-9_]*$"
"""Of a scope tag or a section."""

FieldName = Annotated[str, Field(pattern=NAME, max_length=80)]
TagName = Annotated[str, Field(pattern=TAG, max_length=60)]


def _pattern(text: str) -> str:
    try:
        regex.compile(text)
    except regex.error as error:
        raise ValueError(f"no pattern: {error}") from error
    return text


def _path(text: str) -> str:
    try:
        parse(text)
    except (JSONPathError, ValueError) as error:
        raise ValueError(f"no JSONPath: {error}".splitlines()[0]) from error
    return text


Pattern = Annotated[str, Field(max_length=2_000), AfterValidator(_pattern)]
Path = Annotated[str, Field(max_length=200), AfterValidator(_path)]


class _Form(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class ByFound(_Form):
    """Values that the rules over text find."""

    by: Literal["found"]
    """Tag."""
    kind: FoundKind
    """Of the value."""
    unit: str = ""
    """Name of the attribute (`color`); empty takes any."""
    keys: tuple[str, ...] = ()
    """The value's noun phrase holds one of them; none takes values of any phrase."""
    near: Pattern = ""
    """Must match in the clause around the value; empty matches any."""
    shades: tuple[Shade, ...] = ()
    """One of them must be there; none takes any."""
    without: tuple[Shade, ...] = ()
    """None of them may be there."""
    keyless: bool = False
    """Takes values without a noun phrase too, though `keys` are named."""


class ByWords(_Form):
    """Known words, each list standing for one value; the first word of a list is written in lower case."""

    by: Literal["words"]
    """Tag."""
    words: dict[str, tuple[str, ...]]
    """Value → words."""


class ByPattern(_Form):
    """A pattern over what the user says; its group `value`, or the whole match, is the value."""

    by: Literal["pattern"]
    """Tag."""
    pattern: Pattern
    """Run with a timeout, case ignored."""
    value: Any = None
    """Stored in place of the words."""
    number: bool = False
    """The words are a plain number, stored as one."""
    roles: tuple[Literal["user", "caption"], ...] = ("user",)
    """Whose words it reads."""


class ByTool(_Form):
    """A place in the arguments or in the result of a tool call."""

    by: Literal["tool_argument", "tool_result"]
    """Tag."""
    tool: Pattern
    """Matches the whole name of the tool."""
    path: Path
    """Where the value stands."""
    where: dict[Path, Any] = {}
    """Places in the arguments and what they must hold."""


class ByCatalogue(_Form):
    """The id of a product that the user names, out of those that tools have listed."""

    by: Literal["catalogue"]
    """Tag."""
    tool: Pattern
    """Tools that list products."""
    items: Path
    """Products in a result."""
    id: str
    """Key of the id in a product."""
    names: tuple[str, ...]
    """Keys of its names."""
    words: tuple[str, ...] = ()
    """Keys of words that describe it, for vague mentions."""


class ByTouched(_Form):
    """Files that tools touched, from their own chains."""

    by: Literal["touched"]
    """Tag."""
    action: Literal["read", "edited", "stale"]
    """Which files."""


class ByOutput(_Form):
    """A pattern with a group `value` over the commands of shells or what they print, or a command that failed."""

    by: Literal["command", "output", "failed_command"]
    """Tag."""
    of: Pattern = ""
    """Must match in the command; empty takes any."""
    pattern: Pattern = "(?P<value>.+)"
    """Run with a timeout, case ignored; needs no pattern for a failed command."""
    value: Any = None
    """Stored in place of the words."""


Read = Annotated[ByFound | ByWords | ByPattern | ByTool | ByCatalogue | ByTouched | ByOutput, Field(discriminator="by")]


class FieldForm(_Form):
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
    """How long a value lasts."""
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


class Transition(_Form):
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


class Effect(_Form):
    """What else happens when the user says something, or when a field changes."""

    says: Pattern = ""
    """Matches the user's words."""
    changes: str = ""
    """Name of a field that got another value."""
    set: dict[FieldName, Any] = {}
    """Values that follow."""
    clear: tuple[str, ...] = ()
    """Fields that lose their value; a name ending in `.` means all under it."""
    code: str = Field(pattern=r"^[A-Z][A-Z0-9_]*$")
    """Of the rule, in the chain."""


class Question(_Form):
    """What to ask where a required field is missing."""

    zh: str
    """In Chinese."""
    en: str
    """In English."""
    heard: tuple[Pattern, ...] = ()
    """Patterns by which a reply is known to ask for the field."""


class Action(_Form):
    """Something the agent does, and what it needs and may see for it."""

    tag: TagName
    """Scope tag of its fragment."""
    purpose: TagName
    """Fields shown must allow it."""
    tools: tuple[Pattern, ...] = ()
    """Names of tools that perform it."""
    required: dict[FieldName, Question] = {}
    """Fields it cannot do without."""
    show: dict[TagName, str | dict[TagName, str]]
    """Sections: a section's name and its field, or the names in the section and their fields; two fields with a space between stand side by side."""
    shared: tuple[FieldName, ...] = ()
    """Fields of other purposes that it may see."""


class Domain(_Form):
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
    fields: dict[FieldName, FieldForm] = {}
    """By name."""
    transitions: tuple[Transition, ...] = ()
    """Moves that need something."""
    effects: tuple[Effect, ...] = ()
    """What follows from what."""
    rules: tuple[str, ...] = ()
    """Names of business rules."""
    actions: dict[TagName, Action] = {}
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


@cache
def compiled_path(text: str) -> JSONPath:
    """A JSONPath that was checked when its domain was read."""
    return parse(text)
