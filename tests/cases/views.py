"""Views and pages, as far as reading decides them."""

from __future__ import annotations

from tests.cases import case, exchanges, main, messages_of, turns


@case
def view_01() -> None:
    """A name that is markup is kept and counted."""
    (call,) = (call for message in main("VIEW-01.json").messages for call in message.calls)
    assert call.name.startswith("<")
    assert len(call.name) == 30


@case
def view_05() -> None:
    """Control codes, NUL and direction marks are recorded text and count."""
    thread = main("VIEW-05.json")
    recorded = messages_of("VIEW-05.json")[2]["content"]
    assert thread.messages[2].results[0].text == recorded
    assert "\0" in recorded
    assert exchanges(thread) == 1


@case
def app_09() -> None:
    """All 60 turns are there."""
    thread = main("APP-09.json")
    assert (len(thread.messages), turns(thread)) == (120, 60)
