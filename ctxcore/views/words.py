"""Sentences and numbers for people: thousands separators, units, and where a number comes from."""

from __future__ import annotations

import re
from collections.abc import Sized

from ctxcore.columns import Sizes
from ctxcore.counted import count
from ctxcore.model import Session, Thread
from ctxcore.replay import Replay
from ctxcore.views.masking import masked
from ctxcore.views.visible import STEERING, shortened, visible

MARKDOWN = re.compile(r"([!-/:-@\[-`{-~])")
"""ASCII punctuation, all of which Markdown may take as a command and a backslash turns off. Source: CommonMark, "Backslash escapes"."""


LINKED = re.compile(r"(?<=www)(?=\.)|(?<=:)(?=//|[\w+-]+:)|(?<=@)|(?<=[<>~-])(?=[=-])|(?<=-)(?=>)", re.IGNORECASE)
"""Places inside of what becomes a link, an emoji or another sign after the backslashes are gone: ``www.``, ``://``, ``@``, ``:word:``, and
``->``, ``<-``, ``<->``, ``--``, ``>=``, ``<=``, ``~=``. Source: GFM, "Autolinks (extension)"; Streamlit's renderer for the signs."""

WORD_JOINER = "\u2060"
"""Takes no room and allows no break."""


NO_CALLS = "No model call is recorded: the log ends before a first answer, or lacks the answers. So there is nothing to size, trim or compare."
"""Of a recording without calls, wherever its calls would stand."""


def session_notes(session: Session) -> tuple[str, ...]:
    """What a reader of a session should know: its notes, and that it has no call where it has none."""
    return session.notes if any(thread.calls for thread in session.threads) else (*session.notes, NO_CALLS)


def literal(text: str) -> str:
    """Text as a Markdown renderer must get it to show exactly these characters, in one line; a word joiner keeps links and signs apart."""
    return MARKDOWN.sub(r"\\\1", LINKED.sub(WORD_JOINER, visible(text)))


def visible_lines(text: str) -> str:
    """The text with its line breaks and tabs, secrets masked, and a visible mark for every other character that would not be seen as itself."""
    return STEERING.sub(lambda match: match.group() if match.group() in "\n\t" else visible(match.group()), masked(text))


UNIT_WORDS = {"chars": "characters", "tokens": "tokens"}
"""Units of measure in words."""


def number(value: int) -> str:
    """A whole number with thousands separators."""
    return f"{value:,}"


def amount(value: int, unit: str) -> str:
    """A size with its unit of measure, which is named for many: ``16,000 chars``, ``1 char``."""
    return count(value, unit.removesuffix("s"), unit)


def signed(value: int) -> str:
    """A whole number with its sign and thousands separators."""
    return f"{value:+,}".replace("-", "−") if value else "0"


def percent(part: int, whole: int) -> str:
    """A share in whole percent; a dash where there is no whole."""
    return f"{100 * part / whole:.0f} %" if whole else "–"


def budget_sentence(replay: Replay, budget: int | None) -> str:
    """What the budget does to all calls, in one sentence.

    Args:
        replay: At the budget.
        budget: In the replay's unit; None is unlimited.
    """
    calls = len(replay.before)
    if budget is None:
        return f"No limit: all {count(calls, 'call')} go out whole."
    refused, trimmed = int(replay.refused.sum()), int((replay.dropped_messages > 0).sum())
    whole = calls - refused - trimmed
    parts = [f"{whole:,} of {count(calls, 'call')} {'fits' if whole == 1 else 'fit'} as recorded", f"{trimmed:,} would be trimmed"]
    parts.append(f"{refused:,} cannot fit and would be refused")
    return f"At {amount(budget, replay.unit)}: {', '.join(parts)}."


def counter_sentence(sizes: Sizes) -> str:
    """What counted the sizes, for example ``Tokens counted with o200k, exact for gpt-5.``; characters are named too."""
    if sizes.unit == "chars":
        return "Characters of the request's canonical JSON."
    return f"{visible(sizes.unit).capitalize()} counted with {visible(sizes.counter)}."


def page_sentence(found: Sized, page: int, size: int, all_messages: int, turns: int) -> str:
    """Which messages of a call are listed."""
    first, last = (page - 1) * size + 1, min(page * size, len(found))
    shown = f"Messages {first:,}–{last:,} of {len(found):,}" if len(found) else "No messages"
    whole = "" if len(found) == all_messages else f" found, {all_messages:,} in the call"
    return f"{shown}{whole} · {count(turns, 'turn')}"


THREAD_KINDS = {"main": "Main", "agent": "Sub-agent", "side": "Side call"}


def thread_title(thread: Thread) -> str:
    """A thread in one line of plain text."""
    shown = [THREAD_KINDS[thread.kind]]
    if thread.kind != "main":
        shown.append(shortened(thread.id, 24))
    if thread.title and thread.title != thread.id:
        shown.append(shortened(thread.title, 60))
    shown.append(count(len(thread.calls), "call"))
    if thread.kind == "agent":
        shown.append("not linked to a call" if thread.parent_call is None else f"started by call #{thread.parent_call:,}")
    return " · ".join(shown)
