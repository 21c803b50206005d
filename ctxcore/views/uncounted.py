"""What a budget does not count, in one sentence and as JSON: a budget holds for the recorded part of a request only."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from ctxcore.counted import count
from ctxcore.measures.uncounted import Uncounted, uncounted
from ctxcore.model import Session, Thread
from ctxcore.views.visible import visible

FACTS = re.compile(r"usage|times|model\b|limits|calls that|input tokens|compressions|summaries|prompt of the compaction")
"""How the names of those parts begin that tell of a request and are not sent with it."""


def uncounted_json(threads: Sequence[Thread], lacking: Sequence[str]) -> dict[str, Any]:
    """What of the requests the sizes leave out.

    Args:
        threads: That a policy was tried on, of one session.
        lacking: Parts that the session's format does not record.
    """
    found = uncounted(threads)
    return {
        "not_recorded": list(lacking),
        "median_tokens": None if found is None else found.tokens,
        "calls_with_recorded_input": 0 if found is None else found.calls,
        "what": uncounted_sentence(threads, lacking),
    }


def uncounted_sentence(threads: Sequence[Thread], lacking: Sequence[str]) -> str:
    """How much of the recorded input the counted part leaves out; empty where the log holds every part of a request.

    Args:
        threads: As for ``uncounted_json``.
        lacking: As for ``uncounted_json``.
    """
    parts = request_parts(lacking)
    if not parts:
        return ""
    return f"{_much(uncounted(threads))} Not recorded: {', '.join(map(visible, parts))}. The budget holds for the counted part only."


def budget_note(session: Session, thread: Thread) -> str:
    """The same for a page, which counts no tokens where only characters are shown: then it says where to find the number.

    Args:
        session: Of the thread.
        thread: That is shown.
    """
    return thread.once("budget_note", lambda: _budget_note(thread, session.not_recorded), of=thread.memo.get("tokens"))


def _budget_note(thread: Thread, lacking: Sequence[str]) -> str:
    parts = request_parts(lacking)
    counted = "tokens" in thread.memo or all(call.usage is None or call.usage.input_tokens is None for call in thread.calls)
    if counted or not parts:
        return uncounted_sentence([thread], lacking)
    return (
        f"Not recorded: {', '.join(map(visible, parts))}. The budget holds for the counted part only; "
        "choose the unit tokens to see how much of the recorded input that leaves out."
    )


def request_parts(lacking: Sequence[str]) -> tuple[str, ...]:
    """What of the parts that a log lacks is sent with a request.

    Args:
        lacking: Parts that the session's format does not record.
    """
    return tuple(part for part in lacking if not FACTS.match(part))


def _much(found: Uncounted | None) -> str:
    if found is None:
        return "How many input tokens the counted part leaves out is not recorded."
    if found.tokens <= 0:
        return "The recorded input is not larger than the counted part (median)."
    about = "about " if found.basis == "estimate" else ""
    which = "" if found.calls == found.of else f" of the {count(found.calls, 'call')} that {'has' if found.calls == 1 else 'have'} a recorded input"
    return f"The counted part leaves out {about}{count(found.tokens, 'recorded input token')} a call (median{which})."
