"""What several tests need: the shared reference data, where it is present."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

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
