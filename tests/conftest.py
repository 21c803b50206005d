"""What several tests need: the shared reference data, where it is present."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# A slow or busy machine is no failure; a check that passes once on a change passes again.
settings.register_profile("any machine", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("any machine")

ROOT = Path(__file__).resolve().parent.parent


def pytest_sessionstart(session: pytest.Session) -> None:
    """Say that something happens: reading the tests compiles them, which takes half a minute on a new machine and a few seconds later on."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None and session.config.get_verbosity() >= -1:
        reporter.write_line("reading the tests; the first time takes up to a minute, because they are compiled")
        reporter.flush()


def pytest_collection_finish(session: pytest.Session) -> None:
    """How many there are."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None and session.config.get_verbosity() >= -1:
        reporter.write_line(f"running {len(session.items):,} tests")
        reporter.flush()


def shared_folder() -> Path | None:
    """The folder of reference data, or None."""
    folder = Path(os.environ.get("CTXSCOPE_SHARED") or ROOT.parent / "shared")
    return folder if folder.is_dir() else None


@pytest.fixture(scope="session")
def shared() -> Path:
    folder = shared_folder()
    if folder is None:
        pytest.skip("no reference data at ../shared; name its folder with CTXSCOPE_SHARED")
    return folder
