"""What became of each tool call of a thread: what kind of work it was, whether it succeeded, and whether a failure was made good."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ctxcore.columns import BoolArray, IntArray, first_sums, read_only
from ctxcore.model import Thread
from ctxcore.plan.commands import RUNNING, TEST_TOOLS, CommandKind, command_key, command_kind, command_line, exit_code, whole_command, written_files
from ctxcore.plan.families.protocol import plan_word
from ctxcore.plan.reports import report
from ctxcore.plan.sources import family_of
from ctxcore.state.extract import EXTRACTORS
from ctxcore.state.values import CHANGES
from ctxcore.tool_uses import ToolUse, tool_uses

WorkKind = Literal["test", "check", "command", "edit", "look", "other", "none"]
"""What a tool call is for; ``none`` is no work on the task: plans, questions, thoughts."""

NO_WORK = frozenset(
    {"todoread", "readtodos", "tasklist", "taskget", "tasklists", "getplan", "exitplanmode", "enterplanmode", "mode", "switchmode", "toolsearch"}
    | {"askuserquestion", "askuser", "askfollowupquestion", "requestuserinput", "attemptcompletion", "finish", "think", "sequentialthinking"}
)
"""Tool names in lower case without separators."""

LOOKS = (
    *("read", "get", "list", "search", "find", "view", "grep", "glob", "fetch", "open", "look", "query", "web", "ls", "show", "describe", "browse"),
    *("taskoutput", "bashoutput"),
)
"""How the names of tools that only look begin."""

DECLINED = (
    *("the user doesn't want to", "[request interrupted", "the user denied", "user rejected", "aborted by user"),
    "<tool_use_error>sibling tool call errored",
)
"""First words (lower case) of a result that says the call never ran."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One tool call, judged by what is recorded of it."""

    kind: WorkKind
    """What it is for."""
    ok: bool | None
    """Succeeded; None without a result, for one that still runs, and for one that never ran."""
    declined: bool
    """It never ran: a person or the program stopped it."""
    key: str
    """What a later call must share to make its failure good."""
    what: str
    """The command, the file, or the tool's name."""
    also: tuple[str, ...] = ()
    """Further keys whose failures its success makes good: files that a command writes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcomes:
    """All tool calls of a thread; arrays are read-only with one entry per tool use, prefix sums with one more."""

    uses: tuple[ToolUse, ...]
    """As ``tool_uses``."""
    each: tuple[Outcome, ...]
    """One per use."""
    work: IntArray
    """Prefix sum of those that are work."""
    good: IntArray
    """Prefix sum of work that succeeded."""
    bad: IntArray
    """Prefix sum of work that failed."""
    repaired: IntArray
    """For a failure the next success of the same target; the number of uses where there is none, and for all others their own place."""
    last_check: IntArray
    """Before each place the last build, linter or type check with a known end; -1 for none."""
    last_test: IntArray
    """The same for tests."""
    last_command: IntArray
    """The same for all commands that do something."""


def outcomes(thread: Thread) -> Outcomes:
    """What became of each tool call; made once per thread."""
    return thread.once("plan_outcomes", lambda: _outcomes(tool_uses(thread)))


def _outcomes(uses: Sequence[ToolUse]) -> Outcomes:
    running: dict[str, Outcome] = {}
    each = tuple(_judge(use, running) for use in uses)
    is_work = np.asarray([one.kind != "none" for one in each], np.bool_)
    good = np.asarray([one.ok is True for one in each], np.bool_) & is_work
    bad = np.asarray([one.ok is False for one in each], np.bool_) & is_work
    kinds = [one.kind if one.ok is not None else "none" for one in each]
    return Outcomes(
        uses=tuple(uses),
        each=each,
        work=read_only(first_sums(is_work)),
        good=read_only(first_sums(good)),
        bad=read_only(first_sums(bad)),
        repaired=_repairs(each),
        last_check=_last(np.asarray([kind == "check" for kind in kinds], np.bool_)),
        last_test=_last(np.asarray([kind == "test" for kind in kinds], np.bool_)),
        last_command=_last(np.asarray([kind in ("test", "check", "command") for kind in kinds], np.bool_)),
    )


def _last(marks: BoolArray) -> IntArray:
    places = np.where(marks, np.arange(len(marks)), -1).astype(np.int64)
    return read_only(np.concatenate(([-1], np.maximum.accumulate(places))).astype(np.int64) if len(marks) else np.asarray([-1], np.int64))


def _repairs(each: Sequence[Outcome]) -> IntArray:
    """Read from the end: the next success by key."""
    found = np.arange(len(each), dtype=np.int64)
    newest: dict[str, int] = {}
    for place in range(len(each) - 1, -1, -1):
        one = each[place]
        if one.ok is True:
            newest.update(dict.fromkeys((one.key, *one.also), place))
        elif one.ok is False:
            found[place] = newest.get(one.key, len(each))
    return read_only(found)


def _judge(use: ToolUse, running: dict[str, Outcome]) -> Outcome:
    declined = use.result is not None and use.result.text.lstrip()[:60].lower().startswith(DECLINED)
    if plan_word(use) in NO_WORK or (family_of(use) is not None and "task_progress" not in use.tool.arguments):
        return Outcome(kind="none", ok=None, declined=declined, key="", what=use.tool.name)
    command = command_line(use)
    begun = running.get(str(use.arguments.get("session_id", ""))) if use.word == "writestdin" else None
    if command or begun is not None:
        return _judge_command(use, command, begun, running, declined=declined)
    kind, target = _kind(use)
    ok = None if declined or use.result is None else not (use.failed or use.says_failed or exit_code(use) not in (None, 0))
    if kind == "test" and ok is not None and use.result is not None and report(use.result.text) is not None:
        ok = report(use.result.text)
    return Outcome(kind=kind, ok=ok, declined=declined, key=f"{kind if kind == 'edit' else use.word} {target}", what=target or use.tool.name)


def _judge_command(use: ToolUse, command: str, begun: Outcome | None, running: dict[str, Outcome], *, declined: bool) -> Outcome:
    kind: WorkKind = begun.kind if begun is not None else command_kind(command)
    key, what = (begun.key, begun.what) if begun is not None else (f"$ {command_key(command)}", " ".join(command.split())[:200])
    text = use.result.text if use.result is not None else ""
    goes_on = RUNNING.search(text[:500])
    ok = None if declined or use.result is None or goes_on else _ended_well(use, kind, text)
    also = tuple(f"edit {path}" for path in written_files(whole_command(use))) if ok else ()
    made = Outcome(kind=kind, ok=ok, declined=declined, key=key, what=what, also=also)
    if goes_on:
        running[goes_on[1]] = made
    return made


def _ended_well(use: ToolUse, kind: WorkKind | CommandKind, text: str) -> bool:
    """By the exit code, then by the mark of the log; the summary of tests says more than a code of 0, which may be that of a pipe."""
    code = exit_code(use)
    ended = not use.failed and not use.says_failed if code is None else code == 0 and use.result is not None and use.result.is_error is not True
    return ended and not (kind == "test" and report(text) is False)


def _kind(use: ToolUse) -> tuple[WorkKind, str]:
    """What a tool that is no shell is for, and what it works on."""
    if use.word in TEST_TOOLS:
        return "test", ""
    touches = next((found for extractor in EXTRACTORS if (found := extractor.touches(use))), ())
    files = [touch.name for touch in touches if touch.kind == "file"]
    if any(touch.kind == "file" and touch.action in CHANGES for touch in touches):
        return "edit", files[0]
    if files or use.word.startswith(LOOKS):
        return "look", files[0] if files else ""
    return "other", ""
