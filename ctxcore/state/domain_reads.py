"""How the fields of a domain are read: one form for each kind of rule, and the checked kinds of text that domain files hold."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any, Literal, Self

import regex
from jsonpath_ng.exceptions import JSONPathError
from jsonpath_ng.jsonpath import JSONPath
from jsonpath_ng.parser import parse
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

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


class Form(BaseModel):
    """A part of a domain file: nothing unknown stands in it."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, use_attribute_docstrings=True)


class ByFound(Form):
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
    adds: bool = False
    """Several in one message add up: two adults and one child are three."""
    keyless: bool = False
    """Takes values without a noun phrase too, though `keys` are named."""


class ByWords(Form):
    """Known words, each list standing for one value; the first word of a list is written in lower case."""

    by: Literal["words"]
    """Tag."""
    words: dict[str, tuple[str, ...]]
    """Value → words."""


class ByPattern(Form):
    """A pattern over what the user says; its group `value`, or the whole match, is the value."""

    by: Literal["pattern"]
    """Tag."""
    pattern: Pattern
    """Run with a timeout, case ignored."""
    value: Any = None
    """Stored in place of the words."""
    number: bool = False
    """The words are a plain number, stored as one; fields of the type number or money need no word of it."""
    roles: tuple[Literal["user", "caption"], ...] = ("user",)
    """Whose words it reads."""
    reported: bool = False
    """Takes what others say, or what may be, as well: a doctor's suspicion."""


class ByTool(Form):
    """A place in the arguments or in the result of a tool call."""

    by: Literal["tool_argument", "tool_result"]
    """Tag."""
    tool: Pattern
    """Matches the whole name of the tool."""
    path: Path
    """JSONPath of the value in the arguments, or in the result."""
    where: dict[Path, Any] = {}
    """JSONPaths into the call's arguments, and the value that each must hold for the rule to read."""


class ByCatalogue(Form):
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


class ByTouched(Form):
    """Files that tools touched, from their own chains."""

    by: Literal["touched"]
    """Tag."""
    action: Literal["read", "edited", "stale"]
    """Which files."""


class ByOutput(Form):
    """A pattern with a group `value` over the commands of shells or what they print, or a command that failed."""

    by: Literal["command", "output", "failed_command"]
    """Tag."""
    of: Pattern = ""
    """Must match in the command; empty takes any."""
    pattern: Pattern = "(?P<value>.+)"
    """Run with a timeout, case ignored; needs no pattern for a failed command."""
    value: Any = None
    """Stored in place of the words."""

    @model_validator(mode="after")
    def _catches(self) -> Self:
        if "value" not in regex.compile(self.pattern).groupindex:
            raise ValueError("the pattern needs a group (?P<value>…)")
        return self


Read = Annotated[ByFound | ByWords | ByPattern | ByTool | ByCatalogue | ByTouched | ByOutput, Field(discriminator="by")]


@cache
def compiled_path(text: str) -> JSONPath:
    """A JSONPath that was checked when its domain was read."""
    return parse(text)
