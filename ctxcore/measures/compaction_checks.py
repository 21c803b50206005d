"""What a recorded summary lost or told wrong, in sentences; only what its words can prove is a fault.

A summary says most things in other words. A fault therefore needs an exact value, or a whole instruction of which nothing is left; what was only not
found by its words is a note.
"""

from __future__ import annotations

from collections.abc import Sequence

from ctxcore.atoms import atoms
from ctxcore.compaction.checks import CRITICAL
from ctxcore.compaction.classify import LONG_PASSAGE, classify
from ctxcore.compaction.core_fields import ONE_VALUE, CoreField, core_fields
from ctxcore.compaction.facts import OF_ATOM, Fact, instructions
from ctxcore.compaction.given import given_items
from ctxcore.compaction.sentences import is_chinese, sentence_spans
from ctxcore.compaction.state_anchors import StateAnchor
from ctxcore.compaction.survival import Remains
from ctxcore.compaction.terms import LATIN_NAME
from ctxcore.compaction.values import Fault, Passage
from ctxcore.compaction.word_places import stems
from ctxcore.compaction.wording import CURRENT, STOPPED
from ctxcore.mentions import folded

LATEST_INSTRUCTION_LOST = "LATEST_USER_INSTRUCTION_LOST"
SUPERSEDED_INSTRUCTION = "SUPERSEDED_INSTRUCTION"
OPEN_PLAN_STEPS_LOST = "OPEN_PLAN_STEPS_LOST"
NOT_FOUND = "CORE_FIELD_NOT_FOUND"

MATERIAL = 500
"""Characters from which a message is taken for one that mostly quotes: a log, a diff, a form."""

TELLING = 6
"""Words of a sentence from which it is proof that next to none of them is left; of Chinese, pairs of characters count half."""

NAME = 8
"""Letters from which a joined word (a test, a function, a hook) tells which matter is spoken of."""


def plan_faults(plan: Sequence[Fact], remains: Remains) -> list[Fault]:
    """Open plan steps that nothing speaks of any more, by name."""
    lost = [fact.value for fact in remains.lost(plan)]
    return [Fault(code=OPEN_PLAN_STEPS_LOST, text=f"Not mentioned any more: {', '.join(lost)}.")] if lost else []


def instruction_faults(before: Sequence[Passage], after: Sequence[Passage], remains: Remains) -> list[Fault]:
    """The latest user instruction that is gone, and one that it took back standing as the current one."""
    asked = instructions(before)
    if not asked:
        return []
    answered = any(passage.voice == "agent" and passage.message > asked[-1].message for passage in before)
    latest, kept = asked[-1], any(passage.message == asked[-1].message for passage in after)
    sentences = [latest.text[start:end] for start, end in sentence_spans(latest.text)]
    lost = [] if kept or _names_left(latest.text, remains) else [sentence for sentence in sentences if not remains.says(sentence)]
    faults = []
    if 2 * len(lost) >= len(sentences) and lost:
        told = " any more, though it was replied to" if answered else ""
        faults.append(Fault(code=LATEST_INSTRUCTION_LOST, text=f"The user's latest instruction is not there{told}: {' '.join(lost)[:200]}"))
    taken_back = {stem for sentence in sentences if STOPPED.search(sentence) for stem in stems(sentence)}
    current = [] if kept else [sentence for sentence in _current(remains.text) if taken_back & set(stems(sentence))]
    earlier = {stem for passage in asked[:-1] for stem in stems(passage.text)}
    wrong = [sentence for sentence in current if earlier & taken_back & set(stems(sentence))]
    if lost and wrong:
        faults.append(Fault(code=SUPERSEDED_INSTRUCTION, text=f"Told as current although the user took it back: {wrong[0][:200]}"))
    return faults


def _current(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text) if CURRENT.search(text[start:end])]


def _names_left(text: str, remains: Remains) -> bool:
    """Of a message that mostly quotes, one of its names is enough to say that its matter is there."""
    if len(text) <= MATERIAL:
        return False
    names = {match[0] for match in LATIN_NAME.finditer(text[: 10 * LONG_PASSAGE]) if len(match[0]) >= NAME}
    return any(folded(name) in remains.plain for name in names)


def core_faults(before: Sequence[Passage], remains: Remains, anchors: Sequence[StateAnchor] = ()) -> list[Fault]:
    """Core fields that a summary does not have.

    A field with one exact value (budget, product, an id that the user gave) is lost where neither its words nor its value stand there: a fault.
    A sentence of the user is looked for by most of its words, which a summary may have changed: a note. It is a fault as well where none of its exact
    values is left, or of a longer one without any next to none of its words.

    Args:
        before: Passages of what was replaced; only the user's count.
        remains: What stands for them.
        anchors: The state editor's values before the compaction.
    """
    said = [passage for passage in before if passage.voice == "person" and len(passage.text) <= LONG_PASSAGE]
    given = [item for item in given_items(anchors, before) if item.stands]
    fields = core_fields(classify(said), given)
    values = {item.key: item.value for item in given}
    lost = [field for field in fields if not _is_left(field, values.get(field.name, ""), remains)]
    gone = [field for field in lost if field.name in ONE_VALUE or _is_gone(field, remains)]
    other = [field for field in lost if field not in gone]
    told = ((CRITICAL, "Core fields without their value", gone), (NOT_FOUND, "Not found by most of their words", other))
    return [Fault(code=code, text=f"{what}: {_names(fields_)}.") for code, what, fields_ in told if fields_]


def _is_left(field: CoreField, value: str, remains: Remains) -> bool:
    if field.name not in ONE_VALUE:
        return remains.says(field.value)
    figure = value.partition(" ")[0]
    return field.value in remains.text or remains.has_figure(field.value) or (bool(figure) and remains.has_figure(figure))


def _is_gone(field: CoreField, remains: Remains) -> bool:
    """True where a sentence that was not found cannot have been told in other words either; a report of what failed may, in any."""
    exact = [atom.value for atom in atoms(field.value) if atom.type in OF_ATOM]
    if exact:
        return not any(remains.has_value(value) or remains.has_figure(value) for value in exact)
    chinese = is_chinese(field.value)
    words = len(set(stems(field.value))) // (2 if chinese else 1)
    told = field.name != "failure" and words >= TELLING and chinese == is_chinese(remains.text)
    return told and not remains.touches(field.value)


def _names(fields: Sequence[CoreField]) -> str:
    return ", ".join(f"{field.name} ({' '.join(field.value.split())[:60]})" for field in fields)
