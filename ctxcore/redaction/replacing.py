"""Found values replaced: the same value by the same placeholder, however it is escaped and wherever it stands."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ctxcore.model import Json
from ctxcore.redaction.checks import is_words, stands_out
from ctxcore.redaction.escapes import NO_WIDTH, one_spelling, unescaped
from ctxcore.redaction.finding import Span, find
from ctxcore.redaction.many import Many, any_of
from ctxcore.redaction.rules import Rule

LOOSE_CHARS = 8
"""A value of fewer characters is replaced only where a rule names it: a short word may stand anywhere."""

GONE = "…"
"""Text of a part that was nothing but the end of a split value: APIs refuse empty parts."""

Made = tuple[tuple[int, frozenset[str], frozenset[str]], Many, dict[str, str]]


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
    pieces: dict[str, str] = field(default_factory=dict)
    """Piece of a value that a message splits between its parts → the value's placeholder."""
    made: Made | None = field(default=None, repr=False)
    """All hidden values in one spelling with their placeholders, and for which values and choices they were gathered."""

    def learn(self, text: str) -> tuple[tuple[Span, str], ...]:
        """Give every value in a text its placeholder; returns the findings with theirs."""
        return tuple((span, self._name(span.rule, text[span.start : span.stop])) for span in find(text))

    def learn_parts(self, texts: Sequence[str]) -> tuple[tuple[Span, str], ...]:
        """The same for texts that follow each other without a break; pieces of a value that is split between them are known afterwards, too."""
        whole, edges = "".join(texts), _edges(texts)
        learned = self.learn(whole)
        for span, name in learned if len(texts) > 1 else ():
            cuts = [span.start, *(edge for edge in edges if span.start < edge < span.stop), span.stop]
            self.pieces.update({whole[a:b]: name for a, b in itertools.pairwise(cuts)} if len(cuts) > 2 else {})
        return learned

    def _name(self, rule: Rule, found: str) -> str:
        value = unescaped(NO_WIDTH.sub("", found))
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
        many, names = self._gathered()
        if not names:
            return text
        spelled, pieces, done = one_spelling(text), list[str](), 0
        for start, stop in many.find(spelled.text):
            pieces += [text[done : spelled.origin(start)], f"[{names[spelled.text[start:stop]]}]"]
            done = spelled.origin(stop)
        return "".join((*pieces, text[done:])) if pieces else text

    def _gathered(self) -> tuple[Many, dict[str, str]]:
        """All hidden values that are replaced everywhere; gathered anew when there are more."""
        state = (len(self.placeholders) + len(self.pieces), self.leave, self.take)
        if self.made is None or self.made[0] != state:
            found = [(value, name) for value, name in (*self.pieces.items(), *self.placeholders.items()) if self.hidden(name)]
            names = {one_spelling(value).text: name for value, name in found if not is_words(value)}
            names = {value: name for value, name in names.items() if len(value) >= LOOSE_CHARS}
            self.made = (state, any_of(names, (value for value in names if not stands_out(value))), names)
        return self.made[1:]

    def together(self, texts: Sequence[str]) -> list[str]:
        """Texts that follow each other without a break, redacted as one: a value that is split between them goes whole.

        Its placeholder stands where it begins.
        """
        if len(texts) < 2:
            return [self.redacted(text) for text in texts]
        whole, edges = "".join(texts), _edges(texts)
        names = {(span.start, span.stop): name for span, name in self.learn(whole) if self.hidden(name)}
        return [self.redacted(_without(whole, start, stop, names)) for start, stop in itertools.pairwise(edges)]

    def redacted_json(self, value: Json) -> Json:
        """A JSON value with every text in it redacted, names of fields included; a text behind a telling name is seen with its name.

        Neighbouring texts of one message are seen as one. Two names never become one.
        """
        match value:
            case str():
                return self.redacted(value)
            case list() | tuple():
                return self._items(value)
            case Mapping():
                return self._fields(value)
            case _:
                return value

    def _items(self, value: Sequence[Json]) -> list[Json]:
        done: list[Json] = []
        for kind, run in itertools.groupby(value, key=_is_text_part):
            parts = list(run)
            if not kind:
                done += map(self.redacted_json, parts)
                continue
            texts = self.together([part["text"] for part in parts])
            rest = (self.redacted_json({**part, "text": ""}) for part in parts)
            done += [{**one, "text": text or (GONE if before["text"] else "")} for one, text, before in zip(rest, texts, parts, strict=True)]
        return done

    def _fields(self, value: Mapping[str, Json]) -> dict[str, Json]:
        done: dict[str, Json] = {}
        told = value.get("name", value.get("key"))
        for key, one in value.items():
            seen = told if key == "value" and isinstance(told, str) else str(key)
            name = str(key) if key in PROTOCOL else _free(self.redacted(str(key)), done)
            done[name] = one if _is_word_of_the_api(key, one) else self._behind(seen, one)
        return done

    def _behind(self, key: str, value: Json) -> Json:
        if isinstance(value, list | tuple) and all(isinstance(one, str) for one in value):
            return [self._behind(key, one) for one in value]
        if not isinstance(value, str) or len(value) > 4000:
            return self.redacted_json(value)
        lead = f"{json.dumps(key, ensure_ascii=False)}: "
        for span, name in self.learn(f"{lead}{json.dumps(value, ensure_ascii=False)}") if value else ():
            if span.start == len(lead) + 1 and self.hidden(name) and span.rule.names:
                return f"[{name}]"
        return self.redacted(value)


PROTOCOL = frozenset(
    (
        *("role", "content", "type", "text", "name", "id", "tool_calls", "function", "arguments", "tool_call_id", "tools", "description"),
        *("parameters", "properties", "required", "input_schema", "input", "tool_use_id", "messages", "model", "system", "max_tokens", "thinking"),
        *(
            "signature",
            "cache_control",
            "image_url",
            "url",
            "source",
            "media_type",
            "data",
            "is_error",
            "refusal",
            "reasoning_content",
            "items",
            "enum",
        ),
    )
)
"""Names of fields of the APIs' own objects; they stay whatever a session says is secret."""

API_WORD = re.compile(r"[a-z][a-z0-9_]{1,30}\Z")


def _is_word_of_the_api(key: str, value: Json) -> bool:
    """The role of a message or the type of a part or of a schema."""
    return key in ("role", "type") and isinstance(value, str) and bool(API_WORD.match(value)) and not any(letter.isdigit() for letter in value)


def _is_text_part(value: Json) -> bool:
    return isinstance(value, Mapping) and isinstance(value.get("text"), str) and str(value.get("type", "text")).endswith("text")


def _free(name: str, taken: Mapping[str, Json]) -> str:
    """A name that no other field has yet."""
    return next(one for one in (name, *(f"{name}-{n}" for n in range(2, len(taken) + 3))) if one not in taken)


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
