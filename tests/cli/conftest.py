"""The width of a terminal is said by a test, never by the machine that it runs on."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _no_width_of_this_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
