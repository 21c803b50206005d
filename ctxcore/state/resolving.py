"""Which field a value belongs to that was said without a name."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ctxcore.model import Json
from ctxcore.state.board import Board
from ctxcore.state.candidates import Candidate
from ctxcore.state.domain import Domain
from ctxcore.state.domain_reads import ByFound
from ctxcore.state.entries import Entry
from ctxcore.state.index import plain_name, value_key
from ctxcore.state.speech import CORRECTS, LONG_TEXT, clause_before, complains, corrects, sentence_before


def same_value(one: Json, other: Json) -> bool:
    """Equal, whatever the case of the letters or the kind of the number."""
    if isinstance(one, str) and isinstance(other, str):
        return one.strip().casefold() == other.strip().casefold()
    return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)


def known_name(board: Board, name: str) -> str:
    """The name under which the board has this field already; else the name itself."""
    return board.index.names.get(plain_name(name), " ".join(name.split()))


MOVES = re.compile(
    r"\b(?:transfer|send|pay|withdraw|deposit|wire|donate)\s+(?:\S{1,4}\s*)?$|(?:转账?|汇款?|支付|付|存入?|打)(?:给\S{1,6})?\s*$", re.IGNORECASE
)
"""Verbs before a number by which it is an amount, though nothing names it."""


USES = re.compile(r"^(?P<noun>[\u4e00-\u9fff]{2,6}?)(?:就|都|也|还是|先)?(?:采用|改用|使用|用|选|取|按)$")
"""A clause that takes a value for something, up to the value."""


def resolve(board: Board, candidate: Candidate, text: str, asked: str, earlier: Sequence[tuple[str, Candidate]] = ()) -> str:
    """The field of a candidate; empty where the conversation does not tell.

    Args:
        board: What has been understood so far.
        candidate: May name its field.
        text: The message's source text.
        asked: What the assistant asked for last; empty where nothing waits for an answer.
        earlier: What the message said before, with its fields.
    """
    if candidate.field:
        return known_name(board, candidate.field) if board.domain.open else candidate.field
    fitting = [name for name in board.newest_fields() if takes(board, name, candidate)]
    if asked and (asked in fitting or _open_for(board, asked, candidate)) and _answers(board, text, candidate):
        return asked
    newest = fitting[0] if fitting else ""
    if candidate.shades & {"hearsay", "negated", "condition", "others", "uncertain", "undecided"}:
        return _spoken_of(candidate, text, earlier, newest)
    said_before = not is_bare(candidate) or len(text) <= LONG_TEXT
    before = next((name for name in fitting if said_before and _was(board, name, candidate)), "") or _goes_on(candidate, text, earlier)
    if before:
        return before
    if complains(text, candidate.source.end):
        return ""
    replaces = corrects(text, candidate.source.start, candidate.source.end) or "relative_change" in candidate.shades
    return newest if replaces and newest else _amount(board, candidate, text) or _used_by(board, candidate, text) or _asked_of(board, candidate, text)


def _spoken_of(candidate: Candidate, text: str, earlier: Sequence[tuple[str, Candidate]], newest: str) -> str:
    """The field that something not asserted is about: that of the value before in the message, else the newest that can hold it."""
    if "hearsay" in candidate.shades and _OF_A_THING.search(clause_before(text, candidate.source.start)):
        return ""
    return next((name for name, one in reversed(earlier) if one.kind == candidate.kind), newest)


_OF_A_THING = re.compile(r"[这那][款台件部个种]|\b(?:this|that) (?:one|model|item)\b", re.IGNORECASE)
"""What others say of a thing is said of that thing, not of the field that was talked about last."""

_CONTRASTS = re.compile(r"[，,]?\s*(?:but|而?是)", re.IGNORECASE)
"""Not on the 5th but on the 7th."""


def _goes_on(candidate: Candidate, text: str, earlier: Sequence[tuple[str, Candidate]]) -> str:
    """The field of the value just before in the message, which this one corrects."""
    if not earlier:
        return ""
    name, last = earlier[-1]
    between = text[last.source.end : candidate.source.start]
    contrasts = "negated" in last.shades and "negated" not in candidate.shades and bool(_CONTRASTS.match(between))
    replaces = "corrected" in last.shades or contrasts or bool(CORRECTS.search(between))
    return name if replaces and last.kind == candidate.kind and last.source.end <= candidate.source.start else ""


def _amount(board: Board, candidate: Candidate, text: str) -> str:
    """In an open domain, a number that is moved: amount."""
    moved = board.domain.open and candidate.kind in NUMBERS and MOVES.search(text[: candidate.source.start])
    return ("金额" if has_chinese(text) else "amount") if moved else ""


def _used_by(board: Board, candidate: Candidate, text: str) -> str:
    """In an open domain, what a day or a number is taken for: 报表用上个月的."""
    match = USES.search(clause_before(text, candidate.source.start)) if board.domain.open else None
    return match.group("noun") if match else ""


_ATTRIBUTES = {"color": ("colour", "颜色"), "size": ("size", "尺码"), "style": ("style", "款式")}


def _asked_of(board: Board, candidate: Candidate, text: str) -> str:
    """In an open domain, the name of an attribute that is asked about, so that a yes makes it a value."""
    asked = board.domain.open and "asked" in candidate.shades and candidate.kind == "attribute"
    return _ATTRIBUTES[candidate.unit][has_chinese(text)] if asked and candidate.unit in _ATTRIBUTES else ""


def has_chinese(text: str) -> bool:
    """At least one Chinese character."""
    return any("\u4e00" <= letter <= "\u9fff" for letter in text)


def _was(board: Board, name: str, candidate: Candidate) -> bool:
    return value_key(candidate.value) in board.index.said.get(name, ())


def _answers(board: Board, text: str, candidate: Candidate) -> bool:
    """In an open domain a question is answered at once, by the first sentence."""
    start = candidate.source.start
    return not board.domain.open or (len(text) <= LONG_TEXT and sentence_before(text, start) == text[:start])


def _open_for(board: Board, name: str, candidate: Candidate) -> bool:
    return board.domain.open and name not in board.chains if not board.domain.fields else reads(board.domain, name, candidate)


def takes(board: Board, name: str, candidate: Candidate) -> bool:
    """A field can hold the candidate: by its form, or by what it held before."""
    if not board.domain.open:
        return reads(board.domain, name, candidate)
    entry = board.current(name)
    return entry is not None and _alike(entry, candidate)


def reads(domain: Domain, name: str, candidate: Candidate) -> bool:
    """The field's form reads values of the candidate's kind."""
    rules = [rule for rule in domain.form(name).read if isinstance(rule, ByFound)]
    if is_bare(candidate) and any(rule.kind == "money" for rule in rules):
        return True
    return any(rule.kind == candidate.kind and rule.unit in ("", candidate.unit) for rule in rules)


NUMBERS = frozenset({"money", "count"})
"""Kinds of numbers."""
_TIMES = frozenset({"date", "period"})


def _alike(entry: Entry, candidate: Candidate) -> bool:
    if candidate.kind in NUMBERS:
        return (
            isinstance(entry.value, (int, float))
            and not isinstance(entry.value, bool)
            and _kinds_meet(entry, candidate)
            and _units_meet(entry, candidate)
        )
    if candidate.kind in _TIMES:
        return entry.kind in _TIMES
    return entry.kind == candidate.kind and entry.unit == candidate.unit


def is_bare(candidate: Candidate) -> bool:
    """A number said without currency or measure word: it is of its field's kind, whatever that is."""
    return candidate.kind in NUMBERS and not candidate.unit


def _kinds_meet(entry: Entry, candidate: Candidate) -> bool:
    """Money stays money, and a count of things does not become a span, a weight or a length (four guests, five days)."""
    if is_bare(candidate):
        return True
    gains = not entry.unit and candidate.unit.casefold() in _MEASURES
    return entry.kind == candidate.kind and not (candidate.kind == "count" and gains)


_MEASURES = frozenset(
    {"second", "minute", "hour", "day", "night", "week", "month", "year", "kg", "g", "km", "m", "cm", "mm", "mile", "%", "gb", "mb", "tb"}
    | {"seconds", "minutes", "hours", "days", "nights", "weeks", "months", "years", "miles", "percent"}
    | {
        "秒",
        "分钟",
        "分鐘",
        "小时",
        "小時",
        "天",
        "晚",
        "周",
        "週",
        "月",
        "个月",
        "個月",
        "年",
        "斤",
        "公斤",
        "千克",
        "克",
        "吨",
        "米",
        "厘米",
        "公里",
        "岁",
        "歲",
    }
)
"""Units that say what a number measures; all others only count things."""


def _units_meet(entry: Entry, candidate: Candidate) -> bool:
    """Equal, or one of them was not said; four days are no sum of money, whatever currency was left out."""
    measured = {one.kind for one in (entry, candidate) if one.kind == "money" or one.unit}
    if len(measured) > 1:
        return False
    units = {one.unit for one in (entry, candidate) if one.unit and "assumed_unit" not in one.shades}
    return len(units) < 2
