"""What is said above the chains is true of the conversation."""

from __future__ import annotations

from ctxcore import read_session
from ctxcore.state.domains import domain_named
from ctxcore.state.editor import edit
from ctxcore.views.state_sentences import chains_sentence
from tests.conftest import ROOT
from tests.state.talk import state_of, tool


def test_the_sample_s_chains_in_words() -> None:
    thread = read_session(ROOT / "sample_sessions/shop-order-zh.jsonl").threads[0]
    assert chains_sentence(edit(thread, domain_named("shop"))) == (
        "In 13 rounds 6 fields got a value or a question. 3 of them changed later: user_intent, budget_max, product_context.attrs.color. "
        "The most changes has product_context.attrs.color: black → red → black (round 8 the last time). "
        "Back to an earlier value went product_context.attrs.color."
    )


def test_what_never_counted_is_told_and_units_stay() -> None:
    read = state_of("open", "u: The deposit is 2000 euros.", "a: Noted.", "u: Make it 9000 instead.", "a: Sorry, the limit is 5000.")
    assert chains_sentence(read) == (
        "In 2 rounds 1 field got a value or a question. No value changed after it was first set. Values that do not count: 1 refused."
    )
    read = state_of("open", "u: The deposit is 2000 euros.", "a: Noted.", "u: Make it 3000.", "a: ok")
    assert "deposit: 2,000 EUR → 3,000 EUR (round 2 the last time)." in chains_sentence(read)


def test_lists_are_counted_not_written_out() -> None:
    edits = [one for n in range(3) for one in tool("Edit", "ok", f"c{n}", file_path=f"src/f{n}.py", old_string="a", new_string="b")]
    told = chains_sentence(state_of("coding", "u: fix it", *edits, "a: done"))
    assert "files.edited: 2, the last in round 1." in told
