"""The chains as a figure, in the table and on the command line: one truth."""

from __future__ import annotations

from typing import Any

from ctxcore.state.domains import domain_named
from ctxcore.state.editor import edit
from ctxcore.views.editing import state_json, state_tables
from ctxcore.views.state_fields import entries_table, status_words
from ctxcore.views.state_figure import WAITING, chains_figure
from ctxcore.views.terminal_table import FittedTable
from tests.state.talk import talk

ASKED = talk("u: 能开电子发票吗？", "a: 可以，电子发票发到邮箱。", "u: 好，下一步", "a: 好的", "u: 再等等", "a: 好")
"""Asked about in round 1, confirmed, and the user goes on in round 2."""

FIELD = "invoice_type"


def traces(**more: Any) -> dict[str, Any]:
    state = edit(ASKED, domain_named("shop"))
    figure = chains_figure(ASKED, state, [FIELD], axis="Round", picked=-1, **more)
    return {trace.name or trace.type: trace for trace in figure.data}


def test_a_mark_stands_where_the_words_stand_and_the_bar_where_the_value_counts() -> None:
    drawn = traces()
    assert list(drawn["first said"].x) == [1]
    assert list(drawn["bar"].base) == [2]
    assert (list(drawn[WAITING].base), list(drawn[WAITING].x)) == ([1], [1])
    assert "in round 1 (asked, accepted in round 2)" in drawn["bar"].customdata[0][2]


def test_table_command_and_figure_agree_on_both_rounds() -> None:
    state = edit(ASKED, domain_named("shop"))
    (entry,) = state.fields[FIELD].entries
    assert (entry.round, entry.since, status_words(entry)) == (1, 2, "asked, accepted in round 2")
    assert entries_table(state.fields[FIELD]).loc[0, ["round", "status"]].tolist() == [1, "asked, accepted in round 2"]
    told = state_json(state)["fields"][FIELD]["current"]
    assert (told["round"], told["since_round"]) == (1, 2)
    table = state_tables(state).renderables[0]  # type: ignore[attr-defined]
    assert isinstance(table, FittedTable)
    assert [row[2] for row in table.rows if row[0] == FIELD] == ["2 (asked in 1)"]


def test_what_was_turned_down_says_in_which_round_and_the_value_that_came_back_is_marked_once() -> None:
    thread = talk("u: The deposit is 2000 euros.", "a: Noted.", "u: Make it 9000 instead.", "a: Sorry, the limit is 5000.", "u: Go on.", "a: Yes.")
    state = edit(thread, domain_named("open"))
    ((name, chain),) = state.fields.items()
    assert [status_words(entry) for entry in chain.entries] == ["accepted", "refused"]
    figure = chains_figure(thread, state, [name], axis="Call", picked=-1)
    assert [len(trace.x) for trace in figure.data if trace.name == "first said"] == [1]


def test_a_value_set_at_once_counts_from_its_own_round() -> None:
    state = edit(talk("u: 预算是2000元", "a: 好"), domain_named("shop"))
    (entry,) = state.fields["budget_max"].entries
    assert (entry.since, "since_round" in state_json(state)["fields"]["budget_max"]["current"]) == (1, False)
