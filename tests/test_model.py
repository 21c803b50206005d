"""What a thread keeps beside its value."""

from __future__ import annotations

from tests.chat import thread_of


def test_a_derived_result_is_made_once_and_again_for_another_object() -> None:
    thread = thread_of("Go.")
    made: list[str] = []

    def make() -> int:
        made.append("made")
        return len(made)

    first, second = [1], [1]
    assert [thread.once("length", make, of=first) for _ in range(3)] == [1, 1, 1]
    assert thread.once("length", make, of=second) == 2, "equal is not enough: sizes are told apart by which object they are"
    assert thread.once("other", make) == 3
    assert thread.once("length", make, of=first) == 4, "only the newest result is kept"
