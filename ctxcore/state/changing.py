"""Whether a value that was read becomes the value of its field: shades, schema, allowed moves, and why the chain grows."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ctxcore.model import Json
from ctxcore.state.board import MOST_ASKED, Board
from ctxcore.state.candidates import Candidate, matches
from ctxcore.state.domain import Effect
from ctxcore.state.entries import Entry, Source, Status, Why, is_missing
from ctxcore.state.resolving import is_bare, same_value, takes
from ctxcore.state.text_rules.reading import Reading
from ctxcore.state.text_rules.shades import heard_around
from ctxcore.state.validation import as_typed, expected, fault

ASKED_CONFIDENCE: Final = 0.6
"""At most, of what is only asked about."""

NOT_ASSERTED = {
    "others": ("VALUE_OF_ANOTHER", "is said of somebody else"),
    "hearsay": ("CONFLICTING_REMARK", "is reported, not said"),
    "uncertain": ("UNCERTAIN_VALUE", "is said without certainty"),
    "undecided": ("UNDECIDED_VALUE", "is one of several that are left open"),
    "undated": ("UNDATED_VALUE", "is no certain day, for the message has no date"),
    "condition": ("CONDITION_NOT_VALUE", "is a condition"),
    "ambiguous": ("AMBIGUOUS_VALUE", "can be read in more than one way"),
    "relative_change": ("RELATIVE_CHANGE", "is a change of a value, not a value"),
}
"""Shades that keep a value out of its chain: code and words of the alert."""

BY_PATTERN = ("pattern", "command", "output")
"""Extractors that catch words by a domain's pattern."""


def change(board: Board, name: str, candidate: Candidate, at: int, rule: str = "") -> None:
    """Let a candidate change its field, or note why it does not.

    Args:
        board: Grows.
        name: The field.
        candidate: What was read.
        at: Message in which it stands.
        rule: What decided for it where several were said.
    """
    candidate = _typed(board, name, _measured(board, name, candidate))
    if _is_current(board, name, candidate):
        _same_again(board, name, candidate)
    elif candidate.shades & {"negated", "cancelled"}:
        _take_back(board, name, candidate, at)
    elif not _held_back(board, name, candidate):
        _accept(board, name, candidate, at, rule)


def _typed(board: Board, name: str, candidate: Candidate) -> Candidate:
    """Digits that a pattern caught, as the number that the field asks for."""
    if candidate.extractor not in BY_PATTERN:
        return candidate
    return replace(candidate, value=as_typed(board.domain.form(name), candidate.value))


def _is_current(board: Board, name: str, candidate: Candidate) -> bool:
    return same_value(board.value(name), candidate.value) and not candidate.shades & {"negated", "cancelled"}


def _same_again(board: Board, name: str, candidate: Candidate) -> None:
    if "ambiguous" in candidate.shades:
        board.alert("AMBIGUOUS_VALUE", f"“{candidate.source.quote}” can be read in more than one way; {name} stays.", name, candidate.source)
    if candidate.by == "user" and not candidate.shades & {"asked", "hearsay", "condition", "others", "uncertain", "undecided"}:
        board.restate(name, candidate.source, candidate.value, candidate.extractor)


def _take_back(board: Board, name: str, candidate: Candidate, at: int) -> None:
    """A value that is denied clears its field where it stands there; elsewhere it is only noted."""
    if same_value(board.value(name), candidate.value):
        board.add(name, _entry(board, candidate, at, value=None, why="user_correction", rule="taken_back"))
        after(board, name, candidate.source, at)
    else:
        board.note("extracted", name, candidate.value, "negated", candidate.extractor, candidate.source)


def _held_back(board: Board, name: str, candidate: Candidate) -> bool:
    """Whether restraint keeps the value out."""
    for shade, (code, words) in NOT_ASSERTED.items():
        if shade in candidate.shades and not (shade == "relative_change" and candidate.field and board.current(name) is None):
            kept = "" if is_missing(board.value(name)) else f"; {name} stays {board.told(name)}"
            if shade != "condition":
                board.alert(code, f"“{candidate.source.quote}” {words}{kept}.", name, candidate.source)
            board.note("refused", name, candidate.value, code, candidate.extractor, candidate.source)
            return True
    return False


def _accept(board: Board, name: str, candidate: Candidate, at: int, rule: str) -> None:
    code = fault(name, board.domain.form(name), candidate.value) if not board.domain.open else ""
    if code:
        _refuse_value(board, name, candidate, code)
        return
    if _user_said_otherwise(board, name, candidate):
        board.note("refused", name, candidate.value, "user_over_tool", candidate.extractor, candidate.source)
        return
    refusal = refused_move(board, name, candidate.value)
    status: Status = "refused" if refusal else "asked" if "asked" in candidate.shades else "accepted"
    if status == "asked" and _asked_already(board, name, candidate.value):
        return
    board.add(
        name,
        _entry(board, candidate, at, value=candidate.value, why=_why(board, name, candidate), status=status, rule=refusal or rule or candidate.note),
    )
    if refusal:
        board.alert(refusal, f"{name} cannot become {candidate.value} yet (“{candidate.source.quote}”).", name, candidate.source)
    elif status == "accepted":
        _unit(board, name, candidate, at)
        after(board, name, candidate.source, at)


def _refuse_value(board: Board, name: str, candidate: Candidate, code: str) -> None:
    board.note("validated", name, candidate.value, code, candidate.extractor, candidate.source)
    why = expected(board.domain.form(name), candidate.value)
    board.alert(code, f"“{candidate.source.quote}” is not a value that {name} can have: {why}.", name, candidate.source)


def _user_said_otherwise(board: Board, name: str, candidate: Candidate) -> bool:
    """In this round the user set another value than the tool does now."""
    entry = board.current(name)
    return (
        candidate.by == "tool"
        and entry is not None
        and entry.round == board.round
        and entry.why in ("initial_selection", "user_correction", "user_reversion")
    )


def _asked_already(board: Board, name: str, value: Json) -> bool:
    return any(same_value(board.chains[name][place].value, value) for place in board.index.asked[name][-MOST_ASKED:])


def _why(board: Board, name: str, candidate: Candidate) -> Why:
    if candidate.by == "tool":
        return "tool_update"
    return why_user(board, name, candidate.value)


def why_user(board: Board, name: str, value: Json) -> Why:
    """Why the user's value joins the chain."""
    if not board.index.took_any(name):
        return "initial_selection"
    return "user_reversion" if board.index.was_taken(name, value) else "user_correction"


def _measured(board: Board, name: str, candidate: Candidate) -> Candidate:
    """A bare number is what its field's number was: two thousand of a budget in yuan are yuan."""
    entry = board.current(name)
    if not is_bare(candidate) or not takes(board, name, candidate):
        return candidate
    if entry is None and board.domain.form(name).type == "money":
        return replace(candidate, kind="money", unit=board.domain.default_currency, shades=candidate.shades | {"assumed_unit"})
    if entry is None or not entry.unit:
        return candidate
    return replace(candidate, kind=entry.kind, unit=entry.unit, shades=candidate.shades - {"assumed_unit"})


def _entry(board: Board, candidate: Candidate, at: int, *, value: Json, why: Why, status: Status = "accepted", rule: str = "") -> Entry:
    asked = status == "asked"
    return Entry(
        value=value,
        kind=candidate.kind,
        round=board.round,
        why=why,
        status=status,
        source=candidate.source,
        extractor=candidate.extractor,
        confidence=min(candidate.confidence, ASKED_CONFIDENCE) if asked else candidate.confidence,
        unit=candidate.unit,
        shades=candidate.shades,
        of=board.value(board.domain.attributes_of) if candidate.kind == "attribute" and board.domain.attributes_of else None,
        rule=rule,
        at=at,
    )


def refused_move(board: Board, name: str, value: Json) -> str:
    """Code of the transition that does not let a field become a value now; empty where none objects."""
    now = board.value(name)
    for move in board.domain.transitions:
        meant = move.field == name and move.to == value and (not move.come_from or now in move.come_from)
        if meant and (move.forbidden or any(is_missing(board.value(need)) for need in move.needs)):
            return move.code
    return ""


def _unit(board: Board, name: str, candidate: Candidate, at: int) -> None:
    """The value's unit goes into its own field."""
    field = board.domain.form(name).unit_field
    if field and candidate.unit:
        change(board, field, replace(candidate, field=field, value=candidate.unit, unit="", kind="text"), at)


def after(board: Board, name: str, source: Source, at: int) -> None:
    """What follows from the change of a field."""
    for effect in board.domain.effects:
        if effect.changes == name and len(board.index.accepted[name]) > 1:
            apply(board, effect, source, at)


def effects_of(board: Board, text: str, at: int) -> None:
    """What follows from the user's words, unless they deny it, doubt it or speak of others."""
    reading = Reading(text=text)
    for effect in board.domain.effects:
        said = matches(effect.says, text) if effect.says else ()
        match = next((one for one in said if not heard_around(reading, *one.span())), None)
        if match is not None:
            source = Source(message=at, start=match.start(), end=match.end(), quote=match.group())
            apply(board, effect, source, at)


def apply(board: Board, effect: Effect, source: Source, at: int) -> None:
    """Set and clear the fields of an effect; a move that is not allowed is not made."""
    for name, value in effect.set.items():
        if not same_value(board.value(name), value) and not refused_move(board, name, value):
            board.add(name, _by_rule(board, value, why_user(board, name, value), effect.code, source, at))
    for group in effect.clear:
        for name in board.domain.under(group) if group.endswith(".") else (group,):
            if not is_missing(board.value(name)):
                board.add(name, _by_rule(board, None, "cleared_by_rule", effect.code, source, at))


def _by_rule(board: Board, value: Json, why: Why, code: str, source: Source, at: int) -> Entry:
    return Entry(value=value, kind="choice", round=board.round, why=why, source=source, extractor="rule", confidence=1.0, rule=code, at=at)
