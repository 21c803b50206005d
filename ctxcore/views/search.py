"""What the page Search lists: hits of all threads of a session, with what a policy does to each."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import regex

from ctxcore.columns import BoolArray
from ctxcore.counted import count
from ctxcore.measures.search import EVERYTHING, FILES, SAID, TOOLS, Kind, Piece, compiled_pattern, piece_text, search_pattern, search_text
from ctxcore.measures.seen import message_fate, sight
from ctxcore.model import Session, Thread
from ctxcore.policies.patterns import SECONDS
from ctxcore.redaction.masking import masked_part
from ctxcore.replay import DROPPED, EDITED, KEPT, PINNED, Replay
from ctxcore.views.search_query import SearchWish, Where
from ctxcore.views.sight import excerpt_at, message_place, unit_of_message
from ctxcore.views.visible import one_line, shortened
from ctxcore.views.words import number

LOOKED_THROUGH: dict[Where, frozenset[Kind]] = {"everywhere": EVERYTHING, "messages": SAID, "tools": TOOLS, "files": FILES}
"""Kinds of pieces behind each choice."""

MATCH_SECONDS = 0.2
"""For finding a pattern again in a text that is listed."""

ReplayOf = Callable[[Thread], Replay]
"""The visit's policy over a thread."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One row."""

    thread: Thread
    """Of the session."""
    piece: Piece
    """That holds what is searched."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hits:
    """All that a search found in a session."""

    hits: tuple[Hit, ...]
    """Threads in order, messages in order."""
    unsearched: int
    """Texts that were not looked at because the time was over."""


def search_session(session: Session, wanted: str, wish: SearchWish) -> Hits:
    """Search all threads of a session.

    Args:
        session: As read.
        wanted: A text or pattern.
        wish: Where and how; its state is not looked at.

    Raises:
        InputError: No regular expression, or too long.
    """
    kinds, hits, unsearched = LOOKED_THROUGH[wish.where], list[Hit](), 0
    end = time.monotonic() + SECONDS
    for thread in session.threads:
        found = search_pattern(thread, wanted, kinds, end=end) if wish.regex else search_text(thread, wanted, kinds)
        hits += [Hit(thread=thread, piece=piece) for piece in found.pieces]
        unsearched += found.unsearched
    return Hits(hits=tuple(hits), unsearched=unsearched)


def listed_hits(found: Hits, wish: SearchWish, replay_of: ReplayOf, thread: Thread, call: int) -> tuple[Hit, ...]:
    """Hits in the state that is asked for.

    Args:
        found: In a session.
        wish: Its state: all, dropped or changed for some call, received by one call as recorded, or lost to some call at the budget of ``replay_of``.
        replay_of: The policy over a thread, at the budget that is asked about.
        thread: Whose call is meant.
        call: For ``seen``.
    """
    if wish.state == "all":
        return found.hits
    if wish.state == "seen":
        sees = _seen_at(replay_of(thread), call)
        return tuple(hit for hit in found.hits if hit.thread is thread and hit.piece.message in sees)
    lost: dict[str, Callable[[int], bool]] = {}
    for one in dict.fromkeys(hit.thread.id for hit in found.hits):
        lost[one] = _loses(replay_of(next(hit.thread for hit in found.hits if hit.thread.id == one)))
    return tuple(hit for hit in found.hits if hit.piece.message >= 0 and lost[hit.thread.id](hit.piece.message))


def _seen_at(replay: Replay, call: int) -> frozenset[int]:
    """Messages that a call would receive as recorded."""
    if not 0 <= call < len(replay.thread.calls) or replay.refused[call]:
        return frozenset()
    context = np.asarray(replay.thread.calls[call].messages(), np.int64)
    return frozenset(context[np.isin(replay.message_status(call), (KEPT, PINNED))].tolist())


def _loses(replay: Replay) -> Callable[[int], bool]:
    """Whether some call would not receive a message as recorded: by units where units go whole, else message by message."""
    if all(fits.cut is not None for fits in replay.fits):
        owner, times = unit_of_message(replay.thread), replay.first_dropped()[1]
        gone: BoolArray = np.concatenate((times > 0, [False]))[owner]
        return lambda message: bool(gone[message])
    return lambda message: bool(np.isin(message_fate(replay, message), (DROPPED, EDITED)).any())


SEARCH_COLUMNS = ("thread", "where", "text", "first seen", "status", "message")
"""Of the table of hits."""


def hits_frame(hits: Sequence[Hit], wanted: str, wish: SearchWish, replay_of: ReplayOf) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """One row per hit, and what is to be marked in each.

    Args:
        hits: One page of them.
        wanted: A text or pattern.
        wish: How it was searched.
        replay_of: The visit's policy over a thread.
    """
    pattern = compiled_pattern(wanted) if wish.regex else regex.compile(regex.escape(wanted), regex.IGNORECASE)
    rows, marks = [], []
    for hit in hits:
        excerpt, mark = _excerpt(piece_text(hit.thread, hit.piece), pattern)
        message = hit.piece.message
        where = shortened(hit.thread.messages[message].role, 20) if hit.piece.kind == "text" else hit.piece.kind
        first, status = _status(replay_of(hit.thread), hit.piece)
        rows.append((shortened(hit.thread.title or hit.thread.id, 30), where, excerpt, first, status, None if message < 0 else message))
        marks.append(mark)
    frame = pd.DataFrame(rows, columns=[*SEARCH_COLUMNS])
    return frame.astype({"first seen": "Int64", "message": "Int64"}), tuple(marks)


def _excerpt(text: str, pattern: regex.Pattern[str]) -> tuple[str, str]:
    """The text around the first hit, and the hit; secrets masked."""
    try:
        hit = pattern.search(text, timeout=MATCH_SECONDS)
    except TimeoutError:
        hit = None
    return excerpt_at(text, hit.start() if hit else 0), one_line(masked_part(text, hit.start(), hit.end())) if hit else ""


def _status(replay: Replay, piece: Piece) -> tuple[int | None, str]:
    """The first call that would receive a piece, and what the policy does to it."""
    thread = replay.thread
    if piece.message < 0:
        first = next((call.index for call in thread.calls if call.tools == piece.tools), None)
        return first, "sent with every request" if first is not None else "never sent"
    seen = sight(replay, piece.message)
    if not seen.received:
        return None, "only a reply" if any(call.reply == piece.message for call in reversed(thread.calls)) else "never sent"
    if not seen.dropped and not seen.refused:
        edited = int((message_fate(replay, piece.message) == EDITED).sum())
        return seen.first, f"changed in {count(edited, 'call')}" if edited else f"in all {count(seen.received, 'call')}"
    if not seen.seen:
        return None, "refused with its call" if not seen.dropped else "no call would see it"
    gone = "" if seen.gone_from is None else f", gone from #{number(seen.gone_from)}"
    return seen.first, f"in {number(seen.seen)} of {count(seen.received, 'call')}{gone}"


def hit_place(replay: Replay, piece: Piece) -> tuple[int, int, int] | None:
    """Where a row leads: call, message and its position in the request; -1 for a message that is none. None where there is no call.

    Args:
        replay: Of the thread.
        piece: Of the hit.
    """
    if piece.message < 0:
        return next(((call.index, -1, 0) for call in replay.thread.calls if call.tools == piece.tools), None)
    place = message_place(replay, piece.message)
    return None if place is None else (place[0], piece.message, place[1])


def hits_sentence(found: Hits, listed: Sequence[Hit], wish: SearchWish, threads: int, number_of: int | None) -> str:
    """How much was found, in plain words.

    Args:
        found: By the search.
        listed: What of it is in the state asked for.
        wish: How it was searched.
        threads: Of the session.
        number_of: The call or budget of the state.
    """
    held = len({hit.thread.id for hit in found.hits})
    words = [f"{count(len(found.hits), 'hit')} in {number(held)} of {count(threads, 'thread')}"] if threads > 1 else [count(len(found.hits), "hit")]
    if wish.state != "all":
        lost = "that some call would not receive whole"
        at = number(number_of or 0)
        which = {"dropped": lost, "seen": f"that call #{at} of this thread would receive whole", "lost": f"{lost} at a budget of {at}"}
        words.append(f"{number(len(listed))} {which[wish.state]}")
    end = f" Stopped after {SECONDS:g} s: {count(found.unsearched, 'text')} not looked at." if found.unsearched else ""
    return f"{', '.join(words)}.{end}"


def nothing_found(found: Hits) -> str:
    """What to say where there is no hit."""
    if found.unsearched:
        return "Nothing in what was looked at holds it; whether the rest does is not known. A simpler pattern gets further."
    return "Nothing holds it. A part of a word finds more than a whole sentence."
