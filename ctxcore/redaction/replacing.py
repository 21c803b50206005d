"""Found values replaced: the same value by the same placeholder, however it is escaped and wherever it stands."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from ctxcore.model import Json
from ctxcore.redaction.finding import Span, find
from ctxcore.redaction.many import any_of
from ctxcore.redaction.rules import Rule

LOOSE_CHARS = 8
"""A value of fewer characters is replaced only where a rule names it: a short word may stand anywhere."""

ESCAPED = re.compile(r"""\\+(u[0-9a-fA-F]{4}|[nrt"'/])""")
"""A letter as JSON may write it, also inside JSON inside JSON."""

SHORT = {"n": "\n", "r": "\r", "t": "\t"}
"""Short escapes of JSON that have another letter."""


ASCII_ESCAPED = re.compile(r"\\u00[2-7]")
"""A letter of ASCII that needs no escape and has one."""

SPECIAL = re.compile(r"""[^ !#-.0-\[\]-~]""")
"""A letter that JSON may write in another way without need of ``\\u``: quotes, slashes, controls, and all beyond ASCII."""

Made = tuple[tuple[int, frozenset[str], frozenset[str]], re.Pattern[str], dict[str, str], list[tuple[str, str]]]


@dataclass(slots=True)
class Redactor:
    """Replaces findings by numbered placeholders, and remembers which value has which.

    A value that was found once is replaced everywhere afterwards, also where no rule would name it. So look at all texts first (``learn``), then
    replace.
    """

    leave: frozenset[str] = frozenset()
    """Placeholders whose values stay as they are: a person looked at them."""
    take: frozenset[str] = frozenset()
    """Placeholders of unsure kinds whose values are replaced as well."""
    placeholders: dict[str, str] = field(default_factory=dict)
    """Value → its placeholder without brackets, in the order of first sight."""
    counts: dict[str, int] = field(default_factory=dict)
    """Word of a placeholder → the newest number."""
    rules: dict[str, Rule] = field(default_factory=dict)
    """Placeholder → the rule that found its value first."""
    made: Made | None = field(default=None, repr=False)
    """Patterns of all hidden values, and for which values and choices they were made."""

    def learn(self, text: str) -> tuple[tuple[Span, str], ...]:
        """Give every value in a text its placeholder; returns the findings with theirs."""
        return tuple((span, self._name(span.rule, text[span.start : span.stop])) for span in find(text))

    def _name(self, rule: Rule, found: str) -> str:
        value = unescaped(found)
        known = self.placeholders.get(value)
        if known is None:
            self.counts[rule.word] = self.counts.get(rule.word, 0) + 1
            known = self.placeholders[value] = f"{rule.word}-{self.counts[rule.word]}"
            self.rules[known] = rule
        return known

    def hidden(self, placeholder: str) -> bool:
        """True where the value behind it is replaced."""
        return placeholder not in self.leave and (self.rules[placeholder].sure or placeholder in self.take)

    def redacted(self, text: str) -> str:
        """The text with every hidden value replaced."""
        pieces, done = [], 0
        for span, name in self.learn(text):
            if self.hidden(name):
                pieces += [text[done : span.start], f"[{name}]"]
                done = span.stop
        return self._known("".join((*pieces, text[done:])) if pieces else text)

    def _known(self, text: str) -> str:
        """Replace values that were found elsewhere and stand here without what gave them away."""
        plain, names, special = self._patterns()
        text = plain.sub(lambda found: f"[{names[found[0]]}]", text)
        if "\\" not in text:
            return text
        for value, name in self._hidden_values() if ASCII_ESCAPED.search(text) else special:
            text = _escaped_form(value).sub(f"[{name}]", text)
        return text

    def _hidden_values(self) -> list[tuple[str, str]]:
        return [(value, name) for value, name in self.placeholders.items() if len(value) >= LOOSE_CHARS and self.hidden(name)]

    def _patterns(self) -> tuple[re.Pattern[str], dict[str, str], list[tuple[str, str]]]:
        """All hidden values as one pattern, the name of each form, and those that JSON may write otherwise; made anew when there are more."""
        state = (len(self.placeholders), self.leave, self.take)
        if self.made is None or self.made[0] != state:
            found = self._hidden_values()
            names = {value.replace("@", "%40"): name for value, name in found} | dict(found)
            self.made = (state, any_of(names), names, [(value, name) for value, name in found if SPECIAL.search(value)])
        return self.made[1:]

    def together(self, texts: Sequence[str]) -> list[str]:
        """Texts that follow each other without a break, redacted as one: a value that is split between them goes whole.

        Its placeholder stands where it begins.
        """
        whole, edges = "".join(texts), _edges(texts)
        hidden = [(span, name) for span, name in self.learn(whole) if self.hidden(name)]
        names = {(s.start, s.stop): name for s, name in hidden if any(s.start < edge < s.stop for edge in edges[1:-1])}
        if not names:
            return [self.redacted(text) for text in texts]
        return [self.redacted(_without(whole, start, stop, names)) for start, stop in itertools.pairwise(edges)]

    def redacted_json(self, value: Json) -> Json:
        """A JSON value with every text in it redacted, names of fields included; a text behind a telling name is seen with its name."""
        match value:
            case str():
                return self.redacted(value)
            case list() | tuple():
                return [self.redacted_json(one) for one in value]
            case Mapping():
                return {self.redacted(str(key)): self._behind(str(key), one) for key, one in value.items()}
            case _:
                return value

    def _behind(self, key: str, value: Json) -> Json:
        if not isinstance(value, str) or len(value) > 4000:
            return self.redacted_json(value)
        lead = f'"{key}": "'
        for span, name in self.learn(f'{lead}{value}"'):
            if span.start == len(lead) and self.hidden(name):
                return f"[{name}]" + self.redacted(value[span.stop - len(lead) :])
        return self.redacted(value)


def _edges(texts: Iterable[str]) -> list[int]:
    edges = [0]
    for text in texts:
        edges.append(edges[-1] + len(text))
    return edges


def _without(whole: str, start: int, stop: int, names: Mapping[tuple[int, int], str]) -> str:
    """A stretch of a text in which split values are gone, with a placeholder where one begins."""
    pieces, done = [], start
    for (first, last), name in names.items():
        if last <= start or first >= stop:
            continue
        pieces.append(whole[done : max(done, first)])
        pieces.append(f"[{name}]" if start <= first else "")
        done = min(stop, last)
    return "".join((*pieces, whole[done:stop]))


def unescaped(value: str) -> str:
    """A value as it is outside JSON, however often it was written into some."""
    return ESCAPED.sub(_read, value) if "\\" in value else value


def _read(match: re.Match[str]) -> str:
    mark = match[1]
    return chr(int(mark[1:], 16)) if len(mark) == 5 else SHORT.get(mark, mark)


@lru_cache(maxsize=4096)
def _escaped_form(value: str) -> re.Pattern[str]:
    """A value in which any letter may be escaped, also several times."""
    return re.compile("".join(_letter(letter) for letter in value[:400]))


def _letter(letter: str) -> str:
    code, short = ord(letter), next((mark for mark, plain in SHORT.items() if plain == letter), "")
    if letter == "\\":
        return r"\\{1,8}"
    forms = [re.escape(letter), rf"\\{{1,7}}(?i:u{code:04x})"]
    if short or letter in "\"/'":
        forms.append(rf"\\{{1,7}}{re.escape(short or letter)}")
    return f"(?:{'|'.join(forms)})"


def sample(value: str, rule: Rule) -> str:
    """A value as a reviewer may see it: enough to know it again, too little to use it.

    Args:
        value: As found.
        rule: That found it.
    """
    if rule.word == "email":
        name, _, host = value.partition("@")
        return f"{name[:1]}…@{host[:1]}…{host[host.rfind('.') :]}"
    shown = 4 if len(value) >= 20 else 2
    dots = f"{value[:shown]}…{value[-2:]}" if len(value) >= 8 else "…"
    return f"{' '.join(dots.split())} ({len(value):,} characters)"


def plain(value: Any) -> str:
    """A JSON value as text, for a search."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
