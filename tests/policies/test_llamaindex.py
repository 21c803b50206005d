"""LlamaIndex's memories, by hand from their descriptions; the differential tests run the real ones on many lists."""

from __future__ import annotations

from tests.policies.lists import Chat, calls, result, said, sent, size, system, user

TURNS: list[Chat] = [
    system(),
    user("One."),
    said("First."),
    user("Two."),
    calls("a"),
    result("a", "x" * 80),
    said("Second."),
    user("Three."),
]


def test_the_buffer_begins_with_a_user_message() -> None:
    """The last four would fit, but begin with a result: it goes on to the next that is neither reply nor result."""
    assert sent(TURNS, "llamaindex-buffer", size(TURNS[0], *TURNS[5:])) == [TURNS[0], TURNS[-1]]
    assert sent(TURNS, "llamaindex-buffer", size(TURNS[0], *TURNS[3:])) == [TURNS[0], *TURNS[3:]]


def test_the_buffer_keeps_the_newest_message_even_a_lone_result() -> None:
    """Known fault: the current turn is larger than the budget, and of it only its last result is left, without its call."""
    turn = [system(), user("Look."), calls("a"), result("a", "x" * 500)]
    assert sent(turn, "llamaindex-buffer", 100) == [turn[0], turn[-1]]


def test_the_buffer_of_nothing() -> None:
    assert sent([system()], "llamaindex-buffer", 10) == [system()]
    assert sent([], "llamaindex-buffer", 10) == []


def test_the_queue_sheds_a_batch_and_on_to_a_user_message() -> None:
    """Ratio 1: at the last message the queue is over by 1. A batch of 1 takes only the first message; the reply behind it goes too."""
    talk = TURNS[1:]
    kept = sent(TURNS, "llamaindex-memory", size(*TURNS) - 1, chat_history_token_ratio=1.0, token_flush_size=1)
    assert kept == [TURNS[0], *talk[2:]]


def test_what_was_shed_stays_away() -> None:
    """The long result pushes the first turn out; nothing brings it back at the later calls."""
    later = [*TURNS, said("Third."), user("Four.")]
    budget = size(*TURNS[:6]) - 1
    at_result = sent(later, "llamaindex-memory", budget, 2, chat_history_token_ratio=1.0, token_flush_size=1)
    assert at_result == [TURNS[0], *TURNS[3:6]]
    assert user("One.") not in sent(later, "llamaindex-memory", budget, chat_history_token_ratio=1.0, token_flush_size=1)


def test_a_batch_that_would_take_the_turn_leaves_it() -> None:
    """The batch reaches the newest result; the queue goes back to the user message that began the turn, over the limit or not."""
    turn = [user("One."), said("First."), user("Two."), calls("a"), result("a", "x" * 300)]
    assert sent(turn, "llamaindex-memory", 150, chat_history_token_ratio=1.0, token_flush_size=150) == turn[2:]


def test_without_a_user_message_the_queue_is_emptied() -> None:
    """Known fault: the second reply puts the queue over its limit, nothing could begin it, so both go; the third call gets nothing."""
    assert sent([said("x" * 200), said("y" * 200), said()], "llamaindex-memory", 100, token_flush_size=50) == []


def test_the_summary_takes_a_turn_that_is_larger_than_the_budget() -> None:
    """Known fault: the newest result fits, but no result may begin what stays, so the whole turn is summarised."""
    turn = [system(), user("Look."), calls("a"), result("a", "x" * 300)]
    assert sent(turn, "llamaindex-summary-buffer", size(*turn) - 1, summary="opaque", ratio=0.0) == [turn[0]]


def test_the_summary_takes_what_does_not_fit() -> None:
    assert sent(TURNS, "llamaindex-summary-buffer", size(TURNS[0], *TURNS[3:]), summary="opaque", ratio=0.0) == [TURNS[0], *TURNS[3:]]
