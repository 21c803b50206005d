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
