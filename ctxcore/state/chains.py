"""Change chains of a thread: every file and value that tool calls touched, with each change and its source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ctxcore.model import Thread
from ctxcore.state.extract import EXTRACTORS
from ctxcore.state.values import CHANGES, Chain, Step, Touch
from ctxcore.tool_uses import ToolUse, tool_uses


def change_chains(thread: Thread) -> tuple[Chain, ...]:
    """Every chain of the thread, in order of first touch; made once per thread.

    Only what this thread's own tool calls did is known: a file that a sub-agent changed is not seen to change here.
    """
    return thread.once("change_chains", lambda: _chains(thread))


def _chains(thread: Thread) -> tuple[Chain, ...]:
    found: dict[tuple[str, str, str], list[tuple[ToolUse, Touch]]] = {}
    for use in tool_uses(thread):
        for touch in touches(use):
            found.setdefault((touch.kind, touch.scope, touch.name), []).append((use, touch))
    return tuple(
        Chain(kind=pairs[0][1].kind, name=name, scope=scope, steps=_mark_stale([*_steps(pairs)])) for (_, scope, name), pairs in found.items()
    )


def touches(use: ToolUse) -> tuple[Touch, ...]:
    """What one tool call touches, by the first extractor that knows it."""
    for extractor in EXTRACTORS:
        if found := extractor.touches(use):
            return found
    return ()


def _steps(pairs: Sequence[tuple[ToolUse, Touch]]) -> list[Step]:
    steps: list[Step] = []
    version, value = 0, ""
    seen: set[tuple[int, str]] = set()
    for use, touch in pairs:
        failed = use.failed or (touch.action in CHANGES and use.says_failed)
        changes = touch.action in CHANGES and not failed
        old = value
        again = touch.action == "read" and (version, touch.detail) in seen
        if changes:
            version, value = version + 1, touch.value
        elif touch.action == "read" and not failed:
            seen.add((version, touch.detail))
        steps.append(
            Step(
                call=use.call,
                turn=use.turn,
                action=touch.action,
                again=again,
                failed=failed,
                version=version,
                old=old,
                new=touch.value if touch.action in CHANGES else value,
                detail=touch.detail,
                tool=use.tool.name,
                message=use.message,
                carrier=use.message if touch.action in CHANGES else use.result_message,
                source=use.source,
            )
        )
    return steps


def _mark_stale(steps: list[Step]) -> tuple[Step, ...]:
    """Each read with the call that made it stale: the first change after it."""
    later: int | None = None
    for place in range(len(steps) - 1, -1, -1):
        step = steps[place]
        if step.failed:
            continue
        if step.action in CHANGES:
            later = step.call
        elif later is not None:
            steps[place] = replace(step, stale_from=later)
    return tuple(steps)
