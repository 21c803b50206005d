"""The public names of the package: adding or removing one is a decision, so it is written here too."""

from __future__ import annotations

import ctxcore

NAMES = """
BudgetedModel Call ContextBudgetError CtxscopeError FitReport FittedMessages InputError Message PreparedContext Problem ReadError Recorder
Replay Session Sweep Thread
fit_context fit_messages read_session read_sessions replay sweep
"""


def test_the_public_names_are_these() -> None:
    assert sorted(ctxcore.__all__) == sorted(NAMES.split())


def test_every_public_name_is_there_and_says_what_it_is() -> None:
    for name in ctxcore.__all__:
        assert getattr(ctxcore, name).__doc__, name
