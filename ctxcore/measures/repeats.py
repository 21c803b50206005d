"""Tool calls that ask again for what was asked before, and whether the policy explains it.

Source: the notes on policies, 5.2. What a model would have asked for without a result nobody knows: these are the recorded repeats only.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ctxcore.measures.evidence_index import thread_evidence
from ctxcore.measures.visible import ABSENT, CHANGED, INTACT, part_fates
from ctxcore.model import Thread
from ctxcore.replay import Replay
from ctxcore.state.chains import touches
from ctxcore.state.values import CHANGES
from ctxcore.tool_uses import ToolUse, tool_uses

Explained = Literal["explained", "blind", "recorded", "refused"]
"""Why the model may have asked again: the policy would have taken the earlier result away, it would still stand there whole, the recorded context had
lost it already (a compaction), or the call is refused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeat:
    """A tool call equal to an earlier one of the thread that had a result."""

    use: int
    """Index into ``tool_uses``."""
    earlier: int
    """The newest equal one before it."""
    call: int
    """Model call whose reply asks again."""
    tool: str
    """As recorded."""
    target: str
    """What is read, for tools that read a file; else empty."""
    changed: bool
    """A change by the thread's own tools lies between: for a read of its file, for others of any file or value. Asking again is no waste then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatFate:
    """A repeat under a policy."""

    repeat: Repeat
    """Which."""
    word: Explained
    """Why."""


def repeats(thread: Thread) -> tuple[Repeat, ...]:
    """Every repeat in the recording, in order; made once per thread."""
    if "repeats" not in thread.memo:
        thread.memo["repeats"] = _repeats(thread)
    made: tuple[Repeat, ...] = thread.memo["repeats"]
    return made


def _repeats(thread: Thread) -> tuple[Repeat, ...]:
    answered: dict[tuple[str, ...], int] = {}
    touched: dict[str, int] = {}
    any_change = -1
    found: list[Repeat] = []
    for number, use in enumerate(tool_uses(thread)):
        key, target, changes = _key(use)
        earlier = answered.get(key)
        if earlier is not None:
            since = touched.get(target, -1) if target else any_change
            found.append(Repeat(use=number, earlier=earlier, call=use.call, tool=use.tool.name, target=target, changed=since > earlier))
        if use.result_message is not None:
            answered[key] = number
        for name in changes:
            touched[name] = any_change = number
    return tuple(found)


def _key(use: ToolUse) -> tuple[tuple[str, ...], str, list[str]]:
    """What makes tool calls equal, the file that is read, and what is changed."""
    found = touches(use)
    reads = [touch for touch in found if touch.action == "read"]
    changes = [touch.name for touch in found if touch.action in CHANGES and not use.failed and not use.says_failed]
    if len(found) == len(reads) == 1:
        return ("read", reads[0].name, reads[0].detail), reads[0].name, changes
    return ("call", use.tool.name, canonical(use.tool.arguments)), "", changes


def canonical(arguments: str) -> str:
    """Arguments of a call in one form, whatever the order of keys and the spaces."""
    try:
        return json.dumps(json.loads(arguments), sort_keys=True, ensure_ascii=False)
    except (ValueError, RecursionError):
        return arguments.strip()


def repeat_fates(replay: Replay) -> tuple[RepeatFate, ...]:
    """Every repeat of the recording, and whether the policy explains it.

    Args:
        replay: A policy over all calls of a thread.
    """
    found = repeats(replay.thread)
    uses, row_of = tool_uses(replay.thread), result_rows(replay.thread)
    rows = np.asarray([row_of[one.earlier] for one in found], np.int64)
    calls = np.asarray([one.call for one in found], np.int64)
    own = np.asarray([_wrote(replay.thread, uses[one.use]) for one in found], np.bool_)
    words: dict[int, Explained] = {ABSENT: "recorded", INTACT: "blind", CHANGED: "explained"}
    fates = part_fates(replay, rows, calls).tolist()
    return tuple(
        RepeatFate(repeat=one, word=words.get(fate, "refused")) for one, fate, known in zip(found, fates, own.tolist(), strict=True) if known
    )


def _wrote(thread: Thread, use: ToolUse) -> bool:
    """True if the reply of a recorded call asked for it: only then is its context known."""
    return bool(thread.calls) and thread.calls[use.call].reply == use.message


def result_rows(thread: Thread) -> list[int]:
    """Per tool use: row of its first result in the thread's ``Evidence``, -1 without one; made once per thread."""
    if "result_rows" not in thread.memo:
        starts = np.searchsorted(thread_evidence(thread).message, np.arange(len(thread.messages))).tolist()
        thread.memo["result_rows"] = [_row(thread, use, starts) for use in tool_uses(thread)]
    made: list[int] = thread.memo["result_rows"]
    return made


def _row(thread: Thread, use: ToolUse, starts: list[int]) -> int:
    if use.result_message is None:
        return -1
    parts = thread.messages[use.result_message].parts
    return starts[use.result_message] + next(number for number, part in enumerate(parts) if part is use.result)
