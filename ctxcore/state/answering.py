"""Questions and answers: what waits for an answer, what was asked about and confirmed, what was turned down or taken back."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ctxcore.state.board import Board
from ctxcore.state.candidates import Candidate, matches
from ctxcore.state.changing import after, why_user
from ctxcore.state.domain import Domain
from ctxcore.state.entries import Entry, Source
from ctxcore.state.resolving import known_name, same_value
from ctxcore.state.speech import confirms, declines, question_nouns, refuses, short_answer

ANSWER_CONFIDENCE = 0.8
"""Of a short answer that is taken as it stands."""

CONFIRMED_CONFIDENCE = 0.85
"""Of a value that was asked about, confirmed and not objected to."""

BOUNDS = frozenset({"max", "min", "approximate"})
"""A bound is the user's own; that nothing meets it does not refuse it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A field that the assistant asked for."""

    field: str
    """Name, or in an open domain the noun of the question."""


def questions(domain: Domain, text: str) -> tuple[Waiting, ...]:
    """Fields that a reply asks for, in order."""
    nouns = [asked.noun for asked in question_nouns(text)]
    if domain.open:
        return tuple(Waiting(field=noun) for noun in nouns)
    found = [name for name, form in domain.fields.items() if any(word.casefold() in noun.casefold() for noun in nouns for word in form.calls)]
    return tuple(Waiting(field=name) for name in dict.fromkeys([*found, *heard(domain, text)]))


def heard(domain: Domain, text: str) -> list[str]:
    """Required fields of actions whose question a reply asks, by the declared patterns or the question itself."""
    found: list[str] = []
    for action in domain.actions.values():
        for name, question in action.required.items():
            words = filter(None, (said.rstrip("？?。. ") for said in (question.zh, question.en)))
            if any(said in text for said in words) or any(next(matches(one, text), None) for one in question.heard):
                found.append(name)
    return found


def answers(board: Board, waiting: Sequence[Waiting], text: str, index: int, found: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """A message that is nothing but the answer to the question before it, where no rule read a value in it."""
    span = short_answer(text)
    if not waiting or span is None or found or (not board.domain.open and board.domain.form(waiting[0].field).type != "text"):
        return ()
    name = known_name(board, waiting[0].field) if board.domain.open else waiting[0].field
    source = Source(message=index, start=span[0], end=span[1], quote=text[span[0] : span[1]])
    return (Candidate(field=name, value=source.quote, source=source, extractor="answer", confidence=ANSWER_CONFIDENCE, by="user"),)


def settle_reply(board: Board, text: str, index: int, said: Iterable[Candidate]) -> None:
    """Note the words by which a reply says yes to what was asked."""
    for name, place, entry in board.asked():
        spellings = [one.source.quote for one in said if same_value(one.value, entry.value) and "negated" not in one.shades]
        span = confirms(text, (entry.source.quote, *spellings, str(entry.value)))
        if span is not None and not entry.more:
            source = Source(message=index, start=span[0], end=span[1], quote=text[span[0] : span[1]])
            board.chains[name][place] = replace(entry, more=(source,))


def settle_asked(board: Board, text: str, found: Sequence[Candidate]) -> None:
    """The user goes on after a yes: what was asked about is the value, unless the message says no or speaks of the field again."""
    for name, place, entry in board.asked():
        again = any(one.field in ("", name) and one.kind == entry.kind and (one.unit == entry.unit) for one in found)
        if entry.more and not declines(text) and not again:
            why = why_user(board, name, entry.value)
            if same_value(board.value(name), entry.value):
                continue
            _keep_last(board, name, place, why=why, confidence=CONFIRMED_CONFIDENCE)
            after(board, name, entry.source, board.message)


def _keep_last(board: Board, name: str, place: int, **more: Any) -> None:
    """Accept an asked entry; the last accepted one is the current one, so nothing accepted may stand behind it."""
    if board.index.accepted[name][-1:] > [place]:
        board.decide(name, place, "withdrawn")
    else:
        board.decide(name, place, "accepted", **more)


def turn_down(board: Board, text: str) -> None:
    """A reply refuses a change that the user proposed in this round."""
    proposed = [
        (name, place, entry) for name, place, entry in board.of_round(board.round) if entry.status == "accepted" and _is_proposal(board, entry)
    ]
    for name, place, entry in proposed:
        if refuses(text, entry.source.quote if len(proposed) == 1 else "") or (
            len(proposed) > 1 and entry.source.quote in text and refuses(text, entry.source.quote)
        ):
            board.decide(name, place, "refused", rule="refused_by_assistant")
            board.alert("PROPOSAL_REFUSED", f"The assistant turned down “{entry.source.quote}”; {name} stays {board.told(name)}.", name, entry.source)


def _is_proposal(board: Board, entry: Entry) -> bool:
    return entry.round == board.round and entry.why in ("user_correction", "user_reversion") and entry.value is not None and not entry.shades & BOUNDS


def take_back_last(board: Board, text: str, index: int, words: re.Pattern[str], *, certain: bool) -> None:
    """The user takes back the last change without naming a value: done where one change can be meant, else flagged.

    Args:
        board: Grows.
        text: The message.
        index: The message.
        words: Pattern that was found in it.
        certain: The words can only mean the last change.
    """
    match = words.search(text)
    if match is None or not board.chains:
        return
    source = Source(message=index, start=match.start(), end=match.end(), quote=match.group())
    last = [(name, entry) for name, _, entry in board.of_round(board.round - 1) if entry.why == "user_correction"]
    if not certain:
        board.alert(
            "AMBIGUOUS_REFERENCE", f"“{source.quote}” does not say which earlier value is meant; nothing changes.", board.newest_fields()[0], source
        )
        return
    if len(last) == 1 and last[0][1].status == "accepted":
        _revert(board, last[0][0], source)
    elif len(last) > 1:
        board.alert("AMBIGUOUS_REFERENCE", f"“{source.quote}” may mean any of {', '.join(name for name, _ in last)}; nothing changes.", "", source)
    for name, entry in last:
        board.note("transformed", name, entry.value, "withdrawn", "withdrawal", source)


def _revert(board: Board, name: str, source: Source) -> None:
    accepted = board.index.accepted[name]
    if len(accepted) > 1:
        earlier = board.chains[name][accepted[-2]]
        board.add(
            name,
            replace(
                earlier,
                round=board.round,
                why="user_reversion",
                source=source,
                more=(earlier.source,),
                extractor="withdrawal",
                at=source.message,
                decided=None,
                decided_round=None,
            ),
        )
