"""What a text states by kind: the facts that a compaction may keep or lose, each once, with its place.

Values are as evidence has them; sentences are those of the user to act on and those that settle something, without pasted output.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from ctxcore.atoms import atoms
from ctxcore.compaction.classify import LONG_PASSAGE, classify, is_passing
from ctxcore.compaction.pasted import Pasted
from ctxcore.compaction.sentences import sentence_spans
from ctxcore.compaction.values import Passage, Place
from ctxcore.compaction.wording import CONSTRAINT, DECISION
from ctxcore.mentions import readable
from ctxcore.model import Json

FactKind = Literal["user_instruction", "decision", "path", "command", "number", "error", "id", "plan", "tool_result"]
"""What is looked for."""

FACT_KINDS: tuple[FactKind, ...] = ("user_instruction", "decision", "path", "command", "number", "error", "id", "plan", "tool_result")
"""In the order of the table."""

OF_ATOM: Mapping[str, FactKind] = {
    "path": "path", "loc": "path", "url": "path", "number": "number", "error": "error", "id": "id", "uuid": "id", "hex": "id",
}  # fmt: skip
"""Kind by type of evidence."""

COMMAND_KEYS = ("command", "cmd", "script", "shell_command")
"""Arguments that hold a command line."""

SMALL = 2_000
"""Characters of tool output in which every number counts; in longer output only those with a unit do."""

FACTS_OF_A_PASSAGE = 400
"""Values of one passage that are followed, in order."""

NUMBER = re.compile(r"(?<![A-Za-z0-9_.])[0-9][0-9,]*(?:\.[0-9]+)?(?![A-Za-z0-9_]|\.[0-9])")

NUMBERED = re.compile(r"[0-9]{1,3}[.)]")
"""The number of a point alone on its line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One thing that a text states."""

    kind: FactKind
    """What it is."""
    value: str
    """As it stands, or as evidence is normalised."""
    place: Place
    """Passage or sentence that states it."""


def facts(passages: Sequence[Passage]) -> tuple[Fact, ...]:
    """Everything that passages state, each value once, in order of first appearance."""
    found: dict[tuple[str, str], Fact] = {}
    for passage in passages:
        for fact in _stated(passage):
            found.setdefault((fact.kind, fact.value), fact)
    return tuple(found.values())


def _stated(passage: Passage) -> Iterator[Fact]:
    whole = passage.place(0, len(passage.text))
    if passage.voice == "program":
        return
    if passage.voice == "call":
        yield from (Fact(kind="command", value=command, place=whole) for command in commands(passage.text))
    if passage.voice in ("person", "agent"):
        yield from _sentences(passage)
    yield from _values(passage, whole)


def _sentences(passage: Passage) -> Iterator[Fact]:
    pasted = Pasted(passage.text if passage.voice == "person" else "")
    for start, end in sentence_spans(passage.text)[:FACTS_OF_A_PASSAGE]:
        text = passage.text[start:end]
        if start in pasted or NUMBERED.fullmatch(text):
            continue
        if DECISION.search(text):
            yield Fact(kind="decision", value=text, place=passage.place(start, end))
        elif passage.voice == "person" and not is_passing(text) and (len(passage.text) <= LONG_PASSAGE or CONSTRAINT.search(text)):
            yield Fact(kind="user_instruction", value=text, place=passage.place(start, end))


def _values(passage: Passage, whole: Place) -> Iterator[Fact]:
    _, _, arguments = passage.text.partition(" ")
    text = readable(arguments, keys=False) if passage.voice == "call" else readable(passage.text)
    found = sorted(atom for atom in atoms(text) if atom.type in OF_ATOM)
    for atom in found[:FACTS_OF_A_PASSAGE]:
        yield Fact(kind=OF_ATOM[atom.type], value=atom.value, place=whole)
    if passage.voice != "result" or len(text) <= SMALL:
        known = {re.sub(r"[^0-9.]", "", atom.value) for atom in found if atom.type == "number"}
        plain = [match[0].replace(",", "") for match in NUMBER.finditer(text[: 10 * SMALL])]
        yield from (Fact(kind="number", value=one, place=whole) for one in plain[:FACTS_OF_A_PASSAGE] if one not in known)


def commands(call: str) -> list[str]:
    """Command lines in a tool call of name and arguments; of several lines the first."""
    _, _, arguments = call.partition(" ")
    try:
        value: Json = json.loads(arguments)
    except (ValueError, RecursionError):
        return []
    texts = [value.get(key) for key in COMMAND_KEYS] if isinstance(value, dict) else []
    lines = [" ".join(map(str, text)) if isinstance(text, list) else text for text in texts]
    return [line.strip().splitlines()[0][:200] for line in lines if isinstance(line, str) and line.strip()]


def instructions(passages: Sequence[Passage]) -> tuple[Passage, ...]:
    """The user's passages that say more than one round's words."""
    spans = classify([passage for passage in passages if passage.voice == "person"])
    said = {(span.place.message, span.round) for span in spans if span.kind != "transient"}
    return tuple(passage for passage in passages if passage.voice == "person" and (passage.message, passage.round) in said)
