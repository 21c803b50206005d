"""``python -m ctxcore.cli``."""

from __future__ import annotations

import sys

from ctxcore.cli import main

sys.exit(main())
