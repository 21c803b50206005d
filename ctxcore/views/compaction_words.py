"""What each code of a compaction's checks means, in plain words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ctxcore.compaction.values import Fault
from ctxcore.views.visible import one_line, shortened

MEANS: Mapping[str, str] = {
    "AFTER_NOT_RECORDED": "What stayed is not known",
    "CORE_FIELD_NOT_FOUND": "Perhaps said in other words",
    "CRITICAL_COMPRESSION_FAILURE": "A core field is gone",
    "GREW": "It grew",
    "LATEST_USER_INSTRUCTION_LOST": "The newest instruction is gone",
    "LOOP": "Compacted again and again",
    "NESTED_SUMMARY": "A summary of a summary",
    "NO_ORIGINAL": "The original is not in the log",
    "NO_USER_MESSAGE_KEPT": "No message of the user stayed as its own",
    "OPAQUE": "The summary cannot be read",
    "OPEN_PLAN_STEPS_LOST": "Open steps of the plan are gone",
    "OVER_COMPRESSED": "Little is left",
    "SUMMARY_NOT_RECORDED": "The summary is not in the log",
    "SUPERSEDED_INSTRUCTION": "Told as current although taken back",
    "UNDER_COMPRESSED": "Much is left",
}
"""A few words per code; a test holds it complete."""

LONGEST = 400
"""Characters of a check's sentence."""


def means(code: str) -> str:
    """A few words; the code in small letters where it is of another kind."""
    return MEANS.get(code, code.replace("_", " ").capitalize())


def check_rows(faults: Sequence[Fault]) -> list[tuple[str, str, str, str]]:
    """Level, plain words, sentence and code of each check; faults first."""
    ordered = sorted(faults, key=lambda fault: fault.level != "fault")
    return [(fault.level, means(fault.code), shortened(one_line(fault.text), LONGEST), fault.code) for fault in ordered]
