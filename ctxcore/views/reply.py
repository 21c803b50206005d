"""The reply to one call as a page shows it: under the request's messages, and no part of the request."""

from __future__ import annotations

from collections.abc import Collection

from ctxcore.replay import Replay
from ctxcore.views.listing import Show, turn_count
from ctxcore.views.message_text import message_text
from ctxcore.views.messages import MessageRow, message_row
from ctxcore.views.words import amount

REPLY = "reply"
"""What stands where a request's message has its fate: no policy keeps or drops a reply of this call."""


def reply_row(replay: Replay, call: int, *, search: str = "", show: Show = "all", opened: Collection[tuple[int, str]] = ()) -> MessageRow | None:
    """The message that answered a call, or None where the log has none or the list's limits leave it out.

    Args:
        replay: Of the thread.
        call: Index in the thread.
        search: Text to find in it, upper or lower case; empty finds it.
        show: What became of the listed messages; a reply has no fate and is only among ``all``.
        opened: Thread message and ``text`` or ``raw``: what is shown in full.
    """
    one = replay.thread.calls[call]
    if one.reply is None or show != "all":
        return None
    if search and search.casefold() not in message_text(replay.thread.messages[one.reply]).casefold():
        return None
    return message_row(replay, one.reply, place=one.message_count, status=REPLY, turn=turn_count(replay, call), opened=opened, search=search)


def reply_sentence(row: MessageRow | None, search: str, unit: str) -> str:
    """What the search or the list says of the reply, behind what it says of the messages; empty where there is none to tell of."""
    if row is None:
        return ""
    return " · the reply below holds the text" if search else f" · reply below, {amount(row.size, unit)}"
