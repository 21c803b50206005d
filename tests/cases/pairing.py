"""Tool calls and their results."""

from __future__ import annotations

from ctxcore import fit_messages
from tests.c1 import C1
from tests.cases import case, exchanges, kinds, main, messages_of, paired, read, size, total, turns


@case
def pair_04() -> None:
    """All three results of the parallel calls are kept or none, at every budget."""
    messages = messages_of("PAIR-04.json")
    for budget in range(196):
        kept = fit_messages(messages, budget, C1(), notice=False).kept
        assert len({3, 4, 5} & set(kept)) in (0, 3)
        assert paired(messages, kept)


@case
def pair_03() -> None:
    """Dropping only the largest message would fit but is wrong, at every budget."""
    messages = messages_of("PAIR-03.json")
    for budget in range(750):
        assert paired(messages, fit_messages(messages, budget, C1(), notice=False).kept)


@case
def pair_06() -> None:
    """Two calls without a recorded result are named at message 1; the session is shown."""
    session = read("PAIR-06.json")
    (problem,) = session.problems
    assert problem.kind == "open"
    assert problem.what == "2 tool calls without a recorded result (message 2): toolu_p1, toolu_p2."  # the system prompt is message 0
    assert turns(session.threads[0]) == 2


@case
def pair_07() -> None:
    """One exchange with a second answer, which stays in the size."""
    session = read("PAIR-07.json")
    thread = session.threads[0]
    assert exchanges(thread) == 1
    assert kinds(session) == ["duplicate_result"]
    assert session.problems[0].what.startswith("1 tool result that answers")
    assert size(thread.messages[2]) == 18


@case
def pair_10() -> None:
    """Text between results is a warning; the message opens no turn."""
    session = read("PAIR-10.json")
    thread = session.threads[0]
    assert (len(thread.messages), turns(thread), exchanges(thread)) == (4, 1, 1)
    assert kinds(session) == ["text_before_result"]


@case
def pair_11() -> None:
    """An unanswered call at the end is pending, not broken."""
    assert kinds(read("PAIR-11.json")) == ["pending"]


@case
def pair_13() -> None:
    """Old functions pair by name, their arguments count, and the result never survives alone."""
    thread = main("PAIR-13.json")
    assert [size(m) for m in thread.messages][2] == 24
    assert (turns(thread), exchanges(thread)) == (2, 1)
    assert read("PAIR-13.json").problems == ()
    assert fit_messages(messages_of("PAIR-13.json"), 73, C1(), notice=False).kept == (0, 5, 6)


@case
def pair_14() -> None:
    """Arguments that are no object, or no JSON, are kept as recorded and named."""
    session = read("PAIR-14.json")
    thread = session.threads[0]
    assert [(c.arguments, len(c.arguments)) for c in thread.messages[2].calls] == [('"all shelves"', 13), ('{"shelf": 4', 11)]
    assert kinds(session) == ["arguments_not_json", "arguments_not_an_object"]
    assert (len(thread.messages), total(thread)) == (6, 98)


@case
def pair_16() -> None:
    """Two calls one after the other are not two calls at once."""
    one, two = main("PAIR-16.a.json"), main("PAIR-16.b.json")
    assert (exchanges(one), exchanges(two)) == (2, 1)
    assert (len(one.calls), len(two.calls)) == (4, 3)  # the last is the request "Go north."
    assert [len(c.context) and c.message_count for c in one.calls][:3] == [1, 3, 5]
    assert total(one) == total(two) == 116
