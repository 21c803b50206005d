"""``python -m ctxcore.runtime.demo FOLDER``: write the sample sessions."""

from __future__ import annotations

import sys
from pathlib import Path

from ctxcore.runtime.demo.samples import write_samples

for path in write_samples(Path(sys.argv[1] if len(sys.argv) > 1 else "sample_sessions")):
    sys.stdout.write(f"{path} {path.stat().st_size:,} bytes\n")
