"""Roles and content."""

from __future__ import annotations

from ctxcore import fit_messages, replay
from ctxcore.model import Reasoning
from ctxcore.units import catalog
from tests.c1 import C1
from tests.cases import case, exchanges, kinds, main, messages_of, read, size, total, turns


@case
def role_01() -> None:
    """A message of results is no turn."""
    assert [m.is_real_user for m in main("ROLE-01.json").messages] == [True, False, False, False, True, False]


@case
def role_02() -> None:
    """Signed thinking without text is flagged; opaque data is no text and stays in the record."""
    session = read("ROLE-02.json")
    thread = session.threads[0]
    assert kinds(session) == ["signed_thinking_empty"]
    assert (len(thread.messages), turns(thread)) == (4, 2)
    assert [p for m in thread.messages for p in m.parts if isinstance(p, Reasoning)] == [Reasoning(text="", opaque=True)] * 2
    assert thread.messages[3].wire[0]["content"][0]["data"] == "b3BhcXVl"


@case
def role_04() -> None:
    """Null and absent content keep their calls; the empty message is a hint."""
    session = read("ROLE-04.json")
    thread = session.threads[0]
    assert (len(thread.messages), exchanges(thread), total(thread)) == (9, 2, 86)
    assert kinds(session) == ["empty"]
    assert all("null" not in m.text.lower() and "none" not in m.text.lower() for m in thread.messages)


@case
def role_06() -> None:
    """A call without a function is an unnamed tool of size 0, paired all the same."""
    session = read("ROLE-06.json")
    thread = session.threads[0]
    assert (turns(thread), exchanges(thread), size(thread.messages[4])) == (2, 1, 0)
    assert kinds(session) == ["call_without_name"]


@case
def role_07() -> None:
    """Text in parts counts as the same text in one string, and system parts stay pinned."""
    messages = messages_of("ROLE-07.json")
    twin = [m if isinstance(m["content"], str) else {**m, "content": "".join(p["text"] for p in m["content"])} for m in messages]
    assert [C1().size(m) for m in messages] == [C1().size(m) for m in twin] == [32, 21, 5]
    assert fit_messages(messages, 58, C1()).kept == (0, 1, 2)
    assert catalog(main("ROLE-07.json")).pinned.tolist() == [True, False]


@case
def role_09() -> None:
    """No messages: no calls, and any budget gives an empty list."""
    thread = main("ROLE-09.json")
    assert (thread.messages, thread.calls) == ((), ())
    assert replay(thread, budget=1).before.tolist() == []
    for budget in (None, 0, 1):
        assert fit_messages([], budget, C1()).messages == ()


@case
def role_11() -> None:
    """An unknown role opens no turn and is not relabelled; a result without an id is named."""
    session = read("ROLE-11.json")
    thread = session.threads[0]
    assert [m.role for m in thread.messages] == ["system", "user", "critic", "assistant", "tool"]
    assert turns(thread) == 1
    assert set(kinds(session)) == {"unknown_role", "no_call_id", "orphan_result"}
    assert any("'critic'" in p.what for p in session.problems)
    assert not any("paired by order" in p.what for p in session.problems)


@case
def role_13() -> None:
    """The same system message twice is a hint with its size."""
    session = read("ROLE-13.json")
    assert kinds(session) == ["repeated_system_message"]
    assert "+27" in session.problems[0].what
    fitted = fit_messages(messages_of("ROLE-13.json"), 36, C1())
    assert (fitted.refused, fitted.missing) == ("over_budget", 65 - 36)
    only = messages_of("ROLE-13.only.json")
    assert turns(main("ROLE-13.only.json")) == 0
    assert [fit_messages(only, budget, C1()).kept for budget in (29, 30, 28)] == [(0, 1, 2), (0, 1, 2), ()]
