"""What the page State says of the picked call. Call k is the reply of the k-th tool step."""

from __future__ import annotations

from ctxcore import replay
from ctxcore.measures.presence import Presence, presences
from ctxcore.state.chains import change_chains
from ctxcore.views.state import chain_table, show_counts, shown_chains, state_sentence
from tests.chat import Step, thread_of

FILES: list[Step] = [
    ("Read", {"file_path": "calm.py"}, "x"),
    ("Read", {"file_path": "busy.py"}, "x"),
    ("Edit", {"file_path": "busy.py", "old_string": "a", "new_string": "b"}, "ok"),
    ("Edit", {"file_path": "lost.py", "old_string": "a", "new_string": "b"}, "ok"),
    ("set_limit", {"limit": 5}, '{"status": "error"}'),
]
THREAD = thread_of("Go.", *FILES)
CHAINS = change_chains(THREAD)
WORDS = ("yes", "yes", "stale only", "only failed")


def test_a_read_that_the_own_edit_made_old_is_superseded_while_the_call_still_sees_the_edit() -> None:
    found = presences(CHAINS, replay(THREAD, budget=100_000), 5)
    assert [one.word for one in found] == ["yes", "yes", "yes", "only failed"]
    assert show_counts(CHAINS, found) == {"all": 4, "stale value only": 0, "newest value missing": 0, "superseded reads": 1}
    assert chain_table(CHAINS[1], THREAD)["read is"].tolist() == ["superseded by call #2 (stale)", ""]
    assert state_sentence(CHAINS, found, 5) == (
        "Of 3 touched by then, call #5 would receive the newest value of 3, only a stale value of 0 and nothing of 0. "
        "In the whole thread: 3 files and 1 named value, 2 changes. 1 read is stale: superseded by a later change in this thread."
    )


def test_what_the_call_has_lost_comes_first_then_what_changed_most() -> None:
    found = [Presence(word=word) for word in WORDS]
    assert [CHAINS[n].name for n in shown_chains(CHAINS, found, "all")] == ["lost.py", "busy.py", "calm.py", "limit"]
    absent = [Presence(word="not in the request"), *found[1:]]
    assert [CHAINS[n].name for n in shown_chains(CHAINS, absent, "all")] == ["lost.py", "busy.py", "calm.py", "limit"], "a file only read comes after"
    assert [CHAINS[n].name for n in shown_chains(CHAINS, found, "stale value only")] == ["lost.py"]
    assert [CHAINS[n].name for n in shown_chains(CHAINS, found, "superseded reads")] == ["busy.py"]
    assert [CHAINS[n].name for n in shown_chains(CHAINS, found, "all", "PY")] == ["lost.py", "busy.py", "calm.py"]
