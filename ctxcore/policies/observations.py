"""What an environment said back: tool results, and plain texts of agents that act without tool calls."""

from __future__ import annotations

import numpy as np

from ctxcore.columns import BoolArray, IntArray, read_only
from ctxcore.policies.history import ASSISTANT, USER, History
from ctxcore.policies.pieces import RESULT, TEXT


def told(history: History) -> BoolArray:
    """Per position: a text in the user's role by which the environment answers a reply; demonstrations are none.

    Source: SWE-agent and mini-swe-agent, whose observations are user messages.
    """
    found = np.zeros(len(history.messages), np.bool_)
    roles = history.role.tolist()
    for position, message in enumerate(history.messages):
        if roles[position] != USER or message.injected != "meta" or "demonstration" in message.flags:
            continue
        found[position] = position > 0 and (roles[position - 1] == ASSISTANT or history.answers[position - 1] or found[position - 1])
    return read_only(found)


def observations(history: History) -> IntArray:
    """Pieces that are observations, ascending: every tool result, and the first text of each message that ``told`` marks."""
    results = np.flatnonzero(history.pieces.kind == RESULT)
    return np.sort(np.concatenate((results, first_texts(history, told(history))))).astype(np.int64)


def first_texts(history: History, marks: BoolArray) -> IntArray:
    """The first text piece of each marked message, ascending."""
    texts = np.flatnonzero(history.pieces.kind == TEXT)
    texts = texts[marks[history.pieces.message[texts]]]
    return texts[np.unique(history.pieces.message[texts], return_index=True)[1]].astype(np.int64)


def task(history: History) -> IntArray:
    """The first text of the first real user message, as one piece or none."""
    marks = np.zeros(len(history.messages), np.bool_)
    marks[np.flatnonzero(history.person)[:1]] = True
    return first_texts(history, marks)
