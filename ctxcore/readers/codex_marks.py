"""What Codex itself writes in the user role (instructions, surroundings, interruptions, summaries), and what a compaction did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ctxcore.counted import count
from ctxcore.model import Injected, Message, Part, Text

INJECTED_MARKS: tuple[tuple[str, Injected], ...] = (
    ("<turn_aborted>", "interruption"),
    ("another language model started to solve this problem", "summary"),
    ("# agents.md instructions", "meta"),
    ("<environment_context>", "meta"),
    ("<user_instructions>", "meta"),
    ("<skill>", "meta"),
    ("<user_shell_command>", "meta"),
    ("<subagent_notification>", "meta"),
    ("<subagents>", "meta"),
    ("<hook_prompt", "meta"),
)
"""How text that Codex itself puts in the user role begins, lower case. Source: openai/codex, contextual user fragments and summary prefix."""

UNRECORDED = "no summary is recorded"
"""What the note of a compaction says whose summary the log leaves out."""

NO_SUMMARY = "(no summary available)"
"""What Codex sends where a summary is empty. Source: openai/codex ``compact.rs``."""


def injected_kind(parts: Sequence[Part]) -> Injected:
    """Why a user-role message is not a person's: each of its texts begins with a mark of Codex; empty for a real one."""
    kinds: list[Injected] = []
    for part in parts:
        if not isinstance(part, Text):
            return ""
        start = part.text[:80].lstrip().lower()
        found = next((kind for mark, kind in INJECTED_MARKS if start.startswith(mark)), None)
        if found is None and start:
            return ""
        kinds += [found] if found else []
    return kinds[0] if kinds else ""


def marked(message: Message, summary: str = "") -> Message:
    """The message with the reason why it is not a person's, if there is one."""
    if message.role != "user" or message.injected:
        return message
    kind: Injected = "summary" if summary and message.text == summary else injected_kind(message.parts)
    return replace(message, injected=kind) if kind else message


def opening(messages: Sequence[Message], held: Sequence[int]) -> list[int]:
    """The messages of a history that stand before the first person's, replies left out."""
    first = next((place for place, index in enumerate(held) if messages[index].is_real_user), len(held))
    return [index for index in held[:first] if messages[index].role != "assistant"]


def compaction_note(messages: Sequence[Message], old: Sequence[int], new: Sequence[int], summary: int | None) -> str:
    """What a compaction did, in one sentence.

    Args:
        messages: Of the thread.
        old: The history before it.
        new: The history after it.
        summary: The message that stands for the old history, or None.
    """
    people = {index for index in old if messages[index].is_real_user}
    opaque = summary is not None and not messages[summary].text
    what = UNRECORDED if summary is None else "the summary is opaque" if opaque else "a summary is recorded"
    stands = count(len(new), "message replaces", "messages replace")
    return f"{stands} {len(old)}; user messages kept: {len(people & set(new))} of {len(people)}; {what}."
