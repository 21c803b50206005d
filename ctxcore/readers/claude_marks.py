"""Words by which Claude Code marks user-role text that no person wrote."""

from __future__ import annotations

from collections.abc import Iterable

from ctxcore.model import Injected, Media, Part, Text

REMINDER_STARTS = (
    "<system-reminder>",
    "<task-notification>",
    "<agent-notification>",
    "<new-diagnostics>",
    "<ide_opened_file>",
    "<ide_selection>",
)
"""Notes that the program adds beside or between a person's messages."""

META_STARTS = ("<local-command-stdout>", "<local-command-stderr>", "<local-command-caveat>", "<bash-stdout>", "<bash-stderr>", "<bash-input>")
"""Traces of commands that ran outside the model. Source: Claude Code sessions."""

INTERRUPTION_START = "[Request interrupted by user"
"""Source: format notes, 2.1."""

SUMMARY_START = "This session is being continued from a previous conversation"
"""First words of the summary that takes the place of a compacted history."""

LOCAL_COMMAND = "<command-name>"
"""Start of a slash command as a user line."""

LOCAL_OUTPUT = "<local-command-stdout>"
"""Its output, which says that no model was asked."""

STARTS: tuple[tuple[str | tuple[str, ...], Injected], ...] = (
    (REMINDER_STARTS, "reminder"),
    (META_STARTS, "meta"),
    (INTERRUPTION_START, "interruption"),
    (SUMMARY_START, "summary"),
)


def injected_by_text(parts: Iterable[Part]) -> Injected:
    """Why a user-role message is not a person's, by the first words of its texts; empty if one text, or any media, is a person's own."""
    found: Injected = ""
    for part in parts:
        if isinstance(part, Media):
            return ""
        if isinstance(part, Text) and part.text.strip():
            mark = _mark(part.text.lstrip())
            if not mark:
                return ""
            found = found or mark
    return found


def _mark(text: str) -> Injected:
    for starts, kind in STARTS:
        if text.startswith(starts):
            return kind
    return ""
