"""Every policy that ships: one file each, and one line of ``POLICIES``."""

from __future__ import annotations

from ctxcore.policies.catalog.autogen_buffered import AutogenBuffered
from ctxcore.policies.catalog.langchain_clear_tool_uses import LangchainClearToolUses
from ctxcore.policies.catalog.langchain_trim import LangchainTrim
from ctxcore.policies.catalog.none import NoTrim
from ctxcore.policies.catalog.whole_units import WholeUnits
from ctxcore.policies.protocol import Policy

POLICIES: tuple[type[Policy], ...] = (
    WholeUnits,
    NoTrim,
    LangchainTrim,
    LangchainClearToolUses,
    AutogenBuffered,
)
"""Default first."""
