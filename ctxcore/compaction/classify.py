"""Each span of a text is of exactly one kind; the rule that decides gives three answers and its reason.

Source: the notes on compaction: does it change the next action, can it be a key and a value, would anyone notice if it were gone?
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from ctxcore.atoms import atoms
from ctxcore.compaction.pasted import Pasted
from ctxcore.compaction.sentences import bare, sentence_spans
from ctxcore.compaction.values import Answers, Kind, Passage, Span, Voice
from ctxcore.compaction.wording import (
    CHINESE_GREETINGS,
    CONFUSED,
    CONNECTIVE,
    CONSTRAINT,
    DECISION,
    FAILURE,
    GREETINGS,
    KEYED,
    PASSING,
    RELATIONS,
    STEP,
    TYING,
    holds_any,
)

LONG_PASSAGE = 1_500
"""Characters of a user's message from which it is mostly material: only sentences that settle or demand something are values then."""

KEPT_AS_VALUE = ("path", "loc", "url", "uuid", "hex", "id", "error")
"""Types of evidence that make a short sentence of the model a value."""

SHORT = 120
"""Characters of such a sentence."""

MATERIAL: dict[Voice, str] = {"call": "A tool call.", "result": "Output of a tool.", "reasoning": "Reasoning."}
"""Voices whose passages are traces as a whole."""

HEADS = frozenset({"[state]", "[notes]", "[as said]", "<user_knowledge_context>", "</user_knowledge_context>"})
"""Lines of an earlier compacted text that carry nothing."""

STATE_LINE = re.compile(
    r"(session_id|user_id|start_time|budget|product|constraint|decision|failure|instruction|confusion|step|fact|field [^:\n]{1,80}): ", re.IGNORECASE
)
"""How a value of an earlier compacted text begins."""

DERIVED_LINE = re.compile(r"core_topics: |knowledge_gaps: |.{1,80}: \{related_to_core_topics: ")
"""Lines that are made anew from the network."""

ANSWERS: dict[Kind, Answers] = {
    "anchor": Answers(changes_next_action=True, is_key_and_value=True, would_be_missed=True),
    "relation": Answers(changes_next_action=False, is_key_and_value=True, would_be_missed=True),
    "trace": Answers(changes_next_action=False, is_key_and_value=False, would_be_missed=True),
    "transient": Answers(changes_next_action=False, is_key_and_value=False, would_be_missed=False),
}
"""What follows for each kind."""


class _Verdict(NamedTuple):
    kind: Kind
    reason: str
    key: str = ""
    start: int = 0
    end: int = 0
    ends: tuple[str, str] = ("", "")


def classify(passages: Sequence[Passage]) -> tuple[Span, ...]:
    """The spans of passages in order, each of one kind; all words of the passages are in exactly one span.

    Args:
        passages: In order.
    """
    return tuple(span for passage in passages for span in passage_spans(passage))


LONGEST_SAID = 200_000
"""Code points of one passage that are judged sentence by sentence, as of a message that is read for values."""

OUTPUT = "Pasted output: a log, a diff or code, no words of the user."
"""Why what a program wrote is a trace in the user's message as well."""

PASTED = f"Stands behind the first {LONGEST_SAID:,} characters: pasted, not said."
"""Why the rest of a longer passage is one trace."""


def passage_spans(passage: Passage) -> Iterator[Span]:
    """The spans of one passage; neighbouring sentences of a trace are one span."""
    pasted = Pasted(passage.text[:LONGEST_SAID] if passage.voice == "person" else "")
    judged = [(start, end, _verdict(passage, passage.text[start:end], pasted=start in pasted)) for start, end in _units(passage)]
    for trace, group in groupby(judged, key=lambda one: one[2].kind == "trace"):
        some = list(group)
        if trace and passage.voice != "program":
            yield _span(passage, some[0][0], some[-1][1], some[0][2])
        else:
            for start, end, verdict in some:
                yield _span(passage, start, end, verdict)
    if passage.voice not in MATERIAL and passage.text[LONGEST_SAID:].strip():
        yield _span(passage, LONGEST_SAID, len(passage.text), _Verdict("trace", PASTED))


def _units(passage: Passage) -> list[tuple[int, int]]:
    """Sentences of what is said; tool calls, tool output and reasoning are one piece each."""
    if passage.voice == "program":
        marked = [(start + 2 * passage.text.startswith("- ", start), end) for start, end in sentence_spans(passage.text[:LONGEST_SAID])]
        return [(start, end) for start, end in marked if start < end]
    if passage.voice in ("person", "agent"):
        return sentence_spans(passage.text[:LONGEST_SAID])
    whole = passage.text.strip()
    start = passage.text.find(whole)
    return [(start, start + len(whole))] if whole else []


def _verdict(passage: Passage, text: str, *, pasted: bool) -> _Verdict:
    if passage.voice in MATERIAL:
        return _Verdict("trace", MATERIAL[passage.voice])
    if passage.voice == "program" and (known := _compacted_line(text)):
        return known
    if is_passing(text):
        return _Verdict("transient", "Says nothing beyond this round.")
    if pasted:
        return _named(passage, text) or _Verdict("trace", OUTPUT)
    return _relation(text) or _value(passage, text) or _Verdict("trace", "Explains or reports; no value of its own.")


def _compacted_line(text: str) -> _Verdict | None:
    """What a line of an earlier compacted text is, so that it is carried on as it stands."""
    if text in HEADS or DERIVED_LINE.match(text):
        return _Verdict("transient", "A head of an earlier compaction.")
    if text.startswith("related_concepts: "):
        return _Verdict("relation", "The network of an earlier compaction.")
    value = STATE_LINE.match(text)
    return _Verdict("anchor", "A value of an earlier compaction.", key=value[1].lower(), start=value.end(), end=len(text)) if value else None


def is_passing(text: str) -> bool:
    """True for greetings, acknowledgements and requests that hold for one round, and for pieces without a word."""
    plain = bare(text)
    pieces = [piece.strip() for piece in re.split("[,，]", plain)]
    greets = all(piece in GREETINGS or piece in CHINESE_GREETINGS or not piece for piece in pieces)
    return not any(c.isalnum() for c in plain) or greets or bool(PASSING.search(plain))


def _relation(text: str) -> _Verdict | None:
    for kind, pattern in RELATIONS if holds_any(TYING, text) else ():
        found = pattern.search(text)
        if found:
            ends = (found["a"].strip("` "), found["b"].strip("` "))
            return _Verdict("relation", f"Ties {ends[0]} to {ends[1]}.", key=kind, start=0, end=len(text), ends=ends)
    return None


def _value(passage: Passage, text: str) -> _Verdict | None:
    """What can be a key and a value, or None."""
    named = _named(passage, text)
    if named is not None:
        return named
    key, reason = _role_of(passage, text)
    return _Verdict("anchor", reason, key=key, start=0, end=len(text)) if key else None


def _named(passage: Passage, text: str) -> _Verdict | None:
    """A value that stands there with its name, or None; what the model says is none."""
    if passage.voice == "agent":
        return None
    for key, pattern in KEYED:
        found = pattern.search(text)
        if found:
            group = "value" if "other" not in found.re.groupindex or found["value"] is not None else "other"
            start, end = found.span(group)
            trimmed = text[start:end].rstrip(" ,.，。")
            if trimmed:
                return _Verdict("anchor", f"Names its {key.replace('_', ' ')}.", key=key, start=start, end=start + len(trimmed))
    return None


def _role_of(passage: Passage, text: str) -> tuple[str, str]:
    """Key of a sentence that is a value as a whole, and why; empty for none."""
    return next(((key, reason) for key, reason, holds in ROLES if holds(passage, text)), ("", ""))


def _spoken(passage: Passage) -> bool:
    return passage.voice in ("person", "agent")


def _states_exactly(passage: Passage, text: str) -> bool:
    """A short statement of the model with an exact value that explains nothing."""
    short = passage.voice == "agent" and len(text) <= SHORT and not CONNECTIVE.search(text)
    return short and any(atom.type in KEPT_AS_VALUE for atom in atoms(text))


ROLES: tuple[tuple[str, str, Callable[[Passage, str], bool]], ...] = (
    ("confusion", "The user says what is not clear.", lambda passage, text: passage.voice == "person" and bool(CONFUSED.search(text))),
    ("step", "A numbered step.", lambda passage, text: _spoken(passage) and bool(STEP.search(text))),
    ("constraint", "The user forbids or demands something.", lambda passage, text: passage.voice == "person" and bool(CONSTRAINT.search(text))),
    ("decision", "Settles something.", lambda _, text: len(text) <= 2 * SHORT and bool(DECISION.search(text))),
    ("failure", "Says what went wrong.", lambda passage, text: _spoken(passage) and len(text) <= 2 * SHORT and bool(FAILURE.search(text))),
    ("instruction", "The user's own words to act on.", lambda passage, _: passage.voice == "person" and len(passage.text) <= LONG_PASSAGE),
    ("fact", "A short statement with an exact value.", _states_exactly),
)
"""Key, reason and test of sentences that are values; the first that holds."""


def _span(passage: Passage, start: int, end: int, verdict: _Verdict) -> Span:
    return Span(
        place=passage.place(start, end),
        text=passage.text[start:end],
        kind=verdict.kind,
        answers=ANSWERS[verdict.kind],
        reason=verdict.reason,
        voice=passage.voice,
        round=passage.round,
        key=verdict.key,
        value=passage.place(start + verdict.start, start + verdict.end) if verdict.key else None,
        ends=verdict.ends,
    )
