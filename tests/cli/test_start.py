"""What the command line loads before it can work."""

from __future__ import annotations

import subprocess
import sys

from tests.conftest import ROOT


def test_the_command_line_starts_without_the_libraries_of_the_dashboard():
    """pandas alone would take half of the start."""
    code = "import sys, ctxcore.cli; print([name for name in ('pandas', 'plotly', 'streamlit', 'pyarrow') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=ROOT)
    assert done.stdout.strip() == "[]"
