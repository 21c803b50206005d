"""The state before a call for people: each field with its value, its words, and what the call would see of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from ctxcore.counted import count
from ctxcore.measures.state_sight import (
    EXPIRED,
    GONE,
    NEWEST,
    NOT_SENT,
    NOT_YET,
    PARTLY,
    REFUSED,
    REPEATED,
    STALE,
    UNKNOWN,
    StateSight,
)
from ctxcore.model import Json
from ctxcore.state.entries import Entry, FieldChain, State
from ctxcore.state.text_rules.confidence import MEASURED_ON
from ctxcore.views.visible import one_line, short_paths, shortened, visible
from ctxcore.views.words import number

SIGHT_WORDS: dict[int, str] = {
    STALE: "◐ outdated value only",
    GONE: "✕ gone: trimmed away",
    NOT_SENT: "– not in the recorded request",
    UNKNOWN: "? only a summary could tell",
    PARTLY: "◑ some of its items",
    REPEATED: "○ only repeated elsewhere",
    NEWEST: "✓ newest value",
    EXPIRED: "· expired",
    REFUSED: "⊘ call refused",
    NOT_YET: "· not said yet",
}
"""What a call would see of a field, for people; what asks for a look stands first."""

WHY_WORDS = {
    "initial_selection": "first said",
    "user_correction": "corrected",
    "user_reversion": "back to an earlier value",
    "tool_update": "set by a tool",
    "cleared_by_rule": "cleared by a rule",
    "expired": "expired",
}
"""Why a chain has an entry, for people."""

VALUE_CHARS, QUOTE_CHARS = 80, 160
"""Characters of a value and of its words in a table."""

FIELD_COLUMNS = ("name", "field", "value", "sees", "last seen", "words", "message", "why", "round", "extractor", "confidence", "entries")
"""Columns of the table of fields."""


def value_text(entry: Entry | None, width: int = VALUE_CHARS) -> str:
    """A value with its unit, cut to a width; a dash where there is none."""
    if entry is None or entry.value is None:
        return "—"
    about = "about " if "approximate" in entry.shades else ""
    unit = f" {entry.unit}" if entry.unit and isinstance(entry.value, (int, float)) else ""
    return shortened(f"{about}{plain_value(entry.value)}{unit}", width)


def plain_value(value: Json) -> str:
    """A value in one line: numbers with separators, lists with their length."""
    if value is None:
        return "—"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    if isinstance(value, (list, tuple)):
        return f"{count(len(value), 'item')}: {short_paths(', '.join(str(one) for one in reversed(value[-20:])))}"
    return one_line(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def fields_table(sight: StateSight, before: State, call: int) -> pd.DataFrame:
    """One row per field that was said before the call; what the call would see least well stands first.

    Args:
        sight: Of a policy at a budget.
        before: The state before the call.
        call: Index in the thread.
    """
    rank = {code: place for place, code in enumerate(SIGHT_WORDS)}
    rows = []
    for row, field in enumerate(sight.fields):
        chain = before.fields.get(field.name)
        if chain is not None:
            rows.append((rank[int(sight.code[row, call])], row, _row(sight, row, chain, call)))
    return pd.DataFrame([cells for _, _, cells in sorted(rows, key=lambda one: one[:2])], columns=FIELD_COLUMNS)


def _row(sight: StateSight, row: int, chain: FieldChain, call: int) -> dict[str, Any]:
    now = chain.current
    code = int(sight.code[row, call])
    return {
        "name": chain.name,
        "field": visible(chain.name),
        "value": value_text(now),
        "sees": SIGHT_WORDS[code],
        "last seen": seen_instead(sight, row, call) if code in (STALE, PARTLY) else "",
        "words": "" if now is None else shortened(one_line(now.source.quote), QUOTE_CHARS),
        "message": None if now is None else now.source.message,
        "why": "nothing accepted" if now is None else _why(now),
        "round": None if now is None else now.round,
        "extractor": "" if now is None else now.extractor,
        "confidence": "" if now is None else f"{now.confidence:.2f}",
        "entries": len(chain.entries),
    }


def _why(entry: Entry) -> str:
    return WHY_WORDS[entry.why] if entry.since == entry.round else f"{WHY_WORDS[entry.why]}, the value since round {number(entry.since)}"


def seen_instead(sight: StateSight, row: int, call: int) -> str:
    """The older value that a call would see last, or how many items of a list."""
    field, last = sight.fields[row], int(sight.last[row, call])
    if field.items:
        return f"{number(last + 1)} of {number(int(sight.newest[row, call]) + 1)} items"
    return shortened(plain_value(field.stretches[last].value), VALUE_CHARS) if last >= 0 else "in a summary"


def _said_in(sight: StateSight, row: int, call: int) -> str:
    """The older value and the last message in which it stands."""
    field, last = sight.fields[row], int(sight.last[row, call])
    value = seen_instead(sight, row, call)
    said = [one.message for one in field.stretches[last].statements] if last >= 0 else []
    return f"{value} (message {said[0]:,})" if said else value


def is_refused(sight: StateSight, call: int) -> bool:
    """True where the policy sends nothing for this call."""
    return bool((sight.code[:, call] == REFUSED).any())


def headline(sight: StateSight, call: int) -> tuple[str, tuple[str, ...]]:
    """Whether the call would act on an outdated value: one sentence, and one line for each field of which it would.

    Args:
        sight: Of a policy at a budget.
        call: Index in the thread.
    """
    stale = np.flatnonzero(sight.code[:, call] == STALE).tolist()
    if is_refused(sight, call):
        return f"Call #{number(call)} is refused at this budget: nothing is sent, so nothing of the state is seen.", ()
    if not stale:
        return f"Call #{number(call)} sees no outdated value without its correction.", ()
    lines = []
    for row in stale:
        newest = sight.fields[row].stretches[int(sight.newest[row, call])]
        now = "cleared" if newest.value is None else shortened(plain_value(newest.value), VALUE_CHARS)
        lines.append(
            f"{visible(sight.fields[row].name)}: it would see {_said_in(sight, row, call)}, but the value is {now} since message {newest.start:,}"
        )
    whose = "1 field" if len(stale) == 1 else f"{number(len(stale))} fields"
    return f"Call #{number(call)} would still see the outdated value of {whose}, and not the correction.", tuple(lines)


def counts_sentence(sight: StateSight, call: int) -> str:
    """How many fields the call sees, how many not."""
    codes = sight.code[:, call]
    known = int(((codes != NOT_YET) & (codes != EXPIRED)).sum())
    if not known:
        return f"Before call #{number(call)} nothing of this domain was said."
    if is_refused(sight, call):
        return f"{count(known, 'field')} had a value by then."
    kinds = ((NEWEST, "in the words that said it"), (REPEATED, "only repeated elsewhere"), (PARTLY, "in part"), (STALE, "outdated"))
    told = [f"{number(int((codes == code).sum()))} {words}" for code, words in kinds if (codes == code).any()]
    told += [f"{number(gone)} not at all"] if (gone := int(np.isin(codes, (GONE, NOT_SENT, UNKNOWN)).sum())) else []
    return f"Of {count(known, 'field')} with a value by then: {', '.join(told)}."


def all_calls_sentence(sight: StateSight) -> str:
    """In how many calls an outdated value would stand without its correction, beside how many as recorded."""
    stale = sight.stale_calls > 0
    recorded = int((sight.recorded == STALE).any(axis=0).sum())
    calls = len(stale)
    if not stale.any():
        words = f"In none of {count(calls, 'call')} an outdated value would stand without its correction"
    else:
        words = f"In {number(int(stale.sum()))} of {count(calls, 'call')} an outdated value would stand without its correction"
        words += f", first in call #{number(int(stale.argmax()))}"
    return f"{words} (as recorded: {number(recorded)})."


def next_stale(sight: StateSight, call: int) -> int | None:
    """The next call after this one that would see an outdated value, from the first again at the end; None where no other does."""
    found = np.flatnonzero(sight.stale_calls > 0)
    if not len(found):
        return None
    after = found[found > call]
    chosen = int(after[0] if len(after) else found[0])
    return None if chosen == call else chosen


ENTRY_COLUMNS = ("round", "value", "why", "status", "words", "message", "said beside it", "extractor", "confidence", "rule")
"""Columns of a chain's table."""

STATUS_WORDS = {"accepted": "accepted", "asked": "asked, not decided", "refused": "refused", "withdrawn": "taken back"}
"""What became of an entry."""


def status_words(entry: Entry) -> str:
    """What became of an entry, and in which round if not in its own."""
    later = entry.status != entry.before and entry.decided_round not in (None, entry.round)
    if not later:
        return STATUS_WORDS[entry.status]
    asked = "asked, " if entry.before == "asked" else ""
    return f"{asked}{STATUS_WORDS[entry.status]} in round {number(entry.decided_round or 0)}"


MOST_ENTRIES = 200
"""Entries of a chain in a table; of more the newest are shown."""


def entries_table(chain: FieldChain) -> pd.DataFrame:
    """Everything that happened to a field, oldest first, with the words behind it."""
    return pd.DataFrame([_entry_row(entry) for entry in chain.entries[-MOST_ENTRIES:]], columns=ENTRY_COLUMNS)


def entries_note(chain: FieldChain) -> str:
    """Says that a table leaves entries out; empty where it does not."""
    return f"The newest {number(MOST_ENTRIES)} of {number(len(chain.entries))} entries." if len(chain.entries) > MOST_ENTRIES else ""


def _entry_row(entry: Entry) -> dict[str, Any]:
    shades = sorted(entry.shades - {"corrected", "approximate"})
    return {
        "round": entry.round,
        "value": value_text(entry),
        "why": WHY_WORDS[entry.why],
        "status": status_words(entry),
        "words": shortened(one_line(entry.source.quote), QUOTE_CHARS),
        "message": entry.source.message,
        "said beside it": shortened(one_line(" … ".join(one.quote for one in entry.more)), QUOTE_CHARS),
        "extractor": entry.extractor,
        "confidence": " ".join([f"{entry.confidence:.2f}", *([f"({', '.join(shades)})".replace("_", " ")] if shades else [])]),
        "rule": shortened(entry.rule, VALUE_CHARS),
    }


def confidence_note() -> str:
    """What a confidence means."""
    return (
        f"Confidence of what a text rule reads is its share of right values on {MEASURED_ON}. That of a domain's own patterns and words "
        "(0.90, 0.85), of values in tool calls (0.95) and of the resolver is set with care, not measured."
    )


def alerts_table(state: State) -> pd.DataFrame:
    """One row per alert, in order."""
    rows: Sequence[dict[str, Any]] = [
        {
            "round": alert.round,
            "code": alert.code,
            "field": visible(alert.field),
            "text": shortened(one_line(alert.text), 400),
            "message": None if alert.source is None else alert.source.message,
        }
        for alert in state.alerts
    ]
    frame = pd.DataFrame(rows, columns=["round", "code", "field", "text", "message"])
    frame["message"] = frame["message"].astype("Int64")
    return frame
