"""What the page Overview says of a session and one of its threads at a budget."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from ctxcore.columns import CATEGORIES
from ctxcore.counted import count
from ctxcore.measures.breakdown import call_basis
from ctxcore.model import Session, Thread
from ctxcore.readers.repeats import distinct_calls, summed
from ctxcore.replay import Replay
from ctxcore.views.duration import time_sentence
from ctxcore.views.message_text import message_text, preview
from ctxcore.views.recorded_tokens import recorded_tokens
from ctxcore.views.sent import category_shares, times_sent, turns_held
from ctxcore.views.tables import Fact, PartsTable, Row, count_table
from ctxcore.views.visible import shortened
from ctxcore.views.words import amount, literal, number, percent, thread_title

LEVELS = {
    "full requests": "Every request is in the file as it was sent, with its reply.",
    "requests only": "Requests are in the file, not every reply.",
    "message list only": "The file holds the conversation; what each call received is rebuilt from it.",
    "server-side state": "Part of the context lived on the provider's server: requests hold what was new, the rest is rebuilt if the file has it.",
}
"""What a level of loss means."""

BIGGEST = 8
"""Messages in the list of the biggest."""


def session_facts(session: Session) -> tuple[Fact, ...]:
    """What was read, and what of it."""
    ledger = session.ledger
    skipped = sum(amount for _, amount in ledger.skipped)
    calls = sum(len(thread.calls) for thread in session.threads)
    return (
        Fact(name="File", value=shortened(session.name, 120)),
        Fact(name="Format", value=session.format),
        Fact(name="Level", value=f"{session.level}. {LEVELS[session.level]}"),
        Fact(name="Not recorded", value=", ".join(session.not_recorded) or "nothing known to be missing"),
        Fact(name="Holds", value=f"{count(calls, 'call')} in {count(len(session.threads), 'thread')}"),
        Fact(name="Recorded tokens", value=recorded_tokens(session)),
        Fact(name="Time", value=time_sentence(session.threads)),
        Fact(name="Records", value=f"{ledger.records:,}: {ledger.read:,} read, {skipped:,} skipped"),
    )


def skipped_table(session: Session) -> PartsTable:
    """Records that were not used, by reason."""
    rows = sorted(session.ledger.skipped, key=lambda pair: (-pair[1], pair[0]))
    return count_table("Skipped records", ("reason", "records"), [(reason.replace("_", " "), amount) for reason, amount in rows])


USAGE = ("input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens")
"""Recorded token counts of the usage table, in this order."""


def usage_frame(session: Session) -> pd.DataFrame:
    """Recorded tokens, one row a thread and one for all; empty where no call has any. An unknown count stays empty."""
    counts = [_thread_usage(thread) for thread in session.threads]
    if all(value is None for row in counts for value in row[1:]):
        return pd.DataFrame()
    titles = [thread_title(thread) for thread in session.threads]
    if len(counts) > 1:
        titles.append("All threads")
        counts.append(tuple(_known_sum(column) for column in zip(*counts, strict=True)))
    names = ["calls", *(name.removesuffix("_tokens").replace("_", " ") for name in USAGE)]
    frame = pd.DataFrame(counts, columns=names).astype("Int64")
    frame.insert(0, "thread", titles)
    return frame


def _thread_usage(thread: Thread) -> tuple[int | None, ...]:
    used = [call.usage for call in thread.calls if call.usage is not None]
    return len(thread.calls), *(_known_sum(getattr(usage, name) for usage in used) for name in USAGE)


def _known_sum(values: Iterable[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def together(sessions: Sequence[Session]) -> str:
    """Recorded tokens of several open sessions, a call that more than one of them holds counted once; empty for fewer than two."""
    number = len({session.digest for session in sessions})
    calls = distinct_calls(sessions)
    usage = summed(calls.values())
    if number < 2 or usage.input_tokens is None:
        return ""
    counted = sum(one.input_tokens is not None for one in calls.values())
    basis = "" if counted == len(calls) else f" (recorded for {counted:,} of them)"
    output = "an unknown number of" if usage.output_tokens is None else f"{usage.output_tokens:,}"
    tokens = count(usage.input_tokens, "token")
    return f"All {number:,} open sessions together: {count(len(calls), 'distinct call')}{basis}, {tokens} in, {output} out."


def problems_frame(session: Session) -> pd.DataFrame:
    """What could not be read as it stands, one row each."""
    rows = [(str(p.source), p.kind.replace("_", " "), shortened(p.what, 300), shortened(p.excerpt, 80)) for p in session.problems]
    return pd.DataFrame(rows, columns=["where", "kind", "what", "excerpt"])


def sentence(session: Session, replay: Replay, budget: int | None) -> str:
    """The session in plain words, as Markdown.

    Args:
        session: The session.
        replay: Of the thread shown.
        budget: In the replay's unit; None is unlimited.
    """
    calls = len(replay.before)
    if not calls:
        return "This thread holds no model call."
    peak = int(replay.before.argmax())
    told = [
        f"{literal(shortened(session.name, 80))} holds {count(calls, 'model call')} in this thread.",
        f"The largest request, call #{peak:,}, is **{amount(int(replay.before[peak]), replay.unit)}**.",
        _verdict(replay, budget),
        _largest_part(replay),
    ]
    return " ".join(told)


def _largest_part(replay: Replay) -> str:
    """What most of the requests is made of, on the base of the table by category."""
    shares = category_shares(replay)
    whole = sum(share.before for share in shares)
    return f"Of all that was sent, each message counted once, {percent(shares[0].before, whole)} is {shares[0].name.lower()}." if whole else ""


def _verdict(replay: Replay, budget: int | None) -> str:
    if budget is None:
        return "Without a limit every call goes out whole."
    if not budget:
        return "A budget of 0 fits nothing: every call is refused."
    over = int((replay.before > budget).sum())
    if not over:
        return f"Every call fits {amount(budget, replay.unit)} as recorded."
    first = int(np.flatnonzero(replay.before > budget)[0])
    refused = int(replay.refused.sum())
    trimmed = "it fits after trimming" if over == 1 else "all of them fit after trimming"
    fate = f"{count(refused, 'call')} cannot be made to fit" if refused else trimmed
    which = f"Call #{first:,} alone exceeds" if over == 1 else f"From call #{first:,} on, **{count(over, 'call')}** exceed"
    return f"{which} {amount(budget, replay.unit)}; {fate}."


def size_facts(replay: Replay, budget: int | None) -> tuple[Fact, ...]:
    """Peak and final size against the budget."""
    if not len(replay.before):
        return ()
    peak, last = int(replay.before.argmax()), len(replay.before) - 1
    bases = [call_basis(replay.thread.calls[call], replay.sizes) for call in (peak, last)]
    limit = "no limit" if budget is None else amount(budget, replay.unit)
    return (
        Fact(name="Budget", value=limit),
        Fact(name=f"Largest request, call #{peak:,}", value=_against(int(replay.before[peak]), budget, replay.unit), basis=bases[0]),
        Fact(name=f"Last request, call #{last:,}", value=_against(int(replay.before[last]), budget, replay.unit), basis=bases[1]),
        Fact(name="Last request after trimming", value=_after(replay, last), basis=bases[1]),
        Fact(name="Calls over the budget", value=_of(0 if budget is None else int((replay.before > budget).sum()), len(replay.before))),
        Fact(name="Calls refused", value=_of(int(replay.refused.sum()), len(replay.before))),
    )


def _against(size: int, budget: int | None, unit: str) -> str:
    if not budget:
        return amount(size, unit)
    return f"{amount(size, unit)} ({f'{size / budget:,.1f} ×' if size > 2 * budget else f'{percent(size, budget)} of'} the budget)"


def _after(replay: Replay, call: int) -> str:
    if replay.refused[call]:
        return f"refused, {amount(int(replay.missing[call]), replay.unit)} too large"
    return amount(int(replay.after[call]), replay.unit)


def _of(part: int, whole: int) -> str:
    return f"{part:,} of {whole:,}"


def problems_title(session: Session) -> str:
    """Over the table of problems."""
    return f"{count(len(session.problems), 'problem')} while reading"


def refused_frame(replay: Replay, most: int) -> pd.DataFrame:
    """The first calls that cannot be made to fit, one row each, call order: size, by how much it is too large, and what stays after every cut.

    Args:
        replay: A policy at a budget.
        most: Rows.
    """
    calls = np.flatnonzero(replay.refused)[:most]
    turns = turns_held(replay.thread)[calls]
    frame = pd.DataFrame({"call": calls, "turn": turns, "before": replay.before[calls], "missing": replay.missing[calls]})
    needs = [need for need in map(replay.needs, calls.tolist()) if need is not None]
    return frame.assign(**{part: [getattr(need, part) for need in needs] for part in ("system", "tools", "task", "newest", "rest")})


def listed(rows: int, most: int, noun: str) -> str:
    """Under a table that may be cut: how many rows it has of how many."""
    return f"The first {number(most)} of {count(rows, noun)}." if rows > most else ""


def biggest_messages(replay: Replay) -> PartsTable:
    """The largest messages that any request held, with how many calls sent each again."""
    sizes, sent = replay.sizes.message, times_sent(replay.thread)
    order = [index for index in np.argsort(-sizes, kind="stable").tolist() if sent[index]][:BIGGEST]
    rows = tuple(
        Row(
            name=shortened(f"{m.role}: {' '.join(preview(message_text(m)).split())}", 220),
            before=int(sizes[index]),
            after=int(sizes[index]),
            colour=CATEGORIES[int(replay.sizes.parts[index].argmax())],
            cells=(number(int(sizes[index])), number(int(sent[index])), number(int(sizes[index] * sent[index]))),
        )
        for index in order
        for m in [replay.thread.messages[index]]
    )
    unit = replay.unit
    return PartsTable(
        title="Biggest messages",
        columns=(unit, "size", "sent in calls", "sent in all"),
        rows=rows,
        note="A message is sent again in every call that holds it.",
    )
