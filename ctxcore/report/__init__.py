"""A session and what a policy does to it as files for other people: one HTML page, tables, and single requests."""

from __future__ import annotations

from ctxcore.report.release import Release
from ctxcore.report.study import Study, study

__all__ = ["Release", "Study", "study"]
