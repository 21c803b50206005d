"""Words that a value may have, one meaning each, and JSON."""

from __future__ import annotations

from typing import Any, Literal

Json = Any
"""A value that ``json.loads`` can return."""

Basis = Literal["recorded", "exact", "reconstructed", "estimate"]
"""Where a number comes from: the log itself, counted on recorded text, counted on a rebuilt context, or estimated."""

Known = Literal["recorded", "reconstructed"]
"""How a call's context is known: written in the log, or rebuilt by the format's rules."""

Level = Literal["full requests", "requests only", "message list only", "server-side state"]
"""What a session can show at best, from most to least."""

ThreadKind = Literal["main", "agent", "side"]
"""Main agent, sub-agent with a window of its own, or a side call (title, probe)."""

Injected = Literal["", "summary", "reminder", "interruption", "meta"]
"""Why a user-role message is not a person's: empty for a real one."""
